test tcOneClient [main=OneClient]:
  assert BalanceIsRight, EveryRequestIsAnswered in
  (union Clients, Server, { OneClient });

test tcThreeClients [main=ThreeClients]:
  assert BalanceIsRight, EveryRequestIsAnswered in
  (union Clients, Server, { ThreeClients });

// One test for each choice of values: four in all.
test param (clientCount in [1, 2], initialBalance in [0, 5]) tcSomeClients [main=SomeClients]:
  assert BalanceIsRight, EveryRequestIsAnswered in
  (union Clients, Server, { SomeClients });
