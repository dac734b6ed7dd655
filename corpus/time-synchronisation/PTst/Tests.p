test param (clockCount in [2, 3, 4]) tcLine [main=Line]:
  assert EverybodyAgrees, AnnouncesDoNotCircle in { Line, Clock };

test param (clockCount in [2, 3, 4, 5]) tcBreakingLine [main=BreakingLine]:
  assert EverybodyAgrees, AnnouncesDoNotCircle in { BreakingLine, Clock };

test param (clockCount in [3, 4]) tcJoiningLine [main=JoiningLine]:
  assert EverybodyAgrees, AnnouncesDoNotCircle in { JoiningLine, Clock };

test param (clockCount in [3, 4]) tcRing [main=Ring]:
  assert EverybodyAgrees, AnnouncesDoNotCircle in { Ring, Clock };

test param (clockCount in [3, 4]) tcBreakingRing [main=BreakingRing]:
  assert EverybodyAgrees, AnnouncesDoNotCircle in { BreakingRing, Clock };

test param (clockCount in [3, 4]) tcBreakingTail [main=BreakingTail]:
  assert EverybodyAgrees, AnnouncesDoNotCircle in { BreakingTail, Clock };

test param (clockCount in [3, 4]) tcJoiningRing [main=JoiningRing]:
  assert EverybodyAgrees, AnnouncesDoNotCircle in { JoiningRing, Clock };

// Row "TSP (bug 1)".
test param (clockCount in [4, 5]) tcLateFrame [main=LineBelievingLateFrames]:
  assert EverybodyAgrees, AnnouncesDoNotCircle in { LineBelievingLateFrames, Clock };

// Row "TSP (bug 2)".
test param (clockCount in [3, 4]) tcLateFrameInRing [main=RingBelievingLateFrames]:
  assert EverybodyAgrees, AnnouncesDoNotCircle in { RingBelievingLateFrames, Clock };

test param (clockCount in [3]) tcEarlyFrame [main=RingLosingEarlyFrames]:
  assert EverybodyAgrees, AnnouncesDoNotCircle in { RingLosingEarlyFrames, Clock };

test param (clockCount in [3]) tcTimeoutForgotten [main=RingNeverTimingOut]:
  assert EverybodyAgrees, AnnouncesDoNotCircle in { RingNeverTimingOut, Clock };

test param (clockCount in [3]) tcRogueFrame [main=TailCountingNoSteps]:
  assert EverybodyAgrees, AnnouncesDoNotCircle in { TailCountingNoSteps, Clock };

test param (clockCount in [3]) tcTwoMasters [main=RingIgnoringSenders]:
  assert EverybodyAgrees, AnnouncesDoNotCircle in { RingIgnoringSenders, Clock };
