// The networks in which clocks are tested.

param clockCount: int;

// Ordinary clocks at both ends, boundary clocks between them. Clock 0 is the best.
fun line(): seq[tLink] {
  var links: seq[tLink];
  var clock: int;
  var port: int;
  while (clock + 1 < clockCount) {
    port = 1;
    if (clock == 0) {
      port = 0;
    }
    links += (sizeof(links), newLink(clock, port, clock + 1, 0, true));
    clock = clock + 1;
  }
  return links;
}

fun ring(): seq[tLink] {
  return ringFrom(0);
}

// Clock 0, the best, is connected to clock 1, and all others form a ring.
fun ringWithTail(): seq[tLink] {
  var links: seq[tLink];
  links = ringFrom(1);
  links += (0, newLink(0, 0, 1, 2, true));
  return links;
}

// A ring of this clock and all after it.
fun ringFrom(first: int): seq[tLink] {
  var links: seq[tLink];
  var clock: int;
  clock = first;
  while (clock + 1 < clockCount) {
    links += (sizeof(links), newLink(clock, 1, clock + 1, 0, true));
    clock = clock + 1;
  }
  links += (sizeof(links), newLink(clockCount - 1, 1, first, 0, true));
  return links;
}

fun newLink(one: int, onePort: int, other: int, otherPort: int, isUp: bool): tLink {
  return (one = (clock = one, port = onePort), other = (clock = other, port = otherPort), isUp = isUp);
}

// Creates the clocks, and connects them.
fun build(links: seq[tLink], mistake: tMistake): seq[Clock] {
  var clocks: seq[Clock];
  var clock: int;
  announce eTopology, (clocks = clockCount, links = links);
  while (sizeof(clocks) < clockCount) {
    clocks += (sizeof(clocks), new Clock((number = sizeof(clocks), clocks = clockCount, mistake = mistake)));
  }
  while (clock < clockCount) {
    send clocks[clock], eConnect, peersOf(clock, clocks, links);
    clock = clock + 1;
  }
  return clocks;
}

// By port, where the cables of a clock lead to.
fun peersOf(clock: int, clocks: seq[Clock], links: seq[tLink]): seq[tPeer] {
  var peers: seq[tPeer];
  var each: tLink;
  var end: tEnd;
  var isFound: bool;
  isFound = true;
  while (isFound) {
    isFound = false;
    end = (clock = clock, port = sizeof(peers));
    foreach (each in links) {
      if (each.one == end) {
        peers += (sizeof(peers), (clock = clocks[each.other.clock], port = each.other.port, isUp = each.isUp));
        isFound = true;
      } else if (each.other == end) {
        peers += (sizeof(peers), (clock = clocks[each.one.clock], port = each.one.port, isUp = each.isUp));
        isFound = true;
      }
    }
  }
  return peers;
}

// Both ends of a cable notice, one before the other.
fun breakLink(clocks: seq[Clock], links: seq[tLink], broken: int) {
  announce eLinkChanged, (link = broken, isUp = false);
  send clocks[links[broken].one.clock], eLinkDown, links[broken].one.port;
  send clocks[links[broken].other.clock], eLinkDown, links[broken].other.port;
}

fun plugIn(clocks: seq[Clock], links: seq[tLink], plugged: int) {
  announce eLinkChanged, (link = plugged, isUp = true);
  if ($) {
    send clocks[links[plugged].one.clock], eLinkUp, links[plugged].one.port;
    send clocks[links[plugged].other.clock], eLinkUp, links[plugged].other.port;
  } else {
    send clocks[links[plugged].other.clock], eLinkUp, links[plugged].other.port;
    send clocks[links[plugged].one.clock], eLinkUp, links[plugged].one.port;
  }
}

machine Line {
  start state Init {
    entry { build(line(), NO_MISTAKE); }
  }
}

machine Ring {
  start state Init {
    entry { build(ring(), NO_MISTAKE); }
  }
}

// A cable of the best clock breaks.
fun runBreaking(links: seq[tLink], mistake: tMistake) {
  breakLink(build(links, mistake), links, 0);
}

machine BreakingLine {
  start state Init {
    entry { runBreaking(line(), NO_MISTAKE); }
  }
}

machine BreakingRing {
  start state Init {
    entry { runBreaking(ring(), NO_MISTAKE); }
  }
}

// The ring loses the best clock.
machine BreakingTail {
  start state Init {
    entry { runBreaking(ringWithTail(), NO_MISTAKE); }
  }
}

// The last cable is plugged in late.
fun runJoining(whole: seq[tLink], mistake: tMistake) {
  var links: seq[tLink];
  links = whole;
  links[sizeof(links) - 1].isUp = false;
  plugIn(build(links, mistake), links, sizeof(links) - 1);
}

machine JoiningLine {
  start state Init {
    entry { runJoining(line(), NO_MISTAKE); }
  }
}

machine JoiningRing {
  start state Init {
    entry { runJoining(ring(), NO_MISTAKE); }
  }
}

machine RingLosingEarlyFrames {
  start state Init {
    entry { runJoining(ring(), LOSES_EARLY_FRAMES); }
  }
}

machine LineBelievingLateFrames {
  start state Init {
    entry { runBreaking(line(), BELIEVES_LATE_FRAMES); }
  }
}

machine RingBelievingLateFrames {
  start state Init {
    entry { runBreaking(ring(), BELIEVES_LATE_FRAMES); }
  }
}

machine RingNeverTimingOut {
  start state Init {
    entry { runBreaking(ring(), NEVER_TIMES_OUT); }
  }
}

machine TailCountingNoSteps {
  start state Init {
    entry { runBreaking(ringWithTail(), COUNTS_NO_STEPS); }
  }
}

machine RingIgnoringSenders {
  start state Init {
    entry { build(ring(), IGNORES_SENDERS); }
  }
}
