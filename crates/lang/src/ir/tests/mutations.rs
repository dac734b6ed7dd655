//! Damaged texts: nothing panics on them, and what can still be read comes back as it was.

use super::EVERYTHING;
use super::generate::generate_small;
use super::random::Random;
use crate::ir::text::{parse, print};
use crate::ir::{insert_moves, verify};

const MUTATIONS: usize = 100_000;

#[test]
fn damaged_texts_are_errors_or_programs_but_never_panics() {
    let texts: Vec<_> =
        (0..400).map(|seed| print(&generate_small(seed))).filter(|text| text.len() < 1200).collect();
    let everything: Vec<_> = EVERYTHING.split_inclusive('\n').collect();
    let mut random = Random::new(1);
    let (mut read, mut verified) = (0, 0);
    for number in 0..MUTATIONS {
        let text = match number % 100 {
            // The program with everything is long; it is damaged less often.
            0 => damage(&everything, &mut random),
            _ => {
                let at = random.below(texts.len());
                damage(&texts[at].split_inclusive('\n').collect::<Vec<_>>(), &mut random)
            }
        };
        let Ok(mut program) = parse(&text) else { continue };
        read += 1;
        let printed = print(&program);
        let again = parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}\nfrom\n{text}"));
        assert_eq!(print(&again), printed, "from\n{text}");
        if verify(&program).is_empty() {
            verified += 1;
            program.functions.iter_mut().for_each(insert_moves);
            assert_eq!(verify(&program), [], "{}", print(&program));
        }
    }
    // The numbers keep the test honest: damage must leave something to read, and break rules.
    assert!(read > MUTATIONS / 10, "only {read} could be read");
    assert!(verified > MUTATIONS / 100 && verified < read, "{verified} of {read} broke no rule");
}

/// The text of the lines with one to three changes.
fn damage(lines: &[&str], random: &mut Random) -> String {
    let mut lines = lines.to_vec();
    let mut text = String::new();
    let (first, second) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(4) {
        0 => _ = lines.remove(first),
        1 => lines.insert(second, lines[first]),
        2 => lines.swap(first, second),
        _ => {}
    }
    lines.iter().for_each(|line| text.push_str(line));
    for _ in 0..random.below(3) {
        text = damage_bytes(&text, random);
    }
    text
}

const PIECES: [&str; 24] = [
    "r1",
    "r0",
    "move ",
    "L3",
    "#1",
    "#99",
    "#4294967295",
    "$0",
    "@",
    "int",
    "{",
    "}",
    "(",
    ")",
    "\n",
    "=",
    ",",
    ".0",
    "'",
    "\"",
    "-",
    "é",
    "0",
    "all",
];

fn damage_bytes(text: &str, random: &mut Random) -> String {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let (before, after) = text.split_at(at);
    // Mostly whole words go, because half of one is seldom of any use.
    let word = after.find([' ', '\n', ',']).unwrap_or(after.len());
    let rest = &after[word..];
    match random.below(5) {
        0 => format!("{before}{rest}"),
        1 => format!("{before}{}{after}", random.pick(&PIECES)),
        2 => format!("{before}{}{rest}", random.pick(&PIECES)),
        3 => {
            let start = before.rfind([' ', '\n']).map_or(0, |space| space + 1);
            format!("{}{}{rest}", &before[..start], random.pick(&PIECES))
        }
        _ => before.to_string(),
    }
}
