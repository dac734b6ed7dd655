// Mistakes that the replicas can be told to make, so that there is something to find. The tests choose one; all other
// code is the same with and without it.

enum MultiPaxosMistake {
  // None.
  MULTI_PAXOS_AS_DESIGNED,
  // A replica removes from its log what it has executed, and so does not tell it to a new leader.
  FORGET_EXECUTED,
  // A leader goes on leading after it has promised to follow another.
  LEAD_IN_SPITE_OF_PROMISE,
  // A new leader takes over the commands that it hears of, and leaves slots between them empty.
  LEAVE_HOLES
}
