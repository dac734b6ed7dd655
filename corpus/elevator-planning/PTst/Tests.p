module Building = { Dispatcher, Planner, Car, Passenger };

test param (carCount in [1], passengerCount in [2, 3, 4]) tcPlanner [main=CorrectPlanner]:
  assert RidesAreRight in (union Building, { CorrectPlanner });

test param (carCount in [2], passengerCount in [2, 3, 4]) tcTwoCars [main=CorrectPlanner]:
  assert RidesAreRight in (union Building, { CorrectPlanner });

test param (carCount in [1], passengerCount in [2]) tcToAndFro [main=CorrectPlannerToAndFro]:
  assert RidesAreRight in (union Building, { CorrectPlannerToAndFro });

test param (carCount in [1], passengerCount in [2, 3]) tcEverybodyIsServed [main=CorrectPlannerOfSmallCar]:
  assert EverybodyIsServed in (union Building, { CorrectPlannerOfSmallCar });

// Row "Elevator Planning" of the safety table.
test param (carCount in [1], passengerCount in [3, 4]) tcClosedBehindFirst [main=PlannerClosingBehindFirst]:
  assert RidesAreRight in (union Building, { PlannerClosingBehindFirst });

test param (carCount in [1], passengerCount in [3, 4]) tcInvitedForgotten [main=PlannerForgettingTheInvited]:
  assert RidesAreRight in (union Building, { PlannerForgettingTheInvited });

test param (carCount in [1], passengerCount in [4]) tcImportanceForgotten [main=PlannerForgettingWhoIsImportant]:
  assert RidesAreRight in (union Building, { PlannerForgettingWhoIsImportant });

test param (carCount in [1], passengerCount in [3]) tcNoRoom [main=PlannerForgettingWhoDoesNotFit]:
  assert EverybodyIsServed in (union Building, { PlannerForgettingWhoDoesNotFit });

// Commuters who never stop.
test param (carCount in [1], passengerCount in [0]) tcBusyBuilding [main=CorrectPlannerOfBusyBuilding]:
  assert PassengerZeroIsServed in (union Building, { CorrectPlannerOfBusyBuilding });

// Row "Elevator Planning" of the liveness table: passenger 0 is never fetched, in a cycle.
test param (carCount in [1], passengerCount in [0]) tcSeatGivenAway [main=PlannerGivingSeatAway]:
  assert PassengerZeroIsServed in (union Building, { PlannerGivingSeatAway });

// The same, sooner.
test param (carCount in [1], passengerCount in [0]) tcRidersPreferred [main=PlannerPreferringRiders]:
  assert PassengerZeroIsServed in (union Building, { PlannerPreferringRiders });
