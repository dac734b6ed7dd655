// Rings with the numbers 1 to n, in any order.

param nodes: int;

machine Correct {
  start state Init {
    entry { connect(anyOrder(), CORRECT); }
  }
}

machine KeepsOwnValue {
  start state Init {
    entry { connect(anyOrder(), KEEPS_OWN_VALUE); }
  }
}

machine RelayDropsSecond {
  start state Init {
    entry { connect(anyOrder(), RELAY_DROPS_SECOND); }
  }
}

machine RelayKeepsWinner {
  start state Init {
    entry { connect(anyOrder(), RELAY_KEEPS_WINNER); }
  }
}

machine SecondCable {
  start state Init {
    entry { connect(anyOrder(), SECOND_CABLE); }
  }
}

// The largest number comes first: where one begins to count a ring does not matter.
fun anyOrder(): seq[int] {
  var order: seq[int];
  var number: int;
  order += (0, nodes);
  number = 1;
  while (number < nodes) {
    order += (1 + choose(number), number);
    number = number + 1;
  }
  return order;
}

fun connect(order: seq[int], flaw: Flaw) {
  var ring: seq[Node];
  var number: int;
  var position: int;
  announce eRing, nodes;
  foreach (number in order) {
    ring += (sizeof(ring), new Node((number = number, flaw = flaw)));
  }
  while (position < nodes) {
    send ring[position], eNext, ring[(position + 1) % nodes];
    position = position + 1;
  }
}
