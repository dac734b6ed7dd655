//! `fabius bench`: the tables of the papers, regenerated on the corpus; and the corpus checked against its verdicts.
//!
//! `tables.rs` says what the cells of each table are, `measure.rs` runs one, `cells.rs` keeps what is known of them between
//! runs; `grid.rs`, `claims.rs` and `chart.rs` show them.

mod cells;
mod chart;
mod claims;
mod expected;
mod grid;
mod machine;
mod measure;
mod tables;
#[cfg(test)]
mod tests;
mod verify;

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use fabius_lang::source::counted;

use crate::Exit;
use crate::arguments::BenchOptions;
use crate::commands::check::{is_interrupted, stop_on_interrupt};
use crate::output;

use cells::{Cells, Record};
use machine::Machine;
use measure::Bench;
use tables::{Column, Row, TABLES, Table};

pub(crate) fn run(options: &BenchOptions) -> Exit {
    stop_on_interrupt();
    if options.verify {
        return verify::run(options);
    }
    match make_tables(options) {
        Ok(exit) => exit,
        Err(message) => output::complain(&message),
    }
}

fn make_tables(options: &BenchOptions) -> Result<Exit, String> {
    let tables = chosen(&options.what)?;
    let out = &options.out;
    fs::create_dir_all(out).map_err(|error| format!("cannot make `{}`: {}", out.display(), error.kind()))?;
    let mut cells = Cells::open(&out.join("cells.jsonl"), options.fresh)?;
    let machine = Machine::here();
    let mut bench = Bench::new(options, &machine);
    let mut exit = Exit::Success;
    for table in tables {
        let is_complete = fill(table, &mut bench, &mut cells)?;
        if !is_complete {
            return Err("interrupted; what is done is kept, and the same command goes on from there".into());
        }
        exit = exit.worse(write_table(table, &cells, &machine, options)?);
    }
    Ok(exit)
}

fn chosen(names: &[String]) -> Result<Vec<&'static Table>, String> {
    let all: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
    match names.iter().find(|name| !all.contains(&name.as_str())) {
        Some(name) => Err(format!("there is no table `{name}`; there are {}", all.join(", "))),
        None => Ok(TABLES
            .iter()
            .filter(|table| names.is_empty() || names.iter().any(|name| name == table.name))
            .collect()),
    }
}

/// Runs the cells of a table that are not known. False if it was interrupted.
fn fill(table: &Table, bench: &mut Bench<'_>, cells: &mut Cells) -> Result<bool, String> {
    let start = Instant::now();
    let wanted: Vec<(&Row, &Column)> = table.cells().collect();
    for (at, (row, column)) in wanted.iter().enumerate() {
        if !bench.is_known(cells, table, row, column)? {
            let record = bench.run(table, row, column)?;
            if is_interrupted() {
                return Ok(false);
            }
            tell(&record, at + 1, wanted.len(), start);
            cells.add(record)?;
        }
    }
    Ok(true)
}

/// A line about a cell that is done. It is about progress, so whoever cannot read it misses nothing.
fn tell(record: &Record, at: usize, of: usize, start: Instant) {
    let found = record.runs.iter().filter(|run| run.found).count();
    let seconds: f64 = record.runs.iter().map(|run| run.seconds).sum();
    let runs = counted(record.runs.len() as u64, "run");
    let total = start.elapsed().as_secs_f64();
    let line = format!(
        "[{at}/{of}] {}: found in {found} of {runs}, {seconds:.1} s ({total:.0} s in all)",
        record.cell
    );
    let _ = writeln!(io::stderr(), "{line}");
}

fn write_table(
    table: &Table,
    cells: &Cells,
    machine: &Machine,
    options: &BenchOptions,
) -> Result<Exit, String> {
    let path = |ending: &str| options.out.join(format!("{}.{ending}", table.name));
    let markdown = grid::markdown(table, cells, machine, options);
    let exit = write(&path("md"), &markdown)
        .worse(write(&path("csv"), &grid::csv(table, cells)))
        .worse(write(&path("svg"), &chart::svg(table, cells)));
    Ok(exit.worse(output::print(&format!("{}\n", path("md").display()))))
}

fn write(path: &Path, text: &str) -> Exit {
    output::write(path, text)
}
