// When everything has come to rest, clocks that can hear of each other agree on the best of them, and each cable that
// is plugged in has exactly one master.
spec EverybodyAgrees observes eTopology, eLinkChanged, eDecided {
  var links: seq[tLink];
  var grandmaster: seq[int];
  var ports: seq[seq[tPortState]];

  start cold state NothingKnown {
    on eTopology do (topology: (clocks: int, links: seq[tLink])) {
      links = topology.links;
      while (sizeof(grandmaster) < topology.clocks) {
        grandmaster += (sizeof(grandmaster), -1);
        ports += (sizeof(ports), default(seq[tPortState]));
      }
      goto Disagreed;
    }
  }

  hot state Disagreed {
    on eLinkChanged do changeLink;
    on eDecided do (decision: (clock: int, grandmaster: int, ports: seq[tPortState])) {
      decided(decision);
      if (isAgreed()) {
        goto Agreed;
      }
    }
  }

  cold state Agreed {
    on eLinkChanged do (change: (link: int, isUp: bool)) {
      changeLink(change);
      goto Disagreed;
    }
    on eDecided do (decision: (clock: int, grandmaster: int, ports: seq[tPortState])) {
      decided(decision);
      if (!isAgreed()) {
        goto Disagreed;
      }
    }
  }

  fun changeLink(change: (link: int, isUp: bool)) {
    links[change.link].isUp = change.isUp;
  }

  fun decided(decision: (clock: int, grandmaster: int, ports: seq[tPortState])) {
    grandmaster[decision.clock] = decision.grandmaster;
    ports[decision.clock] = decision.ports;
  }

  fun isAgreed(): bool {
    var link: tLink;
    if (grandmaster != bestReachable()) {
      return false;
    }
    foreach (link in links) {
      if (link.isUp && (isMaster(link.one) == isMaster(link.other))) {
        return false;
      }
    }
    return true;
  }

  fun isMaster(end: tEnd): bool {
    return ports[end.clock][end.port] == MASTER;
  }

  // For each clock, the best that it is connected with.
  fun bestReachable(): seq[int] {
    var best: seq[int];
    var link: tLink;
    var round: int;
    while (sizeof(best) < sizeof(grandmaster)) {
      best += (sizeof(best), sizeof(best));
    }
    while (round < sizeof(best)) {
      foreach (link in links) {
        if (link.isUp && best[link.one.clock] < best[link.other.clock]) {
          best[link.other.clock] = best[link.one.clock];
        } else if (link.isUp) {
          best[link.one.clock] = best[link.other.clock];
        }
      }
      round = round + 1;
    }
    return best;
  }
}
