module Network = { Synchroniser, Process };

test param (processCount in [2, 3, 4, 5]) tcLine [main=Line]:
  assert TreeIsBreadthFirst, TreeIsCompleted in (union Network, { Line });

test param (processCount in [3, 4]) tcRing [main=Ring]:
  assert TreeIsBreadthFirst, TreeIsCompleted in (union Network, { Ring });

test param (processCount in [4]) tcRingWithChord [main=RingWithChord]:
  assert TreeIsBreadthFirst, TreeIsCompleted in (union Network, { RingWithChord });

test param (processCount in [4]) tcArrivalTrusted [main=RingTrustingArrival]:
  assert TreeIsBreadthFirst, TreeIsCompleted in (union Network, { RingTrustingArrival });

test param (processCount in [4]) tcDoneTooEarly [main=RingDoneTooEarly]:
  assert TreeIsBreadthFirst, TreeIsCompleted in (union Network, { RingDoneTooEarly });

test param (processCount in [4]) tcCompleteTooEarly [main=RingCompleteTooEarly]:
  assert TreeIsBreadthFirst, TreeIsCompleted in (union Network, { RingCompleteTooEarly });
