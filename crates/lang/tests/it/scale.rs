//! Programs of sizes that only generators write: a list of any kind may have a hundred thousand elements, and the time
//! must grow with the size, not with its square.
//!
//! The limit on time is generous, for slow machines and debug builds; a quadratic step in a list of this length takes
//! minutes.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use fabius_lang::source::{Code, Severity, SourceMap};
use fabius_lang::{Compilation, compile};

const LIMIT: Duration = Duration::from_secs(20);

fn timed(text: String) -> Compilation {
    let mut sources = SourceMap::default();
    let length = text.len();
    sources.add("large.p", text, false).expect("less than four gigabytes");
    let begin = Instant::now();
    let compilation = compile(&sources);
    let time = begin.elapsed();
    assert!(time < LIMIT, "{length} bytes took {time:?}");
    compilation
}

/// Compiles a program that must have no error.
#[track_caller]
fn accept(text: String) -> Compilation {
    let compilation = timed(text);
    let error = compilation.diagnostics.iter().find(|each| each.severity() == Severity::Error);
    assert!(error.is_none(), "{error:?}");
    compilation
}

/// Compiles a program whose first error must have a certain code.
#[track_caller]
fn reject(text: String, code: Code) -> Compilation {
    let compilation = timed(text);
    let error = compilation.diagnostics.iter().find(|each| each.severity() == Severity::Error);
    assert_eq!(error.map(|each| each.code), Some(code), "{error:?}");
    compilation
}

/// `count` pieces of text, each made of its number.
fn many(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        let _ = write!(text, "{}", piece(number));
        text
    })
}

fn main_with(entry: &str) -> String {
    format!("machine Main {{ start state Init {{ entry {{ {entry} }} }} }}")
}

#[test]
fn a_hundred_thousand_operands_of_each_operator() {
    let count = 100_000;
    let spine = |operand: &str, operator: &str| format!("{operand} {operator} ").repeat(count) + operand;
    for (operand, operator, ty) in [
        ("n", "+", "int"),
        ("s", "+", "string"),
        ("b", "&&", "bool"),
        ("b", "||", "bool"),
        ("b", "==>", "bool"),
    ] {
        let variable = operand;
        let text = format!("var {variable}: {ty}; {variable} = {};", spine(operand, operator));
        accept(main_with(&text));
    }
    let mixed = "n + 2 * n == 3 && n < 4 || n - 5 >= 6 && b || ".repeat(count / 10) + "b";
    accept(main_with(&format!(
        "var n: int; var b: bool; if ({mixed}) {{ b = {mixed}; }} while ({mixed}) {{ }}"
    )));
    accept(main_with(&format!("var n: int; var b: bool; assert {mixed}, \"x\";")));
}

#[test]
fn a_chain_of_a_hundred_thousand_alternatives() {
    let chain = many(100_000, |n| format!("if (n == {n}) {{ n = {}; }} else ", n + 1));
    accept(main_with(&format!("var n: int; {chain} {{ n = 0; }}")));
    let returns = many(20_000, |n| format!("if (n == {n}) {{ return {}; }} else ", n + 1));
    accept(format!("fun f(n: int): int {{ {returns} {{ return n; }} }}") + &main_with("assert f(1) == 2;"));
    reject(
        format!("fun f(n: int): int {{ {returns} ; }}") + &main_with("assert f(1) == 2;"),
        Code::MissingReturn,
    );
}

#[test]
fn a_chain_of_a_hundred_thousand_aliases() {
    let count = 100_000;
    let forward = many(count, |n| format!("type t{n} = t{};\n", n + 1)) + &format!("type t{count} = int;\n");
    accept(forward + &main_with("var x: t0; x = x + 1;"));
    let backward = "type t0 = int;\n".to_owned() + &many(count, |n| format!("type t{} = t{n};\n", n + 1));
    accept(backward + &main_with(&format!("var x: t{count}; x = x + 1;")));
    let circle = many(count, |n| format!("type t{n} = t{};\n", (n + 1) % count));
    reject(circle + &main_with("var x: t0; x = x + 1;"), Code::CircularType);
}

#[test]
fn aliases_that_nest_types_beyond_the_limit_are_refused() {
    let count = 100_000;
    let nested = "type t0 = int;\n".to_owned() + &many(count, |n| format!("type t{} = seq[t{n}];\n", n + 1));
    reject(nested + &main_with(&format!("var x: t{count}; x = x;")), Code::NestedTooDeeply);
}

