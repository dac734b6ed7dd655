// At most one command is chosen for each slot, and nothing else is executed there.
//
// A command is chosen when a majority of replicas has accepted it in one ballot, whether anybody knows it or not.
// Replicas execute the slots in order; so all go through the same commands in the same order.

spec Agreement observes eReplicaCount, eVoted, eApplied {
  var replicas: int;
  var votes: map[(slot: int, ballot: int), set[machine]];
  var chosen: map[int, tCommand];
  var executed: map[machine, int];

  start state Watching {
    on eReplicaCount do (count: int) {
      replicas = count;
    }

    on eVoted do (news: (replica: machine, ballot: int, slot: int, command: tCommand)) {
      if (!((slot = news.slot, ballot = news.ballot) in votes)) {
        votes[(slot = news.slot, ballot = news.ballot)] = default(set[machine]);
      }
      votes[(slot = news.slot, ballot = news.ballot)] += (news.replica);
      if (sizeof(votes[(slot = news.slot, ballot = news.ballot)]) > replicas / 2) {
        settle(news.slot, news.command);
      }
    }

    on eApplied do (news: (replica: machine, slot: int, command: tCommand)) {
      assert news.slot in chosen && chosen[news.slot] == news.command,
        format("{0} executes in slot {1} what is not chosen", news.replica, news.slot);
      if (!(news.replica in executed)) {
        executed[news.replica] = 0;
      }
      executed[news.replica] = executed[news.replica] + 1;
      assert news.slot == executed[news.replica],
        format("{0} executes slot {1} as number {2}", news.replica, news.slot, executed[news.replica]);
    }
  }

  fun settle(slot: int, command: tCommand) {
    assert !(slot in chosen) || chosen[slot] == command,
      format("two commands are chosen for slot {0}", slot);
    chosen[slot] = command;
  }
}
