module Algorithm = { Process, Register };

test param (processes in [2], entriesEach in [1, 2, 3]) tcTwoProcesses [main=Correct]:
  assert MutualExclusion in (union Algorithm, { Correct });

test param (processes in [3], entriesEach in [1]) tcThreeProcesses [main=Correct]:
  assert MutualExclusion in (union Algorithm, { Correct });

test param (processes in [2], entriesEach in [1]) tcProgress [main=Correct]:
  assert NobodyStarves in (union Algorithm, { Correct });

test param (processes in [2], entriesEach in [1]) tcVictimFirst [main=VictimFirst]:
  assert MutualExclusion in (union Algorithm, { VictimFirst });

test param (processes in [2], entriesEach in [1]) tcLookBeforeRaising [main=LookBeforeRaising]:
  assert MutualExclusion in (union Algorithm, { LookBeforeRaising });

// Both processes read each other's flag for ever.
test param (processes in [2], entriesEach in [1]) tcNoVictim [main=NoVictim]:
  assert MutualExclusion, NobodyStarves in (union Algorithm, { NoVictim });
