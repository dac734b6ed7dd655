// What was produced is consumed in the end.

spec EverythingIsConsumed observes eProduced, eConsumed {
  var inside: int;

  start cold state Empty {
    on eProduced goto Filled with { inside = inside + 1; }
  }

  hot state Filled {
    on eProduced do { inside = inside + 1; }
    on eConsumed do {
      inside = inside - 1;
      if (inside == 0) {
        goto Empty;
      }
    }
  }
}
