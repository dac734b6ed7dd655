// Leader election in a one-way ring with O(n log n) messages (Dolev, Klawe, Rodeh). The twin of promela/dkr.pml: the
// same graph of states.
//
// The first node creates the others, each with its neighbour, so that nothing has to be sent to connect the ring.

param nodes: int;

event eFirst: int;
event eSecond: int;
event eWinner: int;

machine Main {
  start state Init {
    entry { new Node((next = null as machine, number = numberAt(0))); }
  }
}

machine Node {
  var next: machine;
  // The value that the node stands for while it is active; 0 in a relay.
  var value: int;
  // The value of the active node before this one, between first and second message.
  var nearer: int;

  start state Electing {
    entry (config: (next: machine, number: int)) {
      value = config.number;
      next = config.next;
      if (next == null) {
        next = createOthers();
      }
      send next, eFirst, value;
    }
    on eFirst do (received: int) {
      if (value == 0) {
        send next, eFirst, received;
      } else if (received == value) {
        assert value == nodes, "not the largest number";
        send next, eWinner, value;
      } else {
        nearer = received;
        send next, eSecond, received;
      }
    }
    on eSecond do (farther: int) {
      if (value == 0) {
        send next, eSecond, farther;
      } else if (nearer > value && nearer > farther) {
        value = nearer;
        nearer = 0;
        send next, eFirst, value;
      } else {
        value = 0;
        nearer = 0;
      }
    }
    // The news ends where it began.
    on eWinner do (winner: int) {
      if (value == 0) {
        send next, eWinner, winner;
      }
    }
  }

  // Returns the second node.
  fun createOthers(): machine {
    var created: machine;
    var position: int;
    created = this;
    position = nodes - 1;
    while (position > 0) {
      created = new Node((next = created, number = numberAt(position)));
      position = position - 1;
    }
    return created;
  }
}

// The numbers 1 to n in the order 2, 1, 4, 3, 6, 5 and so on: about half of the nodes stay active after a phase.
fun numberAt(position: int): int {
  if (position % 2 == 1) {
    return position;
  }
  if (position + 1 == nodes) {
    return nodes;
  }
  return position + 2;
}

test param (nodes in [3, 4, 5, 6, 7, 8, 9, 10, 11]) tcDkr [main=Main]: { Main, Node };
