// Sets up replicas that know each other, and clients, each with a replica that it prefers.

param replicas: int;
param clients: int;
param updatesEach: int;
param asksAgain: bool;

machine Correct {
  start state Init {
    entry { setUp(CORRECT); }
  }
}

machine NotIdempotent {
  start state Init {
    entry { setUp(NOT_IDEMPOTENT); }
  }
}

machine NotCommutative {
  start state Init {
    entry { setUp(NOT_COMMUTATIVE); }
  }
}

machine NoTieBreak {
  start state Init {
    entry { setUp(NO_TIE_BREAK); }
  }
}

machine FrozenClock {
  start state Init {
    entry { setUp(FROZEN_CLOCK); }
  }
}

machine CountsByStamp {
  start state Init {
    entry { setUp(COUNTS_BY_STAMP); }
  }
}

fun setUp(flaw: Flaw) {
  var all: seq[Replica];
  var number: int;
  announce eReplicas, replicas;
  while (number < replicas) {
    all += (number, new Replica((number = number, flaw = flaw)));
    number = number + 1;
  }
  number = 0;
  while (number < replicas) {
    send all[number], ePeers, without(all, number);
    number = number + 1;
  }
  number = 0;
  while (number < clients) {
    new Client((number = number, replicas = all, updates = updatesEach, asksAgain = asksAgain));
    number = number + 1;
  }
}

fun without(all: seq[Replica], number: int): seq[Replica] {
  all -= (number);
  return all;
}
