// Everybody learns the outcome: AC5 of Bernstein, Hadzilacos and Goodman.
//
// Hot while a client waits for an answer, or a participant is in doubt.

type tDoubt = (party: machine, transaction: int);

spec Progress observes eTransact, eOutcome, eVote, eDecided {
  var asked: int;
  var inDoubt: set[tDoubt];

  start cold state Settled {
    on eTransact goto Unsettled with { asked = asked + 1; }
    on eVote do (vote: tVote) {
      doubt(vote);
      if (vote.yes) {
        goto Unsettled;
      }
    }
    ignore eDecided;
  }

  hot state Unsettled {
    on eTransact do { asked = asked + 1; }
    on eVote do doubt;
    on eOutcome do {
      asked = asked - 1;
      check();
    }
    on eDecided do (news: tDecided) {
      inDoubt -= ((party = news.party, transaction = news.transaction));
      check();
    }
  }

  fun doubt(vote: tVote) {
    if (vote.yes) {
      inDoubt += ((party = vote.voter, transaction = vote.transaction));
    }
  }

  fun check() {
    if (asked == 0 && sizeof(inDoubt) == 0) {
      goto Settled;
    }
  }
}
