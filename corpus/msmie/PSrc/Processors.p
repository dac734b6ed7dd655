// The memory of a buffer, and the processors on both sides of it.

// Two words, so that a message takes more than one access.
machine Buffer {
  var first: tWord;
  var second: tWord;

  start state Serving {
    on eWriteWord do (access: (word: int, value: tWord)) {
      if (access.word == 0) {
        first = access.value;
      } else {
        second = access.value;
      }
    }
    on eReadWord do (access: (reader: machine, word: int)) {
      if (access.word == 0) {
        send access.reader, eWord, first;
      } else {
        send access.reader, eWord, second;
      }
    }
  }
}

type tSlaveConfig = (slave: int, messages: int, arbiter: Arbiter, buffers: seq[Buffer]);

// A processor that produces messages.
machine Slave {
  var config: tSlaveConfig;
  var message: int;

  start state Idle {
    entry (given: tSlaveConfig) {
      config = given;
      next();
    }
  }

  state WaitingForBuffer {
    on eWriteGranted do (buffer: int) {
      var value: tWord;
      value = (slave = config.slave, message = message);
      send config.buffers[buffer], eWriteWord, (word = 0, value = value);
      send config.buffers[buffer], eWriteWord, (word = 1, value = value);
      send config.arbiter, eReleaseWrite, buffer;
      next();
    }
  }

  state Finished {
  }

  fun next() {
    if (message == config.messages) {
      goto Finished;
    }
    message = message + 1;
    send config.arbiter, eAcquireWrite, this;
    goto WaitingForBuffer;
  }
}

type tMasterConfig = (reads: int, arbiter: Arbiter, buffers: seq[Buffer]);

// A processor that consumes messages. With `reads` below zero it reads for ever.
machine Master {
  var config: tMasterConfig;
  var left: int;
  var buffer: int;
  var first: tWord;

  start state Idle {
    entry (given: tMasterConfig) {
      config = given;
      left = config.reads;
      next();
    }
  }

  state WaitingForBuffer {
    on eReadGranted do (grant: (reader: machine, buffer: int)) {
      buffer = grant.buffer;
      goto ReadingFirst;
    }
    on eNothingToRead do next;
  }

  state ReadingFirst {
    entry {
      send config.buffers[buffer], eReadWord, (reader = this, word = 0);
    }
    on eWord goto ReadingSecond with (word: tWord) {
      first = word;
    }
  }

  state ReadingSecond {
    entry {
      send config.buffers[buffer], eReadWord, (reader = this, word = 1);
    }
    on eWord do (second: tWord) {
      assert first == second,
        format("half of the message is {0}, the other half {1}", first.message, second.message);
      first = default(tWord);
      send config.arbiter, eReleaseRead, (reader = this, buffer = buffer);
      next();
    }
  }

  state Finished {
  }

  fun next() {
    if (left == 0) {
      goto Finished;
    }
    if (left > 0) {
      left = left - 1;
    }
    send config.arbiter, eAcquireRead, this;
    goto WaitingForBuffer;
  }
}
