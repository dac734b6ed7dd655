// Buses of all shapes.

param nodes: int;

// Any tree.
machine AnyTree {
  start state Init {
    entry { connect(createNodes(CORRECT, -1, false), anyTree()); }
  }
}

// Any tree, and some node would like to be its root.
machine AnyTreeForcedRoot {
  start state Init {
    entry { connect(createNodes(CORRECT, choose(nodes), false), anyTree()); }
  }
}

// The nodes in a row.
machine Line {
  start state Init {
    entry { connect(createNodes(CORRECT, -1, false), line()); }
  }
}

// One node in the middle.
machine Star {
  start state Init {
    entry { connect(createNodes(CORRECT, -1, false), star()); }
  }
}

machine NoContention {
  start state Init {
    entry { connect(createNodes(NO_CONTENTION, -1, false), anyTree()); }
  }
}

machine AsksEarly {
  start state Init {
    entry { connect(createNodes(ASKS_EARLY, -1, false), anyTree()); }
  }
}

machine LateTimeout {
  start state Init {
    entry { connect(createNodes(LATE_TIMEOUT, -1, false), anyTree()); }
  }
}

machine GivesUp {
  start state Init {
    entry { connect(createNodes(GIVES_UP, -1, false), anyTree()); }
  }
}

machine SameChoice {
  start state Init {
    entry { connect(createNodes(SAME_CHOICE, -1, false), anyTree()); }
  }
}

// Every node has two neighbours.
machine Loop {
  start state Init {
    entry { connect(createNodes(CORRECT, -1, true), loop()); }
  }
}

machine LoopUndetected {
  start state Init {
    entry { connect(createNodes(CORRECT, -1, false), loop()); }
  }
}

fun createNodes(flaw: Flaw, forced: int, detectsLoops: bool): seq[Node] {
  var created: seq[Node];
  var number: int;
  announce eBus, nodes;
  while (number < nodes) {
    created += (number,
      new Node((number = number, forceRoot = number == forced, detectsLoops = detectsLoops, flaw = flaw)));
    number = number + 1;
  }
  return created;
}

// Cables from each node but the first to one with a smaller number; every tree can be numbered so.
fun anyTree(): seq[(int, int)] {
  var cables: seq[(int, int)];
  var number: int;
  number = 1;
  while (number < nodes) {
    cables += (sizeof(cables), (number, choose(number)));
    number = number + 1;
  }
  return cables;
}

fun line(): seq[(int, int)] {
  var cables: seq[(int, int)];
  var number: int;
  number = 1;
  while (number < nodes) {
    cables += (sizeof(cables), (number - 1, number));
    number = number + 1;
  }
  return cables;
}

fun star(): seq[(int, int)] {
  var cables: seq[(int, int)];
  var number: int;
  number = 1;
  while (number < nodes) {
    cables += (sizeof(cables), (0, number));
    number = number + 1;
  }
  return cables;
}

fun loop(): seq[(int, int)] {
  var cables: seq[(int, int)];
  var number: int;
  while (number < nodes) {
    cables += (sizeof(cables), (number, (number + 1) % nodes));
    number = number + 1;
  }
  return cables;
}

fun connect(created: seq[Node], cables: seq[(int, int)]) {
  var neighbours: map[int, set[Node]];
  var cable: (int, int);
  var number: int;
  while (number < nodes) {
    neighbours[number] = default(set[Node]);
    number = number + 1;
  }
  foreach (cable in cables) {
    neighbours[cable.0] += (created[cable.1]);
    neighbours[cable.1] += (created[cable.0]);
  }
  foreach (number in keys(neighbours)) {
    send created[number], eConnect, neighbours[number];
  }
}
