//! Text that nests deeply: one error, no overflow of a small stack, no quadratic time.

use std::time::{Duration, Instant};

use super::super::tree::MAX_NESTING;
use super::{expression, invariants, parse_text, statements};
use crate::source::Code;

/// The stack that the parser must get by with.
const STACK: usize = 1 << 20;

/// The codes reported for a text, which is parsed on a small stack and checked.
fn codes(text: String) -> Vec<Code> {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let begin = Instant::now();
        let (sources, tree, diagnostics) = parse_text(&text);
        assert!(begin.elapsed() < Duration::from_secs(5), "took {:?}", begin.elapsed());
        invariants::check(&sources, &tree, &diagnostics);
        diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
    });
    thread.expect("a thread can be started").join().expect("the parser does not panic")
}

fn in_function(text: &str) -> String {
    format!("fun f() {{ {text} }}")
}

fn nested(open: &str, middle: &str, close: &str, levels: usize) -> String {
    format!("{}{middle}{}", open.repeat(levels), close.repeat(levels))
}

const DEEP: usize = 100_000;

#[test]
fn constructs_nested_too_deeply_are_one_error() {
    let too_deep = [
        in_function(&format!("x = {};", nested("(", "1", ")", DEEP))),
        in_function(&format!("x = {};", nested("f(", "1", ")", DEEP))),
        in_function(&format!("x = {};", nested("(a, ", "1", ")", DEEP))),
        in_function(&format!("x = {};", nested("(a = ", "1", ",)", DEEP))),
        in_function(&format!("x = {};", nested("a[", "1", "]", DEEP))),
        in_function(&format!("x = {};", nested("keys(", "1", ")", DEEP))),
        in_function(&format!("x = {};", nested("new M(", "1", ")", DEEP))),
        in_function(&format!("x = {};", nested("choose(", "1", ")", DEEP))),
        in_function(&format!("x = {};", nested("format(\"{0}\", ", "1", ")", DEEP))),
        in_function(&format!("x = {};", nested("a + (", "1", ")", DEEP))),
        in_function(&format!("x = {};", nested("forall (x: int) :: ", "1", "", DEEP))),
        in_function(&format!("x = {};", nested("inflight ", "e", "", DEEP))),
        in_function(&format!("x = {};", nested("! inflight ", "e", "", DEEP))),
        in_function(&format!("x = {};", nested("!", "a", "", DEEP))),
        in_function(&format!("x = {};", nested("-", "a", "", DEEP))),
        in_function(&format!("x = a{};", ".b".repeat(DEEP))),
        in_function(&format!("x = a{};", ".0".repeat(DEEP))),
        in_function(&format!("x = a{};", "[0]".repeat(DEEP))),
        in_function(&format!("x = a{};", " as int".repeat(DEEP))),
        in_function(&format!("x = a{};", " is K".repeat(DEEP))),
        in_function(&format!("x = a{};", " targets m".repeat(DEEP))),
        in_function(&format!("x = a{};", " + b as int".repeat(DEEP))),
        in_function(&format!("a{} = 1;", ".b".repeat(DEEP))),
        in_function(&nested("{", "", "}", DEEP)),
        in_function(&nested("if (a) ", ";", "", DEEP)),
        in_function(&nested("if (a) {", ";", "}", DEEP)),
        in_function(&nested("while (a) ", ";", "", DEEP)),
        in_function(&nested("foreach (a in b) ", ";", "", DEEP)),
        in_function(&nested("receive { case e: {", "", "} }", DEEP)),
        format!("type T = {};", nested("seq[", "int", "]", DEEP)),
        format!("type T = {};", nested("map[int, ", "int", "]", DEEP)),
        format!("type T = {};", nested("(", "int", ")", DEEP)),
        format!("type T = {};", nested("(a: ", "int", ")", DEEP)),
        format!("module m = {};", nested("(", "a", ")", DEEP)),
        format!("module m = {};", nested("main M in ", "a", "", DEEP)),
        format!("module m = {};", nested("assert S in (", "a", ")", DEEP)),
        format!("axiom {};", nested("(", "a", ")", DEEP)),
    ];
    for text in too_deep {
        let beginning: String = text.chars().take(60).collect();
        assert_eq!(codes(text), [Code::NestedTooDeeply], "{beginning}");
    }
}

#[test]
fn what_follows_a_construct_nested_too_deeply_is_still_read() {
    let text = in_function(&format!(
        "x = {}; y = ; z = {};",
        nested("(", "1", ")", DEEP),
        nested("f(", "", ")", DEEP)
    ));
    assert_eq!(codes(text), [Code::NestedTooDeeply, Code::SyntaxError, Code::NestedTooDeeply]);
}

#[test]
fn unbalanced_nesting_is_reported_in_few_words() {
    for open in ["(", "f(", "a[", "{", "if (", "seq[", "receive { case e: {", "(a, ", "a.b("] {
        let texts = [in_function(&format!("x = {}", open.repeat(DEEP))), in_function(&open.repeat(DEEP))];
        for text in texts {
            assert!((1..=3).contains(&codes(text).len()), "{open}");
        }
    }
    for close in [")", "]", "}", ";", "else ", "} }"] {
        assert!(!codes(in_function(&close.repeat(1000))).is_empty() || close == ";", "{close}");
    }
    assert!(codes(format!("type T = {}", "seq[".repeat(DEEP))).len() <= 3);
    assert!(codes(format!("module m = {}", "(".repeat(DEEP))).len() <= 3);
}

#[test]
fn many_constructs_nested_too_deeply_inside_one_are_one_error() {
    let shell = MAX_NESTING as usize;
    let inner = "f((a), (b), (c), (d)), ".repeat(1000);
    let text = in_function(&format!("x = {};", nested("f(", &format!("{inner}1"), ")", shell)));
    assert_eq!(codes(text), [Code::NestedTooDeeply]);
}

#[test]
fn left_spines_may_be_of_any_length() {
    for op in ["+", "&&", "==", "<", "==>", "in", "<==>"] {
        let text = in_function(&format!("x = a{};", format!(" {op} b").repeat(DEEP)));
        assert_eq!(codes(text), [], "{op}");
    }
    let mixed = in_function(&format!("x = a{};", " + b * c - d".repeat(DEEP)));
    assert_eq!(codes(mixed), []);
}

#[test]
fn long_lists_are_not_deep() {
    assert_eq!(codes(in_function(&"x = 1;".repeat(DEEP))), []);
    assert_eq!(codes(in_function(&format!("f({}1);", "a, ".repeat(DEEP)))), []);
    assert_eq!(codes("event e;".repeat(DEEP)), []);
}

#[test]
fn sensible_depths_are_accepted() {
    let half = MAX_NESTING as usize / 2;
    assert!(expression(&nested("(", "a", ")", half)) == "a");
    assert!(statements(&nested("{", "", "}", half)).starts_with("(block (block"));
    assert!(statements(&nested("if (a) { } else ", ";", "", half)).starts_with("(if a (block) (if a"));
    assert!(expression(&format!("a{}", ".b".repeat(half))).ends_with(" b)"));
}

#[test]
fn many_unterminated_strings_take_linear_time() {
    let text = format!("\"{}", "\\\"\n".repeat(DEEP));
    assert!(codes(text).contains(&Code::UnterminatedString));
}
