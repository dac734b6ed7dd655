//! Deep nesting of everything that nests: up to the limit it is accepted, beyond it refused with a message, and never
//! does it exhaust a small stack, not even in a debug build.

use fabius_lang::compile;
use fabius_lang::source::{Code, Severity, SourceMap};

/// What threads have by default.
const STACK: usize = 2 << 20;
const FAR_TOO_DEEP: usize = 100_000;

/// The codes of the errors in a text, found on a small stack.
fn errors(text: String) -> Vec<Code> {
    let compiled = move || {
        let mut sources = SourceMap::default();
        sources.add("deep.p", text, false).expect("less than four gigabytes");
        let compilation = compile(&sources);
        let errors = compilation.diagnostics.iter().filter(|each| each.severity() == Severity::Error);
        errors.map(|each| each.code).collect()
    };
    let thread =
        std::thread::Builder::new().stack_size(STACK).spawn(compiled).expect("threads can be started");
    thread.join().expect("a compilation ends without panic")
}

/// Something that nests: what stands around it, its beginning, its innermost part, and its end.
#[derive(Clone, Copy)]
struct Nest {
    name: &'static str,
    frame: (&'static str, &'static str),
    opening: &'static str,
    inner: &'static str,
    closing: &'static str,
}

impl Nest {
    fn text(&self, depth: usize) -> String {
        let (before, after) = self.frame;
        let (opening, closing) = (self.opening.repeat(depth), self.closing.repeat(depth));
        format!("{before}{opening}{}{closing}{after}", self.inner)
    }

    /// Without what should follow the innermost part.
    fn cut(&self, depth: usize) -> String {
        self.frame.0.to_owned() + &self.opening.repeat(depth)
    }
}

