// At most one node has the token.

spec OneToken observes eTakesToken, ePassesToken {
  var holder: int;

  start state NobodyHolds {
    on eTakesToken goto SomebodyHolds;
    ignore ePassesToken;
  }

  state SomebodyHolds {
    entry (node: int) {
      holder = node;
    }
    on eTakesToken do (node: int) {
      assert false, format("node {0} takes a token while node {1} has one", node, holder);
    }
    on ePassesToken goto NobodyHolds;
  }
}
