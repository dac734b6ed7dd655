// Only the largest of those who stand for election becomes the leader, and everybody who knows a leader knows that one.

spec LargestIsElected observes eStands, eLeader, eKnows {
  var largest: int;
  var isElected: bool;

  start state Watching {
    on eStands do (number: int) {
      if (number > largest) {
        largest = number;
      }
    }
    on eLeader do (number: int) {
      assert number == largest, format("node {0} becomes the leader, but {1} is larger", number, largest);
      assert !isElected, "there are two leaders";
      isElected = true;
    }
    on eKnows do (number: int) {
      assert number == largest, format("a node takes {0} for the leader, but {1} is larger", number, largest);
    }
  }
}
