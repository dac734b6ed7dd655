// At most one process is in its critical section.

spec MutualExclusion observes eEnters, eLeaves {
  var inside: int;

  start state Free {
    on eEnters goto Taken;
  }

  state Taken {
    entry (process: int) {
      inside = process;
    }
    on eEnters do (process: int) {
      assert false, format("process {0} enters while process {1} is inside", process, inside);
    }
    on eLeaves goto Free;
  }
}
