// What the tests put around the chain.

// Lets servers fail, one after the other, but never all of them.
machine FailureInjector {
  start state Failing {
    entry (order: (servers: seq[machine], failures: int)) {
      var victim: machine;
      var index: int;
      while (order.failures > 0) {
        index = choose(sizeof(order.servers));
        victim = order.servers[index];
        order.servers -= (index);
        send victim, eFail;
        order.failures = order.failures - 1;
      }
    }
  }
}

type tSystem = (servers: int, clients: int, requests: int, failures: int, mistake: ChainMistake);

// Creates a chain and its clients; each makes so many requests. So many servers fail.
fun create(system: tSystem) {
  var servers: seq[machine];
  var master: Master;
  var client: int;
  while (sizeof(servers) < system.servers) {
    servers += (sizeof(servers), new Server(system.mistake));
  }
  master = new Master((servers = servers, mistake = system.mistake));
  while (client < system.clients) {
    new ChainClient((master = master, key = "k", requests = system.requests, mistake = system.mistake));
    client = client + 1;
  }
  if (system.failures > 0) {
    new FailureInjector((servers = servers, failures = system.failures));
  }
}
