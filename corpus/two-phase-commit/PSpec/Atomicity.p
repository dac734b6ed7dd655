// All or nothing: AC1 to AC3 of Bernstein, Hadzilacos and Goodman.
//
// AC1: all parties that decide on a transaction decide the same. AC2: nobody takes a decision back. (As one decision
// is compared with all later ones, of the same party as well, AC1 covers AC2.) AC3: nobody commits unless all voted
// yes.

spec Atomicity observes eParticipants, eVote, eDecided {
  var participants: set[machine];
  var inFavour: map[int, set[machine]];
  // The first decision on each transaction.
  var decided: map[int, tDecided];

  start state Watching {
    on eParticipants do (all: set[machine]) {
      participants = all;
    }

    on eVote do (vote: tVote) {
      if (!(vote.transaction in inFavour)) {
        inFavour[vote.transaction] = default(set[machine]);
      }
      if (vote.yes) {
        inFavour[vote.transaction] += (vote.voter);
      }
    }

    on eDecided do (news: tDecided) {
      if (news.decision == COMMIT) {
        allInFavour(news.transaction);
      }
      if (!(news.transaction in decided)) {
        decided[news.transaction] = news;
      }
      same(decided[news.transaction], news);
    }
  }

  fun allInFavour(transaction: int) {
    var participant: machine;
    foreach (participant in participants) {
      assert transaction in inFavour && participant in inFavour[transaction],
        format("transaction {0} is committed without a yes from {1}", transaction, participant);
    }
  }

  fun same(first: tDecided, second: tDecided) {
    assert first.decision == second.decision,
      format("transaction {0}: {1} {2}, {3} {4}", first.transaction,
        first.party, inWords(first.decision), second.party, inWords(second.decision));
  }

  fun inWords(decision: Decision): string {
    if (decision == COMMIT) {
      return "commits";
    }
    return "aborts";
  }
}
