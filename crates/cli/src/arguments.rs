//! The arguments of the command line, as typed.

use std::env;
use std::fmt;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::near;

/// The groups of options in the help.
const SEARCH: &str = "Search";
const LIMITS: &str = "Limits";
const OUTPUT: &str = "Output";

/// Finds, explains and proves away concurrency bugs in asynchronous message-passing programs.
#[derive(Debug, Parser)]
#[command(name = "fabius", version, arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  fabius check                 look for bugs in the project in the current folder
  fabius check corpus/two-phase-commit
  fabius replay TRACE          show a bug that was found, step by step
  fabius compile Bank          only check that a project is in order
  fabius explain unknown-event what a code means, with an example; without CODE, list all

`fabius COMMAND --help` has the options and more examples.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    /// What was typed.
    pub(crate) fn of_process() -> Result<Self, clap::Error> {
        let mut command = Self::command();
        let matches = command.try_get_matches_from_mut(env::args_os()).map_err(with_suggestion)?;
        let mut arguments = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        if let (Command::Check(options), Some((_, matches))) = (&mut arguments.command, matches.subcommand())
        {
            let is_typed =
                |id: &&clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
            let given = matches.ids().filter(is_typed);
            options.given = given.map(|id| id.as_str().replace('_', "-")).collect();
        }
        Ok(arguments)
    }
}

/// The error with the value that may have been meant, where clap finds none: it misses slips in short words.
fn with_suggestion(mut error: clap::Error) -> clap::Error {
    let suggestion = match (error.get(ContextKind::InvalidValue), error.get(ContextKind::ValidValue)) {
        (Some(ContextValue::String(wanted)), Some(ContextValue::Strings(valid)))
            if error.get(ContextKind::SuggestedValue).is_none() =>
        {
            near::nearest(wanted, valid.iter().map(String::as_str)).map(str::to_owned)
        }
        _ => None,
    };
    if let Some(suggestion) = suggestion {
        error.insert(ContextKind::SuggestedValue, ContextValue::String(suggestion));
    }
    error
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(Box<CheckOptions>),
    Replay(ReplayOptions),
    Compile(CompileOptions),
    Explain(ExplainOptions),
    Bench(BenchOptions),
}

/// Look for bugs: explore the schedules of a P project's tests
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  fabius check Bank                                all tests of a project
  fabius check Bank --test 'tcFail*' --timeout 300 some tests, five minutes each
  fabius check Bank --search pct --schedules 50000 another search, more schedules
  fabius check Bank --require verified             insist on every state
  fabius check --json - --junit result.xml         for scripts

README.md: searches and verdicts; docs/statistics.md: --stats; docs/foreign.md: --foreign;
docs/differences-from-p.md: --p-points, --limit; docs/explorers.md: --explorer, --seal, --cost, ..
Exit code: 0 no bug found, 1 bug found, 2 wrong project or command line, 3 weaker than --require.")]
pub(crate) struct CheckOptions {
    /// A .pproj file, a folder, or .p files [default: the current folder]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Only this test, or those that fit a pattern with *; can be repeated
    #[arg(long = "test", value_name = "NAME")]
    pub(crate) tests: Vec<String>,

    /// Only list the tests
    #[arg(long)]
    pub(crate) list_tests: bool,

    /// How to search
    #[arg(long, value_name = "HOW", default_value = "auto", help_heading = SEARCH)]
    pub(crate) search: Search,

    /// rtc, rr, prr, random, order:MACHINE,.. or FILE.rhai
    #[arg(long, value_name = "WHO", default_value = "rtc", value_parser = explorer, help_heading = SEARCH)]
    pub(crate) explorer: ExplorerName,

    /// Seal machine:NAME, state:MACHINE.STATE or event:NAME; can be repeated
    #[arg(long = "seal", value_name = "WHAT", help_heading = SEARCH)]
    pub(crate) seals: Vec<String>,

    /// Where sealed, rr: atomic handlers; rtc: synchronous sends
    #[arg(long, value_name = "HOW", default_value = "rr", hide_possible_values = true, help_heading = SEARCH)]
    pub(crate) seal_as: SealFlavour,

    /// auto, ses, pb: cover every run of a stratum, not only every state
    #[arg(long, help_heading = SEARCH)]
    pub(crate) strict: bool,

    /// auto, ses: count delays or deviations
    #[arg(long, value_name = "WHAT", default_value = "delays", hide_possible_values = true, help_heading = SEARCH)]
    pub(crate) cost: CostName,

    /// auto, ses: choices of data cost a delay or are free
    #[arg(long, value_name = "HOW", default_value = "delay", hide_possible_values = true, help_heading = SEARCH)]
    pub(crate) data_choices: DataChoices,

