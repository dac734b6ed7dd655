// Chain replication: servers in a row hold copies of what clients write. A write enters at the head, is passed on from
// server to server, and is acknowledged by the tail. A master sets the chain up and, when a server fails, links its
// neighbours. The head never fails in this small version.
//
// It has a mistake: a failed server stays in the master's list until its neighbours are linked. When two neighbours fail
// at the same time, the second repair relies on the first server, which is gone, and the chain stays broken.

type tWrite = (client: Client, value: int);

event eLink: machine;            // master to server: the next server, null for the tail
event eHello: Server;            // server to the next one
event eWelcome;                  // and back
event eLinked;                   // server to master
event eServe;                    // master to server: the chain is whole
event eServing;                  // server to master
event eReady;                    // master to client: everything is set up
event eWrite: tWrite;            // to the head, and from server to server
event eWritten: int;             // tail to client
event eFail;                     // injector to server
event eFailed: Server;           // server to master
event eNext: machine;            // master to server: link to this one
event eRelinked;                 // server to master: done

machine Server {
  var master: Master;
  var next: machine;
  var writes: seq[tWrite];

  start state Joining {
    entry (creator: Master) { master = creator; }
    on eLink do (server: machine) {
      next = server;
      if (next == null) {
        send master, eLinked;
      } else {
        send next, eHello, this;
      }
    }
    on eHello do (server: Server) { send server, eWelcome; }
    on eWelcome do { send master, eLinked; }
    on eServe goto Serving with { send master, eServing; }
    ignore eFail; // A server that holds nothing is simply started again.
  }

  state Serving {
    on eWrite do (write: tWrite) {
      if (!(write in writes)) {
        writes += (sizeof(writes), write);
        PassOn(write);
      }
    }
    on eNext do (server: machine) {
      var write: tWrite;
      next = server;
      send master, eRelinked;
      foreach (write in writes) {
        PassOn(write);
      }
    }
    on eFail do {
      send master, eFailed, this;
      raise halt;
    }
  }

  fun PassOn(write: tWrite) {
    if (next == null) {
      send write.client, eWritten, write.value;
    } else {
      send next, eWrite, write;
    }
  }
}

machine Master {
  var chain: seq[Server];
  var client: Client;
  var answers: int;
  var failed: seq[Server];

  start state Linking {
    entry (servers: int) {
      var server: int;
      while (server < servers) {
        chain += (server, new Server(this));
        server = server + 1;
      }
      client = new Client(chain[0]);
      new Injector(chain);
      server = 0;
      while (server < servers) {
        send chain[server], eLink, Successor(server);
        server = server + 1;
      }
    }
    on eLinked do {
      var server: Server;
      answers = answers + 1;
      if (answers == sizeof(chain)) {
        answers = 0;
        foreach (server in chain) {
          send server, eServe;
        }
      }
    }
    on eServing do {
      answers = answers + 1;
      if (answers == sizeof(chain)) {
        send client, eReady;
        goto Watching;
      }
    }
    defer eFailed;
  }

  state Watching {
    on eFailed do (server: Server) {
      Repair(server);
      goto Repairing;
    }
    ignore eRelinked;
  }

  state Repairing {
    // The mistake: `Repair` sees a chain in which the server that failed before still is.
    on eFailed do (server: Server) { Repair(server); }
    on eRelinked do {
      var server: Server;
      foreach (server in failed) {
        chain -= (Position(server));
      }
      failed = default(seq[Server]);
      goto Watching;
    }
  }

  fun Repair(server: Server) {
    var position: int;
    position = Position(server);
    failed += (sizeof(failed), server);
    send chain[position - 1], eNext, Successor(position);
  }

  fun Position(server: Server): int {
    var position: int;
    while (chain[position] != server) {
      position = position + 1;
    }
    return position;
  }

  fun Successor(position: int): machine {
    if (position + 1 < sizeof(chain)) {
      return chain[position + 1];
    }
    return default(machine);
  }
}

machine Client {
  var head: Server;
  var value: int;

  start state Waiting {
    entry (server: Server) { head = server; }
    on eReady goto Writing;
  }

  state Writing {
    entry { send head, eWrite, (client = this, value = value); }
    on eWritten do (written: int) {
      if (written == value && value < 2) {
        value = value + 1;
        goto Writing;
      }
    }
  }
}

// Lets two servers fail, any but the head.
machine Injector {
  start state Injecting {
    entry (servers: seq[Server]) {
      var failures: int;
      var server: int;
      while (failures < 2) {
        server = 1 + choose(sizeof(servers) - 1);
        send servers[server], eFail;
        servers -= (server);
        failures = failures + 1;
      }
    }
  }
}

// Every write is acknowledged, whoever fails. Writes that are passed on again after a failure count once.
spec WritesAreAcknowledged observes eWrite, eWritten {
  var open: set[int];
  var acknowledged: set[int];

  start cold state Done {
    on eWrite do Opened;
    on eWritten do Acknowledged;
  }

  hot state Open {
    on eWrite do Opened;
    on eWritten do Acknowledged;
  }

  fun Opened(write: tWrite) {
    if (!(write.value in acknowledged)) {
      open += (write.value);
      goto Open;
    }
  }

  fun Acknowledged(value: int) {
    acknowledged += (value);
    open -= (value);
    if (sizeof(open) == 0) {
      goto Done;
    }
  }
}

machine FourServers {
  start state Init { entry { new Master(4); } }
}

test tcTwoFailures [main = FourServers]:
  assert WritesAreAcknowledged in { FourServers, Master, Server, Client, Injector };
