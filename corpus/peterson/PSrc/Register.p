// An atomic shared variable. P has no shared memory, so a variable is a machine: it serves one read or one write at a
// time, in the order in which they arrive, and whoever asked waits for the answer.

type tWrite = (writer: machine, value: int);

event eRead: machine;
event eValue: int;
event eWrite: tWrite;
event eWritten;

machine Register {
  var value: int;

  start state Serving {
    entry (initial: int) {
      value = initial;
    }

    on eRead do (reader: machine) {
      send reader, eValue, value;
    }

    on eWrite do (write: tWrite) {
      value = write.value;
      send write.writer, eWritten;
    }
  }
}
