// Every master gets an answer.
spec ReadersAreAnswered observes eAcquireRead, eReadGranted, eNothingToRead {
  var waiting: int;

  start cold state Quiet {
    on eAcquireRead goto Waiting;
  }

  hot state Waiting {
    entry {
      waiting = waiting + 1;
    }
    on eAcquireRead do {
      waiting = waiting + 1;
    }
    on eReadGranted, eNothingToRead do {
      waiting = waiting - 1;
      if (waiting == 0) {
        goto Quiet;
      }
    }
  }
}

// A published message, or a newer one, is read some time later. The protocol does not promise it: see the README.
spec NewestIsRead observes ePublished, eReadGranted {
  var newest: int;

  start cold state Quiet {
    on ePublished goto Unread;
    ignore eReadGranted;
  }

  hot state Unread {
    entry (buffer: int) {
      newest = buffer;
    }
    on ePublished do (buffer: int) {
      newest = buffer;
    }
    on eReadGranted do (grant: (reader: machine, buffer: int)) {
      if (grant.buffer == newest) {
        goto Quiet;
      }
    }
  }
}
