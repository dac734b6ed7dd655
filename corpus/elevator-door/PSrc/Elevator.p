// The controller of the door of a lift.
//
// The door opens on request, stays open for two periods of the timer, in the second of which the close button works,
// and closes. A request to open during the closing, or an object in the door's way, opens it again.

type tElevatorConfig = (door: Door, timer: DoorTimer, mistake: tMistake);

// What the timer is stopped for.
enum tStopReason { TO_HOLD_OPEN, TO_CLOSE }

machine Elevator {
  var door: Door;
  var timer: DoorTimer;
  var mistake: tMistake;
  var stopReason: tStopReason;

  start state Initialising {
    entry (config: tElevatorConfig) {
      door = config.door;
      timer = config.timer;
      mistake = config.mistake;
      goto DoorClosed;
    }
  }

  state DoorClosed {
    on eOpenDoor do openDoor;
    ignore eCloseDoor;
  }

  state DoorOpening {
    entry {
      send door, eCommandOpen;
    }
    on eDoorOpened goto DoorOpened;
    ignore eOpenDoor;
    defer eCloseDoor;
  }

  // As `DoorOpening`, by an author who thought that only a closed door is asked to open, and only an open one to close.
  state DoorOpeningUndisturbed {
    entry {
      send door, eCommandOpen;
    }
    on eDoorOpened goto DoorOpened;
    ignore eOpenDoor;
  }

  // Too early to close.
  state DoorOpened {
    entry {
      announce eHoldingOpen;
      send timer, eStartTimer;
    }
    on eTimerFired goto DoorOpenedOkToClose;
    on eOpenDoor goto StoppingTimer with {
      stopReason = TO_HOLD_OPEN;
    }
    defer eCloseDoor;
  }

  // Closes by itself when the timer fires again, at once when asked to.
  state DoorOpenedOkToClose {
    entry {
      send timer, eStartTimer;
    }
    on eTimerFired goto DoorClosing;
    on eCloseDoor goto StoppingTimer with {
      stopReason = TO_CLOSE;
    }
    on eOpenDoor goto StoppingTimer with {
      stopReason = TO_HOLD_OPEN;
    }
  }

  state DoorClosing {
    entry {
      send door, eCommandClose;
    }
    on eDoorClosed goto DoorClosed;
    on eObjectDetected do {
      if (mistake == NUDGES) {
        goto Nudging;
      }
      openDoor();
    }
    on eOpenDoor do {
      if (mistake == FORGETS_OBJECT_WHILE_STOPPING) {
        goto StoppingDoorUndisturbed;
      }
      goto StoppingDoor;
    }
    ignore eCloseDoor;
  }

  // Whoever is in the way will understand.
  state Nudging {
    entry {
      send door, eCommandClose;
    }
    on eDoorClosed goto DoorClosed;
    on eObjectDetected goto Nudging;
    defer eOpenDoor, eCloseDoor;
  }

  // The door is to open again, but may have closed, or met something, before it hears of the stop. Then it reports no
  // stop.
  state StoppingDoor {
    entry {
      send door, eCommandStop;
    }
    on eDoorStopped do openDoor;
    on eDoorClosed do {
      if (mistake == FORGETS_WHY_IT_STOPPED) {
        goto DoorClosed;
      }
      openDoor();
    }
    on eObjectDetected do {
      if (mistake != IGNORES_OBJECT_WHILE_STOPPING) {
        openDoor();
      }
    }
    ignore eOpenDoor;
    defer eCloseDoor;
  }

  // As `StoppingDoor`, by an author who did not think of objects.
  state StoppingDoorUndisturbed {
    entry {
      send door, eCommandStop;
    }
    on eDoorStopped, eDoorClosed do openDoor;
    ignore eOpenDoor;
    defer eCloseDoor;
  }

  // The timer may fire before it hears of the stop.
  state StoppingTimer {
    entry {
      send timer, eStopTimer;
    }
    on eTimerStopped, eTimerFired do afterTimer;
    on eTimerNotStopped goto WaitingForTimer;
    defer eOpenDoor, eCloseDoor;
  }

  state WaitingForTimer {
    on eTimerFired do afterTimer;
    defer eOpenDoor, eCloseDoor;
  }

  fun afterTimer() {
    if (stopReason == TO_HOLD_OPEN) {
      goto DoorOpened;
    }
    goto DoorClosing;
  }

  fun openDoor() {
    if (mistake == FORGETS_CLOSE_WHILE_OPENING) {
      goto DoorOpeningUndisturbed;
    }
    goto DoorOpening;
  }
}
