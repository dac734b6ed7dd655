// The environments in which the bank is tested.

param clientCount: int;
param initialBalance: int;

machine OneClient {
  start state Init {
    entry {
      openBank(1, 4);
    }
  }
}

machine ThreeClients {
  start state Init {
    entry {
      openBank(3, 2 + choose(3));
    }
  }
}

// As many clients and as much money as the test's parameters say.
machine SomeClients {
  start state Init {
    entry {
      openBank(clientCount, initialBalance);
    }
  }
}

// Creates a bank with some money, and clients that make two requests each.
fun openBank(count: int, money: int) {
  var bank: Bank;
  var created: int;
  bank = new Bank(money);
  while (created < count) {
    new Client((bank = bank, requests = 2));
    created = created + 1;
  }
}
