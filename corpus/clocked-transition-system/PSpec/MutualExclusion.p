// There is at most one process in its critical section.
spec MutualExclusion observes eEntered, eLeft {
  var inside: set[int];

  start state Watching {
    on eEntered do (process: int) {
      assert sizeof(inside) == 0, format("process {0} enters while another is inside", process);
      inside += (process);
    }
    on eLeft do (process: int) {
      inside -= (process);
    }
  }
}

// Time never stops: there is no infinite activity between two ticks, and no tick that can never come.
spec TimeGoesOn observes eAsked, eTicked {
  start cold state Passing {
    on eAsked goto Standing;
  }

  hot state Standing {
    on eTicked goto Passing;
  }
}
