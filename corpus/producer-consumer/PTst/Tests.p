module Threads = { Producer, Consumer, MesaMonitor, Buffer };

test param (producerCount in [1], consumerCount in [1], bufferSize in [1, 2, 3], itemCount in [4])
  tcOneEach [main=Correct]:
  assert FirstInFirstOut, EverythingIsConsumed in (union Threads, { Correct });

test param (producerCount in [1], consumerCount in [2], bufferSize in [1], itemCount in [2])
  tcTwoConsumers [main=Correct]:
  assert FirstInFirstOut, EverythingIsConsumed in (union Threads, { Correct });

test param (producerCount in [2], consumerCount in [2], bufferSize in [1, 2], itemCount in [2, 4])
  tcTwoEach [main=Correct]:
  assert FirstInFirstOut, EverythingIsConsumed in (union Threads, { Correct });

// A second consumer slips in between signal and awakening.
test param (producerCount in [1], consumerCount in [2], bufferSize in [1], itemCount in [2])
  tcNoSecondLook [main=NoSecondLook]:
  assert FirstInFirstOut in (union Threads, { NoSecondLook });

test param (producerCount in [2], consumerCount in [2], bufferSize in [1], itemCount in [2])
  tcOneCondition [main=OneCondition]:
  assert FirstInFirstOut in (union Threads, { OneCondition });

test param (producerCount in [2], consumerCount in [2], bufferSize in [2], itemCount in [2])
  tcSparingSignals [main=SparingSignals]:
  assert FirstInFirstOut in (union Threads, { SparingSignals });

// Infinitely many states.
test tcNoFlowControl [main=NoFlowControl]: { NoFlowControl, Torrent, Drain };
