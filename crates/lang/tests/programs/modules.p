// Interfaces, modules, implementations and tests of every form.

event eJob: int;
event eDone;

param workers, jobs: int;
param strict: bool;

interface Boss() receives eDone;
interface Hand(int) receives eJob, halt;
interface Deaf((int, bool)) receives;

machine Chief receives eDone; receives; sends eJob; {
  start state S { entry { new Hand(1); } ignore eDone; }
}
machine Digger { start state S { entry (n: int) { } ignore eJob; } }
machine Idler sends; { start state S { } }

spec Fair observes eJob, eDone { start state S { ignore eJob, eDone; } }
spec Safe observes halt { start state S { ignore halt; } }

module Chiefs = { Chief -> Boss };
module Diggers = { Digger -> Hand, Idler };
module All = (union Chiefs, Diggers);
module Composed = compose Chiefs, (Diggers), { Idler -> Deaf };
module Hidden = hidee eJob, halt in hidei Hand, Deaf in All;
module Renamed = rename Hand to Arm in (main Chief in All);
module Watched = assert Fair, Safe in (union Chiefs, assert Safe in Diggers);

implementation Factory: main Chief in Chiefs;
implementation Plant [main=Chief]: (assert Fair in All);

test tcPlain [main=Chief]: All;
test tcBound [main = Chief]: assert Fair, Safe in { Chief -> Boss, Digger -> Hand };
test tcRefine [main=Chief]: Composed refines (rename Hand to Arm in All);
test param (workers in [1, 2, -3], strict in [true, false]) tcParams [main=Chief]: All;
test param (jobs in [0]) assume jobs < workers && !strict tcAssume [main=Chief]: All;
test param (workers in [1, 2], jobs in [1, 2], strict in [true]) pairwise tcPairs [main=Chief]: All;
test param (workers in [1, 2], jobs in [1, 2]) assume workers == jobs (2 wise) tcWise [main=Chief]: All;
test param (workers in [1, 2]) (1 wise) tcOne [main=Chief]: All;
