// A replica: accepts updates from clients at once, and passes on every update that is new to it. Nobody waits for
// anybody: replicas agree because it does not matter in which order updates arrive, nor how often.
//
// Deposits commute, but a deposit must be counted once: replicas remember whose updates they have taken in. Renames do
// not commute, so the one with the latest stamp wins. A client that has no answer asks another replica; both may accept
// the same update, and stamp it differently.

// What a test may break on purpose.
enum Flaw {
  // Nothing.
  CORRECT,
  // An update that arrives again counts again.
  NOT_IDEMPOTENT,
  // The name that arrives last wins.
  NOT_COMMUTATIVE,
  // Stamps with the same time are not told apart; the one that was there first stays.
  NO_TIE_BREAK,
  // A replica's clock takes no notice of the stamps it sees.
  FROZEN_CLOCK,
  // Replicas tell updates apart by their stamps, so that one which two replicas have accepted counts twice.
  COUNTS_BY_STAMP
}

type tReplicaConfig = (number: int, flaw: Flaw);

machine Replica {
  var number: int;
  var flaw: Flaw;
  var peers: seq[Replica];
  var clock: int;

  var account: tAccount;
  var nameStamp: tStamp;
  // Updates that were taken in: whose they are, and with which stamps they came.
  var counted: set[tUpdateId];
  var known: set[(id: tUpdateId, stamp: tStamp)];

  start state Starting {
    defer eUpdate, eSpread;
    entry (config: tReplicaConfig) {
      number = config.number;
      flaw = config.flaw;
    }
    on ePeers goto Serving with (others: seq[Replica]) {
      peers = others;
    }
  }

  state Serving {
    on eUpdate do (request: (client: Client, id: tUpdateId, kind: Kind, value: int)) {
      var update: tUpdate;
      if (request.id in counted && flaw != COUNTS_BY_STAMP) {
        send request.client, eUpdated, request.id;
        return;
      }
      clock = clock + 1;
      update = (id = request.id, kind = request.kind, value = request.value, stamp = (time = clock, replica = number));
      takeIn(update);
      send request.client, eUpdated, request.id;
      tellPeers(update, this);
    }

    on eSpread do (news: (sender: Replica, update: tUpdate)) {
      var isNew: bool;
      isNew = !((id = news.update.id, stamp = news.update.stamp) in known);
      if (news.update.stamp.time > clock && flaw != FROZEN_CLOCK) {
        clock = news.update.stamp.time;
      }
      if (isNew || flaw == NOT_IDEMPOTENT) {
        takeIn(news.update);
      }
      if (isNew) {
        tellPeers(news.update, news.sender);
      }
    }
  }

  fun takeIn(update: tUpdate) {
    if (update.kind == DEPOSIT) {
      if (!(update.id in counted) || flaw == NOT_IDEMPOTENT || flaw == COUNTS_BY_STAMP) {
        account.balance = account.balance + update.value;
      }
    } else if (isLater(update.stamp)) {
      account.name = update.value;
      nameStamp = update.stamp;
    }
    counted += (update.id);
    known += ((id = update.id, stamp = update.stamp));
    announce eTakenIn, (replica = number, update = update, account = account);
  }

  fun isLater(stamp: tStamp): bool {
    if (flaw == NOT_COMMUTATIVE) {
      return true;
    }
    if (stamp.time == nameStamp.time && flaw != NO_TIE_BREAK) {
      return stamp.replica > nameStamp.replica;
    }
    return stamp.time > nameStamp.time;
  }

  fun tellPeers(update: tUpdate, sender: Replica) {
    var peer: Replica;
    foreach (peer in peers) {
      if (peer != sender) {
        send peer, eSpread, (sender = this, update = update);
      }
    }
  }
}
