// Nobody wants to see a truck on a slope.

// When one lift moves a step, so do all others, in the same direction, before any moves another.
spec LiftsMoveTogether observes eInstalled, eMoved {
  var lifts: int;
  var direction: tReport;
  var moved: set[int];

  start state Installing {
    on eInstalled goto Operating with (count: int) {
      lifts = count;
    }
  }

  state Operating {
    on eMoved do (step: (number: int, direction: tReport)) {
      assert step.direction == UP || step.direction == DOWN, format("lift {0} stays behind", step.number);
      if (sizeof(moved) == 0) {
        direction = step.direction;
      }
      assert step.direction == direction, format("lift {0} moves against the others", step.number);
      assert !(step.number in moved), format("lift {0} moves ahead of the others", step.number);
      moved += (step.number);
      if (sizeof(moved) == lifts) {
        moved = default(set[int]);
      }
    }
  }
}

// Lifts learn their numbers, all of them different, and how many they are.
spec NumbersAreRight observes eInstalled, eNumbered {
  var lifts: int;
  var numbers: set[int];

  start state Installing {
    on eInstalled goto Operating with (count: int) {
      lifts = count;
    }
  }

  state Operating {
    on eNumbered do (lift: (number: int, count: int)) {
      assert lift.count == lifts,
        format("lift {0} believes that there are {1} of {2} lifts", lift.number, lift.count, lifts);
      assert !(lift.number in numbers), format("two lifts have the number {0}", lift.number);
      numbers += (lift.number);
    }
  }
}

// Lifts pass on the wish to move only while somebody leads, and there is at most one who does.
spec SomebodyLeads observes eLeads, eResigned, eReported {
  var leaders: set[int];

  start state Watching {
    on eLeads do (lift: int) {
      assert sizeof(leaders) == 0, format("lift {0} leads although another does", lift);
      leaders += (lift);
    }
    on eResigned do (lift: int) {
      leaders -= (lift);
    }
    on eReported do (report: tReport) {
      assert report == STANDBY || sizeof(leaders) > 0, "lifts are told to move, and nobody leads";
    }
  }
}
