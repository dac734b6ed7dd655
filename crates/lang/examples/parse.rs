//! Parses the `.p` files of the folders given as arguments, each file alone, and lists what is wrong with them.
//!
//! With `--time N` it parses everything together N times instead, and says how fast that went.

use std::path::{Path, PathBuf};
use std::time::Instant;

use fabius_lang::source::{Diagnostics, SourceMap};
use fabius_lang::syntax::parse;

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut rounds = None;
    if arguments.first().is_some_and(|first| first == "--time") {
        rounds = arguments.get(1).and_then(|count| count.parse().ok());
        arguments.drain(..2.min(arguments.len()));
    }
    let mut paths = Vec::new();
    for argument in &arguments {
        collect(Path::new(argument), &mut paths);
    }
    paths.sort();
    match rounds {
        Some(rounds) => measure(&paths, rounds),
        None => list(&paths),
    }
}

fn collect(path: &Path, into: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries.for_each(|entry| collect(&entry.path(), into));
    } else if path.extension().is_some_and(|extension| extension == "p") {
        into.push(path.to_owned());
    }
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}

fn list(paths: &[PathBuf]) {
    let mut wrong = 0;
    for path in paths {
        let mut sources = SourceMap::default();
        sources.add(path.display().to_string(), read(path), false);
        let mut diagnostics = Diagnostics::default();
        parse(&sources, &mut diagnostics);
        diagnostics.sort();
        wrong += usize::from(diagnostics.has_errors());
        for diagnostic in diagnostics.iter() {
            let Some(place) = sources.location(diagnostic.span) else { continue };
            let hint = diagnostic.hint.as_deref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            let (code, message) = (diagnostic.code.text(), &diagnostic.message);
            println!("{}:{}:{}: [{code}] {message}{hint}", place.path, place.line, place.column);
        }
    }
    println!("{} files, {wrong} with errors", paths.len());
}

fn measure(paths: &[PathBuf], rounds: usize) {
    let mut sources = SourceMap::default();
    for path in paths {
        sources.add(path.display().to_string(), read(path), false);
    }
    let lines: usize = sources.files().iter().map(|file| file.text.lines().count()).sum();
    let bytes: usize = sources.files().iter().map(|file| file.text.len()).sum();
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let begin = Instant::now();
        let tree = parse(&sources, &mut Diagnostics::default());
        best = best.min(begin.elapsed().as_secs_f64());
        drop(tree);
    }
    let (lines_rate, bytes_rate) = (lines as f64 / best / 1e6, bytes as f64 / best / 1e6);
    println!("{lines} lines, {bytes} bytes: {lines_rate:.2} M lines/s, {bytes_rate:.0} MB/s");
}
