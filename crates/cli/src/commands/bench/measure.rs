//! One cell of a table: its searches run within limits, one after the other, each on one thread.

use std::collections::BTreeMap;

use clap::Parser;

use super::cells::{Cells, Record, Run, cell_name};
use super::machine::Machine;
use super::tables::{Column, Goal, Row, Table};
use crate::arguments::{Arguments, BenchOptions, CheckOptions, Command};
use crate::commands::check::is_interrupted;
use crate::commands::check::measure::Subject;

/// The limits of cells, and the programs that were loaded for some.
pub(super) struct Bench<'a> {
    options: &'a BenchOptions,
    machine: &'a Machine,
    subjects: BTreeMap<&'static str, Subject>,
}

impl<'a> Bench<'a> {
    pub(super) fn new(options: &'a BenchOptions, machine: &'a Machine) -> Self {
        Self { options, machine, subjects: BTreeMap::new() }
    }

    fn seeds(&self, column: &Column) -> Vec<u64> {
        let count = if column.is_random { self.options.seeds } else { 1 };
        (0..count).map(|at| self.options.seed.wrapping_add(at)).collect()
    }

    fn subject(&mut self, program: &'static str) -> Result<&Subject, String> {
        if !self.subjects.contains_key(program) {
            let subject = Subject::load(self.options.corpus.join(program))?;
            self.subjects.insert(program, subject);
        }
        Ok(&self.subjects[program])
    }

    /// Whether the cell need not be run.
    pub(super) fn is_known(
        &mut self,
        cells: &Cells,
        table: &Table,
        row: &Row,
        column: &Column,
    ) -> Result<bool, String> {
        let wanted = self.record(table, row, column)?;
        let seeds = self.seeds(column);
        Ok(cells.get(&wanted.cell).is_some_and(|record| record.answers(&wanted, &seeds)))
    }

    /// The record of a cell before anything is run.
    fn record(&mut self, table: &Table, row: &Row, column: &Column) -> Result<Record, String> {
        let program = self.subject(row.program)?.hash();
        Ok(Record {
            cell: cell_name(table, row, column),
            program,
            arguments: [row.arguments(), column.arguments.iter().map(|text| (*text).to_owned()).collect()]
                .concat(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: self.machine.commit.clone(),
            timeout: self.options.cell_timeout,
            memory: self.options.cell_memory,
            runs: Vec::new(),
        })
    }

    /// Runs a cell; when it is interrupted, what it gives is of no use.
    pub(super) fn run(&mut self, table: &Table, row: &Row, column: &Column) -> Result<Record, String> {
        let mut record = self.record(table, row, column)?;
        let seeds = self.seeds(column);
        let timeout = (self.options.cell_timeout / seeds.len() as f64).to_string();
        let memory = self.options.cell_memory.to_string();
        for seed in seeds {
            let mut arguments = record.arguments.clone();
            let limits =
                ["--jobs", "1", "--timeout", &timeout, "--memory", &memory, "--seed", &seed.to_string()];
            arguments.extend(limits.map(str::to_owned));
            let options = parse_options(&arguments)?;
            let measured = self.subject(row.program)?.measure(&options);
            let measured = measured.map_err(|problem| format!("{}: {problem}", record.cell))?;
            let found = match table.goal {
                Goal::Bug => measured.bug.is_some(),
                Goal::AllStates => measured.is_exhausted,
            };
            record.runs.push(Run {
                seed,
                found,
                states: if options.strict { measured.stored } else { measured.states },
                schedules: measured.schedules,
                delays: measured.delays,
                depth: measured.depth,
                seconds: measured.seconds,
            });
            if is_interrupted() {
                break;
            }
        }
        Ok(record)
    }
}

/// The options of `fabius check`, as if typed.
pub(super) fn parse_options(arguments: &[String]) -> Result<CheckOptions, String> {
    let typed = ["fabius", "check"].into_iter().chain(arguments.iter().map(String::as_str));
    match Arguments::try_parse_from(typed).map(|arguments| arguments.command) {
        Ok(Command::Check(options)) => Ok(*options),
        Ok(_) => Err(format!("these are no options of a search: {}", arguments.join(" "))),
        Err(error) => Err(error.to_string()),
    }
}
