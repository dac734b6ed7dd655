// One driver for each test: how large the system is, and what goes wrong.

param participantCount: int;
param clientCount: int;

machine SingleClient {
  start state Init {
    entry {
      create((participants = 2, clients = 1, transactions = 2, failures = 0, mistake = COMMIT_AS_DESIGNED));
    }
  }
}

machine MultipleClients {
  start state Init {
    entry {
      create((participants = 2, clients = 2, transactions = 1, failures = 0, mistake = COMMIT_AS_DESIGNED));
    }
  }
}

machine WithTimeouts {
  start state Init {
    entry {
      create((participants = 2, clients = 1, transactions = 2, failures = 0, mistake = COMMIT_AS_DESIGNED));
    }
  }
}

machine WithFailures {
  start state Init {
    entry {
      create((participants = 2, clients = 1, transactions = 1, failures = 1, mistake = COMMIT_AS_DESIGNED));
    }
  }
}

machine FailureBetweenTransactions {
  start state Init {
    entry {
      create((participants = 1, clients = 1, transactions = 2, failures = 1, mistake = COMMIT_AS_DESIGNED));
    }
  }
}

machine Sizes {
  start state Init {
    entry {
      create((participants = participantCount, clients = clientCount, transactions = 1, failures = 0,
        mistake = COMMIT_AS_DESIGNED));
    }
  }
}

machine StaleVote {
  start state Init {
    entry {
      create((participants = 2, clients = 1, transactions = 2, failures = 0, mistake = COUNT_STALE_VOTES));
    }
  }
}

machine LateTimeout {
  start state Init {
    entry {
      create((participants = 2, clients = 1, transactions = 2, failures = 0, mistake = EXPECT_NO_LATE_TIMEOUT));
    }
  }
}

machine ForgottenLog {
  start state Init {
    entry {
      create((participants = 2, clients = 1, transactions = 1, failures = 1, mistake = FORGET_THE_LOG));
    }
  }
}

machine NoInquiry {
  start state Init {
    entry {
      create((participants = 2, clients = 1, transactions = 1, failures = 1, mistake = DO_NOT_INQUIRE));
    }
  }
}

machine EarlyDecision {
  start state Init {
    entry {
      create((participants = 1, clients = 1, transactions = 2, failures = 1, mistake = IGNORE_EARLY_DECISIONS));
    }
  }
}
