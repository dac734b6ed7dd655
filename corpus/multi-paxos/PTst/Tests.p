// The protocol as designed.

test tcOneLeader [main=OneLeader]:
  assert Agreement, Validity, Completeness, Progress in (union MultiPaxos, { OneLeader, Elections });

test tcTwoLeaders [main=TwoLeaders]:
  assert Agreement, Validity, Completeness in (union MultiPaxos, { TwoLeaders, Elections });

test tcHoles [main=Holes]:
  assert Agreement, Validity, Completeness in (union MultiPaxos, { Holes, Elections });

test tcReelection [main=Reelection]:
  assert Agreement, Validity, Completeness in (union MultiPaxos, { Reelection, Elections });

// One test for each number of replicas and of commands.
test param (replicaCount in [2, 3, 4, 5], commandCount in [1, 2])
  assume (replicaCount * commandCount <= 6)
  tcSizes [main=Sizes]:
  assert Agreement, Validity, Completeness, Progress in (union MultiPaxos, { Sizes, Elections });

// The same, with one mistake each.

test tcForgottenCommand [main=ForgottenCommand]:
  assert Agreement, Validity, Completeness in (union MultiPaxos, { ForgottenCommand, Elections });

test tcTwoLeadersAtOnce [main=TwoLeadersAtOnce]:
  assert Agreement, Validity, Completeness in (union MultiPaxos, { TwoLeadersAtOnce, Elections });

test tcHoleInLog [main=HoleInLog]:
  assert Agreement, Validity, Completeness in (union MultiPaxos, { HoleInLog, Elections });