    /// pct, fairpct: how many ordering constraints a bug may need
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    #[arg(help_heading = SEARCH)]
    pub(crate) depth: u32,

    /// irs, depth: steps each iteration goes further [default: 10]
    #[arg(long, value_name = "N", help_heading = SEARCH)]
    pub(crate) increment: Option<NonZero<u64>>,

    /// Where all randomness comes from
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = SEARCH)]
    pub(crate) seed: u64,

    /// How many threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = jobs, help_heading = SEARCH)]
    pub(crate) jobs: Option<u16>,

    /// Seconds for each test [default: 60, unless --schedules ends it]
    #[arg(long, value_name = "S", value_parser = seconds, help_heading = LIMITS)]
    pub(crate) timeout: Option<f64>,

    /// Runs to draw [default: 10,000 without --timeout; ss, auto: no bound]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = LIMITS)]
    pub(crate) schedules: Option<u64>,

    /// Searches over runs: steps of a schedule
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    #[arg(help_heading = LIMITS)]
    pub(crate) max_steps: u64,

    /// Searches over states: states [default: as many as memory holds]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = LIMITS)]
    pub(crate) states: Option<u64>,

    /// auto, ses, pb: states to remember [default: all]
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub(crate) cache: Option<u64>,

    /// When that is full: keep old states, or replace them
    #[arg(long, value_name = "HOW", default_value = "replace", hide_possible_values = true, help_heading = LIMITS)]
    pub(crate) cache_full: WhenFull,

    /// dfs: states as exact, hash64, hash128 or bitstate
    #[arg(long, value_name = "HOW", default_value = "exact", hide_possible_values = true, help_heading = LIMITS)]
    pub(crate) store: StoreName,

    /// auto, ses, ss: delays, or what --cost says; pb: preemptions
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub(crate) delays: Option<u32>,

    /// Memory of the process, in K, M or G [default: half of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = LIMITS)]
    pub(crate) memory: Option<u64>,

    /// dfs: write checkpoints to this folder, to go on from with --resume
    #[arg(long, value_name = "DIR", help_heading = LIMITS)]
    pub(crate) checkpoint: Option<PathBuf>,

    /// Seconds between checkpoints [default: 60, for large ones more]
    #[arg(long, value_name = "S", value_parser = seconds, help_heading = LIMITS)]
    pub(crate) checkpoint_every: Option<f64>,

    /// dfs: go on from the checkpoints in this folder, and write more of them
    #[arg(long, value_name = "DIR", help_heading = LIMITS)]
    pub(crate) resume: Option<PathBuf>,

    /// Different bugs in a test, after which it ends
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    #[arg(help_heading = LIMITS)]
    pub(crate) bugs: u16,

    #[command(flatten)]
    pub(crate) program: ProgramOptions,

    /// verified or proved: exit with 3 unless every test is
    #[arg(long, value_name = "STRENGTH", hide_possible_values = true, help_heading = OUTPUT)]
    pub(crate) require: Option<Strength>,

    /// Tell what was done, in numbers, and what was never exercised
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) stats: bool,

    /// Write the result as JSON; - is the standard output
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) json: Option<PathBuf>,

    /// Write the result as JUnit XML
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) junit: Option<PathBuf>,

    /// Where to put traces
    #[arg(long, value_name = "DIR", default_value = "fabius-out", help_heading = OUTPUT)]
    pub(crate) out: PathBuf,

    #[command(flatten)]
    pub(crate) diagnostics: DiagnosticOptions,

    /// The options that were typed, as opposed to those that have their default.
    #[arg(skip)]
    pub(crate) given: Vec<String>,
}

impl CheckOptions {
    /// Where checkpoints are.
    pub(crate) fn checkpoint_folder(&self) -> Option<&Path> {
        self.resume.as_deref().or(self.checkpoint.as_deref())
    }
}

/// How the program under test is run; a trace remembers it.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "The program under test")]
pub(crate) struct ProgramOptions {
    /// Let specs that no test asserts watch every test
    #[arg(long)]
    pub(crate) attach_specs: bool,

    /// Switch at exactly P's scheduling points, not only where it matters
    #[arg(long)]
    pub(crate) p_points: bool,

    /// A script with bodies for foreign functions; can be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) foreign: Vec<PathBuf>,

    /// instructions, calls, queue, value-bytes, value-depth or machines
    #[arg(long = "limit", value_name = "WHAT=N", value_parser = limit)]
    pub(crate) limits: Vec<(LimitName, u64)>,
}

