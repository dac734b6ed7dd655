// The door with its motor and sensors, and the timer of the open door.

event eCreeping;

machine Door {
  var elevator: machine;

  start state Installed {
    on eConnect goto AtRest with (owner: machine) {
      elevator = owner;
    }
    defer eCommandOpen;
  }

  // Open, closed, or stopped half way.
  state AtRest {
    on eCommandOpen do {
      send elevator, eDoorOpened;
    }
    on eCommandClose goto Closing;
    // They came too late.
    ignore eCommandStop, eCreeping;
  }

  // The door closes, meets an object, or is slow enough to be stopped.
  state Closing {
    entry {
      if ($) {
        goto ClosingSlowly;
      }
      arrive();
    }
  }

  state ClosingSlowly {
    entry {
      send this, eCreeping;
    }
    on eCommandStop do {
      send elevator, eDoorStopped;
      goto AtRest;
    }
    on eCreeping do arrive;
  }

  fun arrive() {
    if ($) {
      send elevator, eObjectDetected;
    } else {
      send elevator, eDoorClosed;
    }
    goto AtRest;
  }
}

// A one-shot timer that may be too late to be stopped.
machine DoorTimer {
  var elevator: machine;

  start state Installed {
    on eConnect goto Idle with (owner: machine) {
      elevator = owner;
    }
    defer eStartTimer;
  }

  state Idle {
    on eStartTimer goto Running;
    // It has fired already.
    ignore eStopTimer;
  }

  state Running {
    entry {
      // Either it fires at once, or so late that only a stop is of interest.
      if ($) {
        send elevator, eTimerFired;
        goto Idle;
      }
    }
    on eStopTimer do {
      if ($) {
        send elevator, eTimerNotStopped;
        send elevator, eTimerFired;
      } else {
        send elevator, eTimerStopped;
      }
      goto Idle;
    }
  }
}
