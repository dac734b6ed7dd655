// Mistakes that the machines can be told to make, so that there is something to find. The tests choose one; all other
// code is the same with and without it.

enum ChainMistake {
  // None.
  CHAIN_AS_DESIGNED,
  // The head answers an update as soon as it has it.
  HEAD_ANSWERS,
  // Clients send their queries to the head, which has the newest data.
  QUERY_THE_HEAD,
  // A server with a new successor goes on with the next update.
  RESEND_NOTHING,
  // A server with a new successor sends what that misses, the newest first.
  RESEND_BACKWARDS,
  // A new tail takes no notice of the updates that it has forwarded to the old one.
  KEEP_QUIET_AS_NEW_TAIL,
  // The head takes every update for a new one.
  ACCEPT_REPEATS,
  // A client believes that it gets one answer to each request.
  EXPECT_ONE_ANSWER,
  // An acknowledgement is taken to be for the oldest update that waits for one.
  ACKNOWLEDGE_THE_OLDEST,
  // A head numbers updates by counting those that clients sent to it.
  COUNT_FROM_ZERO,
  // The master completes the repair of one gap before it looks at further failures.
  ONE_REPAIR_AT_A_TIME
}
