module Ring = { Node, Link, Alarm, RashTimer };

// Timeouts come late, but never without a reason.
test param (nodes in [2, 3, 4, 5], losses in [1], rashTimeouts in [0]) tcLossLeLann [main=LeLann]:
  assert OneToken, LostTokenIsReplaced in (union Ring, { LeLann });

test param (nodes in [2, 3, 4, 5], losses in [1], rashTimeouts in [0]) tcLossChangRoberts [main=ChangRoberts]:
  assert OneToken, LostTokenIsReplaced in (union Ring, { ChangRoberts });

test param (nodes in [2, 3], losses in [2], rashTimeouts in [0]) tcTwoLosses [main=ChangRoberts]:
  assert OneToken, LostTokenIsReplaced in (union Ring, { ChangRoberts });

// Nodes take the token for lost although it is not.
test param (nodes in [2, 3], losses in [0], rashTimeouts in [1]) tcRashLeLann [main=LeLann]:
  assert OneToken in (union Ring, { LeLann });

test param (nodes in [2, 3, 4], losses in [0], rashTimeouts in [1]) tcRashChangRoberts [main=ChangRoberts]:
  assert OneToken in (union Ring, { ChangRoberts });

test param (nodes in [2, 3], losses in [0], rashTimeouts in [2]) tcVeryRash [main=ChangRoberts]:
  assert OneToken in (union Ring, { ChangRoberts });

test param (nodes in [2, 3, 4], losses in [0], rashTimeouts in [1]) tcHolderForwards [main=HolderForwards]:
  assert OneToken in (union Ring, { HolderForwards });

test param (nodes in [2, 3, 4], losses in [0], rashTimeouts in [1]) tcStubbornCandidate [main=StubbornCandidate]:
  assert OneToken in (union Ring, { StubbornCandidate });

test param (nodes in [2, 3], losses in [0], rashTimeouts in [2]) tcBelievesOldClaims [main=BelievesOldClaims]:
  assert OneToken in (union Ring, { BelievesOldClaims });

test param (nodes in [2, 3, 4], losses in [1], rashTimeouts in [0]) tcForgetsRivals [main=ForgetsRivals]:
  assert OneToken in (union Ring, { ForgetsRivals });

test param (nodes in [2, 3], losses in [1], rashTimeouts in [0]) tcStopsAllClaims [main=StopsAllClaims]:
  assert LostTokenIsReplaced in (union Ring, { StopsAllClaims });

test param (nodes in [3], losses in [2], rashTimeouts in [0]) tcDefeatedForGood [main=DefeatedForGood]:
  assert LostTokenIsReplaced in (union Ring, { DefeatedForGood });

// The claim circulates for ever and no token appears.
test param (nodes in [2, 3, 4], losses in [1], rashTimeouts in [0]) tcLostIdentity [main=LostIdentity]:
  assert LostTokenIsReplaced in (union Ring, { LostIdentity });
