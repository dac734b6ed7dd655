// Clients that send all their requests at once to one server, which answers in the order of arrival. The twin of
// promela/clientserver.pml: the same graph of states. The server's queue holds every interleaving of the clients'
// requests: a program with many different queues.

param clients: int;

event eRequest: (client: machine, ordinal: int);
event eReply: int;

machine Main {
  start state Init {
    entry {
      var server: machine;
      var created: int;
      server = new Server();
      while (created < clients) {
        new Client(server);
        created = created + 1;
      }
    }
  }
}

machine Server {
  start state Serving {
    on eRequest do (request: (client: machine, ordinal: int)) {
      send request.client, eReply, request.ordinal;
    }
  }
}

machine Client {
  var answered: int;

  start state Asking {
    entry (server: machine) {
      var ordinal: int;
      while (ordinal < 2) {
        send server, eRequest, (client = this, ordinal = ordinal);
        ordinal = ordinal + 1;
      }
    }
    on eReply do (ordinal: int) {
      assert ordinal == answered, "answers out of order";
      answered = answered + 1;
    }
  }
}

test param (clients in [2, 3, 4, 5, 6]) tcClientServer [main=Main]: { Main, Server, Client };
