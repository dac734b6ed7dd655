// A producer that never waits for its consumer. Nothing bounds the consumer's queue, so there are infinitely many
// states, although each of the two machines has only a few: the example with which almost-synchronous invariants begin.

event eBit: bool;

machine Torrent {
  var consumer: machine;
  var bit: bool;

  start state Init {
    entry (target: machine) {
      consumer = target;
      goto Pouring;
    }
  }

  state Pouring {
    entry {
      send consumer, eBit, bit;
      bit = !bit;
      goto Pouring;
    }
  }
}

// Expects every second bit to be set.
machine Drain {
  var expected: bool;

  start state Draining {
    on eBit do (bit: bool) {
      assert bit == expected, "a bit was lost or came twice";
      expected = !expected;
    }
  }
}
