// The bank pays exactly when it can, and always knows how much is left.

spec BalanceIsRight observes eOpened, eWithdraw, eAnswer {
  var balance: int;
  // What each client asked for last.
  var asked: map[Client, int];

  start state Closed {
    on eOpened goto Open with (initial: int) {
      balance = initial;
    }
    on eWithdraw do remember;
  }

  state Open {
    on eWithdraw do remember;
    on eAnswer do (answer: tAnswer) {
      if (answer.outcome == GRANTED) {
        balance = balance - asked[answer.client];
      } else {
        assert asked[answer.client] > balance,
          format("a request for {0} was refused with {1} left", asked[answer.client], balance);
      }
      assert balance >= 0, format("the bank paid {0} that it did not have", -balance);
      assert answer.balance == balance,
        format("the bank says that {0} is left, but it is {1}", answer.balance, balance);
    }
  }

  fun remember(request: tWithdrawal) {
    asked[request.client] = request.amount;
  }
}
