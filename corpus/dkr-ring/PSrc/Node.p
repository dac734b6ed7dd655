// A node of a one-way ring that elects a leader with O(n log n) messages.
//
// Every active node stands for a value, at first its own number. It sends the value to the next active node (`eFirst`),
// and passes on what it gets itself in turn (`eSecond`), so that it learns the values of the two active nodes before
// it. If the nearer of the two is the largest of the three, the node goes on and stands for that value; otherwise it
// becomes a relay. Values thus move on by one active node in each phase, and at least half of the active nodes drop
// out. A node that gets its own value back is the only active one left, and the value is the largest number of all.

// What a test may break on purpose.
enum Flaw {
  // Nothing.
  CORRECT,
  // A node that goes on keeps standing for its own value, instead of the larger one.
  KEEPS_OWN_VALUE,
  // A relay drops the second messages.
  RELAY_DROPS_SECOND,
  // A relay that hears of the winner does not pass it on.
  RELAY_KEEPS_WINNER,
  // Second messages have a cable of their own, and may be overtaken.
  SECOND_CABLE
}

type tNodeConfig = (number: int, flaw: Flaw);

event eNext: Node;

event eFirst: int;
event eSecond: int;
event eWinner: int;

// For specs: how many nodes there are; a node becomes the leader; a node knows who is.
event eRing: int;
event eLeader: int;
event eKnows: int;

machine Node {
  var number: int;
  var flaw: Flaw;
  var next: Node;
  // The value that this node stands for, while it is active.
  var value: int;
  // The cable for second messages, for SECOND_CABLE.
  var cable: Cable;
  // The value of the active node before this one, in this phase.
  var nearer: int;

  start state Unconnected {
    defer eFirst, eSecond, eWinner;
    entry (config: tNodeConfig) {
      number = config.number;
      flaw = config.flaw;
    }
    on eNext do (neighbour: Node) {
      next = neighbour;
      value = number;
      if (flaw == SECOND_CABLE) {
        cable = new Cable(next);
      }
      goto WaitingForFirst;
    }
  }

  // Active: a phase begins.
  state WaitingForFirst {
    entry { send next, eFirst, value; }
    on eFirst do (received: int) {
      if (received == value) {
        goto Knowing, value;
      }
      nearer = received;
      sendSecond(nearer);
      goto WaitingForSecond;
    }
  }

  // Active: the value of the node before this one is known.
  state WaitingForSecond {
    on eSecond do decide;
  }

  state Relaying {
    on eFirst do (received: int) {
      send next, eFirst, received;
    }
    on eSecond do (received: int) {
      if (flaw != RELAY_DROPS_SECOND) {
        sendSecond(received);
      }
    }
    on eWinner goto Knowing;
  }

  // The value is the largest number in the ring; whoever has that number is the leader.
  state Knowing {
    entry (winner: int) {
      announce eKnows, winner;
      if (winner == number) {
        announce eLeader, number;
      }
      if (flaw != RELAY_KEEPS_WINNER || winner == value) {
        send next, eWinner, winner;
      }
    }
    // The news has gone all the way round.
    ignore eWinner;
  }

  fun sendSecond(message: int) {
    if (flaw == SECOND_CABLE) {
      send cable, eSecond, message;
    } else {
      send next, eSecond, message;
    }
  }

  fun decide(farther: int) {
    if (nearer > value && nearer > farther) {
      if (flaw != KEEPS_OWN_VALUE) {
        value = nearer;
      }
      goto WaitingForFirst;
    }
    goto Relaying;
  }
}

// A cable that carries second messages only.
machine Cable {
  var target: Node;

  start state Carrying {
    entry (end: Node) {
      target = end;
    }
    on eSecond do (message: int) {
      send target, eSecond, message;
    }
  }
}
