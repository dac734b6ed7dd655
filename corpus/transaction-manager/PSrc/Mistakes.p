// Mistakes that replicated participants can be told to make, so that there is something to find. Each is in the way
// the two protocols are put together; both are sound by themselves. The tests choose one; all other code is the same
// with and without it.

enum JoinMistake {
  // None.
  JOINED_AS_DESIGNED,
  // Votes yes when the record of it is under way to the chain.
  VOTE_BEFORE_STABLE,
  // Lets others read when the committed write is under way to the chain.
  UNLOCK_BEFORE_STABLE,
  // Numbers its requests to the chain from 1 again after a crash.
  COUNT_REQUESTS_ANEW,
  // Believes after a crash that head and tail of the chain are where they were before.
  KEEP_OLD_ENDS
}
