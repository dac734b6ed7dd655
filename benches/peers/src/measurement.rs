//! Measurements of tools on one graph, and the best of several.

use crate::child::Cost;
use crate::counts::Counts;

/// What a tool found, and what it cost.
#[derive(Clone, Debug)]
pub(crate) struct Measurement {
    pub(crate) tool: String,
    pub(crate) threads: usize,
    pub(crate) counts: Counts,
    pub(crate) cost: Cost,
}

impl Measurement {
    pub(crate) fn is_ours(&self) -> bool {
        self.tool.starts_with("Fabius")
    }

    pub(crate) fn transitions_per_cpu_second(&self) -> f64 {
        self.counts.transitions as f64 / self.cost.cpu.as_secs_f64()
    }

    pub(crate) fn states_per_second(&self) -> f64 {
        self.counts.states as f64 / self.cost.elapsed.as_secs_f64()
    }

    pub(crate) fn bytes_per_state(&self) -> f64 {
        self.cost.peak_bytes as f64 / self.counts.states as f64
    }
}

/// All that was measured on one graph.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) title: String,
    pub(crate) measurements: Vec<Measurement>,
}

impl Group {
    pub(crate) fn new(title: &str) -> Self {
        Self { title: title.to_owned(), measurements: Vec::new() }
    }

    /// The size of the graph, once there is a measurement.
    pub(crate) fn counts(&self) -> Option<Counts> {
        self.measurements.first().map(|first| first.counts)
    }

    /// Adds a measurement, or the best of two of one tool. All tools must agree on the graph.
    pub(crate) fn add(&mut self, measurement: Measurement) -> Result<(), String> {
        if let Some(first) = self.measurements.first().filter(|first| first.counts != measurement.counts) {
            return Err(format!(
                "{}: {} has {:?}, {} has {:?}",
                self.title, first.tool, first.counts, measurement.tool, measurement.counts
            ));
        }
        let is_same =
            |other: &&mut Measurement| other.tool == measurement.tool && other.threads == measurement.threads;
        match self.measurements.iter_mut().find(is_same) {
            Some(other) => other.cost = other.cost.best(measurement.cost),
            None => self.measurements.push(measurement),
        }
        Ok(())
    }
}
