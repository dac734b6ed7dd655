module System = { TimeKeeper, Register, Process };

test param (processCount in [1, 2, 3]) tcFischer [main=CorrectSystem]:
  assert MutualExclusion in (union System, { CorrectSystem });

test param (processCount in [1, 2, 3]) tcTimeGoesOn [main=CorrectSystem]:
  assert TimeGoesOn in (union System, { CorrectSystem });

test param (processCount in [2, 3]) tcWaitedTooShort [main=SystemWaitingTooShort]:
  assert MutualExclusion in (union System, { SystemWaitingTooShort });

test param (processCount in [2, 3]) tcClockKeptRunning [main=SystemKeepingClockRunning]:
  assert MutualExclusion in (union System, { SystemKeepingClockRunning });

test param (processCount in [2]) tcTickWithoutConsent [main=SystemTickingWithoutConsent]:
  assert MutualExclusion in (union System, { SystemTickingWithoutConsent });
