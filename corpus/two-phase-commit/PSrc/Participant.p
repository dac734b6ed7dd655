// A participant: holds a part of the data, and can fail and recover.
//
// It may vote no for reasons of its own: a lock, a full disk, a rule that the write would break. Having voted yes it is
// in doubt, and can only wait for the decision. `store` and `inDoubt` are on disk: they survive a crash; messages that
// arrive while it is down do not.

machine Participant {
  var store: map[string, int];
  // The transaction that it has voted yes on and does not know the outcome of, if any.
  var inDoubt: seq[tPrepare];
  var mistake: CommitMistake;

  start state Starting {
    entry (told: CommitMistake) {
      mistake = told;
      goto Working;
    }
  }

  state Working {
    on ePrepare do (prepare: tPrepare) {
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
      // The answer to an inquiry may come after the decision itself, when the next transaction is under way.
      if (message.transaction == inDoubt[0].transaction) {
        settle(message.decision);
        goto Working;
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
