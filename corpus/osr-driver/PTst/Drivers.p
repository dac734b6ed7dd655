// The environments in which the driver is tested.

// How often the device is woken and put to sleep, and how often the switches are changed.
param powerCycles: int;
param switchChanges: int;

// Wakes the device and puts it to sleep, and does not wait for the driver in between.
machine PowerManager {
  start state Cycling {
    entry (config: (driver: Driver, cycles: int)) {
      var cycle: int;
      while (cycle < config.cycles) {
        send config.driver, eD0Entry, this;
        send config.driver, eD0Exit, this;
        cycle = cycle + 1;
      }
    }
    ignore eD0EntryCompleted, eD0ExitCompleted;
  }
}

// A board with a driver. One of its control transfers may fail.
fun plugIn(switches: machine, mistake: tMistake): Driver {
  var device: Device;
  var timer: DebounceTimer;
  var driver: Driver;
  device = new Device((failures = 1,));
  timer = new DebounceTimer();
  driver = new Driver((device = device, switches = switches, timer = timer, mistake = mistake));
  send device, eConnect, driver;
  send timer, eConnect, driver;
  send switches, eConnect, driver;
  return driver;
}

fun tryOut(mistake: tMistake) {
  var driver: Driver;
  driver = plugIn(new SwitchPack((changes = switchChanges,)), mistake);
  new PowerManager((driver = driver, cycles = powerCycles));
}

machine CorrectDriver {
  start state Init {
    entry { tryOut(NO_MISTAKE); }
  }
}

machine DriverForgettingLateChanges {
  start state Init {
    entry { tryOut(FORGETS_LATE_SWITCH_CHANGES); }
  }
}

machine DriverTrustingBarGraph {
  start state Init {
    entry { tryOut(TRUSTS_BAR_GRAPH_AFTER_SLEEP); }
  }
}

machine DriverNotFlushingTimer {
  start state Init {
    entry { tryOut(DOES_NOT_FLUSH_TIMER); }
  }
}

// A power manager and switches that never rest, as in the papers. The driver's queue is unbounded.
machine RestlessEnvironment {
  var driver: Driver;

  start state Init {
    entry {
      driver = plugIn(new RestlessSwitches(), NO_MISTAKE);
      goto Cycling;
    }
  }

  state Cycling {
    entry {
      send driver, eD0Entry, this;
      send driver, eD0Exit, this;
      goto Cycling;
    }
    ignore eD0EntryCompleted, eD0ExitCompleted;
  }
}

machine RestlessSwitches {
  var driver: machine;

  start state Plugged {
    on eConnect goto Switching with (owner: machine) {
      driver = owner;
    }
    defer eStartReader, eStopReader;
  }

  state Switching {
    entry {
      send driver, eSwitchChanged, choose(2);
      goto Switching;
    }
    ignore eStartReader, eStopReader;
  }
}
