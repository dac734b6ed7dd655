// A value is learned. With several proposers the protocol does not promise that: they can overtake each other for
// ever.

spec Progress observes eWanted, eLearned {
  start cold state Quiet {
    on eWanted goto Undecided;
  }

  hot state Undecided {
    on eLearned goto Decided;
    ignore eWanted;
  }

  cold state Decided {
    ignore eWanted, eLearned;
  }
}
