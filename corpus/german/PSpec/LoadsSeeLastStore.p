// Every load gives what was stored last, by whichever processor.

spec LoadsSeeLastStore observes eRead, eWrote {
  var last: int;

  start state Watching {
    on eWrote do (write: (cache: Cache, value: int)) {
      last = write.value;
    }
    on eRead do (read: (cache: Cache, value: int)) {
      assert read.value == last, format("{0} reads {1}, but {2} was stored last", read.cache, read.value, last);
    }
  }
}
