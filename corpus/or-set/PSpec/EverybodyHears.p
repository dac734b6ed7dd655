// Every operation reaches every replica.

// How many replicas there are, said by the driver before they start.
event eReplicas: int;

spec EverybodyHears observes eReplicas, eMade, eTakenIn {
  var replicaCount: int;
  // How many replicas have yet to take in an operation, added over all operations.
  var missing: int;

  start cold state Settled {
    on eReplicas do (count: int) {
      replicaCount = count;
    }
    on eMade goto Spreading with {
      missing = replicaCount;
    }
  }

  hot state Spreading {
    on eMade do {
      missing = missing + replicaCount;
    }
    on eTakenIn do {
      missing = missing - 1;
      if (missing == 0) {
        goto Settled;
      }
    }
  }
}
