// What the driver hears and says.

// Tells a part of the board which driver it belongs to.
event eConnect: machine;

// From the power manager, and the driver's answers. `D0` is the device's working state, `Dx` any sleeping one.
event eD0Entry: machine;
event eD0Exit: machine;
event eD0EntryCompleted;
event eD0ExitCompleted;

// The interrupt pipe: read from start to stop, it delivers each new setting of the switch pack.
event eStartReader;
event eStopReader;
event eSwitchChanged: int;
event eNextChange;

// Control transfers to the device, and their completion.
enum tTransfer { BAR_GRAPH, LED }
enum tLed { UNSTABLE, STABLE }
event eUpdateBarGraph: int;
event eSetLed: tLed;
event eTransferCompleted: (transfer: tTransfer, success: bool);

// To the debounce timer and back. Each `eStartTimer` leads to one `eTimerFired` or one `eTimerStopped`. A stop that
// comes too late is answered by `eTimerNotStopped` if the timer still knows of it, and the firing follows.
event eStartTimer;
event eStopTimer;
event eTimerFired;
event eTimerStopped;
event eTimerNotStopped;

// Mistakes that a driver can be made with.
enum tMistake {
  NO_MISTAKE,
  // No thought is given to switch changes that were delivered before the pipe was stopped, but not yet handled.
  FORGETS_LATE_SWITCH_CHANGES,
  // A timer that could not be stopped is taken for a stopped one.
  DOES_NOT_FLUSH_TIMER,
  // The bar graph is believed to show after a sleep what it showed before.
  TRUSTS_BAR_GRAPH_AFTER_SLEEP
}
