// The machine of a device that has its address: configures it, and rests and ends with it.

machine Device {
  var port: Port;
  var hardware: PortHardware;

  start state Starting {
    entry (config: (port: Port, hardware: PortHardware)) {
      port = config.port;
      hardware = config.hardware;
      goto Describing;
    }
  }

  state Describing {
    entry {
      send hardware, eTransfer, (from = this, request = GET_DESCRIPTOR);
    }
    on eTransferDone do (success: bool) {
      if (success) {
        goto Configuring;
      }
      giveUp();
    }
  }

  state Configuring {
    entry {
      send hardware, eTransfer, (from = this, request = SET_CONFIGURATION);
    }
    on eTransferDone do (success: bool) {
      if (success) {
        send port, eDeviceReady, true;
        goto Working;
      }
      giveUp();
    }
  }

  state Working {
    on eQuiesce do {
      send port, eDeviceQuiet;
      goto Quiet;
    }
    on eRemove do end;
  }

  state Quiet {
    on eWakeUp goto Working;
    on eRemove do end;
  }

  fun giveUp() {
    send port, eDeviceReady, false;
    raise halt;
  }

  fun end() {
    send port, eDeviceRemoved;
    raise halt;
  }
}
