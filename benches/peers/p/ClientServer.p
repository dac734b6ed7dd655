// Clients that ask one server twice, which answers in the order of arrival. The twin of promela/clientserver.pml: the
// same graph of states. Clients send all their requests at once, or one after the answer to the other; the server's queue
// holds every interleaving of those that wait: a program with many different queues.

param clients: int;
// How many answers a client waits for at a time.
param waiting: int;

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
  var server: machine;
  var asked: int;
  var answered: int;

  start state Asking {
    entry (asks: machine) {
      server = asks;
      while (asked < waiting) {
        Ask();
      }
    }
    on eReply do (ordinal: int) {
      assert ordinal == answered, "answers out of order";
      answered = answered + 1;
      if (asked < 2) {
        Ask();
      }
    }
  }

  fun Ask() {
    asked = asked + 1;
    send server, eRequest, (client = this, ordinal = asked - 1);
  }
}

test param (clients in [2, 3, 4, 5, 6], waiting in [1, 2]) tcClientServer [main=Main]: { Main, Server, Client };
