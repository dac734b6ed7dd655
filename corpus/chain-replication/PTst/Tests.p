// The protocol as designed.

test tcNoFailure [main=NoFailure]:
  assert UpdatePropagation, Consistency, Progress in (union Chain, ChainClients, { NoFailure, FailureInjector });

test tcOneFailure [main=OneFailure]:
  assert UpdatePropagation, Consistency, Progress in (union Chain, ChainClients, { OneFailure, FailureInjector });

test tcTwoClients [main=TwoClients]:
  assert UpdatePropagation, Consistency, Progress in (union Chain, ChainClients, { TwoClients, FailureInjector });

test tcTwoFailures [main=TwoFailures]:
  assert UpdatePropagation, Consistency, Progress in (union Chain, ChainClients, { TwoFailures, FailureInjector });

// One test for each length of the chain and number of failures.
test param (serverCount in [1, 2, 3, 4], failureCount in [0, 1, 2, 3])
  assume (failureCount < serverCount)
  tcSizes [main=Sizes]:
  assert UpdatePropagation, Consistency, Progress in (union Chain, ChainClients, { Sizes, FailureInjector });

// The same, with one mistake each.

test tcHeadAnswers [main=HeadAnswers]:
  assert UpdatePropagation, Consistency, Progress in (union Chain, ChainClients, { HeadAnswers, FailureInjector });

test tcQueryAtHead [main=QueryAtHead]:
  assert UpdatePropagation, Consistency, Progress in (union Chain, ChainClients, { QueryAtHead, FailureInjector });

test tcNothingResent [main=NothingResent]:
  assert UpdatePropagation, Consistency, Progress in (union Chain, ChainClients, { NothingResent, FailureInjector });

test tcResentBackwards [main=ResentBackwards]:
  assert UpdatePropagation, Consistency, Progress in (union Chain, ChainClients, { ResentBackwards, FailureInjector });

test tcQuietNewTail [main=QuietNewTail]:
  assert UpdatePropagation, Consistency, Progress in (union Chain, ChainClients, { QuietNewTail, FailureInjector });

test tcRepeatedUpdate [main=RepeatedUpdate]:
  assert UpdatePropagation, Consistency, Progress in (union Chain, ChainClients, { RepeatedUpdate, FailureInjector });

test tcSecondAnswer [main=SecondAnswer]:
  assert UpdatePropagation, Consistency, Progress in (union Chain, ChainClients, { SecondAnswer, FailureInjector });

test tcOldestAcknowledged [main=OldestAcknowledged]:
  assert UpdatePropagation, Consistency, Progress in (union Chain, ChainClients, { OldestAcknowledged, FailureInjector });

test tcCountFromZero [main=CountFromZero]:
  assert UpdatePropagation, Consistency, Progress in (union Chain, ChainClients, { CountFromZero, FailureInjector });

test tcAdjacentFailures [main=AdjacentFailures]:
  assert UpdatePropagation, Consistency, Progress in (union Chain, ChainClients, { AdjacentFailures, FailureInjector });
