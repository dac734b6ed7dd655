// The protocol as designed.

test tcOneProposer [main=OneProposer]:
  assert Agreement, Validity, Progress in (union Paxos, { OneProposer, FailureInjector });

test tcTwoProposers [main=TwoProposers]:
  assert Agreement, Validity in (union Paxos, { TwoProposers, FailureInjector });

test tcTwoAttempts [main=TwoAttempts]:
  assert Agreement, Validity in (union Paxos, { TwoAttempts, FailureInjector });

// One test for each number of acceptors and proposers.
test param (acceptorCount in [1, 2, 3, 4, 5], proposerCount in [1, 2])
  assume (acceptorCount * proposerCount <= 6)
  tcSizes [main=Sizes]:
  assert Agreement, Validity in (union Paxos, { Sizes, FailureInjector });

// The same, with one mistake each.

test tcForgottenValue [main=ForgottenValue]:
  assert Agreement, Validity in (union Paxos, { ForgottenValue, FailureInjector });

test tcOldPromises [main=OldPromises]:
  assert Agreement, Validity in (union Paxos, { OldPromises, FailureInjector });

test tcFirstValue [main=FirstValue]:
  assert Agreement, Validity in (union Paxos, { FirstValue, FailureInjector });
