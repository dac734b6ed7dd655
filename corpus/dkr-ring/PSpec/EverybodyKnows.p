// In the end, all nodes know who is the leader.

spec EverybodyKnows observes eRing, eKnows {
  var ignorant: int;

  start state Unconnected {
    on eRing goto Electing with (count: int) {
      ignorant = count;
    }
  }

  hot state Electing {
    on eKnows do {
      ignorant = ignorant - 1;
      if (ignorant == 0) {
        goto Decided;
      }
    }
  }

  cold state Decided { }
}
