// A node of the ring in which everybody moves in rounds: in each, it sends what it has for its neighbour, if only to
// say that there is nothing, and takes what its other neighbour sends.

machine SynchronousNode {
  var number: int;
  var flaw: Flaw;
  var next: machine;
  var clock: machine;
  // What to send in the next round; 0 for nothing.
  var toSend: int;
  // Who is the leader, as soon as this node knows; 0 before.
  var leader: int;

  start state Unconnected {
    defer eNumber, eElected, eRound;
    entry (config: tNodeConfig) {
      number = config.number;
      toSend = number;
      flaw = config.flaw;
      announce eStands, number;
    }
    on eNext goto BetweenRounds with (neighbour: machine) {
      next = neighbour;
    }
  }

  state BetweenRounds {
    // The neighbour may be faster in beginning the round.
    defer eNumber, eElected;
    on eRound goto InRound with (timekeeper: machine) {
      clock = timekeeper;
      if (leader == 0) {
        send next, eNumber, toSend;
      } else {
        send next, eElected, leader;
      }
      toSend = 0;
    }
  }

  state InRound {
    on eNumber goto BetweenRounds with (candidate: int) {
      if (candidate == number) {
        leader = number;
        announce eLeader, number;
        announce eKnows, number;
      } else if (candidate != 0 && passes(candidate)) {
        toSend = candidate;
      }
      send clock, eRoundDone;
    }
    on eElected goto BetweenRounds with (winner: int) {
      if (leader == 0) {
        leader = winner;
        announce eKnows, winner;
      }
      send clock, eRoundDone;
    }
  }

  fun passes(candidate: int): bool {
    if (flaw == FORWARDS_ALL) {
      return true;
    }
    if (flaw == WRONG_WAY) {
      return candidate < number;
    }
    return candidate > number;
  }
}
