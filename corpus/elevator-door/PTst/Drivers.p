// The environments in which the controller is tested.

// How often a button is pressed.
param presses: int;

// Presses the buttons as the mood takes it, and does not wait for the door.
machine Passenger {
  start state Pressing {
    entry (config: (elevator: Elevator, presses: int)) {
      var pressed: int;
      while (pressed < config.presses) {
        pressButton(config.elevator);
        pressed = pressed + 1;
      }
    }
  }
}

fun pressButton(elevator: Elevator) {
  if ($) {
    send elevator, eOpenDoor;
  } else {
    send elevator, eCloseDoor;
  }
}

fun install(mistake: tMistake): Elevator {
  var door: Door;
  var timer: DoorTimer;
  var elevator: Elevator;
  door = new Door();
  timer = new DoorTimer();
  elevator = new Elevator((door = door, timer = timer, mistake = mistake));
  send door, eConnect, elevator;
  send timer, eConnect, elevator;
  return elevator;
}

fun tryOut(mistake: tMistake) {
  new Passenger((elevator = install(mistake), presses = presses));
}

machine CorrectElevator {
  start state Init {
    entry { tryOut(NO_MISTAKE); }
  }
}

machine ElevatorForgettingClose {
  start state Init {
    entry { tryOut(FORGETS_CLOSE_WHILE_OPENING); }
  }
}

machine ElevatorForgettingObject {
  start state Init {
    entry { tryOut(FORGETS_OBJECT_WHILE_STOPPING); }
  }
}

machine ElevatorIgnoringObject {
  start state Init {
    entry { tryOut(IGNORES_OBJECT_WHILE_STOPPING); }
  }
}

machine ElevatorForgettingWhy {
  start state Init {
    entry { tryOut(FORGETS_WHY_IT_STOPPED); }
  }
}

machine NudgingElevator {
  start state Init {
    entry { tryOut(NUDGES); }
  }
}

// A passenger who never stops, as in the papers. The controller's queue is unbounded.
machine RestlessPassenger {
  var elevator: Elevator;

  start state Init {
    entry {
      elevator = install(NO_MISTAKE);
      goto Pressing;
    }
  }

  state Pressing {
    entry {
      pressButton(elevator);
      goto Pressing;
    }
  }
}
