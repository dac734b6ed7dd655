// One driver for each test: how large the system is, and what goes wrong.

param replicaCount: int;
param commandCount: int;

machine OneLeader {
  start state Init {
    entry {
      create((replicas = 3, asking = 2, elections = 1, first = 2, last = 0,
        mistake = MULTI_PAXOS_AS_DESIGNED));
    }
  }
}

machine TwoLeaders {
  start state Init {
    entry {
      create((replicas = 3, asking = 1, elections = 2, first = 1, last = 1,
        mistake = MULTI_PAXOS_AS_DESIGNED));
    }
  }
}

machine Holes {
  start state Init {
    entry {
      create((replicas = 3, asking = 1, elections = 2, first = 2, last = 0,
        mistake = MULTI_PAXOS_AS_DESIGNED));
    }
  }
}

machine Reelection {
  start state Init {
    entry {
      create((replicas = 3, asking = 1, elections = 3, first = 1, last = 1,
        mistake = MULTI_PAXOS_AS_DESIGNED));
    }
  }
}

machine Sizes {
  start state Init {
    entry {
      create((replicas = replicaCount, asking = replicaCount / 2, elections = 1, first = commandCount, last = 0,
        mistake = MULTI_PAXOS_AS_DESIGNED));
    }
  }
}

machine ForgottenCommand {
  start state Init {
    entry {
      create((replicas = 3, asking = 1, elections = 2, first = 1, last = 1,
        mistake = FORGET_EXECUTED));
    }
  }
}

machine TwoLeadersAtOnce {
  start state Init {
    entry {
      create((replicas = 3, asking = 1, elections = 2, first = 1, last = 1,
        mistake = LEAD_IN_SPITE_OF_PROMISE));
    }
  }
}

machine HoleInLog {
  start state Init {
    entry {
      create((replicas = 3, asking = 1, elections = 2, first = 2, last = 0,
        mistake = LEAVE_HOLES));
    }
  }
}
