module Bus = { Node, Timer };

test param (nodes in [1, 2, 3, 4, 5]) tcAnyTree [main=AnyTree]:
  assert OneRoot in (union Bus, { AnyTree });

test param (nodes in [2, 3, 4, 5]) tcLine [main=Line]:
  assert OneRoot in (union Bus, { Line });

test param (nodes in [3, 4, 5]) tcStar [main=Star]:
  assert OneRoot in (union Bus, { Star });

test param (nodes in [2, 3, 4]) tcForcedRoot [main=AnyTreeForcedRoot]:
  assert OneRoot in (union Bus, { AnyTreeForcedRoot });

// Contention can go on for ever only if the coin is unfair.
test param (nodes in [2, 3, 4]) tcProgress [main=AnyTree]:
  assert TreeIsIdentified in (union Bus, { AnyTree });

test param (nodes in [3, 4, 5]) tcLoop [main=Loop]:
  assert TreeIsIdentified in (union Bus, { Loop });

test param (nodes in [2, 3, 4, 5]) tcNoContention [main=NoContention]:
  assert OneRoot in (union Bus, { NoContention });

test param (nodes in [3, 4]) tcAsksEarly [main=AsksEarly]:
  assert OneRoot in (union Bus, { AsksEarly });

test param (nodes in [2, 3, 4, 5]) tcLateTimeout [main=LateTimeout]:
  assert OneRoot in (union Bus, { LateTimeout });

test param (nodes in [2, 3, 4, 5]) tcGivesUp [main=GivesUp]:
  assert OneRoot in (union Bus, { GivesUp });

// Two nodes ask each other at the same time, again and again.
test param (nodes in [2, 3]) tcSameChoice [main=SameChoice]:
  assert TreeIsIdentified in (union Bus, { SameChoice });

test param (nodes in [3]) tcLoopUndetected [main=LoopUndetected]:
  assert TreeIsIdentified in (union Bus, { LoopUndetected });
