// What the driver may send to the device, and when.

// A sleeping device gets no control transfer, and no transfer is begun before the one before it has completed.
spec TransfersInD0OneByOne observes eD0EntryCompleted, eD0ExitCompleted, eUpdateBarGraph, eSetLed, eTransferCompleted {
  start state Asleep {
    on eD0EntryCompleted goto Awake;
    on eUpdateBarGraph, eSetLed do {
      assert false, "a control transfer is sent to a sleeping device";
    }
  }

  state Awake {
    on eD0ExitCompleted goto Asleep;
    on eUpdateBarGraph, eSetLed goto Transferring;
  }

  state Transferring {
    on eTransferCompleted goto Awake;
    on eUpdateBarGraph, eSetLed do {
      assert false, "a control transfer is sent before the last one has completed";
    }
    on eD0ExitCompleted do {
      assert false, "the device is put to sleep with a control transfer under way";
    }
  }
}

// When the LED says that the setting is stable, the bar graph shows the setting that was last sent to it. It shows
// nothing after a sleep.
spec StableIsShown observes eD0ExitCompleted, eUpdateBarGraph, eTransferCompleted, eSetLed {
  var isShown: bool;

  start state Watching {
    on eUpdateBarGraph, eD0ExitCompleted do {
      isShown = false;
    }
    on eTransferCompleted do (completion: (transfer: tTransfer, success: bool)) {
      if (completion.transfer == BAR_GRAPH) {
        isShown = completion.success;
      }
    }
    on eSetLed do (led: tLed) {
      assert led == UNSTABLE || isShown, "the LED says stable, but the bar graph does not show the setting";
    }
  }
}
