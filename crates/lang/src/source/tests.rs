//! The look of diagnostics against goldens (`UPDATE=1` rewrites them), and what must hold for any text and span.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::{Code, Diagnostic, FileKind, Location, Renderer, SourceMap, Span, counted, separated, summary};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/source/tests/render.golden");
const PLAIN: Renderer = Renderer { colour: false, width: 80 };

fn sources(files: &[(&str, &str)]) -> SourceMap {
    let mut sources = SourceMap::default();
    for (path, text) in files {
        sources.add(*path, *text, false).expect("small");
    }
    sources
}

/// The span of the first occurrence of a text, in the files' order.
fn span_of(sources: &SourceMap, text: &str) -> Span {
    let mut places = sources.files().iter().map(|file| file.text.find(text).map(|at| file.start + at as u32));
    let start = places.find_map(|place| place).expect("the text occurs");
    Span::new(start, start + text.len() as u32)
}

fn case(title: &str, rendered: &str) -> String {
    format!("## {title}\n{rendered}\n\n")
}

fn unknown_event(sources: &SourceMap) -> Diagnostic {
    Diagnostic::new(Code::UnknownEvent, span_of(sources, "eCommited"), "there is no event `eCommited`")
}

fn label_cases(out: &mut String) {
    let files = sources(&[
        ("PSrc/Coordinator.p", "machine Coordinator {\n        send p, eCommited, id;\n}\n"),
        ("PSrc/Events.p", "event ePrepare;\nevent eCommitted: int;\n"),
    ]);
    let with_label = unknown_event(&files)
        .note("did you mean `eCommitted`?")
        .label(span_of(&files, "eCommitted"), "declared here");
    *out += &case("a label in another file", &PLAIN.render(&with_label, &files));
    let colour = Renderer { colour: true, ..PLAIN }.render(&with_label.clone().hint("correct it"), &files);
    *out += &case("the same in colour", &colour.replace('\x1b', "␛"));

    let one = sources(&[("a.p", "event eGo;\nevent eStop;\nevent eGo: int;\n")]);
    let second = Span::new(one.files()[0].start + 30, one.files()[0].start + 33);
    let duplicate = Diagnostic::new(Code::DuplicateDeclaration, second, "`eGo` is declared twice")
        .note("declared again")
        .label(span_of(&one, "eGo"), "first declared here")
        .hint("remove one of them, or\ngive it another name");
    *out += &case("a label in the same file, a hint of two lines", &PLAIN.render(&duplicate, &one));

    let far = format!("event eGo;\n{}event eGo;\n", "// nothing\n".repeat(10_000));
    let far = sources(&[("far.p", &far)]);
    let end = far.files()[0].span().end;
    let duplicate =
        Diagnostic::new(Code::DuplicateDeclaration, Span::new(end - 5, end - 2), "`eGo` is declared twice")
            .label(span_of(&far, "eGo"), "first declared here");
    *out += &case("a label in the same file, far away", &PLAIN.render(&duplicate, &far));
}

fn text_cases(out: &mut String) {
    let tabs = sources(&[("tabs.p", "\t\tsend\tp,\teCommited;\r\n\t}\r\n")]);
    *out += &case("tabs and carriage returns", &PLAIN.render(&unknown_event(&tabs).note("here"), &tabs));

    let wide = sources(&[("wide.p", "// 世界\nprint \"日本語 café\"; send p, eCommited;\n")]);
    *out += &case("wide and accented characters", &PLAIN.render(&unknown_event(&wide).note("here"), &wide));

    let control = sources(&[("control.p", "print \"\x1b[31m\0\"; send p, eCommited;\n")]);
    let message = unknown_event(&control).note("a\x1b[31m\nb").hint("\x1b]0;title\x07");
    *out += &case("control characters", &PLAIN.render(&message, &control));

    let lines = "fun f() {\n  while (true) {\n    x = 1;\n    y = 2;\n    z = 3;\n  }\n}\n";
    let lines = sources(&[("lines.p", lines)]);
    let start = span_of(&lines, "while").start;
    let multiline =
        Diagnostic::new(Code::UnreachableCode, Span::new(start, start + 52), "this loop never ends");
    *out += &case("several lines", &PLAIN.render(&multiline.note("from here on"), &lines));
}

fn edge_cases(out: &mut String) {
    let at_end = |text: &str| {
        let sources = sources(&[("end.p", text)]);
        let end = sources.files()[0].span().after();
        let diagnostic = Diagnostic::new(Code::SyntaxError, end, "expected `}`, found the end of the file");
        PLAIN.render(&diagnostic.note("expected `}`"), &sources)
    };
    *out += &case("the end of a file without a line end", &at_end("machine M {"));
    *out += &case("the end of a file with a line end", &at_end("machine M {\n"));
    *out += &case("the end of an empty file", &at_end(""));

    let nowhere = Diagnostic::new(Code::NoSuchPath, Span::default(), "there is no file `Server.p`");
    let none = SourceMap::default();
    *out += &case("no place", &PLAIN.render(&nowhere, &none));
    let explained = nowhere.note("looked in `PSrc`").hint("did you mean `PSrc/server.p`?");
    *out += &case("no place, with note and hint", &PLAIN.render(&explained, &none));

    let long = format!("{} send p, eCommited; {}\n", "x = x + 1;".repeat(30), "y = y + 1;".repeat(30));
    let long = sources(&[("long.p", &long)]);
    *out += &case("a long line", &PLAIN.render(&unknown_event(&long).note("here"), &long));

    let long = format!("event eGo; {} event eGo;\n", "x = x + 1;".repeat(60));
    let long = sources(&[("long.p", &long)]);
    let end = long.files()[0].span().end;
    let duplicate =
        Diagnostic::new(Code::DuplicateDeclaration, Span::new(end - 5, end - 2), "`eGo` is declared twice")
            .label(span_of(&long, "eGo"), "first declared here");
    *out += &case("two places far apart in a long line", &PLAIN.render(&duplicate, &long));
}

