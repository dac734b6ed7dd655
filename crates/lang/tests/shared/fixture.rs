//! The fixtures under `tests/fixtures`: programs of our own, each with its expectation.
//!
//! A fixture is a `.p` file, or a folder of them when several files are needed; files in its subfolder `included` belong
//! to an included project. The first line says what the fixture is about. A line `// also: code, ..` lists codes that the
//! program provokes beside the one it is about.

use std::fs;
use std::path::{Path, PathBuf};

use fabius_lang::source::SourceMap;

pub(crate) struct Fixture {
    /// The file's or folder's name without extension.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) sources: SourceMap,
}

impl Fixture {
    /// The fixtures of one folder below `tests/fixtures`, by name.
    pub(crate) fn all(folder: &str) -> Vec<Self> {
        let paths = entries(&root().join(folder)).into_iter();
        let fixtures: Vec<_> =
            paths.filter(|path| path.is_dir() || is_program(path)).map(Self::read).collect();
        assert!(!fixtures.is_empty(), "there are no fixtures in {folder}");
        fixtures
    }

    fn read(path: PathBuf) -> Self {
        let mut sources = SourceMap::default();
        let base = path.parent().expect("a fixture is in a folder").to_owned();
        let mut add = |file: &Path, included| {
            let shown = file.strip_prefix(&base).expect("a file of a fixture is in its folder");
            let text = fs::read_to_string(file).expect("fixtures are text");
            sources
                .add(shown.display().to_string().replace('\\', "/"), text, included)
                .expect("fixtures are small");
        };
        if path.is_dir() {
            entries(&path).iter().filter(|file| is_program(file)).for_each(|file| add(file, false));
            entries(&path.join("included")).iter().for_each(|file| add(file, true));
        } else {
            add(&path, false);
        }
        let name = path.file_stem().expect("a fixture has a name").to_string_lossy().into_owned();
        Self { name, path, sources }
    }

    /// What the fixture's header lists under `key`.
    pub(crate) fn header(&self, key: &str) -> Vec<&str> {
        let lines = self.sources.files().iter().flat_map(|file| file.text.lines());
        let values = lines.filter_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "));
        values.flat_map(|list| list.split(", ")).collect()
    }
}

/// `tests/fixtures` of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures")
}

/// What a folder holds, ordered; nothing if there is no such folder.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    paths.sort();
    paths
}

fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "p")
}
