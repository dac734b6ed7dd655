// One driver for each test: how large the system is, and what goes wrong.

param replicaCount: int;
param commandCount: int;

machine OneLeader {
  start state Init {
    entry {
      create((replicas = 3, asking = 2, candidates = numbers(0, 0), commands = numbers(2, 0),
        mistake = MULTI_PAXOS_AS_DESIGNED));
    }
  }
}

machine TwoLeaders {
  start state Init {
    entry {
      create((replicas = 3, asking = 1, candidates = numbers(0, 2), commands = numbers(1, 1),
        mistake = MULTI_PAXOS_AS_DESIGNED));
    }
  }
}

machine Holes {
  start state Init {
    entry {
      create((replicas = 3, asking = 1, candidates = numbers(0, 2), commands = numbers(2, 0),
        mistake = MULTI_PAXOS_AS_DESIGNED));
    }
  }
}

machine Sizes {
  start state Init {
    entry {
      create((replicas = replicaCount, asking = replicaCount / 2, candidates = numbers(0, 0), commands = numbers(commandCount, 0),
        mistake = MULTI_PAXOS_AS_DESIGNED));
    }
  }
}

machine ForgottenCommand {
  start state Init {
    entry {
      create((replicas = 3, asking = 1, candidates = numbers(0, 2), commands = numbers(1, 1),
        mistake = FORGET_EXECUTED));
    }
  }
}

machine TwoLeadersAtOnce {
  start state Init {
    entry {
      create((replicas = 3, asking = 1, candidates = numbers(0, 2), commands = numbers(1, 1),
        mistake = LEAD_IN_SPITE_OF_PROMISE));
    }
  }
}

machine HoleInLog {
  start state Init {
    entry {
      create((replicas = 3, asking = 1, candidates = numbers(0, 2), commands = numbers(2, 0),
        mistake = LEAVE_HOLES));
    }
  }
}
