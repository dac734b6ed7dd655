use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::cells::{Cells, Record, Run, Summary};
use super::claims::Comparison;
use super::expected::{self, Outcome, OutcomeBug, Verdict};
use super::machine::date;
use super::tables::{Measure, TABLES};
use super::{chart, grid};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("fabius-bench-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

/// A corpus of one program whose file is this.
fn read(name: &str, text: &str) -> Result<Vec<expected::CorpusProgram>, String> {
    let folder = scratch(name);
    fs::create_dir_all(folder.join("bank")).expect("the folder can be made");
    fs::write(folder.join("bank/expected.toml"), text).expect("the file can be written");
    let result = expected::read_corpus(&folder);
    fs::remove_dir_all(&folder).expect("the folder can be removed");
    result
}

const GOOD: &str =
    "[[test]]\nname = \"tcGood\"\nverdict = \"verified\"\nsearch = []\nquick = true\nstates = 7\n";
const BAD: &str = "[[test]]\nname = \"tcBad\"\nverdict = \"bug\"\nsearch = []\nquick = true\nfixed = \"tcGood\"\n\
                   bug = { kind = \"assertion\", machine = \"Bank\", message = \"no money\" }\n";

fn problem(name: &str, text: &str) -> String {
    read(name, text).expect_err("the file makes no sense")
}

#[test]
fn files_that_make_no_sense_are_refused() {
    assert!(problem("unknown_key", &GOOD.replace("states", "sates")).contains("sates"));
    assert!(problem("twice", &format!("{GOOD}{GOOD}")).contains("two entries"));
    assert!(problem("no_fixed", BAD).contains("there is no entry `tcGood`"));
    assert!(problem("bug_in_good", &format!("{GOOD}fixed = \"tcGood\"\n")).contains("neither"));
    let both =
        format!("{BAD}{}", BAD.replace("tcBad", "tcGood").replace("fixed = \"tcGood\"", "fixed = \"tcBad\""));
    assert!(problem("fixed_is_bug", &both).contains("has a bug as well"));
}

#[test]
fn entries_are_those_of_the_tests() {
    let programs = read("complete", &format!("{GOOD}{BAD}")).expect("the file is right");
    let complete = |tests: &[&str]| programs[0].check_complete(tests.iter().copied());
    assert!(complete(&["tcBad", "tcGood"]).is_ok());
    assert!(complete(&["tcGood"]).is_err_and(|problem| problem.contains("`tcBad`, which is no test")));
    assert!(
        complete(&["tcBad", "tcGood", "tcNew"]).is_err_and(|problem| problem.contains("about test `tcNew`"))
    );
}

#[test]
fn an_entry_keeps_the_time_limit_of_its_own() {
    let own = GOOD.replace("search = []", "search = [\"--timeout\", \"600\"]");
    let options =
        |name: &str, text: &str| read(name, text).expect("the file is right")[0].entries[0].options("5");
    assert_eq!(options("no_timeout", GOOD), ["--timeout", "5"]);
    assert_eq!(options("own_timeout", &own), ["--timeout", "600"]);
}

#[test]
fn a_comparison_sees_every_difference() {
    let programs = read("compare", &format!("{GOOD}{BAD}")).expect("the file is right");
    let [good, bad] = programs[0].entries.as_slice() else { panic!("two entries") };
    let outcome = |verdict: &str, states, bug| Outcome { verdict: verdict.to_owned(), states, bug };
    let bug = |kind: &str, machine: &str, message: &str| {
        Some(OutcomeBug { kind: kind.into(), machine: machine.into(), message: message.into() })
    };
    let right = outcome("bug", Some(3), bug("assertion", "Bank", "there is no money left"));
    assert_eq!(bad.compare(&right), Ok(()));
    assert!(good.compare(&right).is_err(), "the same with the expectation of the version without the bug");
    for wrong in [
        bug("deadlock", "Bank", "no money"),
        bug("assertion", "Client", "no money"),
        bug("assertion", "Bank", "no time"),
    ] {
        assert!(bad.compare(&outcome("bug", None, wrong)).is_err());
    }
    assert!(bad.compare(&outcome("verified", Some(7), None)).is_err());
    assert_eq!(good.compare(&outcome("verified", Some(7), None)), Ok(()));
    assert!(good.compare(&outcome("verified", Some(8), None)).is_err());
    assert!(good.compare(&outcome("no-bug", Some(7), None)).is_err());
}

#[test]
fn every_row_of_a_table_is_a_test_of_the_corpus() {
    let programs = expected::read_corpus(&corpus()).expect("the corpus is in order");
    for table in &TABLES {
        for row in table.rows {
            let program = programs.iter().find(|program| program.name == row.program);
            let entry =
                program.and_then(|program| program.entries.iter().find(|entry| entry.name == row.test));
            assert!(entry.is_some(), "{}: {} has no test {}", table.name, row.program, row.test);
            assert!(row.paper.is_empty() || row.paper.len() == table.columns.len(), "{}", row.label);
        }
        let names: BTreeSet<&str> = table.rows.iter().map(|row| row.label).collect();
        assert_eq!(names.len(), table.rows.len(), "labels of {} differ", table.name);
    }
}

#[test]
fn the_page_of_the_corpus_counts_its_tests_and_bugs() {
    let page = fs::read_to_string(corpus().join("README.md")).expect("the corpus has a page");
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| ["))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let programs = expected::read_corpus(&corpus()).expect("the corpus is in order");
    assert_eq!(rows.len(), programs.len(), "the table has a row for each program");
    for program in &programs {
        let name = &program.name;
        let bugs: BTreeSet<&str> = (program.entries.iter())
            .filter(|entry| entry.verdict == Verdict::Bug)
            .map(|entry| entry.name.split("___").next().unwrap_or_default())
            .collect();
        let counts = [program.entries.len().to_string(), bugs.len().to_string()];
        let row = rows.iter().find(|row| row[0] == format!("[{name}]({name})"));
        let row = row.unwrap_or_else(|| panic!("the table has no row for {name}"));
        assert_eq!(row[2..], counts, "tests and bugs of {name}");
    }
}

fn run(seed: u64, found: bool, states: u64) -> Run {
    Run { seed, found, states: Some(states), schedules: 1, delays: Some(2), depth: 9, seconds: 0.1 }
}

fn record(runs: Vec<Run>) -> Record {
    Record {
        cell: "000-2 / OSR / depth".into(),
        program: "p".into(),
        arguments: vec!["--search".into()],
        version: "1".into(),
        commit: "c".into(),
        timeout: 10.0,
        memory: 1 << 30,
        runs,
    }
}

#[test]
fn the_median_counts_runs_without_a_bug_as_the_worst() {
    let summary = |runs: Vec<Run>| record(runs).summary(Measure::States);
    let three = summary(vec![run(0, false, 900), run(1, true, 30), run(2, true, 20)]);
    assert_eq!(three, Summary { runs: 3, found: 2, cost: Some(30), bound: Some(2), most: 900 });
    let none = summary(vec![run(0, false, 900), run(1, true, 30), run(2, false, 20)]);
    assert_eq!((none.found, none.cost, none.bound), (1, None, None));
}

#[test]
fn a_cell_is_run_again_when_something_that_matters_has_changed() {
    let known = record(vec![run(0, true, 5)]);
    let wanted = record(Vec::new());
    assert!(known.answers(&wanted, &[0]));
    assert!(!known.answers(&wanted, &[1]), "another seed");
    assert!(!known.answers(&Record { program: "q".into(), ..wanted.clone() }, &[0]));
    assert!(!known.answers(&Record { version: "2".into(), ..wanted.clone() }, &[0]));
    assert!(!known.answers(&Record { arguments: Vec::new(), ..wanted.clone() }, &[0]));
    let longer = Record { timeout: 20.0, ..wanted };
    assert!(known.answers(&longer, &[0]), "what was found needs no more time");
    assert!(!record(vec![run(0, false, 5)]).answers(&longer, &[0]), "what was not found may need it");
}

#[test]
fn cells_survive_a_line_that_was_cut_off() {
    let folder = scratch("cells");
    let path = folder.join("cells.jsonl");
    let mut cells = Cells::open(&path, true).expect("there is none yet");
    cells.add(record(vec![run(0, true, 5)])).expect("it can be written");
    let whole = fs::read_to_string(&path).expect("it was written");
    fs::write(&path, format!("{whole}{}", &whole[..20])).expect("it can be damaged");
    let mut cells = Cells::open(&path, false).expect("it can be read");
    let other = Record { cell: "other".into(), ..record(Vec::new()) };
    cells.add(other).expect("it can be written");
    let cells = Cells::open(&path, false).expect("it can be read");
    assert_eq!(cells.get("000-2 / OSR / depth"), Some(&record(vec![run(0, true, 5)])));
    assert!(cells.get("other").is_some(), "the line after the one that was cut off counts");
    fs::remove_dir_all(&folder).expect("the folder can be removed");
}

#[test]
fn tables_show_cells_and_what_is_missing() {
    let folder = scratch("grid");
    let mut cells = Cells::open(&folder.join("cells.jsonl"), true).expect("there is none yet");
    cells.add(record(vec![run(0, false, 12_345)])).expect("it can be written");
    let table = TABLES.iter().find(|table| table.name == "000-2").expect("there is such a table");
    let known = grid::provenance(&cells.of(table));
    assert_eq!(known, "at c, with at most 10 s and 1024 MiB for each cell");
    let csv = grid::csv(table, &cells);
    assert!(
        csv.contains("\n000-2,OSR,osr-driver,") && csv.contains(",depth,states,1,0,,,12345,35,806585\n"),
        "{csv}"
    );
    let svg = chart::svg(table, &cells);
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    assert!(roxmltree::Document::parse(&svg).is_ok(), "the chart is XML");
    assert!(svg.contains("<path d="), "what was not found is a cross");
    fs::remove_dir_all(&folder).expect("the folder can be removed");
}

#[cfg(unix)]
#[test]
fn commands_of_tables_can_be_pasted_into_a_shell() {
    let columns = TABLES.iter().flat_map(|table| table.columns).map(|column| column.arguments);
    for arguments in columns.chain([&["it's", "a *", "$(b)", ""][..]]) {
        let line = format!("printf '%s\\n' {}", grid::command_line(arguments));
        let output = std::process::Command::new("sh").args(["-c", &line]).output().expect("there is a shell");
        let words = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(words.lines().collect::<Vec<_>>(), arguments, "{line}");
    }
}

#[test]
fn comparisons_count_rows_without_exaggerating() {
    let summary = |cost: Option<u64>, most| Summary {
        runs: 1,
        found: usize::from(cost.is_some()),
        cost,
        bound: None,
        most,
    };
    let mut comparison = Comparison::default();
    comparison.add("a", summary(Some(10), 10), summary(None, 50));
    comparison.add("b", summary(Some(10), 10), summary(Some(100), 100));
    comparison.add("c", summary(None, 10), summary(Some(5), 5));
    comparison.add("d", summary(None, 10), summary(None, 5));
    comparison.add("e", summary(Some(4), 4), summary(Some(4), 4));
    let told = format!("{comparison:?}");
    assert_eq!(
        told,
        "Comparison { rows: 5, better: 2, much_better: 1, vastly_better: 0, equal: 1, neither: 1, worse_in: [\"c\"] }"
    );
}

#[test]
fn dates_are_right_around_leap_days() {
    for (seconds, day) in [
        (0, "1970-01-01"),
        (951_782_399, "2000-02-28"),
        (951_782_400, "2000-02-29"),
        (951_868_800, "2000-03-01"),
        (1_794_787_200, "2026-11-16"),
    ] {
        assert_eq!(date(seconds), day);
    }
}
