// A replica that accepts a new name from a client shows it: what it has seen before is older.

spec NewestNameWins observes eTakenIn {
  start state Watching {
    on eTakenIn do (news: (replica: int, update: tUpdate, account: tAccount)) {
      if (news.update.kind == RENAME && news.update.stamp.replica == news.replica) {
        assert news.account.name == news.update.value,
          format("replica {0} accepted name {1}, but keeps {2}", news.replica, news.update.value, news.account.name);
      }
    }
  }
}
