// A client: gives its commands to one replica, all at once, and waits until that has executed them.

machine Client {
  var remaining: int;

  start state Asking {
    entry (order: (replica: machine, commands: int)) {
      while (remaining < order.commands) {
        remaining = remaining + 1;
        send order.replica, eCommand, (client = this, number = remaining);
      }
    }
    on eExecuted do {
      remaining = remaining - 1;
      if (remaining == 0) {
        raise halt;
      }
    }
  }
}
