// A timer: fires at some time after it was started, unless it is cancelled before.
//
// Cancelling is a message like any other, so the timer may fire while it is under way. The number given at the start
// comes back with the timeout and tells which start it belongs to.

event eStartTimer: int;
event eCancelTimer;
event eTimeout: int;

machine Timer {
  var owner: machine;
  var number: int;

  start state Starting {
    entry (creator: machine) {
      owner = creator;
      goto Stopped;
    }
  }

  state Stopped {
    on eStartTimer goto Running with (given: int) { number = given; }
    ignore eCancelTimer;
  }

  // With nothing in its queue the machine can fire, and as soon as it is its turn it does.
  state Running {
    on null goto Stopped with { send owner, eTimeout, number; }
    on eCancelTimer goto Stopped;
  }
}
