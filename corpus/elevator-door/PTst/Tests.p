module Installation = { Elevator, Door, DoorTimer, Passenger };

test param (presses in [2, 4, 6, 8]) tcElevator [main=CorrectElevator]:
  assert DoorIsSafe in (union Installation, { CorrectElevator });

test param (presses in [2, 4, 6]) tcOpenIsAnswered [main=CorrectElevator]:
  assert OpenIsAnswered in (union Installation, { CorrectElevator });

test param (presses in [4]) tcCloseForgotten [main=ElevatorForgettingClose]:
  assert DoorIsSafe in (union Installation, { ElevatorForgettingClose });

// Row "Elevator Door" of the safety table.
test param (presses in [4, 8]) tcObjectForgotten [main=ElevatorForgettingObject]:
  assert DoorIsSafe in (union Installation, { ElevatorForgettingObject });

// Row "Elevator Door" of the liveness table: the door closes and meets an object for ever, in a cycle.
test param (presses in [4, 6]) tcNudged [main=NudgingElevator]:
  assert OpenIsAnswered in (union Installation, { NudgingElevator });

test param (presses in [4]) tcObjectIgnored [main=ElevatorIgnoringObject]:
  assert OpenIsAnswered in (union Installation, { ElevatorIgnoringObject });

test param (presses in [4]) tcOpenForgotten [main=ElevatorForgettingWhy]:
  assert OpenIsAnswered in (union Installation, { ElevatorForgettingWhy });

// Infinitely many states: for `fabius prove`, and for a search with a bound.
test tcRestless [main=RestlessPassenger]: { Elevator, Door, DoorTimer, RestlessPassenger };
