// Processors: they load and store what they like, in any order.

type tProcessorConfig = (cache: Cache, requests: int);

// Waits for each answer before it makes the next request.
machine Processor {
  var cache: Cache;
  // How many requests are left; negative for as many as one likes.
  var requests: int;

  start state Starting {
    entry (config: tProcessorConfig) {
      cache = config.cache;
      requests = config.requests;
      send cache, eConnect, this;
      goto Deciding;
    }
  }

  state Deciding {
    entry {
      if (requests == 0) {
        goto Finished;
      }
      if (requests > 0) {
        requests = requests - 1;
      }
      if ($) {
        send cache, eLoad;
      } else {
        send cache, eStore, choose(2);
      }
    }
    on eLoaded, eStored goto Deciding;
  }

  state Finished { }
}

// Makes requests for ever and never waits: nothing bounds its cache's queue.
machine EagerProcessor {
  var cache: Cache;

  start state Starting {
    entry (which: Cache) {
      cache = which;
      send cache, eConnect, new Answers();
      goto Asking;
    }
  }

  state Asking {
    entry {
      if ($) {
        send cache, eLoad;
      } else {
        send cache, eStore, choose(2);
      }
      goto Asking;
    }
  }
}

// Where an eager processor lets its answers go to: nobody looks at them.
machine Answers {
  start state Ignoring {
    ignore eLoaded, eStored;
  }
}
