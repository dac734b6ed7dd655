// One lift, under one wheel of the truck, with its micro-controller.
//
// Start-up: the lift whose reference button is pressed takes number 1, closes its relay to the next lift, sends its
// number, and opens the relay again. Every other lift takes the number after the one it hears, closes its relay for
// good, and sends its own. The bus now reaches from the second lift round to the last, and at the end to the first one
// too, which hears of the last number only, and so learns how many lifts there are.
//
// Operation: lifts report their states in turn, for ever. A lift whose button is pressed waits for its turn, and
// leads if the lift before it reports `STANDBY`; the others repeat what they hear. When all have repeated it, the
// leader says `SYNC`, and everybody moves a step. When the button is released the leader waits for its turn to report
// `STANDBY`.

type tLiftConfig = (place: int, bus: Bus, settling: SettlingTime, mistake: tMistake);

machine Lift {
  var place: int;
  var bus: Bus;
  var settling: SettlingTime;
  var mistake: tMistake;

  var number: int;
  var count: int;
  // What the lift reports, and while its button is pressed, what it wants to report.
  var reported: tReport;
  var wanted: tReport;
  // How many others have repeated the leader's state since its last turn.
  var agreed: int;

  start state Unnumbered {
    entry (config: tLiftConfig) {
      place = config.place;
      bus = config.bus;
      settling = config.settling;
      mistake = config.mistake;
    }
    on eSetRef do {
      number = 1;
      send bus, eCloseRelay, place;
      transmit(STARTUP);
      send bus, eOpenRelay, place;
      send settling, eFirstRelayOpened;
      goto CountingLifts;
    }
    on eMessage do (message: tMessage) {
      assert message.report == STARTUP, "a lift without a number hears of normal operation";
      number = message.number + 1;
      count = number;
      send bus, eCloseRelay, place;
      if (number == 2 && mistake != NUMBERS_TOO_EARLY) {
        goto WaitingForFirstRelay;
      }
      transmit(STARTUP);
      goto Numbered;
    }
    ignore ePress, eRelease;
  }

  // Only the first lift counts: the number that it hears is that of the last.
  state CountingLifts {
    on eMessage do (message: tMessage) {
      assert message.report == STARTUP, "the first lift hears of normal operation before it has counted";
      count = message.number;
      announce eNumbered, (number = number, count = count);
      transmit(STANDBY);
      goto Following;
    }
    ignore eSetRef, ePress, eRelease;
  }

  state WaitingForFirstRelay {
    entry {
      send settling, eAwaitFirstRelay, this;
    }
    on eFirstRelaySettled do {
      transmit(STARTUP);
      goto Numbered;
    }
    ignore eSetRef, ePress, eRelease;
  }

  state Numbered {
    on eMessage do (message: tMessage) {
      if (message.report == STARTUP) {
        count = message.number;
        return;
      }
      announce eNumbered, (number = number, count = count);
      if (isBefore(message.number)) {
        transmit(STANDBY);
      }
      goto Following;
    }
    ignore eSetRef, ePress, eRelease;
  }

  // Repeats what it hears, with or without a wish of its own.
  state Following {
    entry {
      wanted = STANDBY;
    }
    on ePress do (direction: tReport) {
      if (reported != STANDBY) {
        return;
      }
      wanted = direction;
      announce eClaimed, number;
      if (mistake == LEADS_AT_ONCE) {
        reported = wanted;
        announce eLeads, number;
        goto Leading;
      }
    }
    on eRelease do {
      giveUp();
    }
    on eMessage do (message: tMessage) {
      if (message.report == SYNC) {
        announce eMoved, (number = number, direction = reported);
        return;
      }
      reported = message.report;
      if (!isBefore(message.number)) {
        return;
      }
      if (wanted != STANDBY && reported == STANDBY) {
        reported = wanted;
        announce eLeads, number;
        transmit(reported);
        goto Leading;
      }
      giveUp();
      report();
    }
    ignore eSetRef;
  }

  state Leading {
    entry {
      agreed = 0;
    }
    on eRelease do {
      wanted = STANDBY;
      if (mistake == RESIGNS_AT_ONCE) {
        reported = STANDBY;
        announce eResigned, number;
        goto Following;
      }
    }
    on eMessage do (message: tMessage) {
      if (message.report == reported) {
        agreed = agreed + 1;
      }
      if (!isBefore(message.number)) {
        return;
      }
      if (wanted == STANDBY) {
        reported = STANDBY;
        announce eResigned, number;
        transmit(reported);
        goto Following;
      }
      if (agreed == count - 1) {
        transmit(SYNC);
        announce eMoved, (number = number, direction = reported);
      }
      agreed = 0;
      report();
    }
    ignore eSetRef, ePress;
  }

  fun giveUp() {
    if (wanted != STANDBY) {
      wanted = STANDBY;
      announce eResigned, number;
    }
  }

  // Takes the lift's turn.
  fun report() {
    announce eReported, reported;
    transmit(reported);
  }

  fun transmit(report: tReport) {
    send bus, eTransmit, (place = place, message = (number = number, report = report));
  }

  // Whether it is this lift's turn after that of the lift with the other number.
  fun isBefore(other: int): bool {
    return other % count + 1 == number;
  }
}
