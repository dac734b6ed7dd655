//! Expected texts in files beside the tests. `UPDATE=1 cargo test` rewrites them; the review reads the difference.

use std::path::Path;
use std::{env, fs};

/// Panics unless the text is that in the file `goldens/<name>`.
#[track_caller]
pub(crate) fn assert_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(name);
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, text).expect("goldens can be written");
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == text,
        "{name} differs; run with UPDATE=1 to accept\nexpected:\n{expected}\nfound:\n{text}"
    );
}
