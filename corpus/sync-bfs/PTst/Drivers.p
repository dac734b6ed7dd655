// The networks in which the algorithm is tested. Process 0 is the root.

param processCount: int;

fun line(): seq[seq[int]] {
  var graph: seq[seq[int]];
  var process: int;
  graph = unconnected();
  while (process + 1 < processCount) {
    graph = withEdge(graph, process, process + 1);
    process = process + 1;
  }
  return graph;
}

fun ring(): seq[seq[int]] {
  return withEdge(line(), 0, processCount - 1);
}

// A ring in which the root has a short cut.
fun ringWithChord(): seq[seq[int]] {
  return withEdge(ring(), 0, 2);
}

fun unconnected(): seq[seq[int]] {
  var graph: seq[seq[int]];
  while (sizeof(graph) < processCount) {
    graph += (sizeof(graph), default(seq[int]));
  }
  return graph;
}

fun withEdge(graph: seq[seq[int]], one: int, other: int): seq[seq[int]] {
  var extended: seq[seq[int]];
  extended = graph;
  extended[one] += (sizeof(extended[one]), other);
  extended[other] += (sizeof(extended[other]), one);
  return extended;
}

fun grow(graph: seq[seq[int]], mistake: tMistake) {
  var synchroniser: Synchroniser;
  var processes: seq[Process];
  var neighbours: map[int, Process];
  var number: int;
  var other: int;
  announce eGraph, (neighbours = graph, root = 0);
  synchroniser = new Synchroniser();
  while (number < processCount) {
    processes += (number, new Process(
      (number = number, isRoot = number == 0, synchroniser = synchroniser, mistake = mistake)));
    number = number + 1;
  }
  number = 0;
  while (number < processCount) {
    neighbours = default(map[int, Process]);
    foreach (other in graph[number]) {
      neighbours[other] = processes[other];
    }
    send processes[number], eConnect, neighbours;
    number = number + 1;
  }
  send synchroniser, eStart, processes;
}

machine Line {
  start state Init {
    entry { grow(line(), NO_MISTAKE); }
  }
}

machine Ring {
  start state Init {
    entry { grow(ring(), NO_MISTAKE); }
  }
}

machine RingWithChord {
  start state Init {
    entry { grow(ringWithChord(), NO_MISTAKE); }
  }
}

machine RingTrustingArrival {
  start state Init {
    entry { grow(ring(), TRUSTS_ARRIVAL); }
  }
}

machine RingDoneTooEarly {
  start state Init {
    entry { grow(ring(), DONE_TOO_EARLY); }
  }
}

machine RingCompleteTooEarly {
  start state Init {
    entry { grow(ring(), COMPLETE_TOO_EARLY); }
  }
}
