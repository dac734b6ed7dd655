// Rings of nodes. Node 0 starts with the token.

param nodes: int;
// How often the token may be lost.
param losses: int;
// How often each node's timer goes off without reason.
param rashTimeouts: int;

machine LeLann {
  start state Init {
    entry { setUp(LE_LANN, CORRECT); }
  }
}

machine ChangRoberts {
  start state Init {
    entry { setUp(CHANG_ROBERTS, CORRECT); }
  }
}

machine HolderForwards {
  start state Init {
    entry { setUp(CHANG_ROBERTS, HOLDER_FORWARDS); }
  }
}

machine StubbornCandidate {
  start state Init {
    entry { setUp(CHANG_ROBERTS, STUBBORN_CANDIDATE); }
  }
}

machine DefeatedForGood {
  start state Init {
    entry { setUp(CHANG_ROBERTS, DEFEATED_FOR_GOOD); }
  }
}

machine BelievesOldClaims {
  start state Init {
    entry { setUp(CHANG_ROBERTS, BELIEVES_OLD_CLAIMS); }
  }
}

machine LostIdentity {
  start state Init {
    entry { setUp(CHANG_ROBERTS, LOST_IDENTITY); }
  }
}

machine ForgetsRivals {
  start state Init {
    entry { setUp(LE_LANN, FORGETS_RIVALS); }
  }
}

machine StopsAllClaims {
  start state Init {
    entry { setUp(CHANG_ROBERTS, STOPS_ALL_CLAIMS); }
  }
}

fun setUp(rules: Rules, flaw: Flaw) {
  var alarm: Alarm;
  var link: Link;
  var next: machine;
  var node: Node;
  var ring: seq[Node];
  var number: int;
  alarm = new Alarm();
  link = new Link((losses = losses, alarm = alarm));
  next = link;
  number = nodes;
  while (number > 0) {
    number = number - 1;
    node = new Node((number = number, next = next, rules = rules, flaw = flaw));
    ring += (0, node);
    next = node;
  }
  send alarm, eRing, ring;
  send link, eClose, node;
  send node, eToken;
  while (rashTimeouts > 0 && number < nodes) {
    new RashTimer((node = ring[number], times = rashTimeouts));
    number = number + 1;
  }
}
