// The bank: one account that all clients share. It pays as long as the money lasts.

machine Bank {
  var balance: int;

  start state Opening {
    entry (initial: int) {
      balance = initial;
      announce eOpened, balance;
      goto Serving;
    }
  }

  state Serving {
    on eWithdraw do (request: tWithdrawal) {
      var outcome: Outcome;
      outcome = REFUSED;
      if (request.amount <= balance) {
        balance = balance - request.amount;
        outcome = GRANTED;
      }
      send request.client, eAnswer,
        (client = request.client, number = request.number, outcome = outcome, balance = balance);
    }
  }
}
