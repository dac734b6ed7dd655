// An acceptor: takes part in one ballot after the other, never in an earlier one than it has promised.

machine Acceptor {
  var promised: int;
  var acceptedIn: int;
  var value: int;
  var mistake: PaxosMistake;

  start state Working {
    entry (told: PaxosMistake) {
      mistake = told;
    }

    on ePrepare do (prepare: tPrepare) {
      if (prepare.ballot <= promised) {
        send prepare.proposer, eReject, (ballot = prepare.ballot, promised = promised);
        return;
      }
      promised = prepare.ballot;
      if (mistake == FORGET_ACCEPTED) {
        acceptedIn = 0;
      }
      send prepare.proposer, ePromise,
        (acceptor = this, ballot = promised, acceptedIn = acceptedIn, value = value);
    }

    on eAccept do (proposal: tProposal) {
      if (proposal.ballot < promised) {
        send proposal.proposer, eReject, (ballot = proposal.ballot, promised = promised);
        return;
      }
      promised = proposal.ballot;
      acceptedIn = proposal.ballot;
      value = proposal.value;
      send proposal.proposer, eAccepted, (acceptor = this, ballot = acceptedIn, value = value);
    }

    on eStop goto Stopped;
  }

  state Stopped {
    ignore ePrepare, eAccept;
  }
}
