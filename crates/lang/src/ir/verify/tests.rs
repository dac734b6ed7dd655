//! For each rule, programs that break it and nothing else.

use super::{Rule, verify};
use crate::ids::{EnumId, EventId, EventSet, MachineId};
use crate::ir::text::{parse, print};
use crate::ir::{Function, Instruction, Operand, Place, Program, Projection, Register, Root};
use crate::names::Name;
use crate::source::Span;
use crate::types::{Origin, Permission, PermissionId, Type, TypeId};

/// Breaks no rule; the tests below change a line or two.
const GOOD: &str = r#"
enum Color { RED = 0, BLUE = 1 }
param nodes: int
permission Node: interface Node { ePing }
permission Main: interface Main {}
event null
event halt
event ePing: int
event eStop
interface Main(null) receives {}
interface Node(int) receives { ePing }
machine Main {
  start Init
  creates Main, Node
  var count: int
  var log: map[int, seq[(name: string, ok: bool)]]
  var seen: set[string]
  state Init {
    entry Main.entry
    exit Main.exit
    on ePing do Main.onPing
    on eStop goto Done with Main.leave
  }
  state Done {
    entry Main.done
  }
}
machine Node {
  start Only
  state Only {
    entry Node.entry
  }
}
spec Safety {
  start Quiet
  observes { ePing }
  state Quiet {
    on ePing do Safety.check
  }
}
fun Main.entry() of Main {
  return
}
fun Main.exit() of Main {
  return
}
fun Main.onPing(r0: int) of Main {
  return
}
fun Main.leave() of Main {
  return
}
fun Main.done(r0: int) of Main {
  return
}
fun Node.entry(r0: int) of Node {
  return
}
fun Safety.check(r0: int) of Safety {
  r0 = call Twice(r0)
  return
}
fun Twice(r0: int) -> int {
  r0 = add.int r0, r0
  return r0
}
foreign fun Foreign(r0: string)
fun Main.code(r0: int, r1: bool, r2: string) -> int of Main {
  r3: any
  r4: event
  r5: machine
  r6: Color
  r7: (int, string)
  r8: seq[int]
  r9: set[string]
  r10: map[int, string]
  r11: @Node
  r12: float
  r13: data
  r14: seq[string]
  r15: @Main
  r16: (x: int)
  nop
  return r0
}
test tcOne {
  main Main
  param nodes = 3
  bind Main -> Main
  bind Node -> Node
  link Main, Main -> Node
  link Main, Node -> Main
  monitor Safety observes Main
}
"#;

fn good(code: &str) -> String {
    GOOD.replace("  nop\n", code)
}

fn rules(program: &Program) -> Vec<Rule> {
    let mut rules: Vec<_> = verify(program).iter().map(|violation| violation.rule).collect();
    rules.dedup();
    rules
}

fn assert_breaks(program: &Program, rule: Rule, what: &str) {
    let violations: Vec<_> = verify(program).iter().map(|violation| violation.describe(program)).collect();
    assert_eq!(rules(program), [rule], "{what}\n{violations:?}");
}

