// A client: asks for a little money, waits for the answer, and asks again, until the bank refuses or it has asked often
// enough.

machine Client {
  var bank: Bank;
  var requests: int;
  var number: int;

  start state Arriving {
    entry (order: (bank: Bank, requests: int)) {
      bank = order.bank;
      requests = order.requests;
      goto Asking;
    }
  }

  state Asking {
    entry {
      number = number + 1;
      send bank, eWithdraw, (client = this, number = number, amount = 1 + choose(3));
    }

    on eAnswer do (answer: tAnswer) {
      assert answer.number == number,
        format("request {0} got the answer to request {1}", number, answer.number);
      if (answer.outcome == REFUSED || number == requests) {
        goto Leaving;
      }
      goto Asking;
    }
  }

  state Leaving {
    entry {
      raise halt;
    }
  }
}
