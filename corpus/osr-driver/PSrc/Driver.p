// The driver of the board: shows the setting of the switch pack on the bar graph, and lights the LED once the switches
// have been left alone for the time of the debounce timer.

type tDriverConfig = (device: Device, switches: machine, timer: DebounceTimer, mistake: tMistake);

enum tStopReason { BECAUSE_OF_SWITCH, BECAUSE_OF_D0_EXIT }

machine Driver {
  var device: Device;
  var switches: machine;
  var timer: DebounceTimer;
  var mistake: tMistake;

  // Who asked for the power transition that is under way.
  var power: machine;
  // The setting of the switches as last heard of, and as last shown; -1 when nothing is known to be shown.
  var stored: int;
  var shown: int;
  // Why the timer is being stopped.
  var stopReason: tStopReason;

  start state Initialising {
    entry (config: tDriverConfig) {
      device = config.device;
      switches = config.switches;
      timer = config.timer;
      mistake = config.mistake;
      shown = -1;
      goto Dx;
    }
  }

  // Asleep. Changes that the interrupt pipe delivered before it was stopped wait for the next D0.
  state Dx {
    on eD0Entry goto CompletingD0Entry;
    defer eSwitchChanged;
  }

  // As `Dx`, in a driver whose author believed that a stopped pipe delivers nothing.
  state DxWithoutLateChanges {
    on eD0Entry goto CompletingD0Entry;
  }

  state CompletingD0Entry {
    entry (manager: machine) {
      send manager, eD0EntryCompleted;
      send switches, eStartReader;
      goto WaitingForSwitch;
    }
  }

  state WaitingForSwitch {
    on eSwitchChanged goto StoringSwitch;
    on eD0Exit goto CompletingD0Exit with (manager: machine) {
      power = manager;
    }
  }

  state StoringSwitch {
    entry (setting: int) {
      stored = setting;
      if (stored != shown) {
        goto UpdatingBarGraph;
      }
      goto WaitingForTimer;
    }
  }

  state UpdatingBarGraph {
    entry {
      send device, eUpdateBarGraph, stored;
    }
    on eTransferCompleted do (completion: (transfer: tTransfer, success: bool)) {
      shown = -1;
      if (completion.success) {
        shown = stored;
      }
      goto MarkingUnstable;
    }
    defer eD0Entry, eD0Exit, eSwitchChanged;
  }

  state MarkingUnstable {
    entry {
      send device, eSetLed, UNSTABLE;
    }
    on eTransferCompleted goto WaitingForTimer;
    defer eD0Entry, eD0Exit, eSwitchChanged;
  }

  state WaitingForTimer {
    entry {
      send timer, eStartTimer;
    }
    on eTimerFired do {
      if (shown != stored) {
        goto UpdatingBarGraph;
      }
      goto MarkingStable;
    }
    on eSwitchChanged goto StoppingTimer with (setting: int) {
      stored = setting;
      stopReason = BECAUSE_OF_SWITCH;
    }
    on eD0Exit goto StoppingTimer with (manager: machine) {
      power = manager;
      stopReason = BECAUSE_OF_D0_EXIT;
    }
  }

  state MarkingStable {
    entry {
      send device, eSetLed, STABLE;
    }
    on eTransferCompleted goto WaitingForSwitch;
    defer eD0Entry, eD0Exit, eSwitchChanged;
  }

  // The timer may fire before it hears of this, and then it has nothing to answer.
  state StoppingTimer {
    entry {
      send timer, eStopTimer;
    }
    on eTimerStopped, eTimerFired do afterTimer;
    on eTimerNotStopped do {
      if (mistake == DOES_NOT_FLUSH_TIMER) {
        afterTimer();
      }
      goto WaitingForTimerToFlush;
    }
    defer eD0Entry, eD0Exit, eSwitchChanged;
  }

  // The stop came too late: the firing is in the queue, and must not be mistaken for that of the next timer.
  state WaitingForTimerToFlush {
    on eTimerFired do afterTimer;
    defer eD0Entry, eD0Exit, eSwitchChanged;
  }

  state CompletingD0Exit {
    entry {
      // The device forgets what it shows.
      if (mistake != TRUSTS_BAR_GRAPH_AFTER_SLEEP) {
        shown = -1;
      }
      send switches, eStopReader;
      send power, eD0ExitCompleted;
      if (mistake == FORGETS_LATE_SWITCH_CHANGES) {
        goto DxWithoutLateChanges;
      }
      goto Dx;
    }
  }

  // Goes on with what the timer was stopped for.
  fun afterTimer() {
    if (stopReason == BECAUSE_OF_SWITCH) {
      goto StoringSwitch, stored;
    }
    goto CompletingD0Exit;
  }
}
