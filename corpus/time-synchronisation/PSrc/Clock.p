// A clock: ordinary with one port, a boundary clock with several.
//
// Each port remembers the claim that it last heard (the standard's `Erbest`). Whenever one changes, the clock decides
// anew: the best of its own claim and those of its ports says which clock is the grandmaster. The port that heard it
// is the slave of the other end of its cable; on each other cable this clock announces the grandmaster, as a master,
// unless the other end makes a better claim about it: then the port is passive, and breaks the loop.
//
// Messages are sent when there is something new, and `eSilence` when a master falls silent: what a periodic
// announcement and its timeout come to in the end.

type tClockConfig = (number: int, clocks: int, mistake: tMistake);

enum tCable { NOT_YET, PLUGGED, BROKEN }

machine Clock {
  var number: int;
  // No claim is further away than the number of clocks.
  var clocks: int;
  var mistake: tMistake;

  var peers: seq[tPeer];
  var cables: seq[tCable];
  // What the ports have heard, and what they have said last.
  var heard: map[int, tClaim];
  var said: map[int, tClaim];

  var grandmaster: int;
  var ports: seq[tPortState];

  start state Starting {
    entry (config: tClockConfig) {
      number = config.number;
      clocks = config.clocks;
      mistake = config.mistake;
    }
    on eConnect do (connected: seq[tPeer]) {
      var peer: tPeer;
      peers = connected;
      foreach (peer in peers) {
        ports += (sizeof(ports), DISABLED);
        if (peer.isUp) {
          cables += (sizeof(cables), PLUGGED);
        } else {
          cables += (sizeof(cables), NOT_YET);
        }
      }
      decide();
      goto Running;
    }
    defer eAnnounce, eSilence, eLinkUp, eLinkDown;
  }

  state Running {
    on eAnnounce do (message: (port: int, claim: tClaim)) {
      if (cables[message.port] == NOT_YET && mistake == LOSES_EARLY_FRAMES) {
        return;
      }
      if (cables[message.port] == BROKEN && mistake != BELIEVES_LATE_FRAMES) {
        return;
      }
      heard -= (message.port);
      if (message.claim.steps + 1 < clocks || mistake == COUNTS_NO_STEPS) {
        heard[message.port] = message.claim;
      }
      decide();
    }
    on eSilence do (port: int) {
      if (mistake == NEVER_TIMES_OUT) {
        return;
      }
      heard -= (port);
      decide();
    }
    on eLinkUp do (port: int) {
      cables[port] = PLUGGED;
      decide();
    }
    on eLinkDown do (port: int) {
      cables[port] = BROKEN;
      heard -= (port);
      said -= (port);
      decide();
    }
  }

  // The state decision event: all ports at once.
  fun decide() {
    var slave: int;
    var mine: tClaim;
    var port: int;
    slave = bestPort();
    mine = (grandmaster = number, steps = 0, sender = number);
    if (slave >= 0) {
      assert cables[slave] == PLUGGED, "a port becomes a slave, and its cable is broken";
      mine = (grandmaster = heard[slave].grandmaster, steps = heard[slave].steps + 1, sender = number);
    }
    grandmaster = mine.grandmaster;
    while (port < sizeof(ports)) {
      ports[port] = stateOf(port, slave, mine);
      port = port + 1;
    }
    announce eDecided, (clock = number, grandmaster = grandmaster, ports = ports);
    speak(mine);
  }

  // The port with the best claim (`Ebest`), or -1 if this clock is better.
  fun bestPort(): int {
    var best: int;
    var bestClaim: tClaim;
    var port: int;
    best = -1;
    bestClaim = (grandmaster = number, steps = -1, sender = number);
    while (port < sizeof(ports)) {
      if (port in heard && cables[port] != NOT_YET && isBetter(heard[port], bestClaim)) {
        best = port;
        bestClaim = heard[port];
      }
      port = port + 1;
    }
    return best;
  }

  fun stateOf(port: int, slave: int, mine: tClaim): tPortState {
    if (cables[port] != PLUGGED) {
      return DISABLED;
    }
    if (port == slave) {
      return SLAVE;
    }
    if (port in heard && isBetter(heard[port], mine)) {
      return PASSIVE;
    }
    return MASTER;
  }

  // Masters say what is new; who is no longer a master falls silent.
  fun speak(mine: tClaim) {
    var port: int;
    while (port < sizeof(ports)) {
      if (ports[port] == MASTER && (!(port in said) || said[port] != mine)) {
        said[port] = mine;
        send peers[port].clock, eAnnounce, (port = peers[port].port, claim = mine);
      }
      if (ports[port] != MASTER && port in said) {
        said -= (port);
        send peers[port].clock, eSilence, peers[port].port;
      }
      port = port + 1;
    }
  }

  // The data set comparison: the better grandmaster, then the shorter way, then the sender.
  fun isBetter(one: tClaim, other: tClaim): bool {
    if (one.grandmaster != other.grandmaster) {
      return one.grandmaster < other.grandmaster;
    }
    if (one.steps != other.steps) {
      return one.steps < other.steps;
    }
    return one.sender < other.sender && mistake != IGNORES_SENDERS;
  }
}
