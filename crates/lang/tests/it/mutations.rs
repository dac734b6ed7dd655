//! Damaged fixtures: thousands of programs that are almost right, the same ones in every run. Whatever they are, the
//! laws of the front end hold.
//!
//! A failure prints the program, with the lines left out that do not matter. `MUTATIONS=1000000` tries that many.

use std::panic;

use fabius_lang::source::SourceMap;

use crate::fixture::Fixture;
use crate::laws;

const CASES: u64 = 10_000;
const THREADS: u64 = 4;

#[test]
fn damaged_programs_keep_the_laws() {
    let programs = programs();
    let wanted = std::env::var("MUTATIONS").ok().and_then(|count| count.parse().ok());
    let cases = wanted.unwrap_or(CASES);
    std::thread::scope(|scope| {
        for first in 0..THREADS {
            let programs = &programs;
            scope.spawn(move || {
                (first..cases).step_by(THREADS as usize).for_each(|case| check(programs, case));
            });
        }
    });
}

/// The fixtures, each as one text.
fn programs() -> Vec<String> {
    let fixtures = ["accepted", "diagnostics"].into_iter().flat_map(Fixture::all);
    let text = |fixture: Fixture| -> String {
        fixture.sources.files().iter().map(|file| file.text.as_str()).collect::<Vec<_>>().join("\n")
    };
    // Those with deep nests are slow, and have tests of their own.
    fixtures.filter(|fixture| !fixture.name.starts_with("nested-too-deeply")).map(text).collect()
}

fn check(programs: &[String], case: u64) {
    let text = damaged(programs, case);
    if let Some(complaint) = complaint(&text) {
        let short = shortened(&text);
        panic!("case {case}: {complaint}\n=== the program, shortened\n{short}");
    }
}

/// The law that is broken, if one is.
fn complaint(text: &str) -> Option<String> {
    let mut sources = SourceMap::default();
    sources.add("damaged.p", text, false).expect("fixtures are small");
    let checked = panic::catch_unwind(panic::AssertUnwindSafe(|| laws::check(&sources)));
    match checked {
        Ok(Ok(_)) => None,
        Ok(Err(complaint)) => Some(complaint),
        Err(_) => Some("the front end panicked".to_owned()),
    }
}

/// Leaves out lines as long as something is wrong.
fn shortened(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    while at < lines.len() {
        let line = lines.remove(at);
        if complaint(&lines.join("\n")).is_none() {
            lines.insert(at, line);
            at += 1;
        }
    }
    lines.join("\n")
}

fn damaged(programs: &[String], case: u64) -> String {
    let mut random = Random(case);
    let mut text = random.pick(programs).clone();
    for _ in 0..=random.below(3) {
        let other = random.pick(programs);
        text = match random.below(4) {
            0 => damage_bytes(&text, other, &mut random),
            1 => spliced(&text, other, &mut random),
            _ => damage_tokens(&text, other, &mut random),
        };
    }
    text
}

/// Deletes, doubles, exchanges, replaces or inserts tokens.
fn damage_tokens(text: &str, other: &str, random: &mut Random) -> String {
    let mut tokens = tokens(text);
    let foreign = tokens_of(other, random);
    let elsewhere = random.below(tokens.len());
    let at = random.below(tokens.len());
    match random.below(6) {
        0 => _ = tokens.remove(at),
        1 => tokens.insert(at, tokens[at]),
        2 => tokens.swap(at, elsewhere),
        3 => tokens[at] = foreign,
        4 => tokens.insert(at, foreign),
        _ => {
            let end = (at + random.below(12)).min(tokens.len());
            tokens.drain(at..end);
        }
    }
    tokens.concat()
}

fn tokens_of<'t>(text: &'t str, random: &mut Random) -> &'t str {
    let tokens = tokens(text);
    tokens[random.below(tokens.len())]
}

/// The beginning of one program and the end of another.
fn spliced(text: &str, other: &str, random: &mut Random) -> String {
    let (first, second) = (tokens(text), tokens(other));
    let (end, start) = (random.below(first.len()), random.below(second.len()));
    first[..end].concat() + &second[start..].concat()
}

/// Changes single characters, where bytes that are no text become U+FFFD, as when a file is read.
fn damage_bytes(text: &str, other: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if bytes.is_empty() {
        bytes.push(b' ');
    }
    let (at, elsewhere) = (random.below(bytes.len()), random.below(bytes.len()));
    match random.below(6) {
        0 => _ = bytes.remove(at),
        1 => bytes.insert(at, bytes[at]),
        2 => bytes.swap(at, elsewhere),
        3 => bytes[at] = random.next() as u8,
        4 => bytes.insert(at, other.as_bytes()[random.below(other.len())]),
        _ => bytes.truncate(at),
    }
    let unicode = ["é", "“", "\u{a0}", "😀", "\u{feff}", "\0", "\u{202e}"];
    if random.below(8) == 0 {
        let at = random.below(bytes.len() + 1);
        bytes.splice(at..at, random.pick(&unicode).bytes());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The words, numbers, spaces and single signs of a text; never none.
fn tokens(text: &str) -> Vec<&str> {
    let class = |character: char| match character {
        _ if character.is_alphanumeric() || character == '_' => 0,
        _ if character.is_whitespace() => 1,
        _ => 2,
    };
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let same = |next: char| class(first) != 2 && class(next) == class(first);
        let end = rest.char_indices().skip(1).find(|(_, next)| !same(*next)).map_or(rest.len(), |(at, _)| at);
        tokens.push(&rest[..end]);
        rest = &rest[end..];
    }
    if tokens.is_empty() {
        tokens.push("");
    }
    tokens
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 if there is none.
    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}
