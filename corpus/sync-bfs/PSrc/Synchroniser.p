// The rounds of a synchronous network: the next one begins when every process has sent its messages.
machine Synchroniser {
  var processes: seq[Process];
  var round: int;
  var left: int;

  start state Waiting {
    on eStart do (all: seq[Process]) {
      processes = all;
      goto Running;
    }
  }

  state Running {
    entry {
      var process: Process;
      round = round + 1;
      left = sizeof(processes);
      foreach (process in processes) {
        send process, eRound, round;
      }
    }
    on eDone do {
      left = left - 1;
      if (left == 0) {
        goto Running;
      }
    }
    on eStop goto Stopped;
  }

  state Stopped {
    ignore eDone;
  }
}
