// The door is told to close only when it has stood open for a period of the timer, never over an object that it has
// met, and is told one thing at a time.
spec DoorIsSafe observes eCommandOpen, eCommandClose, eCommandStop, eDoorOpened, eDoorClosed, eDoorStopped,
  eObjectDetected, eTimerFired
{
  var hasFired: bool;

  start state Closed {
    on eCommandOpen goto Opening;
    on eCommandClose do {
      assert false, "the door is told to close although it has never opened";
    }
    ignore eTimerFired;
    // Too late to matter.
    ignore eCommandStop;
  }

  state Opening {
    on eDoorOpened goto Opened;
    on eCommandOpen, eCommandClose do {
      assert false, "the door gets a command while it opens";
    }
    ignore eCommandStop, eTimerFired;
  }

  state Opened {
    entry {
      hasFired = false;
    }
    on eTimerFired do {
      hasFired = true;
    }
    on eCommandClose goto Closing with {
      assert hasFired, "the door is told to close too early";
    }
    on eCommandOpen do {
      assert false, "the door is told to open although it is open";
    }
  }

  state Closing {
    on eDoorClosed goto Closed;
    on eDoorStopped, eObjectDetected goto Blocked;
    on eCommandOpen, eCommandClose do {
      assert false, "the door gets a command while it closes";
    }
    ignore eCommandStop, eTimerFired;
  }

  state Blocked {
    on eCommandOpen goto Opening;
    on eCommandClose do {
      assert false, "the door is told to close over an object";
    }
    ignore eCommandStop, eTimerFired;
  }
}
