module System = (union Chain, ChainClients, { FailureInjector });

// The protocol as designed.

test tcNoFailure [main=NoFailure]:
  assert UpdatePropagation, Consistency, Progress in (union System, { NoFailure });

test tcOneFailure [main=OneFailure]:
  assert UpdatePropagation, Consistency, Progress in (union System, { OneFailure });

test tcTwoClients [main=TwoClients]:
  assert UpdatePropagation, Consistency, Progress in (union System, { TwoClients });

test tcTwoFailures [main=TwoFailures]:
  assert UpdatePropagation, Consistency, Progress in (union System, { TwoFailures });

// One test for each length of the chain and number of failures.
test param (serverCount in [1, 2, 3, 4], failureCount in [0, 1, 2, 3])
  assume (failureCount < serverCount)
  tcSizes [main=Sizes]:
  assert UpdatePropagation, Consistency, Progress in (union System, { Sizes });

// The same, with one mistake each.

test tcHeadAnswers [main=HeadAnswers]:
  assert UpdatePropagation, Consistency, Progress in (union System, { HeadAnswers });

test tcQueryAtHead [main=QueryAtHead]:
  assert UpdatePropagation, Consistency, Progress in (union System, { QueryAtHead });

test tcNothingResent [main=NothingResent]:
  assert UpdatePropagation, Consistency, Progress in (union System, { NothingResent });

test tcResentBackwards [main=ResentBackwards]:
  assert UpdatePropagation, Consistency, Progress in (union System, { ResentBackwards });

test tcQuietNewTail [main=QuietNewTail]:
  assert UpdatePropagation, Consistency, Progress in (union System, { QuietNewTail });

test tcRepeatedUpdate [main=RepeatedUpdate]:
  assert UpdatePropagation, Consistency, Progress in (union System, { RepeatedUpdate });

test tcSecondAnswer [main=SecondAnswer]:
  assert UpdatePropagation, Consistency, Progress in (union System, { SecondAnswer });

test tcOldestAcknowledged [main=OldestAcknowledged]:
  assert UpdatePropagation, Consistency, Progress in (union System, { OldestAcknowledged });

test tcCountFromZero [main=CountFromZero]:
  assert UpdatePropagation, Consistency, Progress in (union System, { CountFromZero });

test tcAdjacentFailures [main=AdjacentFailures]:
  assert UpdatePropagation, Consistency, Progress in (union System, { AdjacentFailures });
