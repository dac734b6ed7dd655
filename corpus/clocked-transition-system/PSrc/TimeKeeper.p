// Time, and the register.

type tKeeperConfig = (mistake: tMistake);

// The tick of a clocked transition system: it advances all clocks at once, and is possible only when no process has
// something to do that cannot wait.
machine TimeKeeper {
  var processes: seq[Process];
  var mistake: tMistake;
  var left: int;

  start state Waiting {
    entry (config: tKeeperConfig) {
      mistake = config.mistake;
    }
    on eStart do (all: seq[Process]) {
      processes = all;
      goto Asking;
    }
  }

  state Asking {
    entry {
      announce eAsked;
      left = left + sizeof(processes);
      tellAll(eMayTick);
    }
    on eAgreed do {
      left = left - 1;
      if (left == 0 || (left == 1 && mistake == TICKS_WITHOUT_CONSENT)) {
        announce eTicked;
        tellAll(eTick);
        goto Asking;
      }
    }
  }

  fun tellAll(what: event) {
    var process: Process;
    foreach (process in processes) {
      send process, what;
    }
  }
}

// The shared variable of the algorithm: 0, or the number of a process.
machine Register {
  var value: int;

  start state Serving {
    on eRead do (reader: machine) {
      send reader, eValue, value;
    }
    on eWrite do (access: (writer: machine, value: int)) {
      value = access.value;
      send access.writer, eWritten;
    }
  }
}