/// Types of which each is twice as large as the one before.
fn doubling(count: usize, innermost: &str) -> String {
    let first = format!("type {innermost}0 = {innermost};\n");
    first + &many(count, |n| format!("type {innermost}{} = ({innermost}{n}, {innermost}{n});\n", n + 1))
}

#[test]
fn aliases_that_double_beyond_the_limit_are_refused() {
    accept(
        doubling(15, "int") + &main_with("var x, y: int15; x = y; assert x == y; print format(\"{0}\", x);"),
    );
    reject(doubling(100, "int") + &main_with("var x: int100; x = x;"), Code::NestedTooDeeply);
}

#[test]
fn large_types_are_compared_and_cut_in_messages() {
    let types = doubling(15, "int") + &doubling(15, "any") + &doubling(15, "bool");
    accept(types.clone() + &main_with("var x: any15; var y: int15; x = y; assert x == y; y = x as int15;"));
    let compilation =
        reject(types + &main_with("var x: bool15; var y: int15; x = y;"), Code::MismatchedTypes);
    let longest = compilation.diagnostics.iter().map(|each| each.message.len()).max();
    assert!(longest.is_some_and(|length| length < 1000), "{longest:?}");
}

#[test]
fn a_chain_of_modules() {
    let count = 20_000;
    let main = main_with("");
    let forward =
        many(count, |n| format!("module m{n} = m{};\n", n + 1)) + &format!("module m{count} = {{ Main }};\n");
    accept(format!("{main} {forward} test tcOne [main=Main]: m0;"));
    let backward =
        "module m0 = { Main };\n".to_owned() + &many(count, |n| format!("module m{} = (m{n});\n", n + 1));
    accept(format!("{main} {backward} test tcOne [main=Main]: m{count};"));
    let circle = many(count, |n| format!("module m{n} = m{};\n", (n + 1) % count));
    reject(format!("{main} {circle} test tcOne [main=Main]: m0;"), Code::CircularModule);
}

#[test]
fn a_module_of_many_machines() {
    let count = 5_000;
    let machines = many(count, |n| format!("machine M{n} {{ start state Init {{ }} }}\n"));
    let names: Vec<String> = (0..count).map(|n| format!("M{n}")).collect();
    let list = names.join(", ");
    let singles: Vec<String> = names.iter().map(|name| format!("{{ {name} }}")).collect();
    accept(format!(
        "{machines} test tcOne [main=M0]: {{ {list} }}; test tcTwo [main=M0]: union {};",
        singles.join(", ")
    ));
}

#[test]
fn more_combinations_than_can_be_listed() {
    let parameters = many(7, |n| format!("param p{n}: int;\n"));
    let axes: Vec<String> = (0..7).map(|n| format!("p{n} in [0, 1, 2, 3, 4, 5, 6, 7]")).collect();
    let main = main_with("assert p0 + p1 + p2 + p3 + p4 + p5 + p6 >= 0;");
    let test = |words: &str, count: usize| {
        format!(
            "{parameters} {main} test param ({}) {words} tcAll [main=Main]: {{ Main }};",
            axes[..count].join(", ")
        )
    };
    reject(test("", 7), Code::TooManyTests);
    reject(test("", 6), Code::TooManyTests);
    reject(test("pairwise", 7), Code::TooManyTests);
    accept(test("pairwise", 6));
    accept(test("assume (p0 == 1 && p1 == 1 && p2 == 1)", 6));
}

#[test]
fn an_enum_of_a_hundred_thousand_elements() {
    let elements = many(100_000, |n| format!("E{n} = {n}, "));
    accept(
        format!("enum Large {{ {elements} LAST = 100000 }} ")
            + &main_with("var e: Large; e = LAST; assert e != E7;"),
    );
}

#[test]
fn a_machine_of_twenty_thousand_states() {
    let count = 20_000;
    let states = many(count, |n| {
        let start = if n == 0 { "start " } else { "" };
        format!(
            "{start}state S{n} {{ entry {{ goto S{}; }} on eGo goto S{}; }}\n",
            (n + 1) % count,
            (n + 7) % count
        )
    });
    accept(format!("event eGo; machine Main {{ {states} }}"));
}

