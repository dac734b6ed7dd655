//! Programs with random damage: the parser ends, without a panic, and leaves a tree that makes sense.

use super::super::lexer::{Tokens, lex};
use super::{PROGRAMS, invariants, parse_text};
use crate::source::{Diagnostics, SourceMap};

/// A generator of numbers that are the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Texts that are put into programs at random.
const SCRAPS: [&str; 40] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ".",
    ":",
    "=",
    "+=",
    "-=",
    "==>",
    "\"",
    "\\",
    "/*",
    "*/",
    "//",
    "\n",
    "@",
    "ö",
    "machine",
    "state",
    "fun",
    "var",
    "event",
    "on",
    "do",
    "else",
    "case",
    "forall",
    "is",
    "sent",
    "pop",
    "group",
    "99999999999",
    "1.5",
    "swap",
    "\u{feff}",
];

/// The tokens of a text, each with the spaces before it.
fn pieces(text: &str) -> Vec<&str> {
    let mut sources = SourceMap::default();
    let file = sources.add("p", text, false).expect("a small file fits");
    let mut tokens = Tokens::default();
    lex(sources.file(file), &mut tokens, &mut Diagnostics::default());
    let base = sources.file(file).start;
    let mut pieces = Vec::new();
    let mut begin = 0;
    for span in &tokens.spans {
        let end = (span.end - base) as usize;
        pieces.push(&text[begin..end]);
        begin = end;
    }
    pieces
}

/// A text of these pieces, with spaces where words would run together.
fn assemble(pieces: &[&str]) -> String {
    let mut text = String::new();
    for piece in pieces {
        let word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        if word(text.as_bytes().last()) && word(piece.as_bytes().first()) {
            text.push(' ');
        }
        text.push_str(piece);
    }
    text
}

fn damage_tokens(pieces: &mut Vec<&str>, random: &mut Random) {
    let at = random.below(pieces.len());
    let other = random.below(pieces.len());
    match random.below(5) {
        0 => _ = pieces.remove(at),
        1 => pieces.insert(at, pieces[other]),
        2 => pieces.swap(at, other),
        3 => pieces.insert(at, SCRAPS[random.below(SCRAPS.len())]),
        _ => _ = pieces.drain(at..(at + random.below(20)).min(pieces.len())),
    }
}

fn damage_bytes(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(3) {
            0 => _ = bytes.remove(at),
            1 => bytes[at] = random.below(256) as u8,
            _ => bytes.insert(at, SCRAPS[random.below(SCRAPS.len())].as_bytes()[0]),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_programs_leave_sensible_trees() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (_, program) in PROGRAMS {
        let whole = pieces(program);
        for _ in 0..700 {
            let mut pieces = whole.clone();
            for _ in 0..=random.below(6) {
                damage_tokens(&mut pieces, &mut random);
            }
            let mut text = assemble(&pieces);
            if random.below(3) == 0 {
                text = damage_bytes(&text, &mut random);
            }
            let (sources, tree, diagnostics) = parse_text(&text);
            invariants::check(&sources, &tree, &diagnostics);
        }
    }
}

#[test]
fn every_beginning_of_a_program_leaves_a_sensible_tree() {
    for (_, program) in PROGRAMS {
        for end in (0..program.len()).filter(|end| program.is_char_boundary(*end)).step_by(3) {
            let (sources, tree, diagnostics) = parse_text(&program[..end]);
            invariants::check(&sources, &tree, &diagnostics);
        }
    }
}

/// The most errors for one slip of a kind, and their sum over all places, with the number of places.
fn errors_for_slips(slip: impl Fn(&mut Vec<&str>, usize)) -> (usize, usize, usize) {
    let (mut most, mut sum, mut count) = (0, 0, 0);
    for (_, program) in PROGRAMS {
        let whole = pieces(program);
        for at in 0..whole.len() - 1 {
            let mut pieces = whole.clone();
            slip(&mut pieces, at);
            let (_, _, diagnostics) = parse_text(&assemble(&pieces));
            let errors = diagnostics.iter().count();
            most = most.max(errors);
            sum += errors;
            count += 1;
        }
    }
    (most, sum, count)
}

/// Some slips leave a program right; on the whole there is about one error for each.
#[test]
fn one_slip_is_about_one_error() {
    let (most, sum, count) = errors_for_slips(|pieces, at| _ = pieces.remove(at));
    assert!(most <= 4 && sum <= count, "removing a token: at most {most} errors, {sum} for {count} tokens");
    let (most, sum, count) = errors_for_slips(|pieces, at| pieces.insert(at, pieces[at]));
    assert!(most <= 4 && sum <= count, "doubling a token: at most {most} errors, {sum} for {count} tokens");
    let (most, sum, count) = errors_for_slips(|pieces, at| pieces.swap(at, at + 1));
    // Two tokens in the wrong order are two slips.
    assert!(
        most <= 5 && sum <= count * 2,
        "swapping tokens: at most {most} errors, {sum} for {count} tokens"
    );
}

#[test]
fn random_tokens_leave_sensible_trees() {
    let mut random = Random(42);
    let words: Vec<&str> = PROGRAMS.iter().flat_map(|(_, program)| pieces(program)).collect();
    for _ in 0..500 {
        let text: Vec<&str> = (0..random.below(300)).map(|_| words[random.below(words.len())]).collect();
        let (sources, tree, diagnostics) = parse_text(&text.join(" "));
        invariants::check(&sources, &tree, &diagnostics);
    }
}
