// The hub's machine: passes changes on to the ports, hands out address 0, and takes the hub to sleep and back.

type tHubConfig = (hardware: seq[PortHardware], mistake: tMistake);

machine Hub {
  var ports: seq[Port];
  // Whether some port may use address 0, and which ports wait for it.
  var isAddressZeroTaken: bool;
  var waiting: seq[int];
  // Who asked for the power transition under way, and how many ports have not made it yet.
  var power: machine;
  var left: int;

  start state Starting {
    entry (config: tHubConfig) {
      var port: int;
      while (port < sizeof(config.hardware)) {
        ports += (port, new Port(
          (port = port, hub = this, hardware = config.hardware[port], mistake = config.mistake)));
        port = port + 1;
      }
      goto Running;
    }
  }

  state Running {
    on ePortChange do passOn;
    on eAcquireAddressZero do acquireAddressZero;
    on eReleaseAddressZero do releaseAddressZero;
    on eHubSuspend goto Suspending;
  }

  // Ports that are busy with a new device finish that first.
  state Suspending {
    entry (manager: machine) {
      var port: Port;
      power = manager;
      left = sizeof(ports);
      foreach (port in ports) {
        send port, eSuspendPort;
      }
    }
    on ePortChange do passOn;
    on eAcquireAddressZero do acquireAddressZero;
    on eReleaseAddressZero do releaseAddressZero;
    on ePortSuspended do {
      left = left - 1;
      if (left == 0) {
        send power, eHubSuspended;
        goto Suspended;
      }
    }
  }

  // A sleeping hub still reports what is plugged in and pulled out.
  state Suspended {
    on ePortChange do passOn;
    on eHubResume goto Resuming;
  }

  state Resuming {
    entry (manager: machine) {
      var port: Port;
      power = manager;
      left = sizeof(ports);
      foreach (port in ports) {
        send port, eResumePort;
      }
    }
    on ePortChange do passOn;
    on eAcquireAddressZero do acquireAddressZero;
    on eReleaseAddressZero do releaseAddressZero;
    on ePortResumed do {
      left = left - 1;
      if (left == 0) {
        send power, eHubResumed;
        goto Running;
      }
    }
  }

  fun passOn(status: (port: int, change: tChange)) {
    var port: Port;
    port = ports[status.port];
    if (status.change == CONNECTED) {
      send port, eConnected;
    } else if (status.change == DISCONNECTED) {
      send port, eDisconnected;
    } else if (status.change == RESET_DONE) {
      send port, eResetDone;
    } else if (status.change == SUSPEND_DONE) {
      send port, eSuspendDone;
    } else {
      send port, eResumeDone;
    }
  }

  fun acquireAddressZero(port: int) {
    if (isAddressZeroTaken) {
      waiting += (sizeof(waiting), port);
      return;
    }
    isAddressZeroTaken = true;
    send ports[port], eAddressZeroGranted;
  }

  fun releaseAddressZero() {
    var port: int;
    if (sizeof(waiting) == 0) {
      isAddressZeroTaken = false;
      return;
    }
    port = waiting[0];
    waiting -= (0);
    send ports[port], eAddressZeroGranted;
  }
}