/// Text that replaces another.
fn changed(from: &str, to: &str) -> Program {
    assert!(GOOD.contains(from), "nothing to replace: {from}");
    let text = good("").replace(from, to);
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A line of code in a function of the machine `Main` that has registers of many types.
fn with_code(code: &str) -> Program {
    let text = good(&format!("{code}\n"));
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{code}"))
}

fn built(change: impl FnOnce(&mut Program)) -> Program {
    let mut program = with_code("");
    change(&mut program);
    program
}

#[test]
fn the_program_to_be_changed_breaks_no_rule() {
    assert_eq!(verify(&with_code("")), []);
}

#[test]
fn each_rule_is_listed_at_the_top_and_has_a_program_that_breaks_it() {
    let source = include_str!("mod.rs");
    let listed: Vec<_> =
        source.lines().filter_map(|line| line.strip_prefix("//! - `")?.split('`').next()).collect();
    let known: Vec<_> = Rule::ALL.iter().map(|rule| rule.name()).collect();
    assert_eq!(listed, known);
    let broken: Vec<_> =
        changes().iter().map(|(rule, ..)| *rule).chain(lines().iter().map(|(rule, _)| *rule)).collect();
    for rule in Rule::ALL.iter().filter(|rule| !matches!(rule, Rule::TypeTable | Rule::Spans)) {
        assert!(broken.contains(rule), "no text breaks {}", rule.name());
    }
}

#[test]
fn a_changed_declaration_breaks_its_rule_only() {
    for (rule, from, to) in changes() {
        assert_breaks(&changed(from, to), rule, to);
    }
}

/// What to replace by what, and the rule which that breaks.
fn changes() -> Vec<(Rule, &'static str, &'static str)> {
    vec![
        (Rule::InRange, "permission Main: interface Main {}", "permission Main: interface #9 {}"),
        (Rule::InRange, "permission Main: interface Main {}", "permission Main: spec #9 {}"),
        (Rule::InRange, "permission Main: interface Main {}", "permission Main: event #9 {}"),
        (Rule::InRange, "param nodes: int", "param nodes: #9"),
        (Rule::InRange, "param nodes: int", "param nodes: @#9"),
        (Rule::InRange, "entry Main.entry", "entry #99"),
        (Rule::InRange, "on ePing do Main.onPing", "on ePing do #99"),
        (Rule::InRange, "on eStop goto Done with Main.leave", "on eStop goto #2"),
        (Rule::InRange, "on eStop goto Done with Main.leave", "on eStop goto Done with #99"),
        (Rule::InRange, "on eStop goto Done with Main.leave", "on #4 goto Done"),
        (Rule::InRange, "creates Main, Node", "creates Main, Node, #2"),
        (
            Rule::InRange,
            "fun Node.entry(r0: int) of Node {\n  return",
            "fun Node.entry(r0: int) of Node {\n  r0 = r1\n  return",
        ),
        (
            Rule::InRange,
            "fun Node.entry(r0: int) of Node {\n  return",
            "fun Node.entry(r0: int) of Node {\n  jump #7",
        ),
        (Rule::InRange, "main Main\n", "main #2\n"),
        (Rule::InRange, "param nodes = 3", "param #1 = 3"),
        (Rule::InRange, "param nodes = 3", "param nodes = event #9"),
        (Rule::InRange, "bind Node -> Node", "bind Node -> #3"),
        (Rule::InRange, "link Main, Node -> Main", "link Main, Node -> #3"),
        (Rule::InRange, "monitor Safety observes Main", "monitor #3"),
        (Rule::InRange, "monitor Safety observes Main", "monitor Safety observes #2"),
        (Rule::NoErrorType, "event ePing: int", "event ePing: error"),
        (Rule::NoErrorType, "event eStop\n", "event eStop: (int, error)\n"),
        (Rule::NoErrorType, "interface Node(int)", "interface Node(error)"),
        (Rule::NoErrorType, "var count: int", "var count: seq[(x: error)]"),
        (Rule::NoErrorType, "r3: any", "r3: map[error, int]"),
        (
            Rule::NoErrorType,
            "foreign fun Foreign(r0: string)",
            "foreign fun Foreign(r0: string) -> set[error]",
        ),
        (Rule::BuiltInEvents, "event null\nevent halt\n", "event halt\nevent null\n"),
        (Rule::EnumElements, "{ RED = 0, BLUE = 1 }", "{}"),
        (
            Rule::FunctionNames,
            "foreign fun Foreign(",
            "foreign fun Twice2()\nforeign fun Twice2()\nforeign fun Foreign(",
        ),
        (Rule::StartState, "start Only", "start #1"),
        (Rule::HandlerOrder, "on ePing do Main.onPing", "on eStop do Main.onPing"),
        (
            Rule::HandlerOrder,
            "    on ePing do Main.onPing\n    on eStop goto Done with Main.leave\n",
            "    defer eStop\n    ignore ePing\n",
        ),
        (Rule::ReactionOwner, "entry Node.entry", "entry Main.entry"),
        (Rule::ReactionOwner, "fun Main.exit() of Main {", "fun Main.exit() {"),
        (Rule::ReactionOwner, "on ePing do Main.onPing", "on ePing do Twice"),
        (Rule::ReactionParameters, "exit Main.exit", "exit Main.onPing"),
        (Rule::ReactionParameters, "entry Main.entry", "entry Main.code"),
        (Rule::ReactionParameters, "with Main.leave", "with Main.code"),
        (Rule::CreatesOrder, "creates Main, Node", "creates Node, Main"),
        (Rule::CreatesOrder, "creates Main, Node", "creates Main, Node, Node"),
        (Rule::SpecCode, "  r0 = call Twice(r0)\n", "  r1: bool\n  r1 = choose\n"),
        (Rule::SpecCode, "  r0 = call Twice(r0)\n", "  r1: event\n  announce r1\n"),
        (Rule::SpecCode, "  r0 = call Twice(r0)\n", "  receive { eStop -> L1 }\nL1:\n"),
        (Rule::SpecCode, "  r0 = call Twice(r0)\n", "  r1: machine\n  r1 = this\n"),
        (Rule::SpecCode, "  r0 = add.int r0, r0\n", "  new Node(r0)\n"),
        (Rule::SpecCode, "  r0 = add.int r0, r0\n", "  r1: machine\n  r2: event\n  send r1, r2\n"),
        (Rule::CodePresent, "fun Main.exit() of Main {\n  return\n", "fun Main.exit() of Main {\n"),
        (
            Rule::CodePresent,
            "foreign fun Foreign(r0: string)",
            "foreign fun Foreign(r0: string) {\n  return\n}",
        ),
        (
            Rule::CodeEnd,
            "fun Main.exit() of Main {\n  return\n",
            "fun Main.exit() of Main {\n  r0: int\n  r0 = 1\n",
        ),
        (Rule::Owner, "  r0 = add.int r0, r0\n", "  r0 = this.#0\n"),
        (Rule::Owner, "  r0 = add.int r0, r0\n", "  this.#0 = r0\n"),
        (Rule::Owner, "  r0 = add.int r0, r0\n", "  goto #0\n"),
        (
            Rule::ThisInMachine,
            "foreign fun Foreign(r0: string)",
            "fun Foreign(r0: machine) {\n  r0 = this\n  return\n}",
        ),
        (
            Rule::CallOwner,
            "fun Node.entry(r0: int) of Node {\n",
            "fun Node.entry(r0: int) of Node {\n  call Main.exit()\n",
        ),
        (
            Rule::CallOwner,
            "fun Twice(r0: int) -> int {\n",
            "fun Twice(r0: int) -> int {\n  call Safety.check(r0)\n",
        ),
        (
            Rule::NewListed,
            "fun Node.entry(r0: int) of Node {\n",
            "fun Node.entry(r0: int) of Node {\n  new Node(r0)\n",
        ),
        (Rule::TestBindings, "  bind Main -> Main\n", "  bind Main -> Safety\n"),
        (Rule::TestClosed, "  bind Node -> Node\n", ""),
        (
            Rule::TestLinks,
            "  link Main, Main -> Node\n  link Main, Node -> Main\n",
            "  link Main, Node -> Main\n  link Main, Main -> Node\n",
        ),
        (
            Rule::TestLinks,
            "  link Main, Node -> Main\n",
            "  link Main, Node -> Main\n  link Main, Node -> Node\n",
        ),
        (Rule::TestMonitors, "monitor Safety", "monitor Node"),
        (Rule::TestParameters, "param nodes = 3", "param nodes = true"),
        (Rule::TestParameters, "param nodes = 3", "param nodes = enum 0"),
    ]
}

#[test]
fn a_wrong_line_of_code_breaks_its_rule_only() {
    for (rule, code) in lines() {
        assert_breaks(&with_code(code), rule, code);
    }
}

/// Lines of code, and the rules they break.
fn lines() -> Vec<(Rule, &'static str)> {
    vec![
        (Rule::InRange, "  r17 = 1"),
        (Rule::InRange, "  r0 = this.#3"),
        (Rule::InRange, "  this.#3 = r0"),
        (Rule::InRange, "  this.#3 += r0"),
        (Rule::InRange, "  r0 = param #1"),
        (Rule::InRange, "  r4 = event #9"),
        (Rule::InRange, "  r15 = r5 to #2"),
        (Rule::InRange, "  call #99()"),
        (Rule::InRange, "  new #9()"),
        (Rule::InRange, "  goto #2"),
        (Rule::InRange, "  receive { #4 -> L1 }\nL1:"),
        (Rule::InRange, "  receive { ePing(r17) -> L1 }\nL1:"),
        (Rule::InRange, "  branch r1, #50, L1\nL1:"),
        (Rule::InRange, "  r17[r0] = r0"),
        (Rule::InRange, "  r8[r17] = r0"),
        (Rule::NoErrorType, "  r3 = default error"),
        (Rule::NoErrorType, "  r3 = r3 as seq[error]"),
        (Rule::OperandType, "  r1 = not r0"),
        (Rule::OperandType, "  r0 = negate.int r12"),
        (Rule::OperandType, "  r12 = negate.float r0"),
        (Rule::OperandType, "  r12 = int_to_float r12"),
        (Rule::OperandType, "  r0 = float_to_int r0"),
        (Rule::OperandType, "  r0 = enum_to_int r0"),
        (Rule::OperandType, "  r0 = sizeof r7"),
        (Rule::OperandType, "  r8 = keys r8"),
        (Rule::OperandType, "  r14 = values r9"),
        (Rule::OperandType, "  r0 = add.int r0, r12"),
        (Rule::OperandType, "  r0 = remainder.int r3, r0"),
        (Rule::OperandType, "  r12 = divide.float r0, r12"),
        (Rule::OperandType, "  r2 = concatenate r2, r0"),
        (Rule::OperandType, "  r1 = equal r0, r2"),
        (Rule::OperandType, "  r1 = not_equal r8, r9"),
        (Rule::OperandType, "  r1 = less.int r0, r12"),
        (Rule::OperandType, "  r1 = less_or_equal.float r0, r12"),
        (Rule::OperandType, "  r1 = less.string r2, r0"),
        (Rule::OperandType, "  r7 = tuple r0, r0"),
        (Rule::OperandType, "  r0 = r8.0"),
        (Rule::OperandType, "  r0 = element r10, r0"),
        (Rule::OperandType, "  r0 = element r8, r2"),
        (Rule::OperandType, "  r2 = lookup r8, r0"),
        (Rule::OperandType, "  r2 = lookup r10, r2"),
        (Rule::OperandType, "  r1 = r0 in r9"),
        (Rule::OperandType, "  r1 = r0 in r7"),
        (Rule::OperandType, "  r11 = r0 to Node"),
        (Rule::OperandType, "  r0 = choose below r12"),
        (Rule::OperandType, "  r0 = choose from r7"),
        (Rule::OperandType, "  branch r0, L1, L1\nL1:"),
        (Rule::OperandType, "  assert r0"),
        (Rule::OperandType, "  assert r1, r0"),
        (Rule::OperandType, "  print r0"),
        (Rule::OperandType, "  send r0, r4"),
        (Rule::OperandType, "  send r3, r4"),
        (Rule::OperandType, "  send r5, r5"),
        (Rule::OperandType, "  announce r0"),
        (Rule::OperandType, "  raise r5"),
        (Rule::OperandType, "  assign r0 = r2"),
        (Rule::OperandType, "  this.count = r2"),
        (Rule::OperandType, "  r7.1 = r0"),
        (Rule::OperandType, "  r8[r2] = r0"),
        (Rule::OperandType, "  r8[r0] = r2"),
        (Rule::OperandType, "  this.log[r2][r0].0 = r2"),
        (Rule::OperandType, "  r8 += r2, r0"),
        (Rule::OperandType, "  r8 += r0, r2"),
        (Rule::OperandType, "  r10 += r2, r2"),
        (Rule::OperandType, "  r9 += r0"),
        (Rule::OperandType, "  r8 -= r2"),
        (Rule::OperandType, "  r10 -= r2"),
        (Rule::OperandType, "  r9 -= r0"),
        (Rule::ResultType, "  r0 = true"),
        (Rule::ResultType, "  r1 = 1"),
        (Rule::ResultType, "  r0 = 1.0"),
        (Rule::ResultType, "  r0 = null"),
        (Rule::ResultType, "  r0 = \"\""),
        (Rule::ResultType, "  r0 = event eStop"),
        (Rule::ResultType, "  r0 = enum 0"),
        (Rule::ResultType, "  r0 = default bool"),
        (Rule::ResultType, "  r0 = r3"),
        (Rule::ResultType, "  r13 = r5"),
        (Rule::ResultType, "  r1 = this.count"),
        (Rule::ResultType, "  r1 = param nodes"),
        (Rule::ResultType, "  r0 = this"),
        (Rule::ResultType, "  r11 = this"),
        (Rule::ResultType, "  r0 = not r1"),
        (Rule::ResultType, "  r1 = sizeof r8"),
        (Rule::ResultType, "  r14 = keys r10"),
        (Rule::ResultType, "  r8 = values r10"),
        (Rule::ResultType, "  r9 = values r10"),
        (Rule::ResultType, "  r2 = add.int r0, r0"),
        (Rule::ResultType, "  r0 = equal r0, r0"),
        (Rule::ResultType, "  r3 = tuple r0"),
        (Rule::ResultType, "  r2 = r7.0"),
        (Rule::ResultType, "  r2 = element r8, r0"),
        (Rule::ResultType, "  r0 = lookup r10, r0"),
        (Rule::ResultType, "  r0 = r0 in r8"),
        (Rule::ResultType, "  r2 = r3 as int"),
        (Rule::ResultType, "  r15 = r5 to Node"),
        (Rule::ResultType, "  r0 = format \"\""),
        (Rule::ResultType, "  r0 = choose"),
        (Rule::ResultType, "  r2 = choose below r0"),
        (Rule::ResultType, "  r2 = choose from r10"),
        (Rule::ResultType, "  r2 = call Twice(r0)"),
        (Rule::ResultType, "  r15 = new Node(r0)"),
        (Rule::TupleShape, "  r7 = tuple r0"),
        (Rule::TupleShape, "  r0 = r7.2"),
        (Rule::PlaceType, "  r7.2 = r0"),
        (Rule::PlaceType, "  r7[r0] = r0"),
        (Rule::PlaceType, "  r8.0 = r0"),
        (Rule::PlaceType, "  r9[r0] = r2"),
        (Rule::PlaceType, "  this.log[r0][r0].0.0 = r2"),
        (Rule::PlaceType, "  r9 += r0, r2"),
        (Rule::PlaceType, "  r8 += r0"),
        (Rule::PlaceType, "  r7 -= r0"),
        (Rule::EnumConstant, "  r6 = enum 2"),
        (Rule::FormatArguments, "  r2 = format \"{{5}} {0} {1}\" r0"),
        (Rule::FormatArguments, "  r2 = format \"{99999999999999999999}\" r0"),
        (Rule::CallArguments, "  r0 = call Twice()"),
        (Rule::CallArguments, "  r0 = call Twice(r0, r0)"),
        (Rule::CallArguments, "  r0 = call Twice(r2)"),
        (Rule::ReturnValue, "  return"),
        (Rule::ReturnValue, "  return r2"),
        (Rule::NewPayload, "  new Node()"),
        (Rule::NewPayload, "  new Node(r2)"),
        (Rule::NewPayload, "  new Main(r0)"),
        (Rule::ReceiveCases, "  receive { -> L1 }\nL1:"),
        (Rule::ReceiveCases, "  receive { ePing, ePing -> L1 }\nL1:"),
        (Rule::ReceiveCases, "  receive { ePing -> L1; eStop, ePing -> L1 }\nL1:"),
        (Rule::ReceiveCases, "  receive { ePing(r2) -> L1 }\nL1:"),
        (Rule::ReceiveCases, "  receive { eStop, ePing(r0) -> L1 }\nL1:"),
        (Rule::GotoPayload, "  goto Init, r0"),
        (Rule::GotoPayload, "  goto Done, r2"),
        (Rule::MovedValue, "  r3 = move r0"),
        (Rule::MovedValue, "  r3 = add.int move r0, r0\n  r0 = 1"),
        (Rule::MovedValue, "  r3 = move r8\n  r8[r0] = r0"),
        (Rule::MovedValue, "  r8[r0] = r0\n  r3 = move r9\n  r9 -= r2"),
        (Rule::MovedValue, "  r10[move r0] = r2\n  r0 = negate.int r0"),
        (Rule::MovedValue, "  branch r1, L1, L2\nL1:\n  r3 = move r0\nL2:"),
        (Rule::MovedValue, "L0:\n  r3 = move r8\n  branch r1, L0, L1\nL1:"),
        (Rule::MovedValue, "  r3 = move r0\n  receive { ePing(r0) -> L1; eStop -> L1 }\nL1:"),
    ]
}

#[test]
fn right_lines_of_code_break_no_rule() {
    let lines = [
        "  r3 = move r0\n  r0 = 5",
        "  r0 = add.int r0, move r0",
        "  r8[r0] = move r0\n  r0 = 1",
        "  branch r1, L1, L2\nL1:\n  r3 = move r0\n  r0 = 2\nL2:",
        "L0:\n  r8 = default seq[int]\n  r3 = move r8\n  branch r1, L0, L1\nL1:",
        "  r3 = move r0\n  receive { ePing(r0) -> L1 }\nL1:",
        "  r3 = move r0\n  halt\n  r3 = r0\n  r0 = 1",
        "  goto Done\n",
        "  goto Init\n",
        "  goto Done, r0\n",
        "  new Main()\n",
        "  r4 = null\n  r5 = null\n  r3 = null",
        "  r1 = equal r3, r0\n  r1 = equal r0, r3\n  r5 = r11",
        "  r13 = keys r10\n  r3 = values r10",
        "  r2 = format \"{ {{0}} }\"",
    ];
    for line in lines {
        assert_eq!(rules(&with_code(line)), [], "{line}");
    }
}

fn code_function(program: &mut Program) -> &mut Function {
    program.functions.last_mut().expect("there are functions")
}

#[test]
fn what_no_text_can_say_is_found_too() {
    let name = Name(10_000);
    let ty = TypeId(10_000);
    let in_range = [
        built(|program| program.events[2].name = name),
        built(|program| program.enums[0].elements[0].name = name),
        built(|program| program.parameters[0].name = name),
        built(|program| program.interfaces[0].name = name),
        built(|program| program.machines[0].name = name),
        built(|program| program.machines[0].fields[0].name = name),
        built(|program| program.machines[0].states[0].name = name),
        built(|program| program.functions[0].name = name),
        built(|program| code_function(program).registers[4].name = Some(name)),
        built(|program| code_function(program).registers[3].ty = ty),
        built(|program| program.events[3].payload = ty),
        built(|program| program.parameters[0].ty = ty),
        built(|program| program.machines[0].fields[2].ty = ty),
        built(|program| program.functions[1].result = ty),
        built(|program| code_function(program).parameters = 40),
        built(|program| program.machines[1].receives = EventSet::all(100)),
        built(|program| program.interfaces[1].receives = EventSet::all(100)),
        built(|program| _ = program.types.intern(Type::Enum(EnumId(9)))),
        built(|program| _ = program.types.intern(Type::Foreign(name))),
        built(|program| _ = program.types.intern(Type::Permission(PermissionId(9)))),
        built(|program| _ = program.types.intern(Type::Seq(ty))),
        built(|program| {
            let events = [EventId(100)].into_iter().collect();
            program.types.add_permission(Permission { name: Name::NULL, origin: Origin::EventSet, events });
        }),
        built(|program| program.tests[0].bindings[0] = Some(MachineId(7))),
    ];
    for program in &in_range {
        assert_breaks(program, Rule::InRange, &print(program));
    }
    let itself = built(|program| {
        let next = TypeId(program.types.iter().count() as u32);
        program.types.intern(Type::Set(next));
    });
    assert_breaks(&itself, Rule::TypeTable, "a type made of itself");
    let deep = built(|program| {
        let mut ty = TypeId::INT;
        (0..100_000).for_each(|_| ty = program.types.intern(Type::Set(ty)));
    });
    assert_breaks(&deep, Rule::TypeTable, "a type too deep to be compared");
    let spans = built(|program| code_function(program).spans.push(Span::default()));
    assert_breaks(&spans, Rule::Spans, "more spans than instructions");
    let bindings = built(|program| program.tests[0].bindings.push(None));
    assert_breaks(&bindings, Rule::TestBindings, "more bindings than interfaces");
    let main = built(|program| {
        program.tests[0].bindings = vec![None, None];
        program.tests[0].links.clear();
    });
    assert_breaks(&main, Rule::TestBindings, "main is not bound");
    let nothing = Program::default();
    assert_breaks(&nothing, Rule::BuiltInEvents, "the empty program");
}

#[test]
fn places_that_no_path_leads_through_do_not_hide_their_indices() {
    let program = built(|program| {
        let function = code_function(program);
        let path = [Projection::Item(7), Projection::Index(Operand::copy(Register(99)))].into();
        let place = Place { root: Root::Register(Register(7)), path };
        let value = Operand::copy(Register(0));
        function.code.insert(0, Instruction::Assign { place, value });
        function.spans.push(Span::default());
    });
    assert_breaks(&program, Rule::InRange, "an index operand out of range behind a wrong item");
}
