// Items come out once each, in the order in which they went in.

spec FirstInFirstOut observes eProduced, eConsumed {
  var inside: seq[tItem];

  start state Watching {
    on eProduced do (item: tItem) {
      inside += (sizeof(inside), item);
    }
    on eConsumed do (item: tItem) {
      assert sizeof(inside) > 0 && inside[0] == item,
        format("item {0} of producer {1} is not the next to come out", item.number, item.producer);
      inside -= (0);
    }
  }
}
