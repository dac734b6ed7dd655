// The dispatcher in the hall, and the cars.

// Gives each call to the planner with the fewest calls so far.
machine Dispatcher {
  var planners: seq[Planner];
  var given: seq[int];

  start state Dispatching {
    entry (config: seq[Planner]) {
      planners = config;
      while (sizeof(given) < sizeof(planners)) {
        given += (sizeof(given), 0);
      }
    }
    on eCall do (call: tCall) {
      var best: int;
      var other: int;
      while (other < sizeof(planners)) {
        if (given[other] < given[best]) {
          best = other;
        }
        other = other + 1;
      }
      count(best);
      send planners[best], eCall, call;
    }
  }

  // Only differences matter.
  fun count(planner: int) {
    var other: int;
    given[planner] = given[planner] + 1;
    while (other < sizeof(given)) {
      if (given[other] == 0) {
        return;
      }
      other = other + 1;
    }
    other = 0;
    while (other < sizeof(given)) {
      given[other] = given[other] - 1;
      other = other + 1;
    }
  }
}

event eReached;

// A car with open doors, or on its way.
machine Car {
  var planner: machine;
  var target: int;

  start state Standing {
    entry (owner: machine) {
      planner = owner;
    }
    on eEnter do (id: int) {
      send planner, eEntered, id;
    }
    on eLeave do (id: int) {
      send planner, eLeft, id;
    }
    on eGoTo goto Travelling with (floor: int) {
      target = floor;
    }
  }

  state Travelling {
    entry {
      send this, eReached;
    }
    on eReached do {
      send planner, eArrived, target;
      goto Standing, planner;
    }
    on eEnter do (id: int) {
      assert false, format("passenger {0} steps into the shaft", id);
    }
    on eLeave do (id: int) {
      assert false, format("passenger {0} jumps out of the car", id);
    }
  }
}
