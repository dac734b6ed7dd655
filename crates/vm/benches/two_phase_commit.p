// A coordinator, three participants that keep keys and values, two clients, and a spec that knows all votes: of the size
// of P's tutorial on two-phase commit. A participant may refuse; a vote may come too late.

enum Vote { REFUSE, AGREE }

type Transaction = (client: machine, number: int, key: string, value: int);
type Ballot = (voter: machine, number: int, vote: Vote);

event eWrite: Transaction;
event eRead: (client: machine, key: string);
event eWritten: (number: int, vote: Vote);
event eReadDone: (key: string, value: int, found: bool);
event ePrepare: (coordinator: machine, transaction: Transaction);
event eVote: Ballot;
event eCommit: int;
event eAbort: int;
event eTimeout;
event eStartTimer: machine;
event eCancelTimer;
event eMonitorStart: int;

machine Coordinator {
  var participants: set[machine];
  var current: Transaction;
  var agreed: set[machine];
  var timer: machine;
  var done: map[int, Vote];

  start state Init {
    entry (given: set[machine]) {
      participants = given;
      timer = new Timer();
      goto Ready;
    }
  }

  state Ready {
    on eWrite do (transaction: Transaction) {
      var participant: machine;
      current = transaction;
      agreed = default(set[machine]);
      foreach (participant in participants) {
        send participant, ePrepare, (coordinator = this, transaction = transaction);
      }
      send timer, eStartTimer, this;
      goto Collecting;
    }
    on eRead do (request: (client: machine, key: string)) { send choose(participants), eRead, request; }
    ignore eVote, eTimeout;
  }

  state Collecting {
    on eVote do (ballot: Ballot) {
      if (ballot.number != current.number) { return; }
      if (ballot.vote == REFUSE) { finish(REFUSE); }
      agreed += (ballot.voter);
      if (sizeof(agreed) == sizeof(participants)) { finish(AGREE); }
    }
    on eTimeout do { finish(REFUSE); }
    on eRead do (request: (client: machine, key: string)) { send choose(participants), eRead, request; }
    defer eWrite;
  }

  fun finish(vote: Vote) {
    var participant: machine;
    foreach (participant in participants) {
      if (vote == AGREE) { send participant, eCommit, current.number; }
      else { send participant, eAbort, current.number; }
    }
    send timer, eCancelTimer;
    done[current.number] = vote;
    send current.client, eWritten, (number = current.number, vote = vote);
    goto Ready;
  }
}

machine Participant {
  var store: map[string, int];
  var pending: map[int, Transaction];

  start state Serving {
    on ePrepare do (request: (coordinator: machine, transaction: Transaction)) {
      var vote: Vote;
      pending[request.transaction.number] = request.transaction;
      if ($) { vote = AGREE; }
      send request.coordinator, eVote, (voter = this, number = request.transaction.number, vote = vote);
    }
    on eCommit do (number: int) {
      assert number in pending, format("{0} was never prepared", number);
      store[pending[number].key] = pending[number].value;
      pending -= (number);
    }
    on eAbort do (number: int) { pending -= (number); }
    on eRead do (request: (client: machine, key: string)) {
      if (request.key in store) {
        send request.client, eReadDone, (key = request.key, value = store[request.key], found = true);
      } else {
        send request.client, eReadDone, (key = request.key, value = 0, found = false);
      }
    }
  }
}

machine Timer {
  start state Off {
    on eStartTimer goto On with (owner: machine) { if ($) { send owner, eTimeout; } }
    ignore eCancelTimer;
  }
  state On {
    on eCancelTimer goto Off;
    defer eStartTimer;
  }
}

machine Client {
  var coordinator: machine;
  var left: int;
  var number: int;

  start state Init {
    entry (given: (coordinator: machine, first: int, count: int)) {
      coordinator = given.coordinator;
      number = given.first;
      left = given.count;
      goto Writing;
    }
  }

  state Writing {
    entry {
      var key: string;
      if (left == 0) { goto Stopped; }
      left = left - 1;
      key = "x";
      if ($) { key = "y"; }
      announce eMonitorStart, number;
      send coordinator, eWrite, (client = this, number = number, key = key, value = choose(3));
      receive {
        case eWritten: (result: (number: int, vote: Vote)) { assert result.number == number; }
      }
      number = number + 1;
      send coordinator, eRead, (client = this, key = key);
      receive { case eReadDone: (result: (key: string, value: int, found: bool)) { assert result.key == key; } }
      goto Writing;
    }
  }

  state Stopped { }
}

spec Agreement observes eVote, eWritten, eMonitorStart {
  var votes: map[int, set[machine]];
  var open: set[int];

  start state Watching {
    on eMonitorStart do (number: int) { votes[number] = default(set[machine]); open += (number); }
    on eVote do (ballot: Ballot) {
      if (ballot.vote == AGREE) { votes[ballot.number] += (ballot.voter); }
    }
    on eWritten do (result: (number: int, vote: Vote)) {
      if (result.vote == AGREE) {
        assert sizeof(votes[result.number]) == 3, format("{0} was committed without all votes", result.number);
      }
      open -= (result.number);
    }
  }
}

machine Main {
  start state Init {
    entry {
      var participants: set[machine];
      var coordinator: machine;
      var i: int;
      while (i < 3) { participants += (new Participant()); i = i + 1; }
      coordinator = new Coordinator(participants);
      new Client((coordinator = coordinator, first = 100, count = 4));
      new Client((coordinator = coordinator, first = 200, count = 4));
    }
  }
}

test tcTwoClients [main=Main]: assert Agreement in { Main, Client, Coordinator, Participant, Timer };
