// What the tests put around the replicas.

// Lets replicas, given by their numbers, find one after the other that there is no leader.
machine Elections {
  start state Calling {
    entry (order: (replicas: seq[machine], candidates: seq[int])) {
      var candidate: int;
      foreach (candidate in order.candidates) {
        send order.replicas[candidate], eElect;
      }
    }
  }
}

// Each candidate has a client; `commands` says how many commands that gives.
type tSystem = (replicas: int, asking: int, candidates: seq[int], commands: seq[int], mistake: MultiPaxosMistake);

fun create(system: tSystem) {
  var replicas: seq[machine];
  var replica: machine;
  var index: int;
  announce eReplicaCount, system.replicas;
  while (sizeof(replicas) < system.replicas) {
    replicas += (sizeof(replicas), new Replica((asking = system.asking, mistake = system.mistake)));
  }
  foreach (replica in replicas) {
    send replica, eReplicas, replicas;
  }
  new Elections((replicas = replicas, candidates = system.candidates));
  while (index < sizeof(system.commands)) {
    if (system.commands[index] > 0) {
      new Client((replica = replicas[system.candidates[index]], commands = system.commands[index]));
    }
    index = index + 1;
  }
}

fun numbers(first: int, second: int): seq[int] {
  var both: seq[int];
  both += (0, first);
  both += (1, second);
  return both;
}
