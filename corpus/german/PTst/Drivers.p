// Sets up a host with caches and processors.

param caches: int;
// How many loads and stores each processor makes; -1 for as many as it likes.
param requestsEach: int;

machine Correct {
  start state Init {
    entry { setUp(CORRECT); }
  }
}

machine ForgetsExclusive {
  start state Init {
    entry { setUp(FORGETS_EXCLUSIVE); }
  }
}

machine GrantsAfterFirstAck {
  start state Init {
    entry { setUp(GRANTS_AFTER_FIRST_ACK); }
  }
}

machine KeepsSharers {
  start state Init {
    entry { setUp(KEEPS_SHARERS); }
  }
}

machine DefersNothing {
  start state Init {
    entry { setUp(DEFERS_NOTHING); }
  }
}

machine Eager {
  start state Init {
    entry { setUpEager(CORRECT); }
  }
}

machine EagerForgetsExclusive {
  start state Init {
    entry { setUpEager(FORGETS_EXCLUSIVE); }
  }
}

fun setUp(flaw: Flaw) {
  var host: Host;
  var created: int;
  host = new Host(flaw);
  while (created < caches) {
    new Processor((cache = new Cache(host), requests = requestsEach));
    created = created + 1;
  }
}

fun setUpEager(flaw: Flaw) {
  var host: Host;
  var created: int;
  host = new Host(flaw);
  while (created < caches) {
    new EagerProcessor(new Cache(host));
    created = created + 1;
  }
}