/// Run the bug of a trace again and show it step by step
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  fabius replay fabius-out/Bank-tcOne.trace.json             on the project it was found in
  fabius replay fabius-out/Bank-tcOne.trace.json Bank        on another one, perhaps edited
  fabius replay fabius-out/Bank-tcOne.trace.json --show log  every step as a line

Exit code: 0 the bug no longer happens on this schedule, 1 it or another one does, 2 an error.")]
pub(crate) struct ReplayOptions {
    /// The trace, as `fabius check` wrote it
    pub(crate) trace: PathBuf,

    /// A .pproj file, a folder, or .p files [default: what `check` was given, or else the current folder]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// What to show
    #[arg(long, value_name = "WHAT", default_value = "chart")]
    pub(crate) show: Show,

    /// A script with bodies for foreign functions; can be repeated [default: those the trace was found with]
    #[arg(long, value_name = "FILE")]
    pub(crate) foreign: Vec<PathBuf>,

    /// Follow the run that was found first, before it was shortened
    #[arg(long)]
    pub(crate) original: bool,

    #[command(flatten)]
    pub(crate) diagnostics: DiagnosticOptions,
}

/// Check a P project without running it: syntax, names, types, modules and tests
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  fabius compile                              the project in the current folder
  fabius compile Bank/Bank.pproj              a project file
  fabius compile Client.p Server.p            some files
  fabius compile --emit ir Bank               what the project is lowered to
  fabius compile --json - Bank | jq .verdict  for scripts

Exit code: 0 if the project is in order, 2 if not.")]
pub(crate) struct CompileOptions {
    /// A .pproj file, a folder, or .p files [default: the current folder]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Print the lowered program
    #[arg(long, value_name = "WHAT")]
    pub(crate) emit: Option<Emit>,

    /// Write the result as JSON to a file, or to the standard output (-) in place of all else
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) diagnostics: DiagnosticOptions,
}

#[derive(Args, Debug)]
#[command(next_help_heading = OUTPUT)]
pub(crate) struct DiagnosticOptions {
    /// Show all or none
    #[arg(long, value_name = "WHICH", default_value = "all", hide_possible_values = true)]
    pub(crate) warnings: Warnings,

    /// Errors, and as many warnings, to print in full; 0 for all
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) error_limit: usize,

    /// auto, always or never
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub(crate) color: ColorChoice,
}

/// Say what the code of a diagnostic means, or list all codes
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  fabius explain                        all codes, a line each
  fabius explain unknown-event          the rule, a wrong and a corrected example
  fabius explain error[unknown-event]   as it was printed")]
pub(crate) struct ExplainOptions {
    /// The code, as in error[unknown-event]
    pub(crate) code: Option<String>,
}

/// Run the corpus: regenerate the papers' tables, or check that every test gives its expected verdict
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  fabius bench 000-2                      one table; cells that are in the folder already are not run again
  fabius bench --fresh --cell-timeout 30  all tables from the start, with half a minute for each cell
  fabius bench --verify                   every test of the corpus against its expected.toml
  fabius bench --verify paxos             only those of one program

Exit code: 0 all is done, 1 a test differs from what is expected, 2 something is wrong with the corpus or the command
line, or it was interrupted.")]
pub(crate) struct BenchOptions {
    /// 000-1, 000-2 or 001-1; with --verify, programs of the corpus [default: all]
    #[arg(value_name = "WHAT")]
    pub(crate) what: Vec<String>,

    /// Compare verdicts instead of making tables
    #[arg(long)]
    pub(crate) verify: bool,

    /// Where the programs are
    #[arg(long, value_name = "DIR", default_value = "corpus")]
    pub(crate) corpus: PathBuf,

    /// Where tables go, and what is known of their cells
    #[arg(long, value_name = "DIR", default_value = "docs/results")]
    pub(crate) out: PathBuf,

    /// Run every cell again
    #[arg(long)]
    pub(crate) fresh: bool,

