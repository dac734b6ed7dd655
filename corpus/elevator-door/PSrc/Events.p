// What the controller hears and says.

// The buttons in the car and on the landing.
event eOpenDoor;
event eCloseDoor;

// Commands to the door, and what its sensors report. A door that meets an object stops by itself.
event eCommandOpen;
event eCommandClose;
event eCommandStop;
event eDoorOpened;
event eDoorClosed;
event eDoorStopped;
event eObjectDetected;

// The timer of the open door. Each start leads to one firing or one `eTimerStopped`; a stop that comes too late is
// answered by `eTimerNotStopped` before the firing, or not at all if the timer has fired already.
event eStartTimer;
event eStopTimer;
event eTimerFired;
event eTimerStopped;
event eTimerNotStopped;

// Tells a part which controller it belongs to.
event eConnect: machine;

// Announced when the controller knows the door to be open, and holds it open.
event eHoldingOpen;

// Mistakes that a controller can be made with.
enum tMistake {
  NO_MISTAKE,
  // Nobody presses the close button while the door opens.
  FORGETS_CLOSE_WHILE_OPENING,
  // Nothing is in the way of a door that is being stopped.
  FORGETS_OBJECT_WHILE_STOPPING,
  // An object in the way of a door that is being stopped is of no interest: the door will report that it has stopped.
  IGNORES_OBJECT_WHILE_STOPPING,
  // A door that closed before it could be stopped is closed, and why it was to be stopped is forgotten.
  FORGETS_WHY_IT_STOPPED,
  // A door that meets an object tries again, and listens to nobody until it has closed.
  NUDGES
}
