// A process of Fischer's algorithm for mutual exclusion.
//
// Each state is a location with its transitions: what may be done there, what must be done before the clock passes a
// bound, and what is possible only after one. Transitions take no time: a process that has begun one does not agree to
// the next tick before it has ended, and between its agreement and the tick it does nothing.

type tProcessConfig = (number: int, keeper: TimeKeeper, register: Register, mistake: tMistake);

machine Process {
  var number: int;
  var keeper: TimeKeeper;
  var register: Register;
  var mistake: tMistake;

  // The units since the last reset. It does not count beyond what matters.
  var clock: int;
  var hasAgreed: bool;
  // Whether the register has been found taken since the last tick: looking again at once would show nothing new.
  var hasLooked: bool;

  start state Idle {
    entry (config: tProcessConfig) {
      number = config.number;
      keeper = config.keeper;
      register = config.register;
      mistake = config.mistake;
    }
    on eMayTick do tryToRequest;
    on eTick do passTime;
  }

  // The register was seen free. It is written not later than `longestWrite` units after that.
  state Requesting {
    entry write;
    on eMayTick do write;
    on eTick do passTime;
  }

  // The register was written. It is looked at again not earlier than `shortestWait` units after that.
  state Waiting {
    entry lookAgain;
    on eMayTick do lookAgain;
    on eTick do passTime;
  }

  state Critical {
    entry stay;
    on eMayTick do stay;
    on eTick do passTime;
  }

  // As `Idle`, with everything known.
  state IdleAgain {
    entry tryToRequest;
    on eMayTick do tryToRequest;
    on eTick do passTime;
  }

  fun tryToRequest() {
    if (!hasLooked && $) {
      if (read() == 0) {
        clock = 0;
        goto Requesting;
      }
      hasLooked = true;
    }
    agree();
  }

  fun write() {
    if (clock >= longestWrite() || $) {
      writeRegister(number);
      if (mistake != KEEPS_CLOCK_RUNNING) {
        clock = 0;
      }
      goto Waiting;
    }
    agree();
  }

  fun lookAgain() {
    if (clock >= shortestWait() && $) {
      if (read() == number) {
        announce eEntered, number;
        goto Critical;
      }
      hasLooked = true;
      goto IdleAgain;
    }
    agree();
  }

  fun stay() {
    if ($) {
      announce eLeft, number;
      writeRegister(0);
      hasLooked = true;
      goto IdleAgain;
    }
    agree();
  }

  fun longestWrite(): int {
    return 1;
  }

  fun shortestWait(): int {
    if (mistake == WAITS_TOO_SHORT) {
      return longestWrite();
    }
    return longestWrite() + 1;
  }

  fun read(): int {
    var found: int;
    send register, eRead, this;
    receive {
      case eValue: (value: int) {
        found = value;
      }
    }
    return found;
  }

  fun writeRegister(value: int) {
    send register, eWrite, (writer = this, value = value);
    receive {
      case eWritten: {
      }
    }
  }

  fun agree() {
    hasAgreed = true;
    send keeper, eAgreed;
  }

  fun passTime() {
    assert hasAgreed, format("time goes on while process {0} is busy", number);
    hasAgreed = false;
    hasLooked = false;
    if (clock < shortestWait()) {
      clock = clock + 1;
    }
  }
}
