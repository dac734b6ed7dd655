// The board, as the driver sees it.

type tDeviceConfig = (failures: int);

// Bar graph and LED. A bounded number of control transfers fails.
machine Device {
  var failures: int;
  var driver: machine;

  start state Plugged {
    entry (config: tDeviceConfig) {
      failures = config.failures;
    }
    on eConnect goto Ready with (owner: machine) {
      driver = owner;
    }
    defer eUpdateBarGraph, eSetLed;
  }

  state Ready {
    on eUpdateBarGraph do {
      complete(BAR_GRAPH);
    }
    on eSetLed do {
      complete(LED);
    }
  }

  fun complete(transfer: tTransfer) {
    if (failures > 0 && $) {
      failures = failures - 1;
      send driver, eTransferCompleted, (transfer = transfer, success = false);
      return;
    }
    send driver, eTransferCompleted, (transfer = transfer, success = true);
  }
}

// The switch pack behind its interrupt pipe. While the pipe is read, somebody plays with the switches: so many
// changes in all, to one of two settings each.
machine SwitchPack {
  var driver: machine;
  var changes: int;

  start state Plugged {
    entry (config: (changes: int)) {
      changes = config.changes;
    }
    on eConnect goto Stopped with (owner: machine) {
      driver = owner;
    }
    defer eStartReader, eStopReader;
  }

  state Stopped {
    on eStartReader goto Reading;
    ignore eNextChange;
  }

  state Reading {
    entry {
      if (changes > 0) {
        changes = changes - 1;
        send driver, eSwitchChanged, choose(2);
        send this, eNextChange;
      }
    }
    on eNextChange goto Reading;
    on eStopReader goto Stopped;
  }
}
