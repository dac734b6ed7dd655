// A client: asks for one write after the other, each when it knows what became of the one before. What was committed
// it reads back, from any participant, and expects to find.

machine Client {
  var coordinator: Coordinator;
  var participants: set[machine];
  var write: tWrite;

  start state Arriving {
    entry (order: (coordinator: Coordinator, participants: set[machine], key: string, transactions: int)) {
      coordinator = order.coordinator;
      participants = order.participants;
      write = (key = order.key, value = order.transactions);
      goto Writing;
    }
  }

  state Writing {
    entry {
      send coordinator, eTransact, (client = this, write = write);
    }
    on eOutcome do (outcome: tDecision) {
      if (outcome.decision == COMMIT) {
        goto Reading;
      }
      next();
    }
  }

  state Reading {
    entry {
      send choose(participants), eRead, (client = this, key = write.key);
    }
    on eValue do (value: int) {
      assert value == write.value, format("{0} was committed, and {1} is read", write.value, value);
      next();
    }
  }

  fun next() {
    write.value = write.value - 1;
    if (write.value == 0) {
      raise halt;
    }
    goto Writing;
  }
}