#[test]
fn a_hundred_thousand_events() {
    let count = 100_000;
    let events = many(count, |n| format!("event e{n};\n"));
    let names: Vec<String> = (0..count).map(|n| format!("e{n}")).collect();
    let list = names.join(", ");
    accept(format!(
        "{events} eventset All = {{ {list} }}; machine Main receives {list}; sends {list}; {{
           start state Init {{ ignore {list}; }} state Next {{ on {list} goto Init; }} }}
         spec Watch observes {list} {{ start state Init {{ on {list} do {{ }} }} }}"
    ));
    let cases = many(count, |n| format!("case e{n}: {{ }} "));
    accept(format!("{events} {}", main_with(&format!("receive {{ {cases} }}"))));
}

#[test]
fn many_machines_that_know_all_of_many_events() {
    let events = many(2_000, |n| format!("event e{n};\n"));
    let machines = many(2_000, |n| format!("machine M{n} {{ start state Init {{ on e{n} do {{ }} }} }}\n"));
    accept(format!("{events} {machines} {}", main_with("")));
}

#[test]
fn a_function_of_a_hundred_thousand_statements_and_fifty_thousand_variables() {
    let locals = many(50_000, |n| format!("var v{n}: int; "));
    let statements =
        many(50_000, |n| format!("v{n} = v{} + 1; if (v{n} > 3) {{ v0 = v{n}; }}\n", (n * 7) % 50_000));
    accept(main_with(&(locals + &statements)));
}

#[test]
fn a_hundred_thousand_functions_and_fields() {
    let functions = many(100_000, |n| format!("fun f{n}(a: int): int {{ return a + {n}; }}\n"));
    let fields = many(50_000, |n| format!("var v{n}: int;\n"));
    let entry = many(50_000, |n| format!("v{n} = f{n}(v{n}); "));
    accept(format!("{functions} machine Main {{ {fields} start state Init {{ entry {{ {entry} }} }} }}"));
}

#[test]
fn a_chain_of_a_hundred_thousand_calls() {
    let count = 100_000;
    let functions = many(count, |n| format!("fun f{n}() {{ f{}(); }}\n", n + 1));
    accept(format!("{functions} fun f{count}() {{ new Main(); }} {}", main_with("f0();")));
}

#[test]
fn a_tuple_of_many_fields() {
    let count = 20_000;
    let types: Vec<String> = (0..count).map(|n| format!("f{n}: int")).collect();
    let values: Vec<String> = (0..count).map(|n| format!("f{n} = {n}")).collect();
    let (types, values) = (types.join(", "), values.join(", "));
    accept(
        format!("type tLarge = ({types}); ")
            + &main_with(&format!("var x: tLarge; x = ({values}); x.f7 = x.f9;")),
    );
    let parameters = types;
    let arguments: Vec<String> = (0..count).map(|n| n.to_string()).collect();
    accept(format!("fun f({parameters}) {{ }} ") + &main_with(&format!("f({});", arguments.join(", "))));
}

#[test]
fn a_hundred_thousand_unknown_names() {
    let statements = many(100_000, |n| format!("x = unknown{n}; Unknown{n}(); send this, eUnknown{n}; "));
    let events = many(10_000, |n| format!("event eKnown{n};\n"));
    let compilation = reject(events + &main_with(&format!("var x: int; {statements}")), Code::UnknownName);
    let errors = compilation.diagnostics.iter().filter(|each| each.severity() == Severity::Error).count();
    assert_eq!(errors, 1000);
    assert_eq!(compilation.diagnostics.last().map(|each| each.code), Some(Code::TooManyFindings));
}

#[test]
fn a_hundred_thousand_invariants() {
    let count = 20_000;
    let invariants = many(count, |n| format!("invariant i{n}: true;\n"));
    let proofs = many(count - 1, |n| format!("prove i{} using i{n};\n", n + 1));
    accept(format!("{invariants} Proof {{ {proofs} }} {}", main_with("")));
    accept(format!("{invariants} Proof {{ prove default using *; }} {}", main_with("")));
    let everything = many(200, |_| "prove * using *;\n".to_owned());
    reject(format!("{invariants} Proof {{ {everything} }} {}", main_with("")), Code::CircularProof);
}
