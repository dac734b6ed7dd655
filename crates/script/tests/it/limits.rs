//! Scripts that want too much end in a bug, soon and without harm.

use std::thread;

use crate::support::outcome;

/// The stack of threads that searches start.
const STACK: usize = 2 << 20;

fn fails_with(body: &str, message: &str) {
    let script = format!(
        "fn G(x) {{ [[[[[G(x + 1)]]]]] }} fn H(x) {{ 1 + (2 * (3 - H(x + 1))) }}\nfn F() {{ {body} }}"
    );
    let run = thread::Builder::new().stack_size(STACK);
    let found = run
        .spawn(move || outcome("fun F(): int;", &script, "x = F();"))
        .expect("a thread can be started")
        .join()
        .expect("the thread ends by itself");
    assert!(found.len() == 1 && found[0].contains(message), "{found:?}");
}

#[test]
fn loops_without_end() {
    fails_with("loop { }", "Too many operations");
    fails_with("let x = 0; while x >= 0 { x += 1; } x", "Too many operations");
}

#[test]
fn recursion_without_end() {
    fails_with("F()", "Stack overflow");
    fails_with("G(0)", "Stack overflow");
    fails_with("H(0)", "Stack overflow");
    fails_with("let f = |g, x| g.call(g, x + 1); f.call(f, 0)", "Stack overflow");
}

#[test]
fn values_without_end() {
    fails_with("let x = \"ab\"; loop { x += x; }", "too large");
    fails_with("let x = [1]; loop { x += x; }", "too large");
    fails_with("let x = []; loop { x = [x, x]; }", "too large");
    fails_with("let x = []; x.pad(1000000000000, 1); x.len()", "too large");
    fails_with("let x = \"\"; x.pad(1000000000000, 'c'); x.len()", "too large");
    fails_with("blob(1000000000000, 1).len()", "too large");
}

#[test]
fn values_that_nest_without_end() {
    fails_with("let x = []; for i in 0..100000 { x = [x]; } 1", "");
}

#[test]
fn numbers_out_of_range() {
    fails_with("9223372036854775807 + 1", "overflow");
    fails_with("1 / 0", "Division by zero");
    fails_with("2 ** 64", "overflow");
}
