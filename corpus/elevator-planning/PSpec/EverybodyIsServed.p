// Everybody who is on the list of a planner arrives, or changes its mind.
spec EverybodyIsServed observes eOrdered, eServed, eWithdrawn {
  var open: set[int];

  start cold state Quiet {
    on eOrdered goto Busy with (order: (car: int, call: tCall)) {
      open += (order.call.id);
    }
  }

  hot state Busy {
    on eOrdered do (order: (car: int, call: tCall)) {
      open += (order.call.id);
    }
    on eServed, eWithdrawn do (order: (car: int, call: tCall)) {
      open -= (order.call.id);
      if (sizeof(open) == 0) {
        goto Quiet;
      }
    }
  }
}

// The same for the one passenger with number 0, whatever others do.
spec PassengerZeroIsServed observes eOrdered, eServed, eWithdrawn {
  start cold state Quiet {
    on eOrdered do (order: (car: int, call: tCall)) {
      if (order.call.id == 0) {
        goto Waiting;
      }
    }
    ignore eServed, eWithdrawn;
  }

  hot state Waiting {
    on eServed, eWithdrawn do (order: (car: int, call: tCall)) {
      if (order.call.id == 0) {
        goto Quiet;
      }
    }
    ignore eOrdered;
  }
}
