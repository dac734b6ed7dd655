// A participant in two-phase commit that has no disk: a client of a chain, which keeps everything for it.
//
// Before it votes yes it puts a record of that into the chain, and waits until the chain has answered; before it lets
// anybody read what was committed, it does the same with the write and with a record of the decision. So it can lose
// its memory at any time: it then asks the chain for the last record, and if that leaves it in doubt, the coordinator
// for the decision. Only the number of its requests is kept, as the chain takes a second request with the same number
// for a repetition of the first.

enum Status { PREPARED, COMMITTED, ABORTED }

type tRecord = (transaction: int, status: Status, write: tWrite);

machine ReplicatedParticipant {
  var mistake: JoinMistake;
  var coordinator: machine;
  var master: machine;
  var request: int;

  // What follows is lost in a crash.
  var head: machine;
  var tail: machine;
  // The transaction that it works on.
  var current: tRecord;
  // The last transaction that it has heard the end of before the beginning.
  var aborted: int;
  // Updates that the chain has not answered yet, in order, and the query, if there is one.
  var unanswered: seq[tUpdate];
  var query: tQuery;
  var reader: machine;

  start state Starting {
    entry (order: (master: machine, mistake: JoinMistake)) {
      master = order.master;
      mistake = order.mistake;
      send master, eRegister, this;
    }
    on eEnds goto Working with remember;
    on eCrash goto Down;
    defer ePrepare, eDecision, eRead;
  }

  state Working {
    on ePrepare do (prepare: tPrepare) {
      if (prepare.transaction <= aborted) {
        return;
      }
      coordinator = prepare.coordinator;
      current = (transaction = prepare.transaction, status = PREPARED, write = prepare.write);
      if ($) {
        send coordinator, eVote, (voter = this, transaction = prepare.transaction, yes = false);
        announce eDecided, (party = this, transaction = prepare.transaction, decision = ABORT);
      } else {
        store("record", current);
        if (mistake == VOTE_BEFORE_STABLE) {
          voteYes();
          goto InDoubt;
        }
        goto Preparing;
      }
    }
    on eRead do (read: (client: machine, key: string)) {
      reader = read.client;
      ask(read.key);
      goto Reading;
    }
    on eEnds do continueAt;
    on eUpdated do answered;
    on eCrash goto Down;
    ignore eDecision, eResult;
  }

  state Preparing {
    on eUpdated do (answer: tNumbered) {
      answered(answer);
      if (sizeof(unanswered) == 0) {
        voteYes();
        goto InDoubt;
      }
    }
    on eEnds do continueAt;
    on eCrash goto Down;
    // The coordinator may be tired of waiting; but first things first.
    defer eDecision, ePrepare, eRead;
    ignore eResult;
  }

  state InDoubt {
    on eDecision do (message: tDecision) {
      if (message.transaction == current.transaction) {
        settle(message.decision);
        if (mistake == UNLOCK_BEFORE_STABLE) {
          announceDecision();
          goto Working;
        }
        goto Settling;
      }
      if (message.transaction > current.transaction) {
        aborted = message.transaction;
      }
    }
    on eEnds do continueAt;
    on eUpdated do answered;
    on eCrash goto Down;
    defer ePrepare, eRead;
    ignore eResult;
  }

  state Settling {
    on eUpdated do (answer: tNumbered) {
      answered(answer);
      if (sizeof(unanswered) == 0) {
        announceDecision();
        goto Working;
      }
    }
    on eEnds do continueAt;
    on eCrash goto Down;
    defer ePrepare, eDecision, eRead;
    ignore eResult;
  }

  state Reading {
    on eResult do (result: tResult) {
      if (result.request == query.request) {
        if (result.value == null) {
          send reader, eValue, 0;
        } else {
          send reader, eValue, result.value as int;
        }
        goto Working;
      }
    }
    on eEnds do (ends: (head: machine, tail: machine)) {
      remember(ends);
      send tail, eQuery, query;
    }
    on eCrash goto Down with {
      // Readers are patient: they ask again.
      send this, eRead, (client = reader, key = query.key);
    }
    on eUpdated do answered;
    defer ePrepare, eDecision, eRead;
  }

  state Down {
    entry {
      unanswered = default(seq[tUpdate]);
      query = default(tQuery);
      current = default(tRecord);
      reader = default(machine);
      if (mistake != KEEP_OLD_ENDS) {
        head = default(machine);
        tail = default(machine);
      }
      if (mistake == COUNT_REQUESTS_ANEW) {
        request = 0;
      }
    }
    on eRecover goto Recovering;
    defer eRead;
    ignore ePrepare, eDecision, eEnds, eUpdated, eResult;
  }

  state Recovering {
    entry {
      if (mistake == KEEP_OLD_ENDS && head != null) {
        ask("record");
      } else {
        send master, eRegister, this;
      }
    }
    on eEnds do (ends: (head: machine, tail: machine)) {
      remember(ends);
      ask("record");
    }
    on eResult do (result: tResult) {
      if (result.request == query.request) {
        recover(result.value);
      }
    }
    on eCrash goto Down;
    defer ePrepare, eDecision, eRead;
    ignore eUpdated;
  }

  fun recover(value: data) {
    if (value == null) {
      goto Working;
    }
    current = value as tRecord;
    if (current.status == PREPARED) {
      send coordinator, eInquire, (participant = this, transaction = current.transaction);
      goto InDoubt;
    }
    announceDecision();
    goto Working;
  }

  fun voteYes() {
    send coordinator, eVote, (voter = this, transaction = current.transaction, yes = true);
  }

  fun settle(decision: Decision) {
    if (decision == COMMIT) {
      store(current.write.key, current.write.value);
      current.status = COMMITTED;
    } else {
      current.status = ABORTED;
    }
    store("record", current);
  }

  fun announceDecision() {
    var decision: Decision;
    if (current.status == COMMITTED) {
      decision = COMMIT;
    }
    announce eDecided, (party = this, transaction = current.transaction, decision = decision);
  }

  // As client of the chain.

  fun store(key: string, value: data) {
    var update: tUpdate;
    request = request + 1;
    update = (client = this, request = request, key = key, value = value);
    unanswered += (sizeof(unanswered), update);
    send head, eUpdate, update;
  }

  fun ask(key: string) {
    request = request + 1;
    query = (client = this, request = request, key = key);
    send tail, eQuery, query;
  }

  // Answers may come twice, and those to requests from before a crash are of no use.
  fun answered(answer: tNumbered) {
    if (sizeof(unanswered) > 0 && unanswered[0].request == answer.update.request) {
      unanswered -= (0);
    }
  }

  fun remember(ends: (head: machine, tail: machine)) {
    head = ends.head;
    tail = ends.tail;
  }

  // The chain has changed, and what it has not answered may be lost.
  fun continueAt(ends: (head: machine, tail: machine)) {
    var update: tUpdate;
    remember(ends);
    foreach (update in unanswered) {
      send head, eUpdate, update;
    }
  }
}
