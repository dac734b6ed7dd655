//! Fabius beside SPIN and Stateright, on twins of the same programs; `README.md` says what is compared.

mod child;
mod counts;
mod engine;
mod exploration;
mod fabius;
mod instructions;
mod measurement;
mod models;
mod report;
mod setting;
mod spin;
mod stateright;
#[cfg(test)]
mod tests;
mod twins;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use exploration::{Engine, Exploration, Model};
use fabius::Fabius;
use instructions::Sized;
use measurement::Group;
use report::{Instructions, Report};
use spin::Verifier;
use twins::Twin;

// What Fabius has; Stateright gets the same.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Compares Fabius with SPIN and Stateright.
#[derive(Debug, Parser)]
struct Arguments {
    /// Small sizes, once: for trying out.
    #[arg(long)]
    quick: bool,
    /// Also rings of 11 nodes, which take SPIN some GB.
    #[arg(long, conflicts_with = "quick")]
    large: bool,
    /// How often to measure; the best counts [default: 3, or 1 with --quick].
    #[arg(long)]
    rounds: Option<usize>,
    /// Only programs in whose title this occurs.
    #[arg(long, default_value = "", conflicts_with = "archive")]
    only: String,
    /// The fabius binary [default: built from this repository].
    #[arg(long)]
    fabius: Option<PathBuf>,
    /// Write the result to docs/results/peers.md.
    #[arg(long)]
    archive: bool,
    #[command(subcommand)]
    inner: Option<Inner>,
}

#[derive(Debug, Subcommand)]
enum Inner {
    /// One exploration, for the process that measures it.
    #[command(hide = true)]
    Explore(Exploration),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.inner {
        Some(Inner::Explore(exploration)) => exploration.run(),
        None => compare(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn compare(arguments: &Arguments) -> Result<(), String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let repository = here.ancestors().nth(2).ok_or("this is not in benches/peers")?;
    let binary = match &arguments.fabius {
        Some(binary) => binary.clone(),
        None => fabius::build(repository)?,
    };
    let scratch = std::env::temp_dir().join(format!("fabius-peers-{}", std::process::id()));
    fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let comparison = Comparison {
        fabius: Fabius { binary, programs: here.join("p"), scratch: scratch.clone() },
        promela: here.join("promela"),
        has_spin: spin::is_installed(),
        rounds: arguments.rounds.unwrap_or(if arguments.quick { 1 } else { 3 }),
        scratch,
    };
    let setting = setting::described(repository, arguments.fabius.is_some());
    let compared = comparison.run(setting, arguments);
    let _ = fs::remove_dir_all(&comparison.scratch);
    let text = compared?.markdown();
    println!("{text}");
    if arguments.archive {
        let path = repository.join("docs/results/peers.md");
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// What the measurements need.
#[derive(Debug)]
struct Comparison {
    fabius: Fabius,
    promela: PathBuf,
    scratch: PathBuf,
    has_spin: bool,
    rounds: usize,
}

impl Comparison {
    fn run(&self, setting: String, arguments: &Arguments) -> Result<Report, String> {
        let mut report = Report { setting, rounds: self.rounds, ..Report::default() };
        if !self.has_spin {
            report.skipped.push("SPIN, because `spin` or `gcc` is not installed".into());
        }
        let is_wanted = |title: &str| title.contains(&arguments.only);
        let twins = twins::twins(arguments.quick, arguments.large);
        for twin in twins.iter().filter(|twin| is_wanted(&twin.title)) {
            report.twins.push(self.twin(twin)?);
        }
        let (participants, clients) = if arguments.quick { (6, 2) } else { (8, 3) };
        let models = [(Model::TwoPhaseCommit, participants), (Model::Paxos, clients)];
        for (model, size) in models.into_iter().filter(|(model, size)| is_wanted(&model.title(*size))) {
            report.models.push(self.model(model, size)?);
        }
        if instructions::can_be_counted() {
            let pairs = twins::pairs_for_counting(arguments.quick);
            for pair in pairs.into_iter().filter(|[_, large]| is_wanted(&large.title)) {
                self.instructions(&pair, &mut report.instructions)?;
            }
        } else {
            report.skipped.push("instructions, because `valgrind` is not installed".into());
        }
        Ok(report)
    }

    /// All tools on one program. They take turns, so that what changes about the machine hits all of them.
    fn twin(&self, twin: &Twin) -> Result<Group, String> {
        let mut group = Group::new(&twin.title);
        let mut verifiers: Vec<Verifier> = Vec::new();
        for round in 0..self.rounds {
            eprintln!("{}, {} of {}", twin.title, round + 1, self.rounds);
            for variant in fabius::VARIANTS {
                group.add(self.fabius.measure(twin, variant)?)?;
            }
            if let Some(counts) = group.counts().filter(|_| self.has_spin && verifiers.is_empty()) {
                verifiers = self.verifiers(twin, counts.states)?;
            }
            for verifier in &verifiers {
                group.add(verifier.measure()?)?;
            }
        }
        Ok(group)
    }

    fn verifiers(&self, twin: &Twin, states: u64) -> Result<Vec<Verifier>, String> {
        let build = |variant| Verifier::build(&self.promela, &self.scratch, twin, variant, states);
        spin::VARIANTS.iter().map(build).collect()
    }

    /// All engines on one model, on one thread and on two.
    fn model(&self, model: Model, size: usize) -> Result<Group, String> {
        let mut group = Group::new(&model.title(size));
        for round in 0..self.rounds {
            eprintln!("{}, {} of {}", group.title, round + 1, self.rounds);
            for threads in [1, 2] {
                for engine in Engine::ALL {
                    group.add(Exploration { model, size, engine, threads }.measure()?)?;
                }
            }
        }
        Ok(group)
    }

    /// Instructions per transition of all tools on one program, from two sizes of it.
    fn instructions(&self, pair: &[Twin; 2], found: &mut Vec<Instructions>) -> Result<(), String> {
        let [small, large] = pair;
        let title = format!("{}, from {}", large.title, small.title);
        eprintln!("instructions of {title}");
        let mut add = |tool: &str, commands: [&[String]; 2], counts: [counts::Counts; 2]| {
            let [small, large] =
                [0, 1].map(|which| Sized { command: commands[which], counts: counts[which] });
            let per_transition = instructions::per_transition(&small, &large)?;
            found.push(Instructions { title: title.clone(), tool: tool.to_owned(), per_transition });
            Ok::<(), String>(())
        };
        let one = fabius::VARIANTS.iter().filter(|variant| variant.threads == 1);
        let mut counts = [counts::Counts { states: 0, transitions: 0 }; 2];
        for variant in one {
            for (twin, counts) in pair.iter().zip(&mut counts) {
                *counts = self.fabius.measure(twin, variant)?.counts;
            }
            let commands = [small, large].map(|twin| self.fabius.command(twin, variant));
            add(variant.name, [&commands[0], &commands[1]], counts)?;
        }
        for variant in spin::VARIANTS.iter().filter(|_| self.has_spin) {
            let states = counts[1].states;
            let build = |twin| Verifier::build(&self.promela, &self.scratch, twin, variant, states);
            let (small, large) = (build(small)?, build(large)?);
            add(variant.name, [small.command(), large.command()], counts)?;
        }
        Ok(())
    }
}
