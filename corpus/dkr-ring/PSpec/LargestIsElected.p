// Only the node with the largest number becomes the leader, and everybody who knows a leader knows that one. Nodes of a
// ring of n are numbered 1 to n.

spec LargestIsElected observes eRing, eLeader, eKnows {
  var largest: int;

  start state Watching {
    on eRing do (count: int) {
      largest = count;
    }
    on eLeader, eKnows do (number: int) {
      assert number == largest, format("node {0} is taken for the leader, but {1} is the largest", number, largest);
    }
  }
}
