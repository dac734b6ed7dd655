// One driver for each test: how large the system is, and what goes wrong.

param acceptorCount: int;
param proposerCount: int;

machine OneProposer {
  start state Init {
    entry {
      create((acceptors = 3, asking = 3, proposers = 1, attempts = 1, failures = 1,
        mistake = PAXOS_AS_DESIGNED));
    }
  }
}

machine TwoProposers {
  start state Init {
    entry {
      create((acceptors = 3, asking = 2, proposers = 2, attempts = 1, failures = 0,
        mistake = PAXOS_AS_DESIGNED));
    }
  }
}

machine TwoAttempts {
  start state Init {
    entry {
      create((acceptors = 3, asking = 2, proposers = 2, attempts = 2, failures = 0,
        mistake = PAXOS_AS_DESIGNED));
    }
  }
}

machine Sizes {
  start state Init {
    entry {
      create((acceptors = acceptorCount, asking = acceptorCount / 2 + 1, proposers = proposerCount,
        attempts = 1, failures = 0, mistake = PAXOS_AS_DESIGNED));
    }
  }
}

machine ForgottenValue {
  start state Init {
    entry {
      create((acceptors = 3, asking = 2, proposers = 2, attempts = 1, failures = 0,
        mistake = FORGET_ACCEPTED));
    }
  }
}

machine OldPromises {
  start state Init {
    entry {
      create((acceptors = 3, asking = 2, proposers = 2, attempts = 2, failures = 0,
        mistake = COUNT_OLD_PROMISES));
    }
  }
}

machine FirstValue {
  start state Init {
    entry {
      create((acceptors = 3, asking = 2, proposers = 2, attempts = 2, failures = 0,
        mistake = TAKE_FIRST_VALUE));
    }
  }
}
