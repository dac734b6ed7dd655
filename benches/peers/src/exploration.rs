//! One exploration of a Rust model by an engine, in a child process of this program.

use std::process::Command;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use fabius_store::{Exact, Fingerprints64};
use serde::{Deserialize, Serialize};

use crate::child;
use crate::counts::Counts;
use crate::engine;
use crate::measurement::Measurement;
use crate::models::Compact;
use crate::models::paxos::Paxos;
use crate::models::two_phase_commit::TwoPhaseCommit;
use crate::stateright::{self, OnStateright};

/// What to explore, and by what.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Exploration {
    pub(crate) model: Model,
    /// Participants or clients.
    pub(crate) size: usize,
    pub(crate) engine: Engine,
    pub(crate) threads: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Model {
    TwoPhaseCommit,
    Paxos,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    FabiusExact,
    FabiusHash64,
    /// On the same compact model.
    StaterightCompact,
    /// On the model as Stateright's users write it.
    Stateright,
}

/// What a child process tells its parent.
#[derive(Debug, Serialize, Deserialize)]
struct Told {
    counts: Counts,
    seconds: f64,
}

impl Model {
    pub(crate) fn title(self, size: usize) -> String {
        match self {
            Model::TwoPhaseCommit => format!("two-phase commit, {size} participants"),
            Model::Paxos => format!("Paxos, {size} clients"),
        }
    }
}

impl Engine {
    pub(crate) const ALL: [Engine; 4] =
        [Engine::FabiusExact, Engine::FabiusHash64, Engine::StaterightCompact, Engine::Stateright];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Engine::FabiusExact => "Fabius, exact",
            Engine::FabiusHash64 => "Fabius, 64-bit hashes",
            Engine::StaterightCompact => "Stateright, the same compact model",
            Engine::Stateright => "Stateright, a model in its own manner",
        }
    }
}

impl Exploration {
    /// Explores in a child process. The time is that of the search alone.
    pub(crate) fn measure(&self) -> Result<Measurement, String> {
        let this = std::env::current_exe().map_err(|error| format!("where am I? {error}"))?;
        let mut command = Command::new(this);
        command.args(["explore", &word(&self.model), &self.size.to_string()]);
        command.args([word(&self.engine), self.threads.to_string()]);
        let finished = child::run(&mut command)?;
        let told: Told =
            serde_json::from_str(&finished.output).map_err(|error| format!("a child told: {error}"))?;
        let mut cost = finished.cost;
        cost.elapsed = Duration::from_secs_f64(told.seconds);
        Ok(Measurement {
            tool: self.engine.name().to_owned(),
            threads: self.threads,
            counts: told.counts,
            cost,
        })
    }

    /// Explores here, and tells the parent process.
    pub(crate) fn run(&self) -> Result<(), String> {
        let started = Instant::now();
        let counts = self.counts().ok_or("a property does not hold")?;
        let told = Told { counts, seconds: started.elapsed().as_secs_f64() };
        println!("{}", serde_json::to_string(&told).map_err(|error| error.to_string())?);
        Ok(())
    }

    fn counts(&self) -> Option<Counts> {
        let Self { size, threads, .. } = *self;
        match (self.model, self.engine) {
            (Model::TwoPhaseCommit, Engine::Stateright) => stateright::explore(
                stateright::two_phase_commit::TwoPhaseCommit { participants: size },
                threads,
            ),
            (Model::Paxos, Engine::Stateright) => {
                stateright::explore(stateright::paxos::model(size), threads)
            }
            (Model::TwoPhaseCommit, _) => self.compact(TwoPhaseCommit { participants: size as u32 }),
            (Model::Paxos, _) => self.compact(Paxos { clients: size }),
        }
    }

    fn compact(&self, model: impl Compact) -> Option<Counts> {
        match self.engine {
            Engine::FabiusExact => engine::explore(model, &Exact::new(), self.threads),
            Engine::FabiusHash64 => engine::explore(model, &Fingerprints64::new(), self.threads),
            Engine::StaterightCompact | Engine::Stateright => {
                stateright::explore(OnStateright(model), self.threads)
            }
        }
    }
}

/// A value as the command line has it.
fn word(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}
