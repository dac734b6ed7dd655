// Tokens that wander between a hub and two workers. Each stamps the token with all that it has seen so far, so that
// numbers grow along every run and hardly any machine is ever in the same local state twice. The twin of
// promela/ledger.pml: the same graph of states.
//
// With one token nearly every pair of a machine's state and its input is new. With two about four in five have been met
// before, in another state of the other machines.

param hops: int;
param tokens: int;

type tToken = (hops: int, stamp: int);

event eToken: tToken;

machine Hub {
  var left: machine;
  var right: machine;
  var ledger: int;

  start state Passing {
    entry {
      left = new Worker(this);
      right = new Worker(this);
      send left, eToken, (hops = hops, stamp = 1);
      if (tokens == 2) {
        send right, eToken, (hops = hops, stamp = 2);
      }
    }
    on eToken do (token: tToken) {
      var remaining: int;
      ledger = entered(ledger, token.stamp);
      if (token.hops > 0) {
        remaining = token.hops - 1;
        if ($) {
          send left, eToken, (hops = remaining, stamp = 2 * ledger);
        } else {
          send right, eToken, (hops = remaining, stamp = 2 * ledger + 1);
        }
      }
    }
  }
}

machine Worker {
  var hub: machine;
  var ledger: int;

  start state Passing {
    entry (creator: machine) {
      hub = creator;
    }
    on eToken do (token: tToken) {
      ledger = entered(ledger, token.stamp);
      send hub, eToken, (hops = token.hops, stamp = ledger);
    }
  }
}

fun entered(ledger: int, stamp: int): int {
  return (31 * ledger + stamp) % 16777213;
}

test param (hops in [2, 3, 4, 5, 14, 18], tokens in [1, 2]) tcLedger [main=Hub]: { Hub, Worker };
