// The environments in which the lifts are tested.

param liftCount: int;
// How many people press buttons, each at a lift of its own, and how often.
param operators: int;
param presses: int;

machine Operator {
  start state Pressing {
    entry (config: (lift: Lift, presses: int)) {
      var pressed: int;
      while (pressed < config.presses) {
        if ($) {
          send config.lift, ePress, UP;
        } else {
          send config.lift, ePress, DOWN;
        }
        send config.lift, eRelease;
        pressed = pressed + 1;
      }
    }
  }
}

// A ring of lifts that is started from so many of them at once; the manual says, from one.
fun install(starts: int, mistake: tMistake) {
  var bus: Bus;
  var settling: SettlingTime;
  var lift: Lift;
  var ring: seq[Lift];
  var connected: seq[machine];
  var each: int;
  announce eInstalled, liftCount;
  bus = new Bus();
  settling = new SettlingTime();
  while (sizeof(ring) < liftCount) {
    lift = new Lift((place = sizeof(ring), bus = bus, settling = settling, mistake = mistake));
    ring += (sizeof(ring), lift);
    connected += (sizeof(connected), lift);
  }
  send bus, eConnect, connected;
  while (each < operators) {
    new Operator((lift = ring[each], presses = presses));
    each = each + 1;
  }
  each = 0;
  while (each < starts) {
    send ring[each], eSetRef;
    each = each + 1;
  }
}

machine CorrectLifts {
  start state Init {
    entry { install(1, NO_MISTAKE); }
  }
}

machine TwoStarts {
  start state Init {
    entry { install(2, NO_MISTAKE); }
  }
}

machine LiftsNumberingTooEarly {
  start state Init {
    entry { install(1, NUMBERS_TOO_EARLY); }
  }
}

machine LiftsResigningAtOnce {
  start state Init {
    entry { install(1, RESIGNS_AT_ONCE); }
  }
}

machine LiftsLeadingAtOnce {
  start state Init {
    entry { install(1, LEADS_AT_ONCE); }
  }
}
