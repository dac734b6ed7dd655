// What the tests put around the protocol.

// Stops so many acceptors for good.
machine FailureInjector {
  start state Failing {
    entry (order: (acceptors: set[machine], failures: int)) {
      var victim: machine;
      while (order.failures > 0) {
        victim = choose(order.acceptors);
        order.acceptors -= (victim);
        send victim, eStop;
        order.failures = order.failures - 1;
      }
    }
  }
}

type tSystem = (acceptors: int, asking: int, proposers: int, attempts: int, failures: int, mistake: PaxosMistake);

// Creates acceptors, and proposers that want 10, 20 and so on and ask so many acceptors. The first one makes so many
// attempts, the others one each.
fun create(system: tSystem) {
  var acceptors: set[machine];
  var index: int;
  var attempts: int;
  announce eAcceptors, system.acceptors;
  while (sizeof(acceptors) < system.acceptors) {
    acceptors += (new Acceptor(system.mistake));
  }
  while (index < system.proposers) {
    index = index + 1;
    attempts = 1;
    if (index == 1) {
      attempts = system.attempts;
    }
    new Proposer((acceptors = acceptors, asking = system.asking, index = index, stride = system.proposers,
      attempts = attempts, value = 10 * index, mistake = system.mistake));
  }
  if (system.failures > 0) {
    new FailureInjector((acceptors = acceptors, failures = system.failures));
  }
}
