// Leader election in a one-way ring (Le Lann, Chang, Roberts). The twin of promela/lcr.pml: the same graph of states.
//
// The first node creates the others, each with its neighbour, so that nothing has to be sent to connect the ring.

param nodes: int;

event eNumber: int;
event eElected: int;

machine Main {
  start state Init {
    entry { new Node((next = null as machine, number = nodes)); }
  }
}

machine Node {
  var next: machine;
  var number: int;

  start state Electing {
    entry (config: (next: machine, number: int)) {
      number = config.number;
      next = config.next;
      if (next == null) {
        next = createOthers();
      }
      send next, eNumber, number;
    }
    on eNumber do (candidate: int) {
      if (candidate == number) {
        assert number == nodes, "not the largest number";
        send next, eElected, number;
      } else if (candidate > number) {
        send next, eNumber, candidate;
      }
    }
    on eElected do (leader: int) {
      if (leader != number) {
        send next, eElected, leader;
      }
    }
  }

  // Numbers fall along the ring, so that each goes as far as it can. Returns the second node.
  fun createOthers(): machine {
    var created: machine;
    var ordinal: int;
    created = this;
    ordinal = 1;
    while (ordinal < nodes) {
      created = new Node((next = created, number = ordinal));
      ordinal = ordinal + 1;
    }
    return created;
  }
}

test param (nodes in [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) tcLcr [main=Main]: { Main, Node };
