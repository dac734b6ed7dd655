// The environments in which planners are tested.

param carCount: int;
param passengerCount: int;

// The journeys that passengers make: as many of these as the test wants people.
fun people(): seq[(kind: tKind, origin: int, destination: int)] {
  var all: seq[(kind: tKind, origin: int, destination: int)];
  all += (0, (kind = GROUP_A, origin = 0, destination = 2));
  all += (1, (kind = NORMAL, origin = 0, destination = 1));
  all += (2, (kind = GROUP_B, origin = 0, destination = 1));
  all += (3, (kind = VIP, origin = 1, destination = 0));
  return all;
}

fun build(capacity: int, mistake: tMistake): Dispatcher {
  var planners: seq[Planner];
  while (sizeof(planners) < carCount) {
    planners +=
      (sizeof(planners), new Planner((number = sizeof(planners), capacity = capacity, mistake = mistake)));
  }
  return new Dispatcher(planners);
}

fun openBuilding(capacity: int, journeys: int, mistake: tMistake) {
  var dispatcher: Dispatcher;
  var person: (kind: tKind, origin: int, destination: int);
  var id: int;
  dispatcher = build(capacity, mistake);
  while (id < passengerCount) {
    person = people()[id];
    new Passenger((id = id, kind = person.kind, origin = person.origin, destination = person.destination,
      journeys = journeys, isFickle = id == 1, dispatcher = dispatcher));
    id = id + 1;
  }
}

// Two commuters between the lower floors, and somebody who wants to go down from the top.
fun openBusyBuilding(mistake: tMistake) {
  var dispatcher: Dispatcher;
  dispatcher = build(2, mistake);
  admit(0, 2, 0, 1, dispatcher);
  admit(1, 0, 1, -1, dispatcher);
  admit(2, 1, 0, -1, dispatcher);
}

fun admit(id: int, origin: int, destination: int, journeys: int, dispatcher: Dispatcher) {
  new Passenger((id = id, kind = NORMAL, origin = origin, destination = destination, journeys = journeys,
    isFickle = false, dispatcher = dispatcher));
}

machine CorrectPlanner {
  start state Init {
    entry { openBuilding(2, 1, NO_MISTAKE); }
  }
}

machine CorrectPlannerToAndFro {
  start state Init {
    entry { openBuilding(2, 2, NO_MISTAKE); }
  }
}

machine CorrectPlannerOfSmallCar {
  start state Init {
    entry { openBuilding(1, 1, NO_MISTAKE); }
  }
}

machine PlannerClosingBehindFirst {
  start state Init {
    entry { openBuilding(2, 1, CLOSES_BEHIND_FIRST); }
  }
}

machine PlannerForgettingTheInvited {
  start state Init {
    entry { openBuilding(2, 1, FORGETS_THE_INVITED); }
  }
}

machine PlannerForgettingWhoIsImportant {
  start state Init {
    entry { openBuilding(2, 1, FORGETS_WHO_IS_IMPORTANT); }
  }
}

machine PlannerForgettingWhoDoesNotFit {
  start state Init {
    entry { openBuilding(1, 1, FORGETS_WHO_DOES_NOT_FIT); }
  }
}

machine CorrectPlannerOfBusyBuilding {
  start state Init {
    entry { openBusyBuilding(NO_MISTAKE); }
  }
}

machine PlannerPreferringRiders {
  start state Init {
    entry { openBusyBuilding(PREFERS_RIDERS); }
  }
}

machine PlannerGivingSeatAway {
  start state Init {
    entry { openBusyBuilding(GIVES_SEAT_AWAY); }
  }
}
