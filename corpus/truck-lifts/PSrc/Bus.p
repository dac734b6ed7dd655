// The bus: a cable that runs from each lift to the next and from the last to the first, with a relay behind each lift.

machine Bus {
  var lifts: seq[machine];
  // Whether the relay from the lift in this place to the next one is closed.
  var isClosed: seq[bool];

  start state Unconnected {
    on eConnect do (connected: seq[machine]) {
      lifts = connected;
      while (sizeof(isClosed) < sizeof(lifts)) {
        isClosed += (sizeof(isClosed), false);
      }
      goto Connected;
    }
    defer eTransmit, eCloseRelay, eOpenRelay;
  }

  state Connected {
    on eCloseRelay do (place: int) {
      isClosed[place] = true;
    }
    on eOpenRelay do (place: int) {
      isClosed[place] = false;
    }
    on eTransmit do (transmission: (place: int, message: tMessage)) {
      deliver(transmission.place, transmission.message);
    }
  }

  // A message reaches whoever is connected through closed relays, on either side of the sender.
  fun deliver(sender: int, message: tMessage) {
    var place: int;
    var last: int;
    last = sender;
    while (isClosed[last] && next(last) != sender) {
      last = next(last);
      send lifts[last], eMessage, message;
    }
    if (next(last) == sender) {
      return;
    }
    place = previous(sender);
    while (isClosed[place]) {
      send lifts[place], eMessage, message;
      place = previous(place);
    }
  }

  fun next(place: int): int {
    return (place + 1) % sizeof(lifts);
  }

  fun previous(place: int): int {
    return (place + sizeof(lifts) - 1) % sizeof(lifts);
  }
}

// A relay takes its time to open. The second lift waits for longer than that, so that it sends its number only when the
// relay of the first is open: this machine stands for that delay.
machine SettlingTime {
  start state RelayMoves {
    on eFirstRelayOpened goto Settled;
    defer eAwaitFirstRelay;
  }

  state Settled {
    on eAwaitFirstRelay do (lift: machine) {
      send lift, eFirstRelaySettled;
    }
    ignore eFirstRelayOpened;
  }
}
