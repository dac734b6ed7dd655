// In the end there is a root and all others have a parent; or some node has found that there is a loop.

// How many nodes there are, said by the driver before they start.
event eBus: int;

spec TreeIsIdentified observes eBus, eRoot, eChild, eLoop {
  var undecided: int;

  start state Unconnected {
    on eBus goto Deciding with (size: int) {
      undecided = size;
    }
  }

  hot state Deciding {
    on eRoot, eChild do {
      undecided = undecided - 1;
      if (undecided == 0) {
        goto Decided;
      }
    }
    on eLoop goto Decided;
  }

  cold state Decided {
    ignore eRoot, eChild, eLoop;
  }
}
