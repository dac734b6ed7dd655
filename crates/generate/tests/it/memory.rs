//! What is remembered about states makes no difference: not remembering moves, and forgetting everything, change nothing.

use crate::granularity::{Explored, explore};
use crate::support::{compile, seeds, tests, text};
use fabius_model::Program;
use fabius_vm::{Limits, Options, Vm};

#[test]
fn a_program_that_remembers_no_moves_or_was_made_to_forget_shows_the_same() {
    for seed in seeds(300) {
        let source = text(seed);
        let program = compile(&source).unwrap_or_else(|| panic!("seed {seed} does not compile\n{source}"));
        for test in tests(&program) {
            let with = |remembered| {
                let limits = Limits { remembered, ..Limits::default() };
                Vm::new(program.clone(), test, Options { limits, ..Options::default() })
                    .expect("the test links")
            };
            let mut vm = with(Limits::default().remembered);
            let Some(usual) = explore(&vm) else { continue };
            let check = |what: &str, explored: Option<Explored>| {
                assert!(
                    explored.as_ref() == Some(&usual),
                    "seed {seed}: {what} makes a difference\n{source}"
                );
            };
            check("remembering nothing", explore(&with(0)));
            check("remembering little", explore(&with(20)));
            let thrifty = with(Limits::default().remembered);
            thrifty.initial();
            thrifty.economise();
            let before = thrifty.remembered().remembered;
            check("saving memory", explore(&thrifty));
            assert_eq!(
                thrifty.remembered().remembered,
                before,
                "seed {seed}: moves are remembered\n{source}"
            );
            vm.forget();
            check("forgetting", explore(&vm));
        }
    }
}
