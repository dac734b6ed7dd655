// A passenger with some journeys to make, to and fro; with `journeys` below zero, for ever.

type tPassengerConfig =
  (id: int, kind: tKind, origin: int, destination: int, journeys: int, isFickle: bool, dispatcher: Dispatcher);

machine Passenger {
  var config: tPassengerConfig;

  start state Starting {
    entry (given: tPassengerConfig) {
      config = given;
      call();
    }
  }

  state Waiting {
    on eInvite do (invitation: (planner: machine, car: machine)) {
      if (config.isFickle && $) {
        send invitation.planner, eDecline, config.id;
        goto TakingTheStairs;
      }
      send invitation.car, eEnter, config.id;
      goto Riding;
    }
  }

  state Riding {
    on eGetOut do (car: machine) {
      var arrived: int;
      send car, eLeave, config.id;
      arrived = config.destination;
      config.destination = config.origin;
      config.origin = arrived;
      call();
    }
  }

  state TakingTheStairs {
  }

  state Content {
  }

  fun call() {
    if (config.journeys == 0) {
      goto Content;
    }
    if (config.journeys > 0) {
      config.journeys = config.journeys - 1;
    }
    send config.dispatcher, eCall,
      (passenger = this, id = config.id, kind = config.kind, origin = config.origin, destination = config.destination);
    goto Waiting;
  }
}
