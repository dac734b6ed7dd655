//! Programs from seeds, and how many of them to try.

use fabius_generate::{Size, program, shrink};
use fabius_lang::ids::TestId;
use fabius_lang::ir;
use fabius_lang::source::SourceMap;
use fabius_vm::{Granularity, Options, Vm};
use std::sync::Arc;

/// The seeds to try: so many, or `FABIUS_PROGRAMS` times as many hundredths, from `FABIUS_SEED` on.
pub(crate) fn seeds(count: u64) -> std::ops::Range<u64> {
    let number = |variable: &str| std::env::var(variable).ok().and_then(|number| number.parse::<u64>().ok());
    let first = number("FABIUS_SEED").unwrap_or(0);
    first..first + count * number("FABIUS_PROGRAMS").unwrap_or(100) / 100
}

pub(crate) fn text(seed: u64) -> String {
    program(seed, &Size::default())
}

pub(crate) fn sources(text: &str) -> SourceMap {
    let mut sources = SourceMap::default();
    sources.add("test.p", text, false).expect("the text is short");
    sources
}

pub(crate) fn compile(text: &str) -> Option<Arc<ir::Program>> {
    fabius_lang::compile(&sources(text)).program.map(Arc::new)
}

pub(crate) fn tests(program: &Arc<ir::Program>) -> impl Iterator<Item = TestId> {
    (0..program.tests.len()).map(|test| TestId(test as u32))
}

pub(crate) fn vm(program: &Arc<ir::Program>, test: TestId, granularity: Granularity) -> Vm {
    let options = Options { granularity, ..Options::default() };
    Vm::new(program.clone(), test, options).expect("the test links")
}

/// Panics with a small program for which `check` fails in the same way as it did for this one.
pub(crate) fn fail<T>(seed: u64, text: &str, what: &str, check: &dyn Fn(&str) -> Result<T, String>) -> ! {
    let kind = |what: &str| what.split([':', '{', '(', '[']).next().map(str::to_owned);
    let wanted = kind(what);
    let mut fails = |text: &str| {
        let attempt = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(text)));
        matches!(attempt, Ok(Err(what)) if kind(&what) == wanted)
    };
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let small = shrink(text, &mut fails);
    std::panic::set_hook(hook);
    let what = check(&small).err().unwrap_or_else(|| what.to_owned());
    panic!("seed {seed}: {what}\n{small}");
}
