// The environments in which the protocol is tested.

param slaves: int;
param masters: int;
// What each slave writes and each master reads.
param messages: int;
param reads: int;

// One buffer for each slave, one for the masters, and one for the newest message.
fun enoughBuffers(): int {
  return slaves + 2;
}

fun startProcessors(buffers: int, mistake: tMistake) {
  var arbiter: Arbiter;
  var memory: seq[Buffer];
  var started: int;
  arbiter = new Arbiter((buffers = buffers, mistake = mistake));
  while (sizeof(memory) < buffers) {
    memory += (sizeof(memory), new Buffer());
  }
  while (started < slaves) {
    new Slave((slave = started, messages = messages, arbiter = arbiter, buffers = memory));
    started = started + 1;
  }
  started = 0;
  while (started < masters) {
    new Master((reads = reads, arbiter = arbiter, buffers = memory));
    started = started + 1;
  }
}

machine CorrectArbiter {
  start state Init {
    entry { startProcessors(enoughBuffers(), NO_MISTAKE); }
  }
}

machine TooFewBuffers {
  start state Init {
    entry { startProcessors(enoughBuffers() - 1, NO_MISTAKE); }
  }
}

machine ReleasingTooEarly {
  start state Init {
    entry { startProcessors(enoughBuffers(), FIRST_READER_RELEASES); }
  }
}

machine PreferringNewest {
  start state Init {
    entry { startProcessors(enoughBuffers(), PREFERS_NEWEST); }
  }
}
