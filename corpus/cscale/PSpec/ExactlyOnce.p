// A replica's balance is the sum of the deposits that it has taken in, each counted once.

spec ExactlyOnce observes eTakenIn {
  var counted: map[int, set[tUpdateId]];
  var balance: map[int, int];

  start state Watching {
    on eTakenIn do (news: (replica: int, update: tUpdate, account: tAccount)) {
      if (!(news.replica in counted)) {
        counted[news.replica] = default(set[tUpdateId]);
        balance[news.replica] = 0;
      }
      if (news.update.kind == DEPOSIT && !(news.update.id in counted[news.replica])) {
        counted[news.replica] += (news.update.id);
        balance[news.replica] = balance[news.replica] + news.update.value;
      }
      assert news.account.balance == balance[news.replica],
        format("replica {0} has {1}, but only {2} was paid in",
          news.replica, news.account.balance, balance[news.replica]);
    }
  }
}
