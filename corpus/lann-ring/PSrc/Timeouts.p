// When nodes come to believe that the token is lost.

// Rightly: when a token is lost, all nodes notice. They do so in any order and as late as they like; a new token may be
// on its way by then.
machine Alarm {
  var ring: seq[Node];

  start state Starting {
    defer eTokenLost;
    on eRing goto Watching with (all: seq[Node]) {
      ring = all;
    }
  }

  state Watching {
    on eTokenLost do {
      var node: Node;
      foreach (node in ring) {
        send node, eTimeout;
      }
    }
  }
}

event eRing: seq[Node];

// Rashly: a node's timer goes off so many times, whatever happens to the token.
machine RashTimer {
  start state Ticking {
    entry (config: (node: Node, times: int)) {
      var fired: int;
      while (fired < config.times) {
        send config.node, eTimeout;
        fired = fired + 1;
      }
    }
  }
}
