// The protocol as designed, in environments of growing unkindness.

test tcSingleClient [main=SingleClient]:
  assert Atomicity, NonTriviality, Progress in (union TwoPhaseCommit, Patience, { SingleClient, FailureInjector });

test tcMultipleClients [main=MultipleClients]:
  assert Atomicity, NonTriviality, Progress in (union TwoPhaseCommit, Patience, { MultipleClients, FailureInjector });

test tcWithTimeouts [main=WithTimeouts]:
  assert Atomicity, Progress in (union TwoPhaseCommit, Timeouts, { WithTimeouts, FailureInjector });

test tcWithFailures [main=WithFailures]:
  assert Atomicity, Progress in (union TwoPhaseCommit, Timeouts, { WithFailures, FailureInjector });

test tcFailureBetweenTransactions [main=FailureBetweenTransactions]:
  assert Atomicity, Progress in (union TwoPhaseCommit, Timeouts, { FailureBetweenTransactions, FailureInjector });

// One test for each number of participants and clients.
test param (participantCount in [1, 2, 3], clientCount in [1, 2])
  assume (participantCount * clientCount <= 3)
  tcSizes [main=Sizes]:
  assert Atomicity, Progress in (union TwoPhaseCommit, Timeouts, { Sizes, FailureInjector });

// The same environments, with one mistake each.

test tcStaleVote [main=StaleVote]:
  assert Atomicity, Progress in (union TwoPhaseCommit, Timeouts, { StaleVote, FailureInjector });

test tcLateTimeout [main=LateTimeout]:
  assert Atomicity, Progress in (union TwoPhaseCommit, Timeouts, { LateTimeout, FailureInjector });

test tcForgottenLog [main=ForgottenLog]:
  assert Atomicity, Progress in (union TwoPhaseCommit, Timeouts, { ForgottenLog, FailureInjector });

test tcNoInquiry [main=NoInquiry]:
  assert Atomicity, Progress in (union TwoPhaseCommit, Timeouts, { NoInquiry, FailureInjector });

test tcEarlyDecision [main=EarlyDecision]:
  assert Atomicity, Progress in (union TwoPhaseCommit, Timeouts, { EarlyDecision, FailureInjector });

module Patience = { PatientTimer -> Timer };
