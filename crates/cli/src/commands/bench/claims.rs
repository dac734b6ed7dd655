//! The papers' claims, held against our numbers by counting rows.
//!
//! A search that did not find a bug counts as worse than any that did. For how many times worse, what it had looked at
//! until then is taken, so that factors are never exaggerated.

use super::cells::{Cells, Summary};
use super::tables::{Goal, Row, Table};

/// Sentences about a table, each with the rows that it counts.
pub(super) fn of(table: &Table, cells: &Cells) -> Vec<String> {
    let view = View { table, cells };
    match (table.goal, table.column("PB")) {
        (Goal::AllStates, _) => view.overheads(),
        (Goal::Bug, None) => view.delay_bounding(),
        (Goal::Bug, Some(_)) => view.stratification(),
    }
}

struct View<'a> {
    table: &'a Table,
    cells: &'a Cells,
}

/// Two groups of columns compared, the best of each in every row that has both.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Comparison {
    rows: usize,
    better: usize,
    /// By a factor of ten and of a thousand.
    much_better: usize,
    vastly_better: usize,
    equal: usize,
    /// Rows in which neither found anything.
    neither: usize,
    worse_in: Vec<&'static str>,
}

impl Comparison {
    pub(super) fn add(&mut self, label: &'static str, one: Summary, other: Summary) {
        self.rows += 1;
        let least = |summary: Summary| summary.cost.unwrap_or(summary.most).max(1);
        match (one.cost, other.cost) {
            (None, None) => self.neither += 1,
            (Some(one), Some(other)) if one == other => self.equal += 1,
            (Some(cost), worse) if worse.is_none_or(|worse| cost < worse) => {
                let factor = least(other) / cost.max(1);
                self.better += 1;
                self.much_better += usize::from(factor >= 10);
                self.vastly_better += usize::from(factor >= 1000);
            }
            _ => self.worse_in.push(label),
        }
    }

    fn told(&self) -> String {
        let mut text = format!(
            "fewer in {} of {} rows, in {} of them by a factor of at least 10, in {} of at least 1,000",
            self.better, self.rows, self.much_better, self.vastly_better
        );
        if self.equal > 0 {
            text.push_str(&format!("; as many in {}", self.equal));
        }
        if self.neither > 0 {
            text.push_str(&format!("; in {} neither found the bug", self.neither));
        }
        if !self.worse_in.is_empty() {
            text.push_str(&format!("; more in {} ({})", self.worse_in.len(), self.worse_in.join(", ")));
        }
        text
    }
}

impl View<'_> {
    fn summary(&self, row: &Row, column: &str) -> Option<Summary> {
        self.cells.summary(self.table, row, self.table.column(column)?)
    }

    /// The best of some columns; one that looked at most if none found anything.
    fn best(&self, row: &Row, columns: &[&str]) -> Option<Summary> {
        let all = columns.iter().filter_map(|column| self.summary(row, column));
        all.min_by_key(|summary| (summary.cost.is_none(), summary.cost.unwrap_or(u64::MAX - summary.most)))
    }

    fn compare(&self, some: &[&str], others: &[&str]) -> Comparison {
        let mut comparison = Comparison::default();
        for row in self.table.rows {
            if let (Some(one), Some(other)) = (self.best(row, some), self.best(row, others)) {
                comparison.add(row.label, one, other);
            }
        }
        comparison
    }

    /// In how many rows each column is the best of them, alone or with others.
    fn winners(&self, columns: &[&str]) -> String {
        let wins = columns.iter().map(|column| {
            let is_best = |row: &&Row| {
                let best = self.best(row, columns).and_then(|summary| summary.cost);
                best.is_some() && self.summary(row, column).and_then(|summary| summary.cost) == best
            };
            format!("{column} in {}", self.table.rows.iter().filter(is_best).count())
        });
        wins.collect::<Vec<_>>().join(", ")
    }

    fn overheads(&self) -> Vec<String> {
        let mut programs: Vec<&str> = Vec::new();
        for row in self.table.rows {
            if !programs.contains(&row.program) {
                programs.push(row.program);
            }
        }
        programs.iter().map(|program| self.overheads_of(program)).collect()
    }

    fn overheads_of(&self, program: &str) -> String {
        let rows = self.table.rows.iter().filter(|row| row.program == program);
        let overheads: Vec<Option<f64>> = rows
            .map(|row| {
                let states = |column| self.summary(row, column).and_then(|summary| summary.cost);
                Some(states("cache (s,d)")? as f64 / states("cache (s)")?.max(1) as f64)
            })
            .collect();
        let known: Vec<f64> = overheads.iter().copied().flatten().collect();
        let grows = known.windows(2).all(|pair| pair[0] < pair[1]);
        let shown: Vec<String> = overheads
            .iter()
            .map(|each| each.map_or("?".into(), |overhead| format!("{overhead:.2}")))
            .collect();
        let verdict = if grows { "grows with every process" } else { "does not grow with every process" };
        format!("{program}: the overhead of storing (s,d) is {} and {verdict}.", shown.join(", "))
    }

    fn delay_bounding(&self) -> Vec<String> {
        let explorers = ["delay, random", "delay, rtc", "delay, rr"];
        let mut claims = vec![format!(
            "Delay bounding with the best explorer against depth bounding, in states: {}.",
            self.compare(&explorers, &["depth"]).told()
        )];
        for explorer in explorers {
            let comparison = self.compare(&[explorer], &["depth"]).told();
            claims.push(format!("With {explorer} alone: {comparison}."));
        }
        claims.push(format!("The best explorer is {}.", self.winners(&explorers)));
        claims
    }

    fn stratification(&self) -> Vec<String> {
        let exhaustive = ["SES rr", "SES rtc", "SES prr"];
        let sampling = ["SS rr", "SS rtc", "SS prr"];
        let random = ["RS", "IRS", "PCT"];
        let told = |some: &[&str], others: &[&str]| self.compare(some, others).told();
        let mut claims = vec![
            format!("SES with the best explorer against PB, in states: {}.", told(&exhaustive, &["PB"])),
            format!("Of the explorers of SES, the best is {}.", self.winners(&exhaustive)),
            format!(
                "SS with the best explorer against the best of RS, IRS and PCT, in schedules: {}.",
                told(&sampling, &random)
            ),
        ];
        for other in random {
            claims.push(format!("Against {other} alone: {}.", told(&sampling, &[other])));
        }
        claims.push(format!("Of the explorers of SS, the best is {}.", self.winners(&sampling)));
        let custom = told(&["SES custom"], &exhaustive);
        claims.push(format!("The explorer for chain replication against the best other one, SES: {custom}."));
        let custom = told(&["SS custom"], &sampling);
        claims.push(format!("The same, SS: {custom}."));
        claims
    }
}
