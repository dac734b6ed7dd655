// Whoever presses the open button finds the door open some time later.
spec OpenIsAnswered observes eOpenDoor, eHoldingOpen {
  start cold state Quiet {
    on eOpenDoor goto Asked;
    ignore eHoldingOpen;
  }

  hot state Asked {
    on eHoldingOpen goto Quiet;
    ignore eOpenDoor;
  }
}
