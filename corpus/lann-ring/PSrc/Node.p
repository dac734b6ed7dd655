// A node of Le Lann's ring. A token goes round, and whoever has it may use what they share. If a node believes that the
// token is lost, it stands for election: it sends a claim with its number round the ring. A claim that comes back to
// the node that sent it, without the token having come by before, makes a new token. Nothing overtakes anything in the
// ring, so if there still is a token, it comes by before the claim does, or stops the claim.
//
// Alpha, beta and gamma are the literature's names: content, candidate, defeated. A node that lets another's claim pass
// is defeated; it waits for the token as a content one does, and if that does not come, it stands after all.

// What a test may break on purpose.
enum Flaw {
  // Nothing.
  CORRECT,
  // The node that has the token lets claims pass, so that they overtake the token.
  HOLDER_FORWARDS,
  // A candidate that sees the token come by remains a candidate.
  STUBBORN_CANDIDATE,
  // A candidate does not look whether a claim that comes back is its last, or one from an earlier election.
  BELIEVES_OLD_CLAIMS,
  // A defeated node never stands again, unless it has seen the token.
  DEFEATED_FOR_GOOD,
  // A candidate does not remember who else stands; matters by Le Lann's rules.
  FORGETS_RIVALS,
  // A candidate stops all claims of others, and not only those with smaller numbers.
  STOPS_ALL_CLAIMS,
  // A candidate does not know its own claim when it comes back, and lets it go round for ever.
  LOST_IDENTITY
}

// Which claims come back.
enum Rules {
  // All do, and a candidate counts who else stands: Le Lann.
  LE_LANN,
  // A candidate stops those with smaller numbers: Chang and Roberts.
  CHANG_ROBERTS
}

type tNodeConfig = (number: int, next: machine, rules: Rules, flaw: Flaw);

// A node stands for election, for the first, second, ... time.
type tClaim = (node: int, attempt: int);

event eToken;
event eClaim: tClaim;

// The node has heard nothing of the token for too long, or so it believes.
event eTimeout;

// The node has done with the token what it wanted to.
event eDone;

// For specs: a node has the token, and gives it away.
event eTakesToken: int;
event ePassesToken: int;

machine Node {
  var number: int;
  var next: machine;
  var rules: Rules;
  var flaw: Flaw;
  // How often this node has stood for election.
  var attempt: int;
  // The largest claim that was seen since this node became a candidate; only by Le Lann's rules.
  var largestClaim: int;

  start state Starting {
    entry (config: tNodeConfig) {
      number = config.number;
      next = config.next;
      rules = config.rules;
      flaw = config.flaw;
      goto Alpha;
    }
  }

  // Content.
  state Alpha {
    on eToken goto Holding;
    on eTimeout goto Beta with stand;
    on eClaim do (claim: tClaim) {
      // An own claim that comes back is void: the token was faster.
      if (claim.node != number) {
        send next, eClaim, claim;
        goto Gamma;
      }
    }
  }

  // Candidate.
  state Beta {
    on eTimeout do stand;
    on eToken do {
      if (flaw == STUBBORN_CANDIDATE) {
        use();
        goto HoldingAsCandidate;
      }
      goto Holding;
    }
    on eClaim do (claim: tClaim) {
      if (claim.node != number) {
        oppose(claim);
      } else if (flaw == LOST_IDENTITY) {
        send next, eClaim, claim;
      } else if (claim.attempt == attempt || flaw == BELIEVES_OLD_CLAIMS) {
        if (largestClaim == number) {
          goto Holding;
        }
        goto Gamma;
      }
    }
  }

  // Defeated.
  state Gamma {
    on eToken goto Holding;
    on eTimeout do {
      if (flaw != DEFEATED_FOR_GOOD) {
        stand();
        goto Beta;
      }
    }
    on eClaim do (claim: tClaim) {
      if (claim.node != number) {
        send next, eClaim, claim;
      }
    }
  }

  state Holding {
    // The token is here, so it is not lost: no claim is right.
    ignore eTimeout;
    entry { use(); }
    on eClaim do (claim: tClaim) {
      if (flaw == HOLDER_FORWARDS && claim.node != number) {
        send next, eClaim, claim;
      }
    }
    on eDone goto Alpha with pass;
  }

  // As `Holding`, for STUBBORN_CANDIDATE.
  state HoldingAsCandidate {
    ignore eTimeout, eClaim;
    on eDone goto Beta with pass;
  }

  fun stand() {
    attempt = attempt + 1;
    largestClaim = number;
    send next, eClaim, (node = number, attempt = attempt);
  }

  // What a candidate does with the claim of another.
  fun oppose(claim: tClaim) {
    if (flaw == STOPS_ALL_CLAIMS) {
      return;
    }
    if (rules == LE_LANN) {
      if (claim.node > largestClaim && flaw != FORGETS_RIVALS) {
        largestClaim = claim.node;
      }
      send next, eClaim, claim;
    } else if (claim.node > number) {
      send next, eClaim, claim;
      goto Gamma;
    }
  }

  fun use() {
    announce eTakesToken, number;
    send this, eDone;
  }

  fun pass() {
    announce ePassesToken, number;
    send next, eToken;
  }
}
