// Every command is executed. Hot while a client waits.
//
// Only for a single leader: a replica that lost the lead keeps its clients' commands until it leads again.

spec Progress observes eCommand, eExecuted {
  var waiting: int;

  start cold state Quiet {
    on eCommand goto Waiting with { waiting = waiting + 1; }
  }

  hot state Waiting {
    on eCommand do { waiting = waiting + 1; }
    on eExecuted do {
      waiting = waiting - 1;
      if (waiting == 0) {
        goto Quiet;
      }
    }
  }
}
