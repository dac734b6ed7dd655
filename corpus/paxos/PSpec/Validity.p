// Only what somebody wants is proposed and learned.

spec Validity observes eWanted, eAccept, eLearned {
  var wanted: set[int];

  start state Watching {
    on eWanted do (value: int) {
      wanted += (value);
    }
    on eAccept do (proposal: tProposal) {
      assert proposal.value in wanted, format("{0} is proposed, which nobody wants", proposal.value);
    }
    on eLearned do (value: int) {
      assert value in wanted, format("{0} is learned, which nobody wants", value);
    }
  }
}
