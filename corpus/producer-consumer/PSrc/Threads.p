// Producers and consumers: threads that share a buffer, protected by a monitor.

// What a test may break on purpose.
enum Flaw {
  // Nothing.
  CORRECT,
  // A woken thread does not look again whether what it waited for is still so: `if` for `while`.
  NO_SECOND_LOOK,
  // One condition serves for both, so that a signal may wake a thread that has no use for it.
  ONE_CONDITION,
  // A producer signals only when the buffer was empty before: one signal too few when two consumers wait.
  SPARING_SIGNALS
}

type tThreadConfig = (number: int, items: int, monitor: MesaMonitor, buffer: Buffer, capacity: int, flaw: Flaw);

// For specs, and announced inside the monitor: an item goes in, an item came out.
event eProduced: tItem;
event eConsumed: tItem;

machine Producer {
  start state Producing {
    entry (config: tThreadConfig) {
      var item: tItem;
      item.producer = config.number;
      while (item.number < config.items) {
        item.number = item.number + 1;
        produce(config, item);
      }
    }
  }

  fun produce(config: tThreadConfig, item: tItem) {
    var held: int;
    enter(config.monitor, this);
    held = count(config.buffer, this);
    while (held == config.capacity) {
      waitFor(config.monitor, condition(config.flaw, NOT_FULL), this);
      if (config.flaw == NO_SECOND_LOOK) {
        break;
      }
      held = count(config.buffer, this);
    }
    announce eProduced, item;
    send config.buffer, ePut, item;
    if (held == 0 || config.flaw != SPARING_SIGNALS) {
      signal(config.monitor, condition(config.flaw, NOT_EMPTY));
    }
    leave(config.monitor);
  }
}

machine Consumer {
  start state Consuming {
    entry (config: tThreadConfig) {
      var taken: int;
      while (taken < config.items) {
        consume(config);
        taken = taken + 1;
      }
    }
  }

  fun consume(config: tThreadConfig) {
    enter(config.monitor, this);
    while (count(config.buffer, this) == 0) {
      waitFor(config.monitor, condition(config.flaw, NOT_EMPTY), this);
      if (config.flaw == NO_SECOND_LOOK) {
        break;
      }
    }
    send config.buffer, eTake, this;
    receive {
      case eTaken: (item: tItem) { announce eConsumed, item; }
    }
    signal(config.monitor, condition(config.flaw, NOT_FULL));
    leave(config.monitor);
  }
}

fun condition(flaw: Flaw, wanted: Condition): Condition {
  if (flaw == ONE_CONDITION) {
    return NOT_EMPTY;
  }
  return wanted;
}