#[test]
fn diagnostics_look_as_in_the_golden() {
    let mut actual = String::new();
    label_cases(&mut actual);
    text_cases(&mut actual);
    edge_cases(&mut actual);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(GOLDEN, &actual).expect("the golden can be written");
    }
    let expected = std::fs::read_to_string(GOLDEN).unwrap_or_default();
    assert_eq!(actual, expected, "run with UPDATE=1 if the difference is wanted");
}

#[test]
fn a_line_of_twenty_megabytes_gives_a_short_excerpt_at_once() {
    let name = "n".repeat(20 << 20);
    let text = format!("a = {name} + é;");
    let files = sources(&[("big.p", &text)]);
    let begin = Instant::now();
    let mut total = 0;
    for _ in 0..4 {
        let whole =
            Diagnostic::new(Code::UnknownName, span_of(&files, &name), format!("there is no `{name}`"));
        let end = Diagnostic::new(Code::UnknownName, span_of(&files, "é"), "there is no `é`");
        let end = PLAIN.render(&end.label(span_of(&files, "a"), "here"), &files);
        assert!(end.contains(&format!("big.p:1:{}", name.len() + 8)), "{end}");
        total += PLAIN.render(&whole, &files).len() + end.len();
    }
    assert!(total < 4 * 4_000, "{total} bytes for 8 diagnostics");
    // The strings made here take most of the time; a renderer that walks over the line takes far more.
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
}

#[test]
fn every_span_of_a_text_can_be_rendered() {
    let texts = ["", "\n", "a\r\n\tb", "é\n\n世\n", "\0\u{202e}x\r", &"long ".repeat(200)];
    for text in texts {
        let files = sources(&[("other.p", "event e;"), ("it.p", text)]);
        let file = files.files()[1].span();
        let step = 1 + text.len() / 20;
        let offsets: Vec<u32> = (file.start..=file.end).step_by(step).collect();
        for &start in &offsets {
            for &end in &offsets {
                let diagnostic = Diagnostic::new(Code::SyntaxError, Span::new(start, end), "no")
                    .note("note")
                    .label(Span::new(end, file.end), "label")
                    .label(Span::new(file.start, u32::MAX), "label");
                for (width, colour) in [(0, false), (33, false), (80, true)] {
                    let text = Renderer { colour, width }.render(&diagnostic, &files);
                    assert!(text.contains("it.p"), "{text}");
                }
            }
        }
    }
}

#[test]
fn locations_count_lines_and_characters_from_one() {
    let long = "é".repeat(5000);
    let files = sources(&[("a.p", "one\n"), ("b.p", &format!("\u{feff}{long}\nzwei x"))]);
    let at = |text: &str| files.location(span_of(&files, text)).expect("is somewhere");
    let expected = |path: &str, line, column| Location { path: path.to_owned(), line, column };
    assert_eq!(at("one"), expected("a.p", 1, 1));
    assert_eq!(at("zwei"), expected("b.p", 2, 1));
    assert_eq!(at("x"), expected("b.p", 2, 6));
    let last = files.files()[1].start + 2 * 4999;
    assert_eq!(files.location(Span::new(last, last)), Some(expected("b.p", 1, 5000)));
    assert_eq!(files.location(files.files()[0].span().after()), Some(expected("a.p", 2, 1)));
    assert_eq!(files.location(Span::default()), None);
}

#[test]
fn files_that_are_not_source_have_places_but_are_not_parsed() {
    let mut files = SourceMap::default();
    files.add_other("x.pproj", "<Project/>").expect("small");
    files.add("x.p", "event e;", true).expect("small");
    let parsed: Vec<&str> = files.program_files().map(|file| file.path.as_str()).collect();
    assert_eq!(parsed, ["x.p"]);
    assert_eq!(files.files()[0].kind, FileKind::Other);
    assert_eq!(files.text(span_of(&files, "<Project/>")), "<Project/>");
}

#[test]
fn the_summary_counts_in_words() {
    let many = |code, count| std::iter::repeat_n(Diagnostic::new(code, Span::default(), ""), count);
    let text = |errors, warnings, notes| {
        let all = many(Code::SyntaxError, errors).chain(many(Code::UnusedEvent, warnings));
        summary(&all.chain(many(Code::IgnoredTarget, notes)).collect::<Vec<_>>())
    };
    assert_eq!(text(0, 3, 1), None);
    assert_eq!(text(1, 0, 9).as_deref(), Some("error: 1 error"));
    assert_eq!(text(3, 1, 0).as_deref(), Some("error: 3 errors, 1 warning"));
    assert_eq!(text(1234, 2, 0).as_deref(), Some("error: 1,234 errors, 2 warnings"));
}

#[test]
fn numbers_have_separators() {
    let mut text = String::new();
    for number in [0, 12, 999, 1000, 12_345, 123_456, 1_234_567] {
        let _ = write!(text, "{} ", separated(number));
    }
    assert_eq!(text, "0 12 999 1,000 12,345 123,456 1,234,567 ");
    assert_eq!([0, 1, 2].map(|number| counted(number, "test")), ["no tests", "1 test", "2 tests"]);
}
