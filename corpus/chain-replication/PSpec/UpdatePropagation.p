// The history of a server is a prefix of the history of every server before it, and has each update once.
//
// The first is the Update Propagation Invariant of van Renesse and Schneider. As histories only grow, it is enough to
// look at each new element.

spec UpdatePropagation observes eChain, eAppended {
  var predecessors: map[machine, machine];
  var histories: map[machine, seq[tUpdate]];

  start state Watching {
    on eChain do (servers: seq[machine]) {
      var server: machine;
      var predecessor: machine;
      foreach (server in servers) {
        predecessors[server] = predecessor;
        predecessor = server;
        if (!(server in histories)) {
          histories[server] = default(seq[tUpdate]);
        }
      }
    }

    on eAppended do (news: (server: machine, appended: tNumbered)) {
      assert news.appended.number == sizeof(histories[news.server]) + 1,
        format("{0} has {1} updates and calls the next one number {2}",
          news.server, sizeof(histories[news.server]), news.appended.number);
      assert !(news.appended.update in histories[news.server]),
        format("{0} takes request {1} of {2} for the second time",
          news.server, news.appended.update.request, news.appended.update.client);
      if (predecessors[news.server] != null) {
        isKnownTo(predecessors[news.server], news.server, news.appended);
      }
      histories[news.server] += (news.appended.number - 1, news.appended.update);
    }
  }

  fun isKnownTo(predecessor: machine, server: machine, appended: tNumbered) {
    assert appended.number <= sizeof(histories[predecessor])
        && histories[predecessor][appended.number - 1] == appended.update,
      format("{0} has an update {1} that {2} before it has not", server, appended.number, predecessor);
  }
}
