module Driver = { Hub, Port, Device, PortHardware, User, PowerManager };

test param (portCount in [1], plugs in [1, 2, 3, 4], powerCycles in [0, 1]) tcOnePort [main=CorrectHub]:
  assert OneDeviceAtAddressZero in (union Driver, { CorrectHub });

test param (portCount in [1], plugs in [1, 2], powerCycles in [2]) tcTwoPowerCycles [main=CorrectHub]:
  assert OneDeviceAtAddressZero in (union Driver, { CorrectHub });

test param (portCount in [2], plugs in [1, 2], powerCycles in [0]) tcTwoPorts [main=CorrectHub]:
  assert OneDeviceAtAddressZero in (union Driver, { CorrectHub });

test param (portCount in [2], plugs in [1], powerCycles in [1]) tcTwoPortsAsleep [main=CorrectHub]:
  assert OneDeviceAtAddressZero in (union Driver, { CorrectHub });

test param (portCount in [1], plugs in [1, 2, 3], powerCycles in [1]) tcProgress [main=CorrectHub]:
  assert DevicesAreConfigured, PowerTransitionsComplete in (union Driver, { CorrectHub });

test param (portCount in [2], plugs in [1], powerCycles in [0]) tcTwoPortsProgress [main=CorrectHub]:
  assert DevicesAreConfigured, PowerTransitionsComplete in (union Driver, { CorrectHub });

test param (portCount in [1], plugs in [2, 4], powerCycles in [1]) tcDetachForgotten [main=HubForgettingDetach]:
  assert OneDeviceAtAddressZero in (union Driver, { HubForgettingDetach });

// Row "USB".
test param (portCount in [1], plugs in [3], powerCycles in [0]) tcResetAbandoned [main=HubAbandoningReset]:
  assert OneDeviceAtAddressZero in (union Driver, { HubAbandoningReset });

test param (portCount in [2], plugs in [2], powerCycles in [0]) tcResetAbandonedOnTwoPorts [main=HubAbandoningReset]:
  assert OneDeviceAtAddressZero in (union Driver, { HubAbandoningReset });

test param (portCount in [2], plugs in [1], powerCycles in [0]) tcAddressZeroShared [main=HubReleasingAddressZeroEarly]:
  assert OneDeviceAtAddressZero in (union Driver, { HubReleasingAddressZeroEarly });

test param (portCount in [1], plugs in [3], powerCycles in [1]) tcAddressZeroKept [main=HubKeepingAddressZero]:
  assert DevicesAreConfigured, PowerTransitionsComplete in (union Driver, { HubKeepingAddressZero });

// Infinitely many states: for `fabius prove`, and for a search with a bound.
test tcRestless [main=RestlessEnvironment]:
  { Hub, Port, Device, PortHardware, PowerManager, RestlessUser, RestlessEnvironment };
