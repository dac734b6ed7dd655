// A proposer: wants a value to be chosen, but gives it up for one that may have been chosen already.
//
// Each attempt is a ballot with a number of its own. If a majority of acceptors promises to take part, no earlier
// ballot can choose anything any more that they do not know of. So the proposer proposes what they accepted in the
// latest ballot, and only if they have accepted nothing its own value. It is also the learner of its ballots: it finds
// out when a majority has accepted.

type tTask = (acceptors: set[machine], asking: int, index: int, stride: int, attempts: int, value: int,
  mistake: PaxosMistake);

machine Proposer {
  var acceptors: set[machine];
  // How many acceptors it asks in each ballot: a majority at least.
  var asking: int;
  var wanted: int;
  // Ballots of different proposers differ by less than this.
  var stride: int;
  var attempts: int;
  var mistake: PaxosMistake;

  var ballot: int;
  var asked: set[machine];
  var promises: set[machine];
  var acceptances: set[machine];
  // The value to propose, and the latest ballot in which one of `promises` accepted it.
  var value: int;
  var acceptedIn: int;

  start state Starting {
    entry (order: tTask) {
      acceptors = order.acceptors;
      asking = order.asking;
      ballot = order.index - order.stride;
      stride = order.stride;
      attempts = order.attempts;
      wanted = order.value;
      mistake = order.mistake;
      announce eWanted, wanted;
      goto Preparing;
    }
  }

  state Preparing {
    entry {
      var acceptor: machine;
      if (attempts == 0) {
        goto Done;
      }
      attempts = attempts - 1;
      ballot = ballot + stride;
      promises = default(set[machine]);
      acceptances = default(set[machine]);
      value = wanted;
      acceptedIn = 0;
      chooseAcceptors();
      foreach (acceptor in asked) {
        send acceptor, ePrepare, (proposer = this, ballot = ballot);
      }
    }
    on ePromise do (promise: tPromise) {
      if (promise.ballot == ballot || mistake == COUNT_OLD_PROMISES) {
        take(promise);
        if (sizeof(promises) > sizeof(acceptors) / 2) {
          goto Proposing;
        }
      }
    }
    on eReject do giveWay;
    ignore eAccepted;
  }

  state Proposing {
    entry {
      var acceptor: machine;
      foreach (acceptor in asked) {
        send acceptor, eAccept, (proposer = this, ballot = ballot, value = value);
      }
    }
    on eAccepted do (news: tAccepted) {
      if (news.ballot == ballot) {
        acceptances += (news.acceptor);
        if (sizeof(acceptances) > sizeof(acceptors) / 2) {
          announce eLearned, value;
          goto Done;
        }
      }
    }
    on eReject do giveWay;
    ignore ePromise;
  }

  // A value is chosen, or enough was tried.
  state Done {
    entry {
      raise halt;
    }
  }

  fun chooseAcceptors() {
    var omitted: machine;
    asked = acceptors;
    while (sizeof(asked) > asking) {
      omitted = choose(asked);
      asked -= (omitted);
    }
  }

  fun take(promise: tPromise) {
    promises += (promise.acceptor);
    if (mistake == TAKE_FIRST_VALUE && acceptedIn > 0) {
      return;
    }
    if (promise.acceptedIn > acceptedIn) {
      acceptedIn = promise.acceptedIn;
      value = promise.value;
    }
  }

  // Another ballot is ahead of ours: try to get ahead of that.
  fun giveWay(reject: (ballot: int, promised: int)) {
    if (reject.ballot == ballot) {
      while (ballot + stride <= reject.promised) {
        ballot = ballot + stride;
      }
      goto Preparing;
    }
  }
}
