// What is chosen gets executed. Hot while there is a slot with a chosen command that no replica has executed.
//
// It holds if the last election succeeds and its leader lives, whatever happened in the ballots before.

spec Completeness observes eReplicaCount, eVoted, eApplied {
  var replicas: int;
  var votes: map[(slot: int, ballot: int), set[machine]];
  var executed: int;
  var open: set[int];

  start cold state Complete {
    on eReplicaCount do (count: int) { replicas = count; }
    on eVoted do count;
    on eApplied do apply;
  }

  hot state Incomplete {
    on eVoted do count;
    on eApplied do apply;
  }

  fun count(news: (replica: machine, ballot: int, slot: int, command: tCommand)) {
    if (!((slot = news.slot, ballot = news.ballot) in votes)) {
      votes[(slot = news.slot, ballot = news.ballot)] = default(set[machine]);
    }
    votes[(slot = news.slot, ballot = news.ballot)] += (news.replica);
    if (sizeof(votes[(slot = news.slot, ballot = news.ballot)]) > replicas / 2 && news.slot > executed) {
      open += (news.slot);
      goto Incomplete;
    }
  }

  fun apply(news: (replica: machine, slot: int, command: tCommand)) {
    if (news.slot > executed) {
      executed = news.slot;
    }
    open -= (news.slot);
    if (sizeof(open) == 0) {
      goto Complete;
    }
  }
}
