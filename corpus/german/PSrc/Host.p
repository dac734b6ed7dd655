// The host: owns the memory behind one cache line, and knows which caches hold a copy. It serves one request at a time;
// while it calls copies back, other requests wait.

// What a test may break on purpose.
enum Flaw {
  // Nothing.
  CORRECT,
  // The host does not remember that it has granted exclusive access.
  FORGETS_EXCLUSIVE,
  // The host grants when the first copy has come back.
  GRANTS_AFTER_FIRST_ACK,
  // The host goes on counting a cache among the sharers after it has given its copy back.
  KEEPS_SHARERS,
  // Requests are not deferred while copies are called back.
  DEFERS_NOTHING
}

machine Host {
  var flaw: Flaw;
  var memory: int;

  // Caches that hold a copy, as far as the host knows.
  var sharers: set[Cache];
  // Whether the one sharer has leave to write.
  var isExclusiveGranted: bool;

  // The request being served.
  var client: Cache;
  var wantsExclusive: bool;
  // Caches whose copies are called back for it.
  var outstanding: set[Cache];

  start state Starting {
    entry (variant: Flaw) {
      flaw = variant;
      goto Idle;
    }
  }

  state Idle {
    on eReqShare do (cache: Cache) {
      client = cache;
      wantsExclusive = false;
      if (isExclusiveGranted) {
        callBack();
      } else {
        grant();
      }
    }

    on eReqExclusive do (cache: Cache) {
      client = cache;
      wantsExclusive = true;
      if (sizeof(sharers) > 0) {
        callBack();
      } else {
        grant();
      }
    }
  }

  state CallingBack {
    defer eReqShare, eReqExclusive;
    on eInvalidateAck do takeBack;
  }

  // As `CallingBack`, for DEFERS_NOTHING.
  state CallingBackUnprepared {
    on eInvalidateAck do takeBack;
  }

  // Asks all sharers to give their copies back, the client itself among them if it wants to write what it reads.
  fun callBack() {
    var cache: Cache;
    outstanding = sharers;
    foreach (cache in outstanding) {
      send cache, eInvalidate;
    }
    if (flaw == DEFERS_NOTHING) {
      goto CallingBackUnprepared;
    }
    goto CallingBack;
  }

  fun takeBack(copy: tReturn) {
    assert copy.cache in outstanding, format("{0} gives back a copy that it was not asked for", copy.cache);
    outstanding -= (copy.cache);
    if (flaw != KEEPS_SHARERS) {
      sharers -= (copy.cache);
    }
    if (copy.held == WRITE) {
      assert isExclusiveGranted, format("{0} wrote without leave", copy.cache);
      memory = copy.value;
      isExclusiveGranted = false;
    }
    if (sizeof(outstanding) == 0 || flaw == GRANTS_AFTER_FIRST_ACK) {
      grant();
      goto Idle;
    }
  }

  fun grant() {
    sharers += (client);
    if (wantsExclusive) {
      isExclusiveGranted = flaw != FORGETS_EXCLUSIVE;
      send client, eGrantExclusive, memory;
    } else {
      send client, eGrantShare, memory;
    }
  }
}
