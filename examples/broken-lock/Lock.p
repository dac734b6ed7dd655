// A lock server with a mistake, to see what a found bug looks like.
//
// Clients ask for the lock and give it back. The server may also take the lock away from a client that holds it too
// long, and give it to the next one. It forgets that the answer of the first client may still be under way.

event eAcquire: machine;
event eGranted;
event eRelease: machine;
event eExpire;

machine LockServer {
  var holder: machine;
  var waiting: seq[machine];

  start state Free {
    entry {
      if (sizeof(waiting) > 0) {
        holder = waiting[0];
        waiting -= (0);
        send holder, eGranted;
        goto Held;
      }
    }
    on eAcquire goto Held with (client: machine) {
      holder = client;
      send client, eGranted;
    }
    ignore eExpire;
  }

  state Held {
    on eAcquire do (client: machine) {
      waiting += (sizeof(waiting), client);
    }
    // The mistake: a release is believed, whoever sends it.
    on eRelease goto Free;
    on eExpire goto Free;
  }
}

machine Client {
  var server: LockServer;

  start state Asking {
    entry (lock: LockServer) {
      server = lock;
      send server, eAcquire, this;
    }
    on eGranted goto Working;
  }

  state Working {
    entry {
      send server, eRelease, this;
    }
  }
}

// The lock may be taken away at any time.
machine Impatience {
  start state Waiting {
    entry (server: LockServer) {
      send server, eExpire;
    }
  }
}

// Nobody gives back a lock that was not given out.
spec ReleasedByHolder observes eGranted, eRelease {
  var granted: int;
  var released: int;

  start state Watching {
    on eGranted do { granted = granted + 1; }
    on eRelease do {
      released = released + 1;
      assert released <= granted, format("{0} releases after {1} grants", released, granted);
    }
  }
}

machine TwoClients {
  start state Init {
    entry {
      var server: LockServer;
      server = new LockServer();
      new Client(server);
      new Client(server);
    }
  }
}

machine TwoClientsAndExpiry {
  start state Init {
    entry {
      var server: LockServer;
      server = new LockServer();
      new Client(server);
      new Client(server);
      new Impatience(server);
    }
  }
}

test tcTwoClients [main=TwoClients]: assert ReleasedByHolder in { TwoClients, LockServer, Client };

test tcExpiry [main=TwoClientsAndExpiry]:
  assert ReleasedByHolder in { TwoClientsAndExpiry, LockServer, Client, Impatience };
