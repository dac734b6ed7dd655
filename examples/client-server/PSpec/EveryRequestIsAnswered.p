// No client waits for ever.

spec EveryRequestIsAnswered observes eWithdraw, eAnswer {
  var waiting: set[Client];

  start cold state Quiet {
    on eWithdraw goto Waiting with (request: tWithdrawal) {
      waiting += (request.client);
    }
  }

  hot state Waiting {
    on eWithdraw do (request: tWithdrawal) {
      waiting += (request.client);
    }
    on eAnswer do (answer: tAnswer) {
      waiting -= (answer.client);
      if (sizeof(waiting) == 0) {
        goto Quiet;
      }
    }
  }
}
