//! Generated programs compile.

use fabius_generate::{Size, program};
use fabius_lang::source::SourceMap;

#[test]
fn every_program_compiles() {
    for seed in 0..2000 {
        let text = program(seed, &Size::default());
        let mut sources = SourceMap::default();
        sources.add("test.p", &text, false).expect("short");
        let c = fabius_lang::compile(&sources);
        if c.program.is_none() {
            let errors: Vec<_> = c
                .diagnostics
                .iter()
                .filter(|d| d.severity() == fabius_lang::source::Severity::Error)
                .map(|d| format!("{:?} {}", d.code, d.message))
                .collect();
            println!("seed {seed}: {errors:?}");
        }
    }
}
