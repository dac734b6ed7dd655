// A process that takes part in Peterson's algorithm for any number of processes.
//
// To enter the critical section, a process climbs levels 1, 2, ... up to the number of processes less one. On each
// level it first says that it is there, then offers itself as the level's victim, and waits as long as it is still the
// victim and somebody else is on its level or above. At least one process stays behind on every level, so that at most
// one comes through all of them. With two processes there is one level, and this is the algorithm that everybody knows:
// `levels` are the two flags, and the victim is the one who gave way last ("turn" is the other).

// What a test may break on purpose.
enum Flaw {
  // Nothing.
  CORRECT,
  // The victim is written before the level: an innocent-looking exchange of two assignments.
  VICTIM_FIRST,
  // The process looks whether the others compete, and only then says that it does.
  LOOK_BEFORE_RAISING,
  // Nobody gives way.
  NO_VICTIM
}

// The variables that the processes share. Process i writes levels[i]; all processes write victims.
type tSharedMemory = (levels: seq[Register], victims: map[int, Register], counter: Register);

type tProcessConfig = (number: int, rounds: int, memory: tSharedMemory, flaw: Flaw);

// For specs: a process wants to enter, has entered, and leaves.
event eWants: int;
event eEnters: int;
event eLeaves: int;

machine Process {
  var me: int;
  var rounds: int;
  var memory: tSharedMemory;
  var flaw: Flaw;

  start state Resting {
    entry (config: tProcessConfig) {
      me = config.number;
      rounds = config.rounds;
      memory = config.memory;
      flaw = config.flaw;
      goto Competing;
    }
  }

  state Competing {
    entry {
      var level: int;
      announce eWants, me;
      level = 1;
      while (level < sizeof(memory.levels)) {
        climb(level);
        level = level + 1;
      }
      goto Critical;
    }
  }

  // Adds one to a counter, not atomically: that is what the critical section protects.
  state Critical {
    entry {
      var count: int;
      announce eEnters, me;
      count = read(memory.counter);
      write(memory.counter, count + 1);
      announce eLeaves, me;
      write(memory.levels[me], 0);
      rounds = rounds - 1;
      if (rounds > 0) {
        goto Competing;
      }
      goto Finished;
    }
  }

  state Finished { }

  fun climb(level: int) {
    if (flaw == LOOK_BEFORE_RAISING) {
      while (someoneIsAtOrAbove(level)) { }
      write(memory.levels[me], level);
    } else if (flaw == VICTIM_FIRST) {
      write(memory.victims[level], me);
      write(memory.levels[me], level);
      waitUntilFree(level);
    } else if (flaw == NO_VICTIM) {
      write(memory.levels[me], level);
      while (someoneIsAtOrAbove(level)) { }
    } else {
      write(memory.levels[me], level);
      write(memory.victims[level], me);
      waitUntilFree(level);
    }
  }

  // Waits until somebody else is the victim or nobody else is here. The variables are read one after the other, and may
  // change meanwhile: the algorithm does not mind.
  fun waitUntilFree(level: int) {
    while (read(memory.victims[level]) == me && someoneIsAtOrAbove(level)) { }
  }

  fun someoneIsAtOrAbove(level: int): bool {
    var other: int;
    while (other < sizeof(memory.levels)) {
      if (other != me && read(memory.levels[other]) >= level) {
        return true;
      }
      other = other + 1;
    }
    return false;
  }

  fun read(register: Register): int {
    var result: int;
    send register, eRead, this;
    receive {
      case eValue: (value: int) { result = value; }
    }
    return result;
  }

  fun write(register: Register, value: int) {
    send register, eWrite, (writer = this, value = value);
    receive {
      case eWritten: { }
    }
  }
}
