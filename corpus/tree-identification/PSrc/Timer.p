// A timer: once started, it fires at any time it likes.

event eStartTimer;
event eTimeout;

machine Timer {
  var owner: machine;

  start state Idle {
    entry (user: machine) {
      owner = user;
    }
    on eStartTimer do {
      send owner, eTimeout;
    }
  }
}
