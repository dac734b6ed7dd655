// Sets up a buffer, its monitor and the threads.

param producerCount: int;
param consumerCount: int;
param bufferSize: int;
// How many items pass through the buffer; producers and consumers share them equally.
param itemCount: int;

machine Correct {
  start state Init {
    entry { setUp(CORRECT); }
  }
}

machine NoSecondLook {
  start state Init {
    entry { setUp(NO_SECOND_LOOK); }
  }
}

machine OneCondition {
  start state Init {
    entry { setUp(ONE_CONDITION); }
  }
}

machine SparingSignals {
  start state Init {
    entry { setUp(SPARING_SIGNALS); }
  }
}

machine NoFlowControl {
  start state Init {
    entry { new Torrent(new Drain()); }
  }
}

fun setUp(flaw: Flaw) {
  var config: tThreadConfig;
  config = (number = 0, items = 0, monitor = new MesaMonitor(), buffer = new Buffer(bufferSize), capacity = bufferSize,
    flaw = flaw);
  config.items = itemCount / producerCount;
  while (config.number < producerCount) {
    config.number = config.number + 1;
    new Producer(config);
  }
  config.items = itemCount / consumerCount;
  config.number = 0;
  while (config.number < consumerCount) {
    config.number = config.number + 1;
    new Consumer(config);
  }
}
