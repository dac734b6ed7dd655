// The cable from the last node to the first. It keeps the order of messages, as all cables do, and may lose the token
// so many times. The other cables lose nothing, and need no machine.

type tLinkConfig = (losses: int, alarm: Alarm);

// The ring is closed: the node at the other end.
event eClose: Node;

// For specs and for the alarm: a token is gone.
event eTokenLost;

machine Link {
  var target: Node;
  var remaining: int;
  var alarm: Alarm;

  start state Open {
    defer eToken, eClaim;
    entry (config: tLinkConfig) {
      remaining = config.losses;
      alarm = config.alarm;
    }
    on eClose goto Carrying with (first: Node) {
      target = first;
    }
  }

  state Carrying {
    on eToken do {
      if (remaining > 0 && $) {
        remaining = remaining - 1;
        send alarm, eTokenLost;
      } else {
        send target, eToken;
      }
    }
    on eClaim do (claim: tClaim) {
      send target, eClaim, claim;
    }
  }
}
