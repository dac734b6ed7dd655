// A node of the ring in which messages take as long as they like: it lets numbers larger than its own pass and stops
// smaller ones, so that only the largest comes home. A node that sleeps when the first number comes by takes no part,
// and lets all pass.

machine AsynchronousNode {
  var number: int;
  var isAwake: bool;
  var flaw: Flaw;
  var next: machine;
  // Whether a larger number has come by, for FORWARDS_ONCE.
  var isBeaten: bool;

  start state Unconnected {
    defer eNumber, eElected, eWake;
    entry (config: tNodeConfig) {
      number = config.number;
      isAwake = config.isAwake;
      flaw = config.flaw;
    }
    on eNext do (neighbour: machine) {
      next = neighbour;
      if (isAwake) {
        stand();
        goto Electing;
      }
      goto Asleep;
    }
  }

  state Asleep {
    on eWake goto Electing with stand;
    on eNumber goto Relaying with (candidate: int) {
      send next, eNumber, candidate;
    }
  }

  // Too late to stand for election.
  state Relaying {
    on eNumber do (candidate: int) {
      send next, eNumber, candidate;
    }
    on eElected goto Decided with learn;
    on eWake do {
      if (flaw == LATE_STARTER) {
        stand();
        goto Electing;
      }
    }
  }

  state Electing {
    on eNumber do (candidate: int) {
      if (candidate == number) {
        announce eLeader, number;
        send next, eElected, number;
      } else if (passes(candidate)) {
        isBeaten = flaw == FORWARDS_ONCE;
        send next, eNumber, candidate;
      }
    }
    on eElected goto Decided with learn;
  }

  // Numbers that are still on their way are of no interest any more.
  state Decided {
    ignore eNumber, eWake;
  }

  fun stand() {
    announce eStands, number;
    send next, eNumber, number;
  }

  fun learn(leader: int) {
    announce eKnows, leader;
    if (leader != number) {
      send next, eElected, leader;
    }
  }

  fun passes(candidate: int): bool {
    if (flaw == FORWARDS_ALL) {
      return true;
    }
    if (flaw == WRONG_WAY) {
      return candidate < number;
    }
    return candidate > number && !isBeaten;
  }
}
