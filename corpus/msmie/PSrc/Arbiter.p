// The table of buffers in the shared memory. The queue of this machine is the semaphore that guards it.
//
// A buffer is idle, assigned to a slave that writes in it, assigned to the masters that read in it, or it holds the
// newest message. There is at most one newest buffer, and at most one that masters read: they share it, and a newer
// message has to wait until the last of them has finished.

enum tStatus { IDLE, SLAVE, NEWEST, MASTER }

type tArbiterConfig = (buffers: int, mistake: tMistake);

machine Arbiter {
  var status: seq[tStatus];
  // How many masters read in the buffer assigned to them.
  var readers: int;
  var mistake: tMistake;

  start state Serving {
    entry (config: tArbiterConfig) {
      mistake = config.mistake;
      while (sizeof(status) < config.buffers) {
        status += (sizeof(status), IDLE);
      }
    }
    on eAcquireWrite do grantWrite;
    on eReleaseWrite do publish;
    on eAcquireRead do grantRead;
    on eReleaseRead do (release: (reader: machine, buffer: int)) {
      endRead(release.buffer);
    }
  }

  // A slave never waits: there is always an idle buffer for it.
  fun grantWrite(slave: machine) {
    var buffer: int;
    buffer = find(IDLE);
    assert buffer >= 0, "no buffer is idle";
    status[buffer] = SLAVE;
    send slave, eWriteGranted, buffer;
  }

  // The message before, if no master has begun to read it, is lost.
  fun publish(buffer: int) {
    var previous: int;
    previous = find(NEWEST);
    if (previous >= 0) {
      status[previous] = IDLE;
    }
    status[buffer] = NEWEST;
    announce ePublished, buffer;
  }

  fun grantRead(master: machine) {
    var buffer: int;
    buffer = find(MASTER);
    if (buffer < 0 || (mistake == PREFERS_NEWEST && find(NEWEST) >= 0)) {
      buffer = find(NEWEST);
    }
    if (buffer < 0) {
      send master, eNothingToRead;
      return;
    }
    status[buffer] = MASTER;
    readers = readers + 1;
    send master, eReadGranted, (reader = master, buffer = buffer);
  }

  // The message stays the newest until there is another.
  fun endRead(buffer: int) {
    readers = readers - 1;
    if (readers > 0 && mistake != FIRST_READER_RELEASES) {
      return;
    }
    if (find(NEWEST) >= 0) {
      status[buffer] = IDLE;
    } else {
      status[buffer] = NEWEST;
    }
  }

  // The first buffer with that status, or -1.
  fun find(wanted: tStatus): int {
    var buffer: int;
    while (buffer < sizeof(status)) {
      if (status[buffer] == wanted) {
        return buffer;
      }
      buffer = buffer + 1;
    }
    return -1;
  }
}
