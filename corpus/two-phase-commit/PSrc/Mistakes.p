// Mistakes that the parties can be told to make, so that there is something to find. The tests choose one; all other
// code is the same with and without it.

enum CommitMistake {
  // None.
  COMMIT_AS_DESIGNED,
  // The coordinator does not look at the transaction that a vote is about.
  COUNT_STALE_VOTES,
  // The coordinator believes that a timer which it cancels cannot have fired already.
  EXPECT_NO_LATE_TIMEOUT,
  // A participant that recovers does not look into its log.
  FORGET_THE_LOG,
  // A participant that recovers waits for a decision, but does not ask for it.
  DO_NOT_INQUIRE,
  // A participant in doubt does not listen to what is decided about other transactions.
  IGNORE_EARLY_DECISIONS
}
