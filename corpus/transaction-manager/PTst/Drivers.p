// One driver for each test: how large the system is, and what goes wrong.

param replicatedCount: int;
param serverCount: int;

machine NoFailure {
  start state Init {
    entry {
      create((replicated = 1, servers = 2, plain = 1, transactions = 1, crashes = 0, failures = 0,
        mistake = JOINED_AS_DESIGNED));
    }
  }
}

machine Crash {
  start state Init {
    entry {
      create((replicated = 1, servers = 2, plain = 0, transactions = 1, crashes = 1, failures = 0,
        mistake = JOINED_AS_DESIGNED));
    }
  }
}

machine TwoTransactions {
  start state Init {
    entry {
      create((replicated = 1, servers = 2, plain = 0, transactions = 2, crashes = 1, failures = 0,
        mistake = JOINED_AS_DESIGNED));
    }
  }
}

machine ServerFailure {
  start state Init {
    entry {
      create((replicated = 1, servers = 2, plain = 0, transactions = 1, crashes = 0, failures = 1,
        mistake = JOINED_AS_DESIGNED));
    }
  }
}

machine CrashAndFailure {
  start state Init {
    entry {
      create((replicated = 1, servers = 2, plain = 0, transactions = 1, crashes = 1, failures = 1,
        mistake = JOINED_AS_DESIGNED));
    }
  }
}

machine EverythingAtOnce {
  start state Init {
    entry {
      create((replicated = 2, servers = 3, plain = 1, transactions = 2, crashes = 1, failures = 1,
        mistake = JOINED_AS_DESIGNED));
    }
  }
}

machine Sizes {
  start state Init {
    entry {
      create((replicated = replicatedCount, servers = serverCount, plain = 0, transactions = 1, crashes = 0,
        failures = 0, mistake = JOINED_AS_DESIGNED));
    }
  }
}

machine EarlyVote {
  start state Init {
    entry {
      create((replicated = 1, servers = 2, plain = 0, transactions = 1, crashes = 1, failures = 0,
        mistake = VOTE_BEFORE_STABLE));
    }
  }
}

machine EarlyUnlock {
  start state Init {
    entry {
      create((replicated = 1, servers = 2, plain = 1, transactions = 1, crashes = 0, failures = 0,
        mistake = UNLOCK_BEFORE_STABLE));
    }
  }
}

machine RequestsAnew {
  start state Init {
    entry {
      create((replicated = 1, servers = 2, plain = 0, transactions = 1, crashes = 1, failures = 0,
        mistake = COUNT_REQUESTS_ANEW));
    }
  }
}

machine OldEnds {
  start state Init {
    entry {
      create((replicated = 1, servers = 2, plain = 0, transactions = 1, crashes = 1, failures = 1,
        mistake = KEEP_OLD_ENDS));
    }
  }
}
