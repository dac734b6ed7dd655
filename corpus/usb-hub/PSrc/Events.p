// What passes between the machines of the hub driver, the hardware and the system.

// The hub's interrupt pipe: something has changed on a port.
enum tChange { CONNECTED, DISCONNECTED, RESET_DONE, SUSPEND_DONE, RESUME_DONE }
event ePortChange: (port: int, change: tChange);

// The same, as the hub passes it on to the port's machine.
event eConnected;
event eDisconnected;
event eResetDone;
event eSuspendDone;
event eResumeDone;

// Requests to the hub about one of its ports. Each leads to a change, whether a device is attached or not.
event ePortReset;
event ePortSuspend;
event ePortResume;

// Control transfers to the device on a port. They fail when the port is not enabled.
enum tRequest { SET_ADDRESS, GET_DESCRIPTOR, SET_CONFIGURATION }
event eTransfer: (from: machine, request: tRequest);
event eTransferDone: bool;

// A device answers at address 0 between its reset and SET_ADDRESS. So only one port at a time may do that.
event eAcquireAddressZero: int;
event eAddressZeroGranted;
event eReleaseAddressZero;

// From the port to its device's machine, and back.
event eQuiesce;
event eDeviceQuiet;
event eWakeUp;
event eRemove;
event eDeviceReady: bool;
event eDeviceRemoved;

// The hub goes to sleep port by port.
event eSuspendPort;
event ePortSuspended;
event eResumePort;
event ePortResumed;

// From the system's power manager, and the answers.
event eHubSuspend: machine;
event eHubSuspended;
event eHubResume: machine;
event eHubResumed;

// From the user of the sockets.
event eAttach;
event eDetach;

// Announced by the hardware, with the port: what happens to the device.
event eDeviceAttached: int;
event eDeviceDetached: int;
event eDeviceAtAddressZero: int;
event eDeviceAddressed: int;
event eDeviceConfigured: int;

// Mistakes that a driver can be made with.
enum tMistake {
  NO_MISTAKE,
  // Nobody pulls a device out of a sleeping hub.
  FORGETS_DETACH_IN_SUSPEND,
  // A port whose device is gone is empty, although its reset has not been completed.
  ABANDONS_RESET,
  // A port whose device goes during its reset keeps address 0 for itself.
  KEEPS_ADDRESS_ZERO,
  // A port gives address 0 back as soon as its device has been reset.
  RELEASES_ADDRESS_ZERO_EARLY
}
