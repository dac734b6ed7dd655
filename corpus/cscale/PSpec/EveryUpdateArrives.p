// What a client wants reaches every replica.

// How many replicas there are, said by the driver before they start.
event eReplicas: int;

spec EveryUpdateArrives observes eReplicas, eWanted, eTakenIn {
  var replicaCount: int;
  // Which replicas have taken in each update that not all have.
  var arrived: map[tUpdateId, set[int]];

  start cold state Settled {
    on eReplicas do (count: int) {
      replicaCount = count;
    }
    on eWanted goto Spreading with expect;
    ignore eTakenIn;
  }

  hot state Spreading {
    on eWanted do expect;
    on eTakenIn do (news: (replica: int, update: tUpdate, account: tAccount)) {
      if (news.update.id in arrived) {
        arrived[news.update.id] += (news.replica);
        if (sizeof(arrived[news.update.id]) == replicaCount) {
          arrived -= (news.update.id);
        }
      }
      if (sizeof(arrived) == 0) {
        goto Settled;
      }
    }
  }

  fun expect(update: (id: tUpdateId, kind: Kind, value: int)) {
    arrived[update.id] = default(set[int]);
  }
}
