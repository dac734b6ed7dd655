module Processors = { Arbiter, Buffer, Slave, Master };

test param (slaves in [1], masters in [1, 2], messages in [2, 3], reads in [1]) tcOneSlave [main=CorrectArbiter]:
  assert BuffersAreExclusive, MessagesGetNewer in (union Processors, { CorrectArbiter });

test param (slaves in [1], masters in [2], messages in [4], reads in [1]) tcFourMessages [main=CorrectArbiter]:
  assert BuffersAreExclusive, MessagesGetNewer in (union Processors, { CorrectArbiter });

test param (slaves in [1], masters in [1, 2], messages in [2], reads in [2]) tcReadTwice [main=CorrectArbiter]:
  assert BuffersAreExclusive, MessagesGetNewer in (union Processors, { CorrectArbiter });

test param (slaves in [2], masters in [1, 2], messages in [1], reads in [1]) tcTwoSlaves [main=CorrectArbiter]:
  assert BuffersAreExclusive, MessagesGetNewer in (union Processors, { CorrectArbiter });

test param (slaves in [1], masters in [2], messages in [2], reads in [1, 2]) tcReadersAreAnswered [main=CorrectArbiter]:
  assert ReadersAreAnswered in (union Processors, { CorrectArbiter });

// Masters alone, without specifications, so that what goes wrong shows in what they read. Row "MSMIE".
test param (slaves in [1], masters in [2], messages in [3, 4], reads in [1]) tcWholeMessages [main=CorrectArbiter]:
  (union Processors, { CorrectArbiter });

test param (slaves in [1], masters in [2], messages in [3, 4], reads in [1]) tcTornMessage [main=ReleasingTooEarly]:
  (union Processors, { ReleasingTooEarly });

test param (slaves in [1], masters in [2], messages in [3], reads in [1]) tcReleasedTooEarly [main=ReleasingTooEarly]:
  assert BuffersAreExclusive, MessagesGetNewer in (union Processors, { ReleasingTooEarly });

test param (slaves in [1], masters in [2], messages in [4], reads in [1]) tcNewestPreferred [main=PreferringNewest]:
  assert BuffersAreExclusive, MessagesGetNewer in (union Processors, { PreferringNewest });

test param (slaves in [1], masters in [1], messages in [3], reads in [1]) tcTooFewBuffers [main=TooFewBuffers]:
  assert BuffersAreExclusive, MessagesGetNewer in (union Processors, { TooFewBuffers });

// Two masters that read for ever can keep an old message between them for ever: a cycle, not an end.
test param (slaves in [1], masters in [2], messages in [2], reads in [-1]) tcNewestIsRead [main=CorrectArbiter]:
  assert NewestIsRead in (union Processors, { CorrectArbiter });
