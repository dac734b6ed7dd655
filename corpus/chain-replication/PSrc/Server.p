// A server of the chain: head, tail or between, as its neighbours say.
//
// `history` has all updates that it knows of, in the order of their numbers, and `underWay` those of them that it has
// forwarded and that are not known to be stable, which means: known to the tail. So `history` is always that of the
// successor, followed by what is under way to it; this lets the chain be repaired without losing anything.

machine Server {
  var master: machine;
  var predecessor: machine;
  var successor: machine;
  var history: seq[tUpdate];
  // Invariant: the last elements of `history`, in order; empty at the tail.
  var underWay: seq[tNumbered];
  var mistake: ChainMistake;
  // Only for COUNT_FROM_ZERO.
  var counted: int;

  start state Starting {
    entry (told: ChainMistake) {
      mistake = told;
    }
    on ePlace goto Serving with (place: (master: machine, predecessor: machine, successor: machine)) {
      master = place.master;
      predecessor = place.predecessor;
      successor = place.successor;
    }
    defer eFail;
  }

  state Serving {
    on eUpdate do (update: tUpdate) {
      assert predecessor == null, "an update was sent to a server that is not the head";
      // A client that does not know whether its update was lost sends it again.
      if (!isKnown(update) || mistake == ACCEPT_REPEATS) {
        append((number = nextNumber(), update = update));
      }
    }
    on eForward do (forwarded: tNumbered) {
      assert forwarded.number == sizeof(history) + 1,
        format("update {0} is forwarded to a server that has {1}", forwarded.number, sizeof(history));
      append(forwarded);
    }
    on eAck do acknowledge;
    on eQuery do (query: tQuery) {
      send query.client, eResult, (client = query.client, request = query.request, key = query.key,
        value = valueOf(query.key), updates = sizeof(history));
    }

    on eBecomeHead do {
      predecessor = default(machine);
    }
    on eBecomeTail do becomeTail;
    on eNewPredecessor do (server: machine) {
      predecessor = server;
      send master, eSuccessorReady, (server = this, predecessor = server, received = sizeof(history),
        stable = sizeof(history) - sizeof(underWay));
    }
    on eNewSuccessor do continueWith;

    on eFail do {
      send master, eFailed, this;
      raise halt;
    }
  }

  fun append(added: tNumbered) {
    history += (sizeof(history), added.update);
    announce eAppended, (server = this, appended = added);
    if (successor == null) {
      makeStable(added);
    } else {
      underWay += (sizeof(underWay), added);
      send successor, eForward, added;
      if (mistake == HEAD_ANSWERS && predecessor == null) {
        send added.update.client, eUpdated, added;
      }
    }
  }

  // For the tail: an update that is in its history is in all histories, and can be answered.
  fun makeStable(added: tNumbered) {
    if (mistake != HEAD_ANSWERS || predecessor == null) {
      send added.update.client, eUpdated, added;
    }
    if (predecessor != null) {
      send predecessor, eAck, added.number;
    }
  }

  // All updates up to this number are stable. After a repair, some of them may be known to be so already.
  fun acknowledge(number: int) {
    var removed: bool;
    if (mistake == ACKNOWLEDGE_THE_OLDEST) {
      number = underWay[0].number;
    }
    while (sizeof(underWay) > 0 && underWay[0].number <= number) {
      underWay -= (0);
      removed = true;
    }
    if (removed && predecessor != null) {
      send predecessor, eAck, number;
    }
  }

  // Whatever was under way to the old tail has now reached the end of the chain. The old tail may have answered some
  // of it.
  fun becomeTail() {
    var waiting: seq[tNumbered];
    var next: tNumbered;
    successor = default(machine);
    waiting = underWay;
    underWay = default(seq[tNumbered]);
    if (mistake != KEEP_QUIET_AS_NEW_TAIL) {
      foreach (next in waiting) {
        makeStable(next);
      }
    }
  }

  // The new successor lacks what its old predecessor had not yet forwarded. Acknowledgements that the old successor
  // had not yet passed on are made up for.
  fun continueWith(link: (successor: machine, received: int, stable: int)) {
    var next: int;
    successor = link.successor;
    if (link.stable > 0) {
      acknowledge(link.stable);
    }
    if (mistake == RESEND_BACKWARDS) {
      resendBackwards(link.received);
    } else if (mistake != RESEND_NOTHING) {
      while (next < sizeof(underWay)) {
        if (underWay[next].number > link.received) {
          send successor, eForward, underWay[next];
        }
        next = next + 1;
      }
    }
  }

  fun resendBackwards(received: int) {
    var next: int;
    next = sizeof(underWay);
    while (next > 0) {
      next = next - 1;
      if (underWay[next].number > received) {
        send successor, eForward, underWay[next];
      }
    }
  }

  fun nextNumber(): int {
    if (mistake == COUNT_FROM_ZERO) {
      counted = counted + 1;
      return counted;
    }
    return sizeof(history) + 1;
  }

  fun isKnown(update: tUpdate): bool {
    var known: tUpdate;
    foreach (known in history) {
      if (known.client == update.client && known.request == update.request) {
        return true;
      }
    }
    return false;
  }

  // The newest value of the key; null if there is none.
  fun valueOf(key: string): data {
    var value: data;
    var update: tUpdate;
    foreach (update in history) {
      if (update.key == key) {
        value = update.value;
      }
    }
    return value;
  }
}
