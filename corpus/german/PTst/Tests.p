module Protocol = { Host, Cache, Processor };

test param (caches in [2, 3], requestsEach in [1, 2]) tcCoherence [main=Correct]:
  assert SingleWriter, LoadsSeeLastStore in (union Protocol, { Correct });

test param (caches in [2, 3], requestsEach in [-1]) tcForEver [main=Correct]:
  assert SingleWriter, LoadsSeeLastStore in (union Protocol, { Correct });

test param (caches in [2, 3], requestsEach in [1, 2]) tcProgress [main=Correct]:
  assert EveryRequestIsGranted in (union Protocol, { Correct });

test param (caches in [2, 3], requestsEach in [2]) tcForgetsExclusive [main=ForgetsExclusive]:
  assert SingleWriter, LoadsSeeLastStore in (union Protocol, { ForgetsExclusive });

test param (caches in [2, 3], requestsEach in [2]) tcGrantsAfterFirstAck [main=GrantsAfterFirstAck]:
  assert SingleWriter, LoadsSeeLastStore in (union Protocol, { GrantsAfterFirstAck });

test param (caches in [2, 3], requestsEach in [2]) tcKeepsSharers [main=KeepsSharers]:
  assert SingleWriter, LoadsSeeLastStore in (union Protocol, { KeepsSharers });

test param (caches in [2, 3], requestsEach in [2]) tcDefersNothing [main=DefersNothing]:
  assert SingleWriter, LoadsSeeLastStore in (union Protocol, { DefersNothing });

// Processors that never wait: infinitely many states. Only what the machines themselves assert, and that they handle
// every event, is checked.
test param (caches in [2, 3]) tcEager [main=Eager]: { Host, Cache, EagerProcessor, Answers, Eager };

test param (caches in [2, 3]) tcEagerForgetsExclusive [main=EagerForgetsExclusive]:
  { Host, Cache, EagerProcessor, Answers, EagerForgetsExclusive };
