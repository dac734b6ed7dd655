//! Programs from seeds, and how many of them to try.

use fabius_generate::{Size, program};
use fabius_lang::ids::TestId;
use fabius_lang::ir;
use fabius_lang::source::SourceMap;
use fabius_vm::{Granularity, Options, Vm};
use std::sync::Arc;

/// The seeds to try: so many, or `FABIUS_PROGRAMS` times as many hundredths.
pub(crate) fn seeds(count: u64) -> std::ops::Range<u64> {
    let percent =
        std::env::var("FABIUS_PROGRAMS").ok().and_then(|percent| percent.parse().ok()).unwrap_or(100);
    0..count * percent / 100
}

pub(crate) fn text(seed: u64) -> String {
    program(seed, &Size::default())
}

pub(crate) fn compile(text: &str) -> Option<Arc<ir::Program>> {
    let mut sources = SourceMap::default();
    sources.add("test.p", text, false).expect("the text is short");
    fabius_lang::compile(&sources).program.map(Arc::new)
}

pub(crate) fn tests(program: &Arc<ir::Program>) -> impl Iterator<Item = TestId> {
    (0..program.tests.len()).map(|test| TestId(test as u32))
}

pub(crate) fn vm(program: &Arc<ir::Program>, test: TestId, granularity: Granularity) -> Vm {
    let options = Options { granularity, ..Options::default() };
    Vm::new(program.clone(), test, options).expect("the test links")
}
