// Sets up replicas that know each other, and clients of the first few.

param replicas: int;
param clients: int;
param operationsEach: int;

machine AddAndRemove {
  start state Init {
    entry { setUp(CORRECT, true); }
  }
}

machine AddAndRead {
  start state Init {
    entry { setUp(CORRECT, false); }
  }
}

machine RemovesElement {
  start state Init {
    entry { setUp(REMOVES_ELEMENT, true); }
  }
}

machine ForgetsRemoved {
  start state Init {
    entry { setUp(FORGETS_REMOVED, true); }
  }
}

machine AnswersEarly {
  start state Init {
    entry { setUp(ANSWERS_EARLY, false); }
  }
}

machine ReusesTags {
  start state Init {
    entry { setUp(REUSES_TAGS, true); }
  }
}

fun setUp(flaw: Flaw, removes: bool) {
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
    new Client((replica = all[number % replicas], operations = operationsEach, elements = 1, removes = removes));
    number = number + 1;
  }
}

fun without(all: seq[Replica], number: int): seq[Replica] {
  all -= (number);
  return all;
}
