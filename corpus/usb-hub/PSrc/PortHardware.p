// One port of the hub's hardware, with whatever is plugged in.
//
// A port is enabled by a reset while a device is attached, and stays so until the device goes. Devices follow chapter
// 9 of the USB specification: default (after reset, at address 0), addressed, configured.

enum tDeviceState { ABSENT, POWERED, DEFAULT, ADDRESSED, CONFIGURED }

event eConnectHub: machine;

machine PortHardware {
  var port: int;
  var hub: machine;
  var device: tDeviceState;
  var isSuspended: bool;

  start state Unpowered {
    entry (number: int) {
      port = number;
    }
    on eConnectHub goto Powered with (driver: machine) {
      hub = driver;
    }
    defer eAttach, eDetach;
  }

  state Powered {
    on eAttach do {
      device = POWERED;
      announce eDeviceAttached, port;
      report(CONNECTED);
    }
    on eDetach do {
      device = ABSENT;
      isSuspended = false;
      announce eDeviceDetached, port;
      report(DISCONNECTED);
    }
    on ePortReset do {
      if (device != ABSENT) {
        device = DEFAULT;
        announce eDeviceAtAddressZero, port;
      }
      report(RESET_DONE);
    }
    on ePortSuspend do {
      // Only an enabled port goes to sleep.
      isSuspended = device != ABSENT && device != POWERED;
      report(SUSPEND_DONE);
    }
    on ePortResume do {
      isSuspended = false;
      report(RESUME_DONE);
    }
    on eTransfer do (transfer: (from: machine, request: tRequest)) {
      assert !isSuspended, "a control transfer is sent to a sleeping port";
      send transfer.from, eTransferDone, perform(transfer.request);
    }
  }

  // Whether the device takes part in the transfer.
  fun perform(request: tRequest): bool {
    if (device == ABSENT || device == POWERED) {
      return false;
    }
    if (request == SET_ADDRESS) {
      assert device == DEFAULT, "a device gets its address twice";
      device = ADDRESSED;
      announce eDeviceAddressed, port;
    } else if (request == GET_DESCRIPTOR) {
      assert device == ADDRESSED, "a device is asked for its descriptor too early or too late";
    } else {
      assert device == ADDRESSED, "a device is configured too early or too late";
      device = CONFIGURED;
      announce eDeviceConfigured, port;
    }
    return true;
  }

  fun report(change: tChange) {
    send hub, ePortChange, (port = port, change = change);
  }
}
