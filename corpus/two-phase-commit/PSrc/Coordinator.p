// The coordinator: takes one transaction after the other through the two phases.
//
// It commits only if every participant has voted yes. One vote against is enough to abort, and so is a vote that does
// not come in time. A decision is never taken back: it goes into the log before anybody hears of it, and participants
// that missed it can ask for it as long as they like.

machine Coordinator {
  var participants: set[machine];
  var timer: Timer;
  var log: map[int, Decision];
  var mistake: CommitMistake;

  // The transaction that is being voted on, who asked for it, and who has said yes.
  var current: int;
  var request: tRequest;
  var inFavour: set[machine];

  start state Starting {
    entry (order: (participants: set[machine], mistake: CommitMistake)) {
      participants = order.participants;
      mistake = order.mistake;
      timer = new Timer(this);
      announce eParticipants, participants;
      goto Idle;
    }
  }

  state Idle {
    on eTransact goto Voting with remember;
    on eInquire do inform;
    // A decision need not wait for all votes, and the timer may fire while it is being cancelled.
    ignore eVote, eTimeout;
  }

  state Voting {
    entry {
      var participant: machine;
      current = current + 1;
      inFavour = default(set[machine]);
      foreach (participant in participants) {
        send participant, ePrepare, (coordinator = this, transaction = current, write = request.write);
      }
      send timer, eStartTimer, current;
    }
    on eVote do count;
    on eTimeout do (transaction: int) {
      if (transaction == current) {
        decide(ABORT);
      }
    }
    on eInquire do inform;
    defer eTransact;
  }

  // What `Idle` is if one forgets that messages cross.
  state IdleWithoutLateTimeout {
    on eTransact goto Voting with remember;
    on eInquire do inform;
    ignore eVote;
  }

  fun remember(asked: tRequest) {
    request = asked;
  }

  fun count(vote: tVote) {
    if (vote.transaction != current && mistake != COUNT_STALE_VOTES) {
      return;
    }
    if (!vote.yes) {
      decide(ABORT);
    }
    inFavour += (vote.voter);
    if (sizeof(inFavour) == sizeof(participants)) {
      decide(COMMIT);
    }
  }

  fun decide(decision: Decision) {
    var participant: machine;
    log[current] = decision;
    announce eDecided, (party = this, transaction = current, decision = decision);
    send timer, eCancelTimer;
    foreach (participant in participants) {
      send participant, eDecision, (transaction = current, decision = decision);
    }
    send request.client, eOutcome, (transaction = current, decision = decision);
    if (mistake == EXPECT_NO_LATE_TIMEOUT) {
      goto IdleWithoutLateTimeout;
    }
    goto Idle;
  }

  // Whoever asks before there is a decision will get it with all others.
  fun inform(inquiry: tInquiry) {
    if (inquiry.transaction in log) {
      send inquiry.participant, eDecision,
        (transaction = inquiry.transaction, decision = log[inquiry.transaction]);
    }
  }
}
