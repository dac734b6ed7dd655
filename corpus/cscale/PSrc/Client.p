// A client: wants so many updates, one after the other. If it loses patience, it asks the next replica for the same
// update, once; the first answer is enough.

type tClientConfig = (number: int, replicas: seq[Replica], updates: int, asksAgain: bool);

machine Client {
  var config: tClientConfig;
  var update: (id: tUpdateId, kind: Kind, value: int);

  start state Starting {
    entry (given: tClientConfig) {
      config = given;
      update.id.client = config.number;
      goto Deciding;
    }
  }

  state Deciding {
    entry {
      if (update.id.serial == config.updates) {
        goto Finished;
      }
      update.id.serial = update.id.serial + 1;
      if ($) {
        update.kind = RENAME;
        update.value = config.number + 1;
      } else {
        update.kind = DEPOSIT;
        update.value = 1;
      }
      announce eWanted, update;
      goto Asking;
    }
  }

  state Asking {
    entry {
      ask(config.number);
      if (config.asksAgain && $) {
        ask(config.number + 1);
      }
    }
    on eUpdated do (id: tUpdateId) {
      if (id == update.id) {
        goto Deciding;
      }
    }
  }

  state Finished {
    ignore eUpdated;
  }

  fun ask(replica: int) {
    send config.replicas[replica % sizeof(config.replicas)], eUpdate,
      (client = this, id = update.id, kind = update.kind, value = update.value);
  }
}
