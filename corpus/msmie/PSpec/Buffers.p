// Nobody writes in a buffer in which somebody reads or writes.
spec BuffersAreExclusive observes eWriteGranted, eReleaseWrite, eReadGranted, eReleaseRead {
  var written: set[int];
  var readers: map[int, int];

  start state Watching {
    on eWriteGranted do (buffer: int) {
      assert !(buffer in written), format("buffer {0} is given to two slaves", buffer);
      assert !(buffer in readers), format("buffer {0} is given to a slave while a master reads it", buffer);
      written += (buffer);
    }
    on eReleaseWrite do (buffer: int) {
      written -= (buffer);
    }
    on eReadGranted do (grant: (reader: machine, buffer: int)) {
      assert !(grant.buffer in written),
        format("buffer {0} is given to a master while a slave writes it", grant.buffer);
      if (!(grant.buffer in readers)) {
        readers[grant.buffer] = 0;
      }
      readers[grant.buffer] = readers[grant.buffer] + 1;
    }
    on eReleaseRead do (release: (reader: machine, buffer: int)) {
      readers[release.buffer] = readers[release.buffer] - 1;
      if (readers[release.buffer] == 0) {
        readers -= (release.buffer);
      }
    }
  }
}

// A master that begins to read never gets an older message than it had before.
spec MessagesGetNewer observes ePublished, eReadGranted {
  var published: int;
  // When the message in a buffer was published, and the latest that a master has read.
  var age: map[int, int];
  var seen: map[machine, int];

  start state Watching {
    on ePublished do (buffer: int) {
      published = published + 1;
      age[buffer] = published;
    }
    on eReadGranted do (grant: (reader: machine, buffer: int)) {
      assert !(grant.reader in seen) || seen[grant.reader] <= age[grant.buffer],
        "a master reads an older message than before";
      seen[grant.reader] = age[grant.buffer];
    }
  }
}
