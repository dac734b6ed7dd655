// The power manager never waits for ever: every transition that it asks for is completed.
spec PowerTransitionsComplete observes eD0Entry, eD0Exit, eD0EntryCompleted, eD0ExitCompleted {
  var open: int;

  start cold state NothingAsked {
    on eD0Entry, eD0Exit goto Asked with {
      open = open + 1;
    }
  }

  hot state Asked {
    on eD0Entry, eD0Exit do {
      open = open + 1;
    }
    on eD0EntryCompleted, eD0ExitCompleted do {
      open = open - 1;
      if (open == 0) {
        goto NothingAsked;
      }
    }
  }
}
