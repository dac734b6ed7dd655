// The transaction manager as designed.

test tcNoFailure [main=NoFailure]:
  assert Atomicity, Progress, UpdatePropagation in (union TransactionManager, { NoFailure, FailureInjector });

test tcCrash [main=Crash]:
  assert Atomicity, Progress, UpdatePropagation in (union TransactionManager, { Crash, FailureInjector });

test tcTwoTransactions [main=TwoTransactions]:
  assert Atomicity, Progress, UpdatePropagation in (union TransactionManager, { TwoTransactions, FailureInjector });

test tcServerFailure [main=ServerFailure]:
  assert Atomicity, Progress, UpdatePropagation in (union TransactionManager, { ServerFailure, FailureInjector });

test tcCrashAndFailure [main=CrashAndFailure]:
  assert Atomicity, Progress, UpdatePropagation in (union TransactionManager, { CrashAndFailure, FailureInjector });

test tcEverythingAtOnce [main=EverythingAtOnce]:
  assert Atomicity, Progress, UpdatePropagation in (union TransactionManager, { EverythingAtOnce, FailureInjector });

// One test for each number of replicated participants and of servers for each.
test param (replicatedCount in [1, 2], serverCount in [1, 2, 3])
  assume (replicatedCount * serverCount <= 3)
  tcSizes [main=Sizes]:
  assert Atomicity, Progress, UpdatePropagation in (union TransactionManager, { Sizes, FailureInjector });

// The same, with one mistake each.

test tcEarlyVote [main=EarlyVote]:
  assert Atomicity, Progress, UpdatePropagation in (union TransactionManager, { EarlyVote, FailureInjector });

test tcEarlyUnlock [main=EarlyUnlock]:
  assert Atomicity, Progress, UpdatePropagation in (union TransactionManager, { EarlyUnlock, FailureInjector });

test tcRequestsAnew [main=RequestsAnew]:
  assert Atomicity, Progress, UpdatePropagation in (union TransactionManager, { RequestsAnew, FailureInjector });

test tcOldEnds [main=OldEnds]:
  assert Atomicity, Progress, UpdatePropagation in (union TransactionManager, { OldEnds, FailureInjector });
