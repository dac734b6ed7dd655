// The machine of one port: takes a new device from its connection to its address, and takes leave of it.
//
// Requests to hardware and device are never left unanswered: while one is under way, the port defers what it cannot
// act upon.

type tPortConfig = (port: int, hub: machine, hardware: PortHardware, mistake: tMistake);

machine Port {
  var port: int;
  var hub: machine;
  var hardware: PortHardware;
  var mistake: tMistake;
  var device: Device;
  var isAsleep: bool;

  start state Starting {
    entry (config: tPortConfig) {
      port = config.port;
      hub = config.hub;
      hardware = config.hardware;
      mistake = config.mistake;
      goto Empty;
    }
  }

  state Empty {
    on eConnected goto WaitingForAddressZero with {
      send hub, eAcquireAddressZero, port;
    }
    on eSuspendPort do {
      isAsleep = true;
      send hub, ePortSuspended;
      goto EmptyAsleep;
    }
  }

  state EmptyAsleep {
    on eResumePort do {
      isAsleep = false;
      send hub, ePortResumed;
      goto Empty;
    }
    defer eConnected, eDisconnected;
  }

  state WaitingForAddressZero {
    on eAddressZeroGranted goto Resetting;
    on eDisconnected goto NoLongerWaiting;
    defer eSuspendPort;
  }

  // The device is gone, but address 0 will be granted, to this device or to the next one.
  state NoLongerWaiting {
    on eAddressZeroGranted goto Empty with {
      send hub, eReleaseAddressZero;
    }
    on eConnected goto WaitingForAddressZero;
    defer eSuspendPort;
  }

  state Resetting {
    entry {
      send hardware, ePortReset;
    }
    on eResetDone do {
      if (mistake == RELEASES_ADDRESS_ZERO_EARLY) {
        send hub, eReleaseAddressZero;
      }
      goto Addressing;
    }
    on eDisconnected do {
      if (mistake == ABANDONS_RESET) {
        send hub, eReleaseAddressZero;
        goto Empty;
      }
      goto AbandoningReset;
    }
    defer eSuspendPort;
  }

  state AbandoningReset {
    on eResetDone do {
      if (mistake != KEEPS_ADDRESS_ZERO) {
        send hub, eReleaseAddressZero;
      }
      goto Empty;
    }
    defer eConnected, eDisconnected, eSuspendPort;
  }

  state Addressing {
    entry {
      send hardware, eTransfer, (from = this, request = SET_ADDRESS);
    }
    on eTransferDone do (success: bool) {
      if (mistake != RELEASES_ADDRESS_ZERO_EARLY) {
        send hub, eReleaseAddressZero;
      }
      if (success) {
        goto Enumerating;
      }
      goto WaitingForDisconnection;
    }
    defer eConnected, eDisconnected, eSuspendPort;
  }

  state Enumerating {
    entry {
      device = new Device((port = this, hardware = hardware));
    }
    on eDeviceReady do (success: bool) {
      if (success) {
        goto Configured;
      }
      goto WaitingForDisconnection;
    }
    defer eConnected, eDisconnected, eSuspendPort;
  }

  // Transfers fail only when the device is gone.
  state WaitingForDisconnection {
    on eDisconnected goto Empty;
    defer eSuspendPort;
  }

  state Configured {
    on eDisconnected goto RemovingDevice;
    on eSuspendPort goto Quiescing;
  }

  state Quiescing {
    entry {
      send device, eQuiesce;
    }
    on eDeviceQuiet goto SuspendingPort;
    defer eConnected, eDisconnected;
  }

  state SuspendingPort {
    entry {
      send hardware, ePortSuspend;
    }
    on eSuspendDone do {
      isAsleep = true;
      send hub, ePortSuspended;
      if (mistake == FORGETS_DETACH_IN_SUSPEND) {
        goto SuspendedUndisturbed;
      }
      goto Suspended;
    }
    defer eConnected, eDisconnected;
  }

  state Suspended {
    on eResumePort goto ResumingPort;
    on eDisconnected goto RemovingDevice;
  }

  // As `Suspended`, by an author who thought that people leave sleeping hubs alone.
  state SuspendedUndisturbed {
    on eResumePort goto ResumingPort;
  }

  state ResumingPort {
    entry {
      send hardware, ePortResume;
    }
    on eResumeDone do {
      isAsleep = false;
      send device, eWakeUp;
      send hub, ePortResumed;
      goto Configured;
    }
    defer eConnected, eDisconnected;
  }

  state RemovingDevice {
    entry {
      send device, eRemove;
    }
    on eDeviceRemoved do {
      if (isAsleep) {
        goto EmptyAsleep;
      }
      goto Empty;
    }
    defer eConnected, eDisconnected, eSuspendPort, eResumePort;
  }
}
