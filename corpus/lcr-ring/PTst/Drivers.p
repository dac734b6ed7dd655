// Rings with the numbers 1 to n, in any order.

param nodes: int;

machine Asynchronous {
  start state Init {
    entry { connectAsynchronous(anyOrder(), true, CORRECT); }
  }
}

machine ForwardsAll {
  start state Init {
    entry { connectAsynchronous(anyOrder(), true, FORWARDS_ALL); }
  }
}

machine WrongWay {
  start state Init {
    entry { connectAsynchronous(anyOrder(), true, WRONG_WAY); }
  }
}

machine ForwardsOnce {
  start state Init {
    entry { connectAsynchronous(anyOrder(), true, FORWARDS_ONCE); }
  }
}

// The nodes wake up one by one, at any time.
machine Sleepy {
  start state Init {
    entry { connectAsynchronous(anyOrder(), false, CORRECT); }
  }
}

machine LateStarter {
  start state Init {
    entry { connectAsynchronous(anyOrder(), false, LATE_STARTER); }
  }
}

// The algorithm is right only if no two nodes have the same number.
machine Twins {
  start state Init {
    entry { connectAsynchronous(withTwins(), true, CORRECT); }
  }
}

machine Synchronous {
  start state Init {
    entry { connectSynchronous(anyOrder(), CORRECT); }
  }
}

machine SynchronousForwardsAll {
  start state Init {
    entry { connectSynchronous(anyOrder(), FORWARDS_ALL); }
  }
}

machine HastyClock {
  start state Init {
    entry { connectSynchronous(anyOrder(), HASTY_CLOCK); }
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

// The largest number twice, and not the smallest.
fun withTwins(): seq[int] {
  var order: seq[int];
  var position: int;
  order = anyOrder();
  while (position < nodes) {
    if (order[position] == 1) {
      order[position] = nodes;
    }
    position = position + 1;
  }
  return order;
}

fun connectAsynchronous(order: seq[int], areAwake: bool, flaw: Flaw) {
  var ring: seq[machine];
  var number: int;
  announce eRing, nodes;
  foreach (number in order) {
    ring += (sizeof(ring), new AsynchronousNode((number = number, isAwake = areAwake, flaw = flaw)));
  }
  connect(ring);
  if (!areAwake) {
    wake(ring);
  }
}

// Everybody knows the leader after twice as many rounds as there are nodes.
fun connectSynchronous(order: seq[int], flaw: Flaw) {
  var ring: seq[machine];
  var number: int;
  announce eRing, nodes;
  foreach (number in order) {
    ring += (sizeof(ring), new SynchronousNode((number = number, isAwake = true, flaw = flaw)));
  }
  connect(ring);
  new Clock((nodes = ring, rounds = 2 * nodes, flaw = flaw));
}

// One node after the other, beginning anywhere.
fun wake(ring: seq[machine]) {
  var first: int;
  var woken: int;
  first = choose(nodes);
  while (woken < nodes) {
    send ring[(first + woken) % nodes], eWake;
    woken = woken + 1;
  }
}

fun connect(ring: seq[machine]) {
  var position: int;
  while (position < nodes) {
    send ring[position], eNext, ring[(position + 1) % nodes];
    position = position + 1;
  }
}
