//! Generated programs are right, different, and show all of the language that they are meant to show.

use crate::support::{compile, seeds, text};
use fabius_generate::{Size, program};
use fabius_lang::ir;

#[test]
fn every_program_compiles_verifies_and_is_read_back_from_its_text_form() {
    for seed in seeds(2000) {
        let source = text(seed);
        let program = compile(&source).unwrap_or_else(|| panic!("seed {seed} does not compile\n{source}"));
        assert_eq!(ir::verify(&program), [], "seed {seed}\n{source}");
        let printed = ir::text::print(&program);
        let read =
            ir::text::parse(&printed).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{printed}"));
        assert_eq!(ir::verify(&read), [], "seed {seed}\n{printed}");
        assert_eq!(ir::text::print(&read), printed, "seed {seed}");
    }
}

#[test]
fn the_same_seed_gives_the_same_text_and_others_give_others() {
    let size = Size::default();
    let texts: std::collections::HashSet<String> = (0..100).map(|seed| program(seed, &size)).collect();
    assert_eq!(texts.len(), 100);
    assert!((0..100).all(|seed| texts.contains(&program(seed, &size))));
}

#[test]
fn larger_sizes_give_programs_that_compile() {
    let large =
        Size { machines: 5, states: 5, events: 8, fields: 5, statements: 5, depth: 3, fuel: 6, specs: 3 };
    let small =
        Size { machines: 1, states: 1, events: 2, fields: 0, statements: 1, depth: 0, fuel: 1, specs: 0 };
    for (seed, size) in (0..40).flat_map(|seed| [(seed, &large), (seed, &small)]) {
        let source = program(seed, size);
        assert!(compile(&source).is_some(), "seed {seed} with {size:?} does not compile\n{source}");
    }
}

/// What some program among the first few hundred contains.
const EXPECTED: &[&str] = &[
    "defer e",
    "defer halt",
    "ignore e",
    "ignore halt",
    "on halt do",
    "on halt goto",
    "on null do",
    "on null goto",
    "raise halt",
    "raise e",
    ", halt;",
    "case halt:",
    "receive {",
    "announce e",
    "$ ",
    "$$",
    "choose()",
    "choose(2)",
    "choose(Make",
    "choose(f",
    "foreach (",
    "while (",
    "break;",
    "continue;",
    "return;",
    "goto S",
    "exit {",
    " with {",
    " with (x: ",
    "entry F",
    "on e2, e1 ",
    "do F0;",
    "hot state",
    "cold state",
    "start hot state",
    "new Narrow(",
    "= new M",
    "(new M1",
    " to Narrow)",
    " as int)",
    " as machine)",
    "format(",
    "test param",
    "CheckAlone",
    "rename ",
    "-> Narrow",
    "union ",
    "(assert Watch0 in Front)",
    " in Make",
    " in keys(",
    "<==>",
    "==>",
    "keys(",
    "values(",
    "sizeof(",
    "default(",
    ".who = ",
    ".0 = ",
    "] = ",
    "[1]",
    "+= (0, ",
    "-= (0)",
    "-= (",
    "receives e",
    "Pair",
    "any",
    "2147483647",
    " / ",
    "n - 1",
    "print ",
    "assert ",
    "[0] = ",
    "] += (",
];

#[test]
fn programs_show_the_language() {
    let all: String = (0..1000).map(text).collect();
    let missing: Vec<_> = EXPECTED.iter().filter(|words| !all.contains(**words)).collect();
    assert!(missing.is_empty(), "no program has {missing:?}");
}
