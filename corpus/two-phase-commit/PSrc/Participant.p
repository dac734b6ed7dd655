// A participant: holds a part of the data, and can fail and recover.
//
// It may vote no for reasons of its own: a lock, a full disk, a rule that the write would break. Having voted yes it
// is in doubt, and can only wait for the decision. `store` and `inDoubt` are on disk: they survive a crash; messages
// that arrive while it is down do not.

machine Participant {
  var store: map[string, int];
  // The transaction that it has voted yes on and does not know the outcome of, if any.
  var inDoubt: seq[tPrepare];
  // The last transaction that it has heard the end of before the beginning.
  var aborted: int;
  var mistake: CommitMistake;

  start state Starting {
    entry (told: CommitMistake) {
      mistake = told;
      goto Working;
    }
  }

  state Working {
    on ePrepare do (prepare: tPrepare) {
      if (prepare.transaction <= aborted) {
        return;
      }
      if ($) {
        send prepare.coordinator, eVote, (voter = this, transaction = prepare.transaction, yes = false);
        announce eDecided, (party = this, transaction = prepare.transaction, decision = ABORT);
      } else {
        inDoubt += (0, prepare);
        send prepare.coordinator, eVote, (voter = this, transaction = prepare.transaction, yes = true);
        goto InDoubt;
      }
    }
    on eRead do (read: (client: machine, key: string)) {
      send read.client, eValue, store[read.key];
    }
    on eCrash goto Down;
    // Transactions that it has voted against or never heard of: there is nothing to do for them.
    ignore eDecision;
  }

  state InDoubt {
    on eDecision do (message: tDecision) {
      if (message.transaction == inDoubt[0].transaction) {
        settle(message.decision);
        goto Working;
      }
      // An answer to an inquiry may come late, and tell what it knows. But a decision may also come early: while this
      // participant waits for the answer, its vote on the next transaction is overdue.
      if (message.transaction > inDoubt[0].transaction && mistake != IGNORE_EARLY_DECISIONS) {
        aborted = message.transaction;
      }
    }
    on eCrash goto Down;
    // What is in doubt is locked.
    defer ePrepare, eRead;
  }

  state Down {
    on eRecover do {
      if (sizeof(inDoubt) == 0) {
        goto Working;
      }
      if (mistake == FORGET_THE_LOG) {
        settle(ABORT);
        goto Working;
      }
      if (mistake != DO_NOT_INQUIRE) {
        send inDoubt[0].coordinator, eInquire, (participant = this, transaction = inDoubt[0].transaction);
      }
      goto InDoubt;
    }
    ignore ePrepare, eDecision;
    // Readers are patient: they would ask again.
    defer eRead;
  }

  fun settle(decision: Decision) {
    if (decision == COMMIT) {
      store[inDoubt[0].write.key] = inDoubt[0].write.value;
    }
    announce eDecided, (party = this, transaction = inDoubt[0].transaction, decision = decision);
    inDoubt -= (0);
  }
}
