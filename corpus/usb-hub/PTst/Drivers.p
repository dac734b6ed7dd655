// The environments in which the hub driver is tested.

param portCount: int;
// How often something is plugged in or pulled out of each port, and how often the hub goes to sleep and comes back.
param plugs: int;
param powerCycles: int;

// Plugs a device in and pulls it out, in turn, and does not wait for the driver.
machine User {
  start state Plugging {
    entry (config: (hardware: PortHardware, plugs: int)) {
      var plugged: int;
      while (plugged < config.plugs) {
        if (plugged % 2 == 0) {
          send config.hardware, eAttach;
        } else {
          send config.hardware, eDetach;
        }
        plugged = plugged + 1;
      }
    }
  }
}

// Takes the hub to sleep and back; with `cycles` below zero, for ever.
machine PowerManager {
  var hub: Hub;
  var cycles: int;

  start state Awake {
    entry (config: (hub: Hub, cycles: int)) {
      hub = config.hub;
      cycles = config.cycles;
      sleep();
    }
    on eHubSuspended do {
      send hub, eHubResume, this;
    }
    on eHubResumed do sleep;
  }

  fun sleep() {
    if (cycles > 0) {
      cycles = cycles - 1;
    } else if (cycles == 0) {
      return;
    }
    send hub, eHubSuspend, this;
  }
}

fun plugIn(ports: int, mistake: tMistake): (hub: Hub, hardware: seq[PortHardware]) {
  var hardware: seq[PortHardware];
  var port: PortHardware;
  var hub: Hub;
  while (sizeof(hardware) < ports) {
    hardware += (sizeof(hardware), new PortHardware(sizeof(hardware)));
  }
  hub = new Hub((hardware = hardware, mistake = mistake));
  foreach (port in hardware) {
    send port, eConnectHub, hub;
  }
  return (hub = hub, hardware = hardware);
}

fun tryOut(mistake: tMistake) {
  var made: (hub: Hub, hardware: seq[PortHardware]);
  var port: PortHardware;
  made = plugIn(portCount, mistake);
  foreach (port in made.hardware) {
    new User((hardware = port, plugs = plugs));
  }
  new PowerManager((hub = made.hub, cycles = powerCycles));
}

machine CorrectHub {
  start state Init {
    entry { tryOut(NO_MISTAKE); }
  }
}

machine HubForgettingDetach {
  start state Init {
    entry { tryOut(FORGETS_DETACH_IN_SUSPEND); }
  }
}

machine HubAbandoningReset {
  start state Init {
    entry { tryOut(ABANDONS_RESET); }
  }
}

machine HubKeepingAddressZero {
  start state Init {
    entry { tryOut(KEEPS_ADDRESS_ZERO); }
  }
}

machine HubReleasingAddressZeroEarly {
  start state Init {
    entry { tryOut(RELEASES_ADDRESS_ZERO_EARLY); }
  }
}

// A user and a power manager that never rest. The queues of hub and ports are unbounded.
machine RestlessUser {
  var hardware: PortHardware;

  start state Starting {
    entry (port: PortHardware) {
      hardware = port;
      goto Plugging;
    }
  }

  state Plugging {
    entry {
      send hardware, eAttach;
      send hardware, eDetach;
      goto Plugging;
    }
  }
}

machine RestlessEnvironment {
  start state Init {
    entry {
      var made: (hub: Hub, hardware: seq[PortHardware]);
      var port: PortHardware;
      made = plugIn(1, NO_MISTAKE);
      foreach (port in made.hardware) {
        new RestlessUser(port);
      }
      new PowerManager((hub = made.hub, cycles = -1));
    }
  }
}
