// A cache: holds at most one copy of the line, for one processor. Its states are the protocol's: invalid, shared,
// exclusive, and the three in which it waits for the host. A copy may be called back in any state in which there is
// one.

machine Cache {
  var host: Host;
  var processor: machine;
  // What the copy holds, while there is one.
  var value: int;
  // What the processor wants to store, while the cache waits for leave to write.
  var toStore: int;

  start state Starting {
    defer eLoad, eStore;
    entry (home: Host) {
      host = home;
    }
    on eConnect goto Invalid with (which: machine) {
      processor = which;
    }
  }

  state Invalid {
    entry { holds(NOTHING); }
    on eLoad goto InvalidAskedShare;
    on eStore goto InvalidAskedExclusive with askForExclusive;
  }

  state InvalidAskedShare {
    defer eLoad, eStore;
    entry { send host, eReqShare, this; }
    on eGrantShare goto Shared with (line: int) {
      value = line;
      load();
    }
  }

  state InvalidAskedExclusive {
    defer eLoad, eStore;
    on eGrantExclusive goto Exclusive with (line: int) {
      value = line;
    }
  }

  state Shared {
    entry { holds(READ); }
    on eLoad do load;
    on eStore goto SharedAskedExclusive with askForExclusive;
    on eInvalidate goto Invalid with { giveBack(READ); }
  }

  state SharedAskedExclusive {
    defer eLoad, eStore;
    // Somebody else was faster, or the host wants to grant to us what we read already.
    on eInvalidate do {
      giveBack(READ);
      holds(NOTHING);
      goto InvalidAskedExclusive;
    }
    on eGrantExclusive goto Exclusive with (line: int) {
      value = line;
    }
  }

  state Exclusive {
    entry {
      holds(WRITE);
      store(toStore);
    }
    on eLoad do load;
    on eStore do store;
    on eInvalidate goto Invalid with { giveBack(WRITE); }
  }

  fun askForExclusive(request: int) {
    toStore = request;
    send host, eReqExclusive, this;
  }

  fun giveBack(held: Permission) {
    send host, eInvalidateAck, (cache = this, held = held, value = value);
  }

  fun holds(permission: Permission) {
    announce ePermission, (cache = this, now = permission);
  }

  fun load() {
    announce eRead, (cache = this, value = value);
    send processor, eLoaded, value;
  }

  fun store(request: int) {
    value = request;
    announce eWrote, (cache = this, value = value);
    send processor, eStored;
  }
}

// The processor behind a cache.
event eConnect: machine;
