// What the tests put around the replicas.

// Lets the first and the last replica in turn find that there is no leader.
machine Elections {
  start state Calling {
    entry (order: (first: machine, last: machine, elections: int)) {
      var called: int;
      while (called < order.elections) {
        if (called % 2 == 0) {
          send order.first, eElect;
        } else {
          send order.last, eElect;
        }
        called = called + 1;
      }
    }
  }
}

// The first and the last replica each have a client, which gives so many commands.
type tSystem = (replicas: int, asking: int, elections: int, first: int, last: int, mistake: MultiPaxosMistake);

fun create(system: tSystem) {
  var replicas: seq[machine];
  var replica: machine;
  announce eReplicaCount, system.replicas;
  while (sizeof(replicas) < system.replicas) {
    replicas += (sizeof(replicas), new Replica((asking = system.asking, mistake = system.mistake)));
  }
  foreach (replica in replicas) {
    send replica, eReplicas, replicas;
  }
  new Elections((first = replicas[0], last = replica, elections = system.elections));
  if (system.first > 0) {
    new Client((replica = replicas[0], commands = system.first));
  }
  if (system.last > 0) {
    new Client((replica = replica, commands = system.last));
  }
}
