//! Cells that are done, kept in a file so that a table can be made in several goes.
//!
//! The file has a line of JSON for each cell. Lines are only ever added, and the last one of a cell counts; a line that
//! makes no sense, which a process leaves that was killed while it wrote, counts as if it were not there.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::tables::{Column, Measure, Row, Table};
use crate::files;

/// What is known of all cells.
pub(super) struct Cells {
    path: PathBuf,
    records: BTreeMap<String, Record>,
}

/// One cell, with all that decides whether it is still true.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    /// Table, row and column.
    pub(super) cell: String,
    /// A hash of the program's text.
    pub(super) program: String,
    /// The options of `fabius check`, apart from limits and seed.
    pub(super) arguments: Vec<String>,
    /// That of Fabius.
    pub(super) version: String,
    pub(super) commit: String,
    /// In seconds, for all runs together.
    pub(super) timeout: f64,
    /// In bytes.
    pub(super) memory: u64,
    pub(super) runs: Vec<Run>,
}

/// One search of a cell; there are several if it is random.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Run {
    pub(super) seed: u64,
    /// Whether it found the bug or, where there is none, visited every state.
    pub(super) found: bool,
    /// With `--strict`, pairs with the explorer's state.
    pub(super) states: Option<u64>,
    pub(super) schedules: u64,
    pub(super) delays: Option<u64>,
    pub(super) depth: u64,
    pub(super) seconds: f64,
}

/// What a cell shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Summary {
    pub(super) runs: usize,
    pub(super) found: usize,
    /// States or schedules: the median over all runs, in which those that found nothing count as the worst. `None` if
    /// that is one that found nothing.
    pub(super) cost: Option<u64>,
    /// Delays or depth of the run with that cost.
    pub(super) bound: Option<u64>,
    /// The most that a run looked at.
    pub(super) most: u64,
}

impl Cells {
    pub(super) fn open(path: &Path, fresh: bool) -> Result<Self, String> {
        let mut records = BTreeMap::new();
        let failed = |error: std::io::Error| format!("cannot read `{}`: {}", path.display(), error.kind());
        if fresh {
            match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
                _ => {}
            }
        } else if path.exists() {
            let text = fs::read(path).map_err(failed)?;
            for line in text.split(|byte| *byte == b'\n') {
                if let Ok(record) = serde_json::from_slice::<Record>(line) {
                    records.insert(record.cell.clone(), record);
                }
            }
        }
        Ok(Self { path: path.to_owned(), records })
    }

    pub(super) fn get(&self, cell: &str) -> Option<&Record> {
        self.records.get(cell)
    }

    pub(super) fn add(&mut self, record: Record) -> Result<(), String> {
        let failed = |error: std::io::Error| files::cannot_write(&self.path, &error);
        let line = serde_json::to_string(&record).expect("plain data has a JSON form");
        let mut file = File::options().create(true).append(true).open(&self.path).map_err(failed)?;
        // A line feed first as well: the last line may have been cut off.
        file.write_all(format!("\n{line}\n").as_bytes()).map_err(failed)?;
        self.records.insert(record.cell.clone(), record);
        Ok(())
    }

    /// What is known of a table.
    pub(super) fn of(&self, table: &Table) -> Vec<&Record> {
        let cells = table.rows.iter().flat_map(|row| table.columns.iter().map(move |column| (row, column)));
        cells.filter_map(|(row, column)| self.get(&cell_name(table, row, column))).collect()
    }

    /// What is to be shown in a cell, if it is one that is run.
    pub(super) fn summary(&self, table: &Table, row: &Row, column: &Column) -> Option<Summary> {
        self.get(&cell_name(table, row, column)).map(|record| record.summary(column.measure))
    }
}

pub(super) fn cell_name(table: &Table, row: &Row, column: &Column) -> String {
    format!("{} / {} / {}", table.name, row.label, column.name)
}

impl Record {
    /// Whether a cell that would be run like `wanted`, which has no runs yet, is known from this one: nothing that matters
    /// has changed, and what was not found then would not be found now for want of time or memory.
    pub(super) fn answers(&self, wanted: &Self, seeds: &[u64]) -> bool {
        let is_same = self.cell == wanted.cell
            && self.program == wanted.program
            && self.arguments == wanted.arguments
            && self.version == wanted.version
            && self.runs.iter().map(|run| run.seed).eq(seeds.iter().copied());
        let had_enough = self.timeout >= wanted.timeout && self.memory >= wanted.memory;
        is_same && (had_enough || self.runs.iter().all(|run| run.found))
    }

    pub(super) fn summary(&self, measure: Measure) -> Summary {
        let cost = |run: &Run| match measure {
            Measure::States | Measure::StatesByDepth => run.states.unwrap_or(0),
            Measure::Schedules => run.schedules,
        };
        let mut found: Vec<&Run> = self.runs.iter().filter(|run| run.found).collect();
        found.sort_by_key(|run| cost(run));
        // The lower of two in the middle; there is an odd number of seeds unless somebody asks for another.
        let middle = found.get((self.runs.len().max(1) - 1) / 2);
        let bound = |run: &&Run| match measure {
            Measure::StatesByDepth => Some(run.depth),
            Measure::States | Measure::Schedules => run.delays,
        };
        Summary {
            runs: self.runs.len(),
            found: found.len(),
            cost: middle.map(|run| cost(run)),
            bound: middle.and_then(bound),
            most: self.runs.iter().map(cost).max().unwrap_or(0),
        }
    }
}
