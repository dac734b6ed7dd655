// No claim goes on for more steps than there are clocks: one that does is a rogue, and goes round for ever.
spec AnnouncesDoNotCircle observes eTopology, eAnnounce {
  var clocks: int;

  start state Watching {
    on eTopology do (topology: (clocks: int, links: seq[tLink])) {
      clocks = topology.clocks;
    }
    on eAnnounce do (message: (port: int, claim: tClaim)) {
      assert message.claim.steps < clocks,
        format("a claim is announced {0} steps from where it was made", message.claim.steps);
    }
  }
}
