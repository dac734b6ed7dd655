// What the tests put around the protocol.

// A timer that never fires: with it, the coordinator waits for every vote.
machine PatientTimer {
  start state Waiting {
    entry (creator: machine) {}
    ignore eStartTimer, eCancelTimer;
  }
}

// Lets participants fail, and come back.
machine FailureInjector {
  start state Failing {
    entry (order: (participants: set[machine], failures: int)) {
      var victim: machine;
      while (order.failures > 0) {
        victim = choose(order.participants);
        send victim, eCrash;
        send victim, eRecover;
        order.failures = order.failures - 1;
      }
    }
  }
}

type tSystem = (participants: int, clients: int, transactions: int, failures: int, mistake: CommitMistake);

// Creates participants, a coordinator and clients; each client asks for so many transactions. Participants fail so
// often.
fun create(system: tSystem) {
  var participants: set[machine];
  var coordinator: Coordinator;
  var client: int;
  while (sizeof(participants) < system.participants) {
    participants += (new Participant(system.mistake));
  }
  coordinator = new Coordinator((participants = participants, mistake = system.mistake));
  while (client < system.clients) {
    new Client((coordinator = coordinator, participants = participants,
      key = format("k{0}", client), transactions = system.transactions));
    client = client + 1;
  }
  if (system.failures > 0) {
    new FailureInjector((participants = participants, failures = system.failures));
  }
}
