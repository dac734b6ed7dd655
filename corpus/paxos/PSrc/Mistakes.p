// Mistakes that the parties can be told to make, so that there is something to find. The tests choose one; all other
// code is the same with and without it.

enum PaxosMistake {
  // None.
  PAXOS_AS_DESIGNED,
  // An acceptor that makes a promise forgets what it has accepted before.
  FORGET_ACCEPTED,
  // A proposer counts promises without looking at which ballot they are for.
  COUNT_OLD_PROMISES,
  // A proposer takes over the value that it was told first, instead of that of the latest ballot.
  TAKE_FIRST_VALUE
}
