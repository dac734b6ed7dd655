module Set = { Replica, Client };

test param (replicas in [2, 3, 4, 5], clients in [2], operationsEach in [1]) tcAddAndRemove [main=AddAndRemove]:
  assert ObservedRemove, EverybodyHears in (union Set, { AddAndRemove });

test param (replicas in [2, 3], clients in [2], operationsEach in [2]) tcMoreOperations [main=AddAndRemove]:
  assert ObservedRemove, EverybodyHears in (union Set, { AddAndRemove });

test param (replicas in [2], clients in [1], operationsEach in [3]) tcOneClient [main=AddAndRemove]:
  assert ObservedRemove, EverybodyHears in (union Set, { AddAndRemove });

test param (replicas in [2, 3], clients in [2], operationsEach in [2]) tcAddAndRead [main=AddAndRead]:
  assert EverybodyHears in (union Set, { AddAndRead });

test param (replicas in [2, 3, 4, 5], clients in [2], operationsEach in [1]) tcRemovesElement [main=RemovesElement]:
  assert ObservedRemove in (union Set, { RemovesElement });

test param (replicas in [3, 4, 5], clients in [2], operationsEach in [1]) tcForgetsRemoved [main=ForgetsRemoved]:
  assert ObservedRemove in (union Set, { ForgetsRemoved });

test param (replicas in [2, 3], clients in [2], operationsEach in [2]) tcAnswersEarly [main=AnswersEarly]:
  assert ObservedRemove in (union Set, { AnswersEarly });

test param (replicas in [2], clients in [1], operationsEach in [3]) tcReusesTags [main=ReusesTags]:
  assert ObservedRemove in (union Set, { ReusesTags });
