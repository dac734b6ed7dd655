// At most one value is chosen, and nobody proposes another one in a later ballot.
//
// A value is chosen when a majority of acceptors has accepted it in one ballot, whether anybody knows it or not. The
// second part is P2b of Lamport's "Paxos Made Simple": it is how the protocol achieves the first, and fails earlier.

spec Agreement observes eAcceptors, eAccept, eAccepted, eLearned {
  var acceptors: int;
  var accepted: map[int, set[machine]];
  var chosenIn: int;
  var chosen: int;

  start state Watching {
    on eAcceptors do (count: int) {
      acceptors = count;
    }

    on eAccept do (proposal: tProposal) {
      assert chosenIn == 0 || proposal.ballot < chosenIn || proposal.value == chosen,
        format("ballot {0} proposes {1}, though {2} was chosen in ballot {3}",
          proposal.ballot, proposal.value, chosen, chosenIn);
    }

    on eAccepted do (news: tAccepted) {
      if (!(news.ballot in accepted)) {
        accepted[news.ballot] = default(set[machine]);
      }
      accepted[news.ballot] += (news.acceptor);
      if (sizeof(accepted[news.ballot]) > acceptors / 2) {
        settle(news.ballot, news.value);
      }
    }

    on eLearned do (value: int) {
      assert chosenIn > 0 && value == chosen, format("{0} is taken to be chosen", value);
    }
  }

  fun settle(ballot: int, value: int) {
    assert chosenIn == 0 || chosen == value,
      format("{0} is chosen in ballot {1}, though {2} was chosen in ballot {3}", value, ballot, chosen, chosenIn);
    if (chosenIn == 0 || ballot < chosenIn) {
      chosenIn = ballot;
      chosen = value;
    }
  }
}
