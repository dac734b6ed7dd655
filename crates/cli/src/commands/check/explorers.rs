//! The strategies of `--explorer`, and what `--seal` seals: from words of the command line to what searches work with.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fabius_explore::{
    CustomOrder, Explorer, Flavour, Orders, RandomOrder, RoundRobin, RuleError, RunToCompletion, Seal,
    Sealing, Taken,
};
use fabius_lang::syntax::tree::MachineKind;
use fabius_model::{ActorId, Choice, Name, Vocabulary};
use fabius_script::{ExplorerScript, ScriptExplorer};
use fabius_vm::Vm;

use crate::arguments::{CheckOptions, ExplorerName, SealFlavour};
use crate::{files, near};

/// Any of the explorers. The two that most searches use have a place of their own in the search.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum AnyExplorer {
    RunToCompletion(RunToCompletion),
    RoundRobin(RoundRobin),
    RandomOrder(RandomOrder),
    CustomOrder(CustomOrder),
    Script(ScriptExplorer),
}

/// Calls the explorer at hand.
macro_rules! with {
    ($any:expr, $explorer:ident => $call:expr) => {
        match $any {
            AnyExplorer::RunToCompletion($explorer) => $call,
            AnyExplorer::RoundRobin($explorer) => $call,
            AnyExplorer::RandomOrder($explorer) => $call,
            AnyExplorer::CustomOrder($explorer) => $call,
            AnyExplorer::Script($explorer) => $call,
        }
    };
}

impl Explorer for AnyExplorer {
    fn begin(&mut self, enabled: &[ActorId], fingerprint: u64) {
        with!(self, explorer => explorer.begin(enabled, fingerprint));
    }

    fn next(&self, choices: &[Choice]) -> usize {
        with!(self, explorer => explorer.next(choices))
    }

    fn order(&self, choices: &[Choice], positions: &mut Vec<usize>) -> bool {
        with!(self, explorer => explorer.order(choices, positions))
    }

    fn delay(&mut self, choices: &[Choice]) {
        with!(self, explorer => explorer.delay(choices));
    }

    fn keeps_to_itself(&self) -> bool {
        with!(self, explorer => explorer.keeps_to_itself())
    }

    fn afresh(&self, fingerprint: u64) -> Option<Self> {
        match self {
            AnyExplorer::RandomOrder(explorer) => explorer.afresh(fingerprint).map(AnyExplorer::RandomOrder),
            _ => None,
        }
    }

    fn step(&mut self, taken: &Taken<'_>) {
        with!(self, explorer => explorer.step(taken));
    }
}

/// An explorer with its name.
#[derive(Clone, Debug)]
pub(super) struct Strategist {
    pub(super) explorer: AnyExplorer,
    pub(super) name: String,
}

impl Strategist {
    pub(super) fn rtc() -> Strategist {
        Strategist { explorer: AnyExplorer::RunToCompletion(RunToCompletion::new()), name: "rtc".into() }
    }
}

/// Whether steps must tell hints.
pub(super) fn need_hints(options: &CheckOptions) -> bool {
    let explorer = matches!(options.explorer, ExplorerName::Order(_) | ExplorerName::Script(_));
    explorer || !options.seals.is_empty()
}

/// What the search of one test goes by.
#[derive(Debug)]
pub(super) struct Guidance {
    pub(super) explorer: AnyExplorer,
    script: Option<Arc<ExplorerScript>>,
    pub(super) sealing: Option<SealedParts>,
    /// Names in the options that have no effect on the test, in sentences.
    pub(super) idle: Vec<String>,
}

/// What is sealed, and whether that has left anything out.
#[derive(Clone, Debug)]
pub(super) struct SealedParts {
    pub(super) sealing: Arc<Sealing>,
    pub(super) has_pruned: Arc<AtomicBool>,
}

impl SealedParts {
    pub(super) fn has_pruned(&self) -> bool {
        self.has_pruned.load(Ordering::Relaxed)
    }
}

