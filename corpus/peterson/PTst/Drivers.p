// Sets up the shared variables and the processes.

param processes: int;
param entriesEach: int;

machine Correct {
  start state Init {
    entry { setUp(CORRECT); }
  }
}

machine VictimFirst {
  start state Init {
    entry { setUp(VICTIM_FIRST); }
  }
}

machine LookBeforeRaising {
  start state Init {
    entry { setUp(LOOK_BEFORE_RAISING); }
  }
}

machine NoVictim {
  start state Init {
    entry { setUp(NO_VICTIM); }
  }
}

fun setUp(flaw: Flaw) {
  var memory: tSharedMemory;
  var number: int;
  memory.counter = new Register(0);
  while (number < processes) {
    memory.levels += (number, new Register(0));
    if (number > 0) {
      memory.victims[number] = new Register(0);
    }
    number = number + 1;
  }
  number = 0;
  while (number < processes) {
    new Process((number = number, rounds = entriesEach, memory = memory, flaw = flaw));
    number = number + 1;
  }
}