    /// How long a cell may take, in seconds; the seeds of a random search share it
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = seconds)]
    pub(crate) cell_timeout: f64,

    /// What the process may use, in K, M or G
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = size)]
    pub(crate) cell_memory: u64,

    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// How many seeds random searches are tried with
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=99))]
    pub(crate) seeds: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    // Not a doc comment: clap would print it, and the help would no longer fit a screen.
    // The intermediate representation, as text.
    Ir,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Warnings {
    All,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Search {
    Auto,
    Ses,
    Ss,
    Pb,
    Depth,
    Bfs,
    Dfs,
    Random,
    Irs,
    Pct,
    Fairpct,
    Pos,
}

impl Search {
    /// Whether it stores no states.
    pub(crate) fn is_over_runs(self) -> bool {
        matches!(self, Self::Ss | Self::Random | Self::Irs | Self::Pct | Self::Fairpct | Self::Pos)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExplorerName {
    Rtc,
    Rr,
    Prr,
    Random,
    /// With its rules.
    Order(String),
    Script(PathBuf),
}

impl fmt::Display for ExplorerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rtc => f.write_str("rtc"),
            Self::Rr => f.write_str("rr"),
            Self::Prr => f.write_str("prr"),
            Self::Random => f.write_str("random"),
            Self::Order(rules) => write!(f, "order:{rules}"),
            Self::Script(path) => write!(f, "{}", path.display()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SealFlavour {
    Rr,
    Rtc,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CostName {
    Delays,
    Deviations,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WhenFull {
    Keep,
    Replace,
}

impl CostName {
    /// One of what is counted.
    pub(crate) fn singular(self) -> &'static str {
        match self {
            Self::Delays => "delay",
            Self::Deviations => "deviation",
        }
    }
}

/// How visited states are remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StoreName {
    /// As they are, compressed.
    Exact,
    /// By 64 bits of a hash.
    Hash64,
    /// By 128 bits of a hash.
    Hash128,
    /// By a few bits in a table of fixed size.
    Bitstate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DataChoices {
    Free,
    Delay,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Strength {
    Verified,
    Proved,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Show {
    Chart,
    Log,
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LimitName {
    Instructions,
    Calls,
    Queue,
    ValueBytes,
    ValueDepth,
    Machines,
}

fn explorer(text: &str) -> Result<ExplorerName, String> {
    match text {
        "rtc" => Ok(ExplorerName::Rtc),
        "rr" => Ok(ExplorerName::Rr),
        "prr" => Ok(ExplorerName::Prr),
        "random" => Ok(ExplorerName::Random),
        _ => match text.strip_prefix("order:") {
            Some(rules) => Ok(ExplorerName::Order(rules.to_owned())),
            None if text.ends_with(".rhai") => Ok(ExplorerName::Script(PathBuf::from(text))),
            None => {
                let all = "there are rtc, rr, prr, random, order:MACHINE,.. and scripts FILE.rhai";
                let near = near::nearest(text, ["rtc", "rr", "prr", "random"]);
                Err(near.map_or(all.into(), |near| format!("did you mean {near}? {all}")))
            }
        },
    }
}

fn limit(text: &str) -> Result<(LimitName, u64), String> {
    let (name, number) = text.split_once('=').ok_or("expected WHAT=N, for instance queue=100")?;
    let name = LimitName::from_str(name, false).map_err(|_| {
        let names: Vec<_> =
            LimitName::value_variants().iter().filter_map(LimitName::to_possible_value).collect();
        let names: Vec<_> = names.iter().map(clap::builder::PossibleValue::get_name).collect();
        match near::nearest(name, names.iter().copied()) {
            Some(near) => format!("there is no limit `{name}`; did you mean `{near}`?"),
            None => format!("there is no limit `{name}`; there are {}", names.join(", ")),
        }
    })?;
    // Values are compared and shown by recursion.
    let most = if name == LimitName::ValueDepth { 1000 } else { u64::MAX };
    match number.replace(['_', ','], "").parse() {
        Ok(number) if (1..=most).contains(&number) => Ok((name, number)),
        _ => Err(format!("`{number}` is no whole number from 1 to {most}")),
    }
}

/// To start thousands of threads takes longer than what they could help with.
const MOST_JOBS: u16 = 512;

fn jobs(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(jobs) if (1..=MOST_JOBS).contains(&jobs) => Ok(jobs),
        _ => Err(format!(
            "expected a number of threads from 1 to {MOST_JOBS}; more than there are cores make nothing faster"
        )),
    }
}

/// Some thirty years.
const MOST_SECONDS: f64 = 1e9;

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= MOST_SECONDS => Ok(seconds),
        _ => Err(format!("expected a number of seconds above 0 and not above {MOST_SECONDS}")),
    }
}

/// A number of bytes.
fn size(text: &str) -> Result<u64, String> {
    let (number, shift) = match text.char_indices().last() {
        Some((at, 'K' | 'k')) => (&text[..at], 10),
        Some((at, 'M' | 'm')) => (&text[..at], 20),
        Some((at, 'G' | 'g')) => (&text[..at], 30),
        _ => (text, 0),
    };
    match number.parse::<u64>() {
        Ok(number) if number > 0 && number <= u64::MAX >> shift => Ok(number << shift),
        _ => Err(format!("expected a size from 1 to {}G, for instance 500M or 4G", u64::MAX >> 30)),
    }
}
