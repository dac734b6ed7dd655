// A cache that asks the host gets what it asked for.

spec EveryRequestIsGranted observes eReqShare, eReqExclusive, ePermission {
  var waiting: set[Cache];

  start cold state Quiet {
    on eReqShare, eReqExclusive goto Waiting with (cache: Cache) {
      waiting += (cache);
    }
    ignore ePermission;
  }

  hot state Waiting {
    on eReqShare, eReqExclusive do (cache: Cache) {
      waiting += (cache);
    }
    on ePermission do (change: (cache: Cache, now: Permission)) {
      if (change.now != NOTHING) {
        waiting -= (change.cache);
      }
      if (sizeof(waiting) == 0) {
        goto Quiet;
      }
    }
  }
}
