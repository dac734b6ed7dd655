//! Any bytes as a P project: the front end must keep its laws.
//!
//! A line `//// file` begins another file, and `//// included` one of an included project, so that inputs that need
//! several files can be found too.

#![no_main]

#[path = "../../crates/lang/tests/shared/laws.rs"]
mod laws;

use fabius_lang::source::SourceMap;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = SourceMap::default();
    let mut included = false;
    for (at, part) in text.split("//// ").enumerate() {
        if at > 0 {
            included = part.starts_with("included");
        }
        let part = if at > 0 { format!("// {part}") } else { part.to_owned() };
        sources.add(format!("{at}.p"), part, included).expect("the fuzzer's inputs are small");
    }
    if let Err(complaint) = laws::check(&sources) {
        panic!("{complaint}");
    }
});
