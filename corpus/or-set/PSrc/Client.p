// A client of one replica: so many operations, one after the other, on any of so many elements. Either it adds and
// removes; or it adds and reads, and then expects to find what it has added itself, since nobody removes anything.

type tClientConfig = (replica: Replica, operations: int, elements: int, removes: bool);

machine Client {
  var config: tClientConfig;
  var added: set[int];

  start state Starting {
    entry (given: tClientConfig) {
      config = given;
      goto Choosing;
    }
  }

  state Choosing {
    entry {
      if (config.operations == 0) {
        goto Finished;
      }
      config.operations = config.operations - 1;
      if ($) {
        goto Adding, choose(config.elements);
      }
      if (config.removes) {
        goto Removing, choose(config.elements);
      }
      goto Reading;
    }
  }

  state Adding {
    entry (element: int) {
      if (!config.removes) {
        added += (element);
      }
      send config.replica, eAdd, (client = this, element = element);
    }
    on eDone goto Choosing;
  }

  state Removing {
    entry (element: int) {
      send config.replica, eRemove, (client = this, element = element);
    }
    on eDone goto Choosing;
  }

  state Reading {
    entry {
      send config.replica, eRead, this;
    }
    on eContents do (contents: set[int]) {
      var element: int;
      foreach (element in added) {
        assert element in contents, format("element {0} was added, but is not there", element);
      }
      goto Choosing;
    }
  }

  state Finished { }
}
