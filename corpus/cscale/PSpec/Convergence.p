// Replicas that have taken in the same updates have the same account, whatever the order and however often: strong
// eventual consistency.

spec Convergence observes eTakenIn {
  var known: map[int, set[(id: tUpdateId, stamp: tStamp)]];
  var accounts: map[int, tAccount];

  start state Watching {
    on eTakenIn do (news: (replica: int, update: tUpdate, account: tAccount)) {
      var other: int;
      if (!(news.replica in known)) {
        known[news.replica] = default(set[(id: tUpdateId, stamp: tStamp)]);
      }
      known[news.replica] += ((id = news.update.id, stamp = news.update.stamp));
      accounts[news.replica] = news.account;
      foreach (other in keys(known)) {
        assert known[other] != known[news.replica] || accounts[other] == news.account,
          format("replicas {0} and {1} know the same updates, but one has {2} and the other {3}",
            news.replica, other, news.account, accounts[other]);
      }
    }
  }
}
