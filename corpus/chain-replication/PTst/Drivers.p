// One driver for each test: how large the system is, and what goes wrong.

param serverCount: int;
param failureCount: int;

machine NoFailure {
  start state Init {
    entry {
      create((servers = 3, clients = 2, requests = 2, failures = 0, mistake = CHAIN_AS_DESIGNED));
    }
  }
}

machine OneFailure {
  start state Init {
    entry {
      create((servers = 3, clients = 1, requests = 3, failures = 1, mistake = CHAIN_AS_DESIGNED));
    }
  }
}

machine TwoClients {
  start state Init {
    entry {
      create((servers = 3, clients = 2, requests = 1, failures = 1, mistake = CHAIN_AS_DESIGNED));
    }
  }
}

machine TwoFailures {
  start state Init {
    entry {
      create((servers = 4, clients = 1, requests = 1, failures = 2, mistake = CHAIN_AS_DESIGNED));
    }
  }
}

machine Sizes {
  start state Init {
    entry {
      create((servers = serverCount, clients = 1, requests = 2, failures = failureCount,
        mistake = CHAIN_AS_DESIGNED));
    }
  }
}

machine HeadAnswers {
  start state Init {
    entry {
      create((servers = 3, clients = 2, requests = 2, failures = 0, mistake = HEAD_ANSWERS));
    }
  }
}

machine QueryAtHead {
  start state Init {
    entry {
      create((servers = 3, clients = 2, requests = 2, failures = 0, mistake = QUERY_THE_HEAD));
    }
  }
}

machine NothingResent {
  start state Init {
    entry {
      create((servers = 3, clients = 1, requests = 3, failures = 1, mistake = RESEND_NOTHING));
    }
  }
}

machine ResentBackwards {
  start state Init {
    entry {
      create((servers = 3, clients = 2, requests = 1, failures = 1, mistake = RESEND_BACKWARDS));
    }
  }
}

machine QuietNewTail {
  start state Init {
    entry {
      create((servers = 3, clients = 1, requests = 3, failures = 1, mistake = KEEP_QUIET_AS_NEW_TAIL));
    }
  }
}

machine RepeatedUpdate {
  start state Init {
    entry {
      create((servers = 3, clients = 1, requests = 3, failures = 1, mistake = ACCEPT_REPEATS));
    }
  }
}

machine SecondAnswer {
  start state Init {
    entry {
      create((servers = 4, clients = 1, requests = 1, failures = 2, mistake = EXPECT_ONE_ANSWER));
    }
  }
}

machine OldestAcknowledged {
  start state Init {
    entry {
      create((servers = 3, clients = 1, requests = 3, failures = 1, mistake = ACKNOWLEDGE_THE_OLDEST));
    }
  }
}

machine CountFromZero {
  start state Init {
    entry {
      create((servers = 3, clients = 1, requests = 3, failures = 1, mistake = COUNT_FROM_ZERO));
    }
  }
}

machine AdjacentFailures {
  start state Init {
    entry {
      create((servers = 4, clients = 1, requests = 1, failures = 2, mistake = ONE_REPAIR_AT_A_TIME));
    }
  }
}
