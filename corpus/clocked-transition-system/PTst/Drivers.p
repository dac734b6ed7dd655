// The systems that are tested.

param processCount: int;

fun build(mistake: tMistake) {
  var keeper: TimeKeeper;
  var register: Register;
  var processes: seq[Process];
  keeper = new TimeKeeper((mistake = mistake,));
  register = new Register();
  while (sizeof(processes) < processCount) {
    processes += (sizeof(processes),
      new Process((number = sizeof(processes) + 1, keeper = keeper, register = register, mistake = mistake)));
  }
  send keeper, eStart, processes;
}

machine CorrectSystem {
  start state Init {
    entry { build(NO_MISTAKE); }
  }
}

machine SystemWaitingTooShort {
  start state Init {
    entry { build(WAITS_TOO_SHORT); }
  }
}

machine SystemKeepingClockRunning {
  start state Init {
    entry { build(KEEPS_CLOCK_RUNNING); }
  }
}

machine SystemTickingWithoutConsent {
  start state Init {
    entry { build(TICKS_WITHOUT_CONSENT); }
  }
}
