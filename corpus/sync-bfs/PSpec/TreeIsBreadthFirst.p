// Every process is found in the round that its distance from the root says, by a parent that is one step nearer; and
// when the root says that the tree is complete, nobody is missing.
spec TreeIsBreadthFirst observes eGraph, eFound, eTreeComplete {
  var distances: seq[int];
  var neighbours: seq[seq[int]];
  var found: set[int];

  start state Waiting {
    on eGraph do (graph: (neighbours: seq[seq[int]], root: int)) {
      neighbours = graph.neighbours;
      measure(graph.root);
      goto Growing;
    }
  }

  state Growing {
    on eFound do (finding: (process: int, parent: int, distance: int)) {
      assert finding.distance == distances[finding.process],
        format("process {0} believes to be {1} steps from the root", finding.process, finding.distance);
      assert finding.distance == 0 || distances[finding.parent] == finding.distance - 1,
        format("process {0} has a parent that is not nearer to the root", finding.process);
      assert !(finding.process in found), format("process {0} is found twice", finding.process);
      found += (finding.process);
    }
    on eTreeComplete do {
      assert sizeof(found) == sizeof(neighbours), "the tree is complete, but not everybody is in it";
    }
  }

  // Fills in the distances by following edges as long as they shorten a way.
  fun measure(root: int) {
    var process: int;
    var other: int;
    var round: int;
    while (sizeof(distances) < sizeof(neighbours)) {
      distances += (sizeof(distances), sizeof(neighbours));
    }
    distances[root] = 0;
    while (round < sizeof(neighbours)) {
      process = 0;
      while (process < sizeof(neighbours)) {
        foreach (other in neighbours[process]) {
          if (distances[other] + 1 < distances[process]) {
            distances[process] = distances[other] + 1;
          }
        }
        process = process + 1;
      }
      round = round + 1;
    }
  }
}

// The root gets to know that the tree is complete.
spec TreeIsCompleted observes eGraph, eTreeComplete {
  start cold state Waiting {
    on eGraph goto Growing;
  }

  hot state Growing {
    on eTreeComplete goto Complete;
  }

  cold state Complete {
  }
}
