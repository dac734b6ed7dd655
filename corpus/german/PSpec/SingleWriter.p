// If some cache may write, no other cache may do anything.

spec SingleWriter observes ePermission {
  var held: map[Cache, Permission];

  start state Watching {
    on ePermission do (change: (cache: Cache, now: Permission)) {
      var other: Cache;
      held[change.cache] = change.now;
      foreach (other in keys(held)) {
        if (other != change.cache && held[other] != NOTHING) {
          assert change.now != WRITE, format("{0} may write while {1} holds a copy", change.cache, other);
          assert change.now == NOTHING || held[other] != WRITE,
            format("{0} has a copy while {1} may write", change.cache, other);
        }
      }
    }
  }
}