impl Guidance {
    /// What the options ask for; an error is a sentence about them. Names may be of another test, if that is run as well:
    /// `names` are those of all tests that are run.
    pub(super) fn new(options: &CheckOptions, vm: &Vm, names: &BTreeSet<Name>) -> Result<Guidance, String> {
        let vocabulary = vm.vocabulary();
        let own = vm.names_of_test();
        let mut idle = Vec::new();
        let mut look_for = |option: &str, name: Name| {
            let text = vocabulary.text(name);
            if own.contains(&name) {
                Ok(())
            } else if names.contains(&name) {
                let sentence = format!(
                    "{option}: no machine of this test ever comes to `{text}`, so naming it has no effect"
                );
                // An order may name it several times.
                if !idle.contains(&sentence) {
                    idle.push(sentence);
                }
                Ok(())
            } else {
                Err(format!(
                    "{option}: the project has `{text}`, but no machine of a test that is run ever comes to it"
                ))
            }
        };
        let mut script = None;
        let explorer = match &options.explorer {
            ExplorerName::Rtc => AnyExplorer::RunToCompletion(RunToCompletion::new()),
            ExplorerName::Rr => AnyExplorer::RoundRobin(RoundRobin::new()),
            ExplorerName::Prr => AnyExplorer::RoundRobin(RoundRobin::probabilistic(options.seed)),
            ExplorerName::Random => AnyExplorer::RandomOrder(RandomOrder::new(options.seed)),
            ExplorerName::Order(text) => {
                let orders = Orders::parse(text, &vocabulary)
                    .map_err(|error| in_words("--explorer order", &error, vm))?;
                orders.names().try_for_each(|name| look_for("--explorer order", name))?;
                AnyExplorer::CustomOrder(CustomOrder::new(orders))
            }
            ExplorerName::Script(path) => {
                let compiled = ExplorerScript::compile(
                    &files::read_script(path, "strategy")?,
                    vocabulary.clone(),
                    options.seed,
                );
                let compiled = Arc::new(compiled.map_err(|error| error.to_string())?);
                script = Some(Arc::clone(&compiled));
                AnyExplorer::Script(ScriptExplorer::new(compiled))
            }
        };
        let seals = seals(options, &vocabulary, vm)?;
        seals.iter().try_for_each(|seal| look_for("--seal", seal.name()))?;
        Ok(Guidance { explorer, script, sealing: sealing(options, seals, vocabulary), idle })
    }

    /// What went wrong in the strategy's script. Nothing may then be concluded.
    pub(super) fn failure(&self) -> Option<&str> {
        self.script.as_ref().and_then(|script| script.failure())
    }
}

fn seals(options: &CheckOptions, vocabulary: &Vocabulary, vm: &Vm) -> Result<Vec<Seal>, String> {
    let seal = |text: &String| Seal::parse(text, vocabulary).map_err(|error| in_words("--seal", &error, vm));
    options.seals.iter().map(seal).collect()
}

fn sealing(options: &CheckOptions, seals: Vec<Seal>, vocabulary: Vocabulary) -> Option<SealedParts> {
    if seals.is_empty() {
        return None;
    }
    let flavour = match options.seal_as {
        SealFlavour::Rr => Flavour::RoundRobin,
        SealFlavour::Rtc => Flavour::RunToCompletion,
    };
    let sealing = Arc::new(Sealing::new(seals, flavour, vocabulary));
    Some(SealedParts { sealing, has_pruned: Arc::default() })
}

fn in_words(option: &str, error: &RuleError, vm: &Vm) -> String {
    let program = vm.program();
    // A spec never moves.
    let is_spec = |name: &str| {
        program
            .machines
            .iter()
            .any(|machine| machine.kind != MachineKind::Machine && program.name(machine.name) == name)
    };
    let hint = match error {
        RuleError::Unknown { text, known, .. } => {
            let known = known.iter().map(String::as_str).filter(|name| !is_spec(name));
            near::nearest(text, known).map_or(String::new(), |near| format!("; did you mean `{near}`?"))
        }
        RuleError::Malformed(_) => String::new(),
    };
    format!("{option}: {error}{hint}")
}
