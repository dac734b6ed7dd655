// A one-shot timer that may be too late to be stopped, as those of every operating system.

machine DebounceTimer {
  var driver: machine;

  start state Created {
    on eConnect goto Idle with (owner: machine) {
      driver = owner;
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
        send driver, eTimerFired;
        goto Idle;
      }
    }
    on eStopTimer do {
      if ($) {
        send driver, eTimerNotStopped;
        send driver, eTimerFired;
      } else {
        send driver, eTimerStopped;
      }
      goto Idle;
    }
  }
}
