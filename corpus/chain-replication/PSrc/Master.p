// The master: knows the chain, and closes the gap when a server fails. It is assumed not to fail itself.

machine Master {
  var chain: seq[machine];
  var clients: set[machine];
  var mistake: ChainMistake;

  start state Starting {
    entry (order: (servers: seq[machine], mistake: ChainMistake)) {
      var index: int;
      var successor: machine;
      chain = order.servers;
      mistake = order.mistake;
      announce eChain, chain;
      index = sizeof(chain);
      while (index > 0) {
        index = index - 1;
        send chain[index], ePlace, (master = this, predecessor = predecessorOf(index), successor = successor);
        successor = chain[index];
      }
      goto Watching;
    }
  }

  state Watching {
    on eRegister do register;
    on eFailed do (server: machine) {
      if (closeGap(server) && mistake == ONE_REPAIR_AT_A_TIME) {
        goto Repairing;
      }
    }
    on eSuccessorReady do connect;
  }

  // Only for ONE_REPAIR_AT_A_TIME.
  state Repairing {
    on eRegister do register;
    on eSuccessorReady goto Watching with connect;
    defer eFailed;
  }

  fun register(client: machine) {
    clients += (client);
    send client, eEnds, (head = chain[0], tail = chain[sizeof(chain) - 1]);
  }

  // Takes a server out of the chain. True if its neighbours have yet to be connected.
  fun closeGap(server: machine): bool {
    var index: int;
    index = indexOf(server);
    chain -= (index);
    announce eChain, chain;
    if (index > 0 && index < sizeof(chain)) {
      send chain[index], eNewPredecessor, chain[index - 1];
      return true;
    }
    if (index == 0) {
      send chain[0], eBecomeHead;
    } else {
      send chain[index - 1], eBecomeTail;
    }
    tellClients();
    return false;
  }

  // Either server may have failed in the meantime. Then what is sent here goes nowhere, or is soon replaced: another
  // repair is under way.
  fun connect(ready: (server: machine, predecessor: machine, received: int, stable: int)) {
    send ready.predecessor, eNewSuccessor,
      (successor = ready.server, received = ready.received, stable = ready.stable);
  }

  fun tellClients() {
    var client: machine;
    foreach (client in clients) {
      send client, eEnds, (head = chain[0], tail = chain[sizeof(chain) - 1]);
    }
  }

  fun predecessorOf(index: int): machine {
    if (index == 0) {
      return default(machine);
    }
    return chain[index - 1];
  }

  fun indexOf(server: machine): int {
    var index: int;
    while (chain[index] != server) {
      index = index + 1;
    }
    return index;
  }
}
