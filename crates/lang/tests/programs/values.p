// Types and expressions of every form, and the statements that change data.

type Handle;
type Pair = (int, int);
type Nested = ((int, bool), (name: string, tags: set[string]));
type Table = map[string, seq[map[int, (any, data)]]];
type Single = (only: float);
type Refs = (m: machine, e: event, h: Handle);

enum Color { RED, GREEN, BLUE }
enum Level { LOW = 1, MIDDLE = 5, HIGH = 10 }

eventset Signals = { eGo, eStop, halt };

event eGo: Nested;
event eStop: Pair;

param width, height: int;
param wide: bool;

fun Arithmetic(a: int, b: int): int {
  var c: int;
  var f: float;
  c = a + b * -a / (b % 3) - 7;
  c = - - a;
  f = 1.25 + .5 * 2.0 / float(12, 3);
  f = a to float + b to float;
  c = f to int;
  c = (a - b) as int;
  return c;
}

fun Logic(a: bool, b: bool, n: int): bool {
  var s: set[int];
  if (a && b || !a && !b) { return a == b; }
  if (n < 3 || n > 4 || n <= 5 && n >= 6) return true;
  if (n in s == a) return n + 1 in s;
  return $ || $$ || choose() || (n != 3) == b;
}

fun Collections(pairs: seq[Pair], table: Table) {
  var numbers: seq[int];
  var names: map[string, int];
  var picked: set[Pair];
  var nested: Nested;
  var row: map[int, (any, data)];
  var one: (int);
  numbers += (0, 1);
  numbers += (sizeof(numbers), choose(10));
  numbers[0] = pairs[0].0 + pairs[1].1;
  numbers -= 0;
  names += ("a", 1);
  names["b"] = sizeof(keys(names)) + sizeof(values(names));
  names -= ("a");
  picked += ((1, 2));
  picked += (pairs[0]);
  picked -= (1, 2);
  nested = ((1, true), (name = "x", tags = default(set[string])));
  nested.0.1 = false;
  nested.1.name = "a\tb\n\"c\"\\";
  nested.0 = (nested.0.0 + 1, nested.0.1);
  row = table["x"][0];
  row[3] = (null, 4);
  one = (7,);
  one.0 = one.0 + 1;
}

fun Machines(m: machine, e: event): any {
  var x: any;
  var named: (a: int);
  named = (a = 1,);
  x = new Worker(1, "two", (3,));
  x = new Worker();
  send m, e;
  send (x as machine), eStop, (1, 2);
  send m, eGo, (1, true), (name = "n", tags = default(set[string]));
  raise e, x;
  raise (halt);
  announce e, x;
  print "plain";
  print format("{0} of {1}", x, m == null);
  print format("nothing");
  return x;
}

fun Control(xs: seq[int], m: map[int, int]) {
  var x, y: int;
  { }
  { x = 1; { y = 2; } }
  ;
  if (x == 1) ; else { }
  if (x == 1) if (y == 2) x = 3; else x = 4;
  while (x < 10) x = x + 1;
  while (true) { if (x == y) { break; } continue; }
  foreach (x in xs) y = y + x;
  foreach (x in keys(m)) { y = y + m[x]; }
  Control(xs, m);
  Arithmetic(1, 2);
  return;
}

machine Worker { start state Idle { ignore eGo, eStop; } }
