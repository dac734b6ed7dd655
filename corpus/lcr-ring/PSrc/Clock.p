// The clock of the synchronous ring: it begins a round when all nodes have finished the one before.

event eRound: machine;
event eRoundDone;

type tClockConfig = (nodes: seq[machine], rounds: int, flaw: Flaw);

machine Clock {
  var ring: seq[machine];
  var roundsLeft: int;
  // How many nodes must report before the next round.
  var quorum: int;
  var reports: int;

  start state Starting {
    entry (config: tClockConfig) {
      ring = config.nodes;
      roundsLeft = config.rounds;
      quorum = sizeof(ring);
      if (config.flaw == HASTY_CLOCK) {
        quorum = quorum - 1;
      }
      goto Running;
    }
  }

  state Running {
    entry {
      var node: machine;
      reports = 0;
      roundsLeft = roundsLeft - 1;
      foreach (node in ring) {
        send node, eRound, this;
      }
    }
    on eRoundDone do {
      reports = reports + 1;
      if (reports == quorum) {
        if (roundsLeft > 0) {
          goto Running;
        }
        goto Stopped;
      }
    }
  }

  state Stopped {
    ignore eRoundDone;
  }
}
