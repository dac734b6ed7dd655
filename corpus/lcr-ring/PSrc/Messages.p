// What both versions of the algorithm have in common.

// What a test may break on purpose.
enum Flaw {
  // Nothing.
  CORRECT,
  // A node lets every number pass that is not its own.
  FORWARDS_ALL,
  // A node lets smaller numbers pass, and stops larger ones.
  WRONG_WAY,
  // A node lets a larger number pass only once: it takes itself for beaten, and is done.
  FORWARDS_ONCE,
  // A node that has let numbers pass in its sleep stands for election when it wakes up.
  LATE_STARTER,
  // The clock begins the next round when all nodes but one have finished the last.
  HASTY_CLOCK
}

type tNodeConfig = (number: int, isAwake: bool, flaw: Flaw);

// The next node in the ring.
event eNext: machine;

// A node shall wake up and stand for election, unless it is too late for that.
event eWake;

// A number goes round. In the version with rounds, 0 stands for no number.
event eNumber: int;

// The node with this number is the leader.
event eElected: int;

// For specs: how many nodes there are; a node stands for election; it becomes the leader; a node knows who is.
event eRing: int;
event eStands: int;
event eLeader: int;
event eKnows: int;
