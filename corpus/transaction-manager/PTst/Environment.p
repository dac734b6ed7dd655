// What the tests put around the transaction manager.

// Lets replicated participants fail and come back, and servers fail for good.
machine FailureInjector {
  start state Failing {
    entry (order: (participants: set[machine], crashes: int, servers: seq[machine], failures: int)) {
      var victim: machine;
      while (order.crashes > 0) {
        victim = choose(order.participants);
        send victim, eCrash;
        if (order.failures > 0) {
          send choose(order.servers), eFail;
          order.failures = 0;
        }
        send victim, eRecover;
        order.crashes = order.crashes - 1;
      }
      if (order.failures > 0) {
        send choose(order.servers), eFail;
      }
    }
  }
}

type tSystem = (replicated: int, servers: int, plain: int, transactions: int, crashes: int, failures: int,
  mistake: JoinMistake);

// Creates so many participants that are replicated by a chain of so many servers, and so many that are not, a
// coordinator and a client with so many transactions. Replicated participants crash so often, and one server may fail.
fun create(system: tSystem) {
  var participants: set[machine];
  var replicated: set[machine];
  var servers: seq[machine];
  var coordinator: Coordinator;
  while (sizeof(replicated) < system.replicated) {
    servers = createServers(system.servers);
    replicated += (new ReplicatedParticipant(
      (master = new Master((servers = servers, mistake = CHAIN_AS_DESIGNED)), mistake = system.mistake)));
  }
  participants = replicated;
  while (sizeof(participants) < system.replicated + system.plain) {
    participants += (new Participant(COMMIT_AS_DESIGNED));
  }
  coordinator = new Coordinator((participants = participants, mistake = COMMIT_AS_DESIGNED));
  new Client((coordinator = coordinator, participants = participants, key = "k",
    transactions = system.transactions));
  if (system.crashes + system.failures > 0) {
    new FailureInjector((participants = replicated, crashes = system.crashes, servers = servers,
      failures = system.failures));
  }
}

fun createServers(count: int): seq[machine] {
  var servers: seq[machine];
  while (sizeof(servers) < count) {
    servers += (sizeof(servers), new Server(CHAIN_AS_DESIGNED));
  }
  return servers;
}
