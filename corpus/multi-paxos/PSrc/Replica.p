// A replica: proposer, acceptor and learner of every slot of the log.
//
// A replica that campaigns asks for promises with a new ballot, and leads when a majority, itself included, has given
// them. Whatever may have been chosen in an earlier ballot it then knows, and proposes it again in its own; holes in
// the log it fills with commands that do nothing. After that, each new command needs only the second phase.
//
// Invariant: a replica that campaigns or leads has promised nothing above its own ballot. So it can accept its own
// proposals without asking itself; a later promise makes it a follower.

machine Replica {
  var replicas: seq[machine];
  // How many other replicas it asks: enough for a majority with itself.
  var asking: int;
  var mistake: MultiPaxosMistake;

  // As acceptor.
  var promised: int;
  var accepted: map[int, tEntry];

  // As learner: what is chosen, how much of it was executed, and who has to be told.
  var chosen: map[int, tCommand];
  var executed: int;
  var clients: set[machine];

  // As proposer.
  var waiting: seq[tCommand];
  var ballot: int;
  var promises: set[machine];
  var known: map[int, tEntry];
  var lastSlot: int;
  var votes: map[int, set[machine]];

  start state Starting {
    entry (order: (asking: int, mistake: MultiPaxosMistake)) {
      asking = order.asking;
      mistake = order.mistake;
    }
    on eReplicas goto Following with (all: seq[machine]) {
      replicas = all;
    }
  }

  state Following {
    on eElect goto Campaigning;
    on eCommand do keep;
    on ePrepare do promise;
    on eAccept do accept;
    on eChosen do learn;
    ignore ePromise, eAccepted, eReject;
  }

  state Campaigning {
    entry {
      var other: machine;
      nextBallot();
      promised = ballot;
      promises = default(set[machine]);
      promises += (this);
      known = accepted;
      foreach (other in others()) {
        send other, ePrepare, (candidate = this, ballot = ballot);
      }
    }
    on ePromise do (given: (replica: machine, ballot: int, accepted: map[int, tEntry])) {
      if (given.ballot == ballot) {
        promises += (given.replica);
        addToKnown(given.accepted);
        if (isMajority(promises)) {
          goto Leading;
        }
      }
    }
    on eReject do stepDown;
    on eCommand do keep;
    on ePrepare do promise;
    on eAccept do accept;
    on eChosen do learn;
    ignore eAccepted, eElect;
  }

  state Leading {
    entry {
      votes = default(map[int, set[machine]]);
      takeOver();
      while (sizeof(waiting) > 0) {
        lastSlot = lastSlot + 1;
        propose(lastSlot, waiting[0]);
        waiting -= (0);
      }
    }
    on eCommand do (command: tCommand) {
      clients += (command.client);
      lastSlot = lastSlot + 1;
      propose(lastSlot, command);
    }
    on eAccepted do (vote: tVote) {
      if (vote.ballot == ballot && !(vote.slot in chosen)) {
        votes[vote.slot] += (vote.replica);
        if (isMajority(votes[vote.slot])) {
          decide(vote.slot, accepted[vote.slot].command);
        }
      }
    }
    on eReject do stepDown;
    on ePrepare do promise;
    on eAccept do accept;
    on eChosen do learn;
    ignore ePromise, eElect;
  }

  // As acceptor.

  fun promise(asked: (candidate: machine, ballot: int)) {
    if (asked.ballot <= promised) {
      send asked.candidate, eReject, (ballot = asked.ballot, promised = promised);
      return;
    }
    promised = asked.ballot;
    send asked.candidate, ePromise, (replica = this, ballot = promised, accepted = accepted);
    if (mistake != LEAD_IN_SPITE_OF_PROMISE) {
      goto Following;
    }
  }

  fun accept(proposal: tProposal) {
    if (proposal.ballot < promised) {
      send proposal.leader, eReject, (ballot = proposal.ballot, promised = promised);
      return;
    }
    promised = proposal.ballot;
    vote(proposal.ballot, proposal.slot, proposal.command);
    send proposal.leader, eAccepted, (replica = this, ballot = proposal.ballot, slot = proposal.slot);
    if (proposal.ballot > ballot) {
      goto Following;
    }
  }

  fun vote(number: int, slot: int, command: tCommand) {
    accepted[slot] = (ballot = number, command = command);
    announce eVoted, (replica = this, ballot = number, slot = slot, command = command);
  }

  // As learner.

  fun keep(command: tCommand) {
    clients += (command.client);
    waiting += (sizeof(waiting), command);
  }

  // Commands are executed in the order of their slots, each when all before it are known.
  fun learn(news: tSlot) {
    chosen[news.slot] = news.command;
    while (executed + 1 in chosen) {
      executed = executed + 1;
      announce eApplied, (replica = this, slot = executed, command = chosen[executed]);
      if (chosen[executed].client in clients) {
        send chosen[executed].client, eExecuted, chosen[executed];
      }
      if (mistake == FORGET_EXECUTED) {
        accepted -= (executed);
      }
    }
  }

  // As proposer.

  fun stepDown(reject: (ballot: int, promised: int)) {
    if (reject.ballot == ballot) {
      goto Following;
    }
  }

  // The command that was accepted in the latest ballot is the one that may have been chosen.
  fun addToKnown(entries: map[int, tEntry]) {
    var slot: int;
    foreach (slot in keys(entries)) {
      if (!(slot in known) || known[slot].ballot < entries[slot].ballot) {
        known[slot] = entries[slot];
      }
    }
  }

  // Proposes again, in this ballot, what it knows of and what is not known to be chosen; and fills the holes.
  fun takeOver() {
    var slot: int;
    lastSlot = lastKnown();
    while (slot < lastSlot) {
      slot = slot + 1;
      if (!(slot in chosen)) {
        if (slot in known) {
          propose(slot, known[slot].command);
        } else if (mistake != LEAVE_HOLES) {
          propose(slot, (client = default(machine), number = 0));
        }
      }
    }
  }

  fun propose(slot: int, command: tCommand) {
    var other: machine;
    votes[slot] = default(set[machine]);
    votes[slot] += (this);
    vote(ballot, slot, command);
    foreach (other in others()) {
      send other, eAccept, (leader = this, ballot = ballot, slot = slot, command = command);
    }
  }

  fun decide(slot: int, command: tCommand) {
    var replica: machine;
    learn((slot = slot, command = command));
    foreach (replica in replicas) {
      if (replica != this) {
        send replica, eChosen, (slot = slot, command = command);
      }
    }
  }

  fun lastKnown(): int {
    var last: int;
    var slot: int;
    last = executed;
    foreach (slot in keys(known)) {
      if (slot > last) {
        last = slot;
      }
    }
    foreach (slot in keys(chosen)) {
      if (slot > last) {
        last = slot;
      }
    }
    return last;
  }

  // Ballots go round: with three replicas, the first has 1, 4, 7 and so on.
  fun nextBallot() {
    if (ballot == 0) {
      while (replicas[ballot] != this) {
        ballot = ballot + 1;
      }
      ballot = ballot + 1;
    }
    while (ballot <= promised) {
      ballot = ballot + sizeof(replicas);
    }
  }

  // As many others as it asks, whichever it likes.
  fun others(): set[machine] {
    var selected: set[machine];
    var replica: machine;
    foreach (replica in replicas) {
      if (replica != this) {
        selected += (replica);
      }
    }
    while (sizeof(selected) > asking) {
      replica = choose(selected);
      selected -= (replica);
    }
    return selected;
  }

  fun isMajority(some: set[machine]): bool {
    return sizeof(some) > sizeof(replicas) / 2;
  }
}
