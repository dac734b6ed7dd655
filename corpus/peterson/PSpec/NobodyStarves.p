// Whoever wants to enter does so in the end. A process that waits does so by reading again and again: only a fair
// scheduler brings it in.

spec NobodyStarves observes eWants, eEnters {
  var waiting: set[int];

  start cold state Quiet {
    on eWants goto Waiting with (process: int) {
      waiting += (process);
    }
  }

  hot state Waiting {
    on eWants do (process: int) {
      waiting += (process);
    }
    on eEnters do (process: int) {
      waiting -= (process);
      if (sizeof(waiting) == 0) {
        goto Quiet;
      }
    }
  }
}
