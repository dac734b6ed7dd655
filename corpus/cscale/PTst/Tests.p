module Replication = { Replica, Client };

test param (replicas in [2, 3, 4], clients in [2], updatesEach in [1], asksAgain in [false])
  tcPatientClients [main=Correct]:
  assert Convergence, ExactlyOnce, NewestNameWins, EveryUpdateArrives in (union Replication, { Correct });

test param (replicas in [2, 3], clients in [2], updatesEach in [2], asksAgain in [false]) tcTwoUpdates [main=Correct]:
  assert Convergence, ExactlyOnce, NewestNameWins, EveryUpdateArrives in (union Replication, { Correct });

test param (replicas in [2, 3], clients in [1], updatesEach in [1, 2], asksAgain in [true])
  tcImpatientClient [main=Correct]:
  assert Convergence, ExactlyOnce, NewestNameWins, EveryUpdateArrives in (union Replication, { Correct });

test param (replicas in [2], clients in [2], updatesEach in [1, 2], asksAgain in [true])
  tcImpatientClients [main=Correct]:
  assert Convergence, ExactlyOnce, NewestNameWins, EveryUpdateArrives in (union Replication, { Correct });

test param (replicas in [3, 4], clients in [2], updatesEach in [1], asksAgain in [false])
  tcNotIdempotent [main=NotIdempotent]:
  assert Convergence, ExactlyOnce in (union Replication, { NotIdempotent });

test param (replicas in [2, 3, 4], clients in [2], updatesEach in [1], asksAgain in [false])
  tcNotCommutative [main=NotCommutative]:
  assert Convergence, ExactlyOnce in (union Replication, { NotCommutative });

test param (replicas in [2, 3, 4], clients in [2], updatesEach in [1], asksAgain in [false])
  tcNoTieBreak [main=NoTieBreak]:
  assert Convergence, ExactlyOnce in (union Replication, { NoTieBreak });

test param (replicas in [2, 3], clients in [2], updatesEach in [2], asksAgain in [false])
  tcFrozenClock [main=FrozenClock]:
  assert NewestNameWins in (union Replication, { FrozenClock });

test param (replicas in [2, 3], clients in [1], updatesEach in [1], asksAgain in [true])
  tcCountsByStamp [main=CountsByStamp]:
  assert Convergence, ExactlyOnce in (union Replication, { CountsByStamp });
