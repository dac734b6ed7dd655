module Kit = { Driver, Device, SwitchPack, DebounceTimer, PowerManager };

test param (powerCycles in [1, 2], switchChanges in [1, 2, 3]) tcDriver [main=CorrectDriver]:
  assert TransfersInD0OneByOne, StableIsShown in (union Kit, { CorrectDriver });

test param (powerCycles in [1, 2], switchChanges in [2]) tcPowerTransitionsComplete [main=CorrectDriver]:
  assert PowerTransitionsComplete in (union Kit, { CorrectDriver });

// Row "OSR 1".
test param (powerCycles in [2], switchChanges in [2, 3]) tcBarGraphTrusted [main=DriverTrustingBarGraph]:
  assert TransfersInD0OneByOne, StableIsShown in (union Kit, { DriverTrustingBarGraph });

// Row "OSR 2".
test param (powerCycles in [1, 2], switchChanges in [2, 3]) tcTimerNotFlushed [main=DriverNotFlushingTimer]:
  assert TransfersInD0OneByOne, StableIsShown in (union Kit, { DriverNotFlushingTimer });

// Easily found.
test param (powerCycles in [1], switchChanges in [2]) tcLateChangesForgotten [main=DriverForgettingLateChanges]:
  assert TransfersInD0OneByOne, StableIsShown in (union Kit, { DriverForgettingLateChanges });

// Infinitely many states: for `fabius prove`, and for a search with a bound.
test tcRestless [main=RestlessEnvironment]:
  { Driver, Device, DebounceTimer, RestlessSwitches, RestlessEnvironment };
