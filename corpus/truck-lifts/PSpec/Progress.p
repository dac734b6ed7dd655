// Some time after the reference button, every lift has its number.
spec EverybodyStarts observes eInstalled, eSetRef, eNumbered {
  var lifts: int;
  var numbered: int;

  start cold state Installing {
    on eInstalled do (count: int) {
      lifts = count;
    }
    on eSetRef goto StartingUp;
  }

  hot state StartingUp {
    on eNumbered do {
      numbered = numbered + 1;
      if (numbered == lifts) {
        goto Operating;
      }
    }
    ignore eSetRef;
  }

  cold state Operating {
    ignore eNumbered, eSetRef;
  }
}

// A lift that wants to lead does so until it moves, unless another leads or the button is released.
spec ButtonsTakeEffect observes eClaimed, eMoved, eResigned {
  var waiting: set[int];

  start cold state Quiet {
    on eClaimed goto Waiting with (lift: int) {
      waiting += (lift);
    }
    ignore eMoved, eResigned;
  }

  hot state Waiting {
    on eClaimed do (lift: int) {
      waiting += (lift);
    }
    on eMoved do (step: (number: int, direction: tReport)) {
      settle(step.number);
    }
    on eResigned do settle;
  }

  fun settle(lift: int) {
    waiting -= (lift);
    if (sizeof(waiting) == 0) {
      goto Quiet;
    }
  }
}
