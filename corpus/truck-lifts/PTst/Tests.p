module Lifts = { Lift, Bus, SettlingTime, Operator };

test param (liftCount in [2, 3, 4], operators in [0, 1], presses in [1]) tcLifts [main=CorrectLifts]:
  assert LiftsMoveTogether, NumbersAreRight, SomebodyLeads in (union Lifts, { CorrectLifts });

test param (liftCount in [2, 3, 4], operators in [2], presses in [1]) tcTwoOperators [main=CorrectLifts]:
  assert LiftsMoveTogether, NumbersAreRight, SomebodyLeads in (union Lifts, { CorrectLifts });

test param (liftCount in [2, 3, 4], operators in [1], presses in [1]) tcProgress [main=CorrectLifts]:
  assert EverybodyStarts, ButtonsTakeEffect in (union Lifts, { CorrectLifts });

test param (liftCount in [3], operators in [0], presses in [1]) tcNumberedTooEarly [main=LiftsNumberingTooEarly]:
  assert LiftsMoveTogether, NumbersAreRight, SomebodyLeads in (union Lifts, { LiftsNumberingTooEarly });

test param (liftCount in [3], operators in [0], presses in [1]) tcTwoStarts [main=TwoStarts]:
  assert LiftsMoveTogether, NumbersAreRight, SomebodyLeads in (union Lifts, { TwoStarts });

test param (liftCount in [3, 4], operators in [1], presses in [1]) tcResignedAtOnce [main=LiftsResigningAtOnce]:
  assert LiftsMoveTogether, NumbersAreRight, SomebodyLeads in (union Lifts, { LiftsResigningAtOnce });

// Row "Distributed Truck Lift".
test param (liftCount in [3, 4], operators in [2], presses in [1]) tcLedAtOnce [main=LiftsLeadingAtOnce]:
  assert LiftsMoveTogether, NumbersAreRight in (union Lifts, { LiftsLeadingAtOnce });
