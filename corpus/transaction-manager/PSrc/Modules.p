// Two-phase commit with its own participants and with replicated ones, as the tests like.
module TransactionManager = (union TwoPhaseCommit, Timeouts, Chain, { ReplicatedParticipant });
