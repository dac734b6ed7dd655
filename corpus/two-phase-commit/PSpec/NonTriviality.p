// What all are in favour of is done: AC4 of Bernstein, Hadzilacos and Goodman.
//
// It holds only if nobody fails and no vote is late, so only tests without timeouts assert it. (A coordinator that
// always aborts would satisfy all the rest.)

spec NonTriviality observes eVote, eDecided {
  var against: set[int];

  start state Watching {
    on eVote do (vote: tVote) {
      if (!vote.yes) {
        against += (vote.transaction);
      }
    }

    on eDecided do (news: tDecided) {
      assert news.decision == COMMIT || news.transaction in against,
        format("transaction {0} is aborted, though nobody voted against it", news.transaction);
    }
  }
}
