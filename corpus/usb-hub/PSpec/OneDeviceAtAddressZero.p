// Two devices that listen at address 0 at the same time would both take the address meant for one.
spec OneDeviceAtAddressZero observes eDeviceAtAddressZero, eDeviceAddressed, eDeviceDetached {
  var listening: set[int];

  start state Watching {
    on eDeviceAtAddressZero do (port: int) {
      listening += (port);
      assert sizeof(listening) == 1, "two devices listen at address 0";
    }
    on eDeviceAddressed, eDeviceDetached do (port: int) {
      listening -= (port);
    }
  }
}
