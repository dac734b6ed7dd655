module Protocol = { AsynchronousNode, SynchronousNode, Clock };

test param (nodes in [2, 3, 4, 5, 6]) tcAsynchronous [main=Asynchronous]:
  assert LargestIsElected, EverybodyKnows in (union Protocol, { Asynchronous });

test param (nodes in [2, 3, 4, 5]) tcSleepy [main=Sleepy]:
  assert LargestIsElected, EverybodyKnows in (union Protocol, { Sleepy });

test param (nodes in [2, 3, 4, 5]) tcSynchronous [main=Synchronous]:
  assert LargestIsElected, EverybodyKnows in (union Protocol, { Synchronous });

test param (nodes in [3, 4, 5]) tcForwardsAll [main=ForwardsAll]:
  assert LargestIsElected in (union Protocol, { ForwardsAll });

test param (nodes in [3, 4, 5]) tcWrongWay [main=WrongWay]:
  assert LargestIsElected in (union Protocol, { WrongWay });

test param (nodes in [3, 4, 5]) tcForwardsOnce [main=ForwardsOnce]:
  assert EverybodyKnows in (union Protocol, { ForwardsOnce });

test param (nodes in [2, 3, 4, 5]) tcLateStarter [main=LateStarter]:
  assert LargestIsElected in (union Protocol, { LateStarter });

test param (nodes in [3, 4, 5]) tcTwins [main=Twins]:
  assert LargestIsElected in (union Protocol, { Twins });

test param (nodes in [3, 4]) tcSynchronousForwardsAll [main=SynchronousForwardsAll]:
  assert LargestIsElected in (union Protocol, { SynchronousForwardsAll });

test param (nodes in [3, 4]) tcHastyClock [main=HastyClock]:
  assert LargestIsElected in (union Protocol, { HastyClock });