const CODE: (&str, &str) = (
    "event ePing: any; fun f(n: int): int { return n; } fun g(a: any): any { return a; }
     machine M { start state Init { entry (a: any) { assert a == null; } } }
     machine Main { var n: int; var b: bool; var a: any; var s: seq[int]; var m: map[int, int];
       start state Init { entry { ",
    " } ignore ePing; } }",
);
const TYPES: (&str, &str) = ("machine Main { start state Init { entry { var x: ", "; x = x; } } }");
const FORMULA: (&str, &str) = ("machine Main { start state Init { } } axiom ", ";");
const MODULE: (&str, &str) = (
    "event e; machine Main receives e; sends e; { start state Init { entry { new Main(); } ignore e; } } \
     spec S observes e { start state Init { ignore e; } } module m = ",
    ";",
);

macro_rules! nests {
    ($($name:literal $frame:ident $opening:literal $inner:literal $closing:literal;)*) => {
        &[$(Nest { name: $name, frame: $frame, opening: $opening, inner: $inner, closing: $closing }),*]
    };
}

const NESTS: &[Nest] = nests! {
    "blocks" CODE "{ " "n = 1;" " }";
    "conditionals" CODE "if (b) " "n = 1;" "";
    "alternatives" CODE "if (b) n = 1; else { " "n = 2;" " }";
    "loops" CODE "while (b) { " "n = 1;" " }";
    "walks" CODE "foreach (n in s) " "n = 1;" "";
    "receives" CODE "receive { case halt: { " "n = 1;" " } }";
    "sequences" TYPES "seq[" "int" "]";
    "sets" TYPES "set[" "int" "]";
    "maps" TYPES "map[int, " "int" "]";
    "tuple types" TYPES "(int, " "int" ")";
    "named tuple types" TYPES "(x: " "int" ")";
    "quantifiers" FORMULA "forall (x: int) :: " "true" "";
    "formulas" FORMULA "!(" "true" ")";
    "modules" MODULE "(" "{ Main }" ")";
    "mains" MODULE "main Main in " "{ Main }" "";
};

/// Expressions of which each level is part of the next, as the right side of an assignment.
const VALUES: &[(&str, &str, &str, &str)] = &[
    ("calls", "n = f(", "1", ")"),
    ("minus signs", "n = - ", "1", ""),
    ("negations", "b = !", "b", ""),
    ("groups", "n = (", "1", ")"),
    ("sums to the right", "n = 1 + (", "1", ")"),
    ("conditions to the right", "b = b && (", "b", ")"),
    ("indices", "n = s[", "0", "]"),
    ("keys", "n = m[", "0", "]"),
    ("tuples", "a = (", "1", ",)"),
    ("named tuples", "a = (x = ", "1", ",)"),
    ("arguments", "a = g(", "a", ")"),
    ("conversions", "n = f(", "1", " to float to int)"),
    ("casts", "a = (", "a", " as any)"),
    ("creations", "a = new M(", "null", ")"),
    ("choices", "n = choose(", "1", ")"),
    ("formats", "a = g(format(\"{0}\", ", "1", "))"),
];

fn values() -> impl Iterator<Item = Nest> {
    VALUES.iter().map(|(name, opening, inner, closing)| {
        let (target, opening) = opening.split_once("= ").expect("it is an assignment");
        let before: &'static str = format!("{}{target}= ", CODE.0).leak();
        Nest { name, frame: (before, "; } ignore ePing; } }"), opening, inner, closing }
    })
}

fn all() -> impl Iterator<Item = Nest> {
    NESTS.iter().copied().chain(values())
}

#[test]
fn fifty_levels_are_accepted() {
    for nest in all() {
        let found = errors(nest.text(50));
        assert!(found.is_empty(), "{}: {found:?}", nest.name);
    }
}

#[test]
fn a_hundred_thousand_levels_are_one_error() {
    for nest in all() {
        let found = errors(nest.text(FAR_TOO_DEEP));
        assert_eq!(found, [Code::NestedTooDeeply], "{}", nest.name);
    }
}

#[test]
fn a_hundred_thousand_levels_without_end_are_an_error() {
    for nest in all() {
        let found = errors(nest.cut(FAR_TOO_DEEP));
        assert!(!found.is_empty() && found.len() < 10, "{}: {found:?}", nest.name);
    }
}

#[test]
fn the_deepest_that_is_allowed_is_compiled_on_a_small_stack() {
    for nest in all() {
        let deepest = (50..=200).rev().find(|depth| errors(nest.text(*depth)).is_empty());
        assert!(deepest.is_some_and(|depth| depth >= 60), "{}: {deepest:?}", nest.name);
    }
}

#[test]
fn chains_of_members_are_limited() {
    let chain = |count: usize| format!("{} n = n{}; {}", CODE.0, ".x".repeat(count), CODE.1);
    assert_eq!(errors(chain(FAR_TOO_DEEP)), [Code::NestedTooDeeply]);
    assert_eq!(errors(chain(3)), [Code::MismatchedTypes]);
    let indices = |count: usize| format!("{} n = s{}; {}", CODE.0, "[0]".repeat(count), CODE.1);
    assert_eq!(errors(indices(FAR_TOO_DEEP)), [Code::NestedTooDeeply]);
    let targets = |count: usize| format!("{} s{} = 1; {}", CODE.0, "[0]".repeat(count), CODE.1);
    assert_eq!(errors(targets(FAR_TOO_DEEP)), [Code::NestedTooDeeply]);
    let casts = |count: usize| format!("{} a = a{}; {}", CODE.0, " as any".repeat(count), CODE.1);
    assert_eq!(errors(casts(FAR_TOO_DEEP)), [Code::NestedTooDeeply]);
}

#[test]
fn unmatched_brackets_of_any_number_are_few_errors() {
    for bracket in ["(", ")", "[", "]", "{", "}", "seq[", "(x: ", "/*", "\"", "((", "{{", "[[", "){", "}{"] {
        for frame in [CODE, TYPES, FORMULA, MODULE, ("", "")] {
            let found = errors(frame.0.to_owned() + &bracket.repeat(FAR_TOO_DEEP) + frame.1);
            assert!(!found.is_empty(), "{bracket}");
            assert!(found.len() <= 1000, "{bracket}: {}", found.len());
        }
    }
}
