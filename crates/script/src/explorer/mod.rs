//! Delaying explorers written in scripts: who runs next, decided by a user's functions.
//!
//! A script has functions `next(s, choices)` and `delay(s)`, and perhaps `start(machines)`, `step(s, what)` and
//! `finish(s, machine)`; `docs/explorers.md` tells users about them. `s` is any script value: the strategy's state, which
//! each function but `next` returns anew. It is compared and hashed by its content, so strict searches can store it.
//!
//! Invariant: what a script answers is a function of `s`, its arguments and the seed, as the law of explorers demands. The
//! law of soundness is checked wherever it is used: each delay must make `next` name a choice that it has not named at this
//! state. Who breaks it, and any other error, is noted in the [`ExplorerScript`]; from then on the explorer names
//! choices in their order, and whoever runs the search ends it and reports the failure.

mod machines;
mod memo;
mod script;
mod values;

use std::sync::Arc;

use fabius_explore::{Explorer, Fixed, Taken};
use fabius_model::{ActorId, Choice, Effect};
use rhai::{Array, Dynamic, ImmutableString};

use machines::Machines;
pub use script::ExplorerScript;
use values::{Held, key_of, listed, things};

/// An explorer whose strategy is a script.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ScriptExplorer {
    script: Fixed<ExplorerScript>,
    /// The strategy's state.
    state: Held,
    /// Some bits of the program's state, if the script draws random numbers.
    fingerprint: u64,
    // The positions of the choices that were named and delayed at this state.
    named: Vec<usize>,
    machines: Machines,
}

impl ScriptExplorer {
    /// An explorer that follows a script.
    pub fn new(script: Arc<ExplorerScript>) -> ScriptExplorer {
        ScriptExplorer {
            script: Fixed(script),
            state: Held::default(),
            fingerprint: 0,
            named: Vec::new(),
            machines: Machines::default(),
        }
    }

    fn script(&self) -> &ExplorerScript {
        &self.script.0
    }

    /// Calls a function that gives the next state.
    fn call(&self, function: &str, arguments: Vec<Dynamic>, before: &Held) -> Option<Held> {
        self.script().update(function, arguments, before, (self.fingerprint, before.content()))
    }

    /// The names of the machines that choices move.
    fn names(&self, choices: &[Choice]) -> Vec<ImmutableString> {
        choices.iter().map(|choice| self.machines.name_of(*choice)).collect()
    }

    /// A question about the present state, as text.
    fn key(&self, names: &[ImmutableString]) -> String {
        let mut key = self.state.content().to_owned();
        for name in names {
            key.push('\n');
            key.push_str(name);
        }
        key
    }

    /// The position that `next` names, checked against the law.
    fn ask(&self, choices: &[Choice]) -> usize {
        let first_unnamed = || (0..choices.len()).find(|at| !self.named.contains(at)).unwrap_or(0);
        let names = self.names(choices);
        let script = self.script();
        let answer = script.recall_named(self.key(&names), || {
            let draws = (self.fingerprint, self.state.content());
            script.call("next", vec![self.state.value(), array(&names)], draws)
        });
        let Some(answer) = answer else { return first_unnamed() };
        let position = match (answer.as_int(), answer.read_lock::<ImmutableString>()) {
            (Ok(at), _) => usize::try_from(at).ok().filter(|at| *at < names.len()),
            (_, Some(name)) => names.iter().position(|other| *other == *name),
            _ => None,
        };
        let complaint = match position {
            Some(at) if !self.named.contains(&at) => return at,
            Some(at) => self.named_again(&names, at),
            None => self.named_nobody(&names, &answer),
        };
        script.fail(format!("{}: {complaint} (`s` is {})", script.place("next"), self.state.shown()));
        first_unnamed()
    }

    fn named_again(&self, names: &[ImmutableString], again: usize) -> String {
        let earlier: Vec<_> = self.named.iter().map(|at| &names[*at]).collect();
        let missing: Vec<_> =
            (0..names.len()).filter(|at| !self.named.contains(at)).map(|at| &names[at]).collect();
        format!(
            "the strategy is not sound: at a state with the choices {}, `next` named {} and, after {}, `{}` again; so {} may \
             never run. After each `delay`, `next` must name a choice that it has not named at this state",
            listed(names),
            listed(&earlier),
            delays(self.named.len()),
            names[again],
            listed(&missing),
        )
    }

    fn named_nobody(&self, names: &[ImmutableString], answer: &Dynamic) -> String {
        format!(
            "`next` returned {}, which is none of the choices {}; return one of them, or its position",
            values::in_short(answer),
            listed(names),
        )
    }

    /// The state after a step.
    fn told(&self, taken: &Taken<'_>) -> Option<Held> {
        let script = self.script();
        let mut state = self.state.clone();
        if script.has_step() {
            for thing in things(taken, &self.machines, script.vocabulary()) {
                state = self.call("step", vec![state.value(), thing], &state)?;
            }
        }
        if script.has_finish() {
            for effect in taken.effects {
                if let Effect::Halted(actor) = *effect {
                    let arguments = vec![state.value(), self.machines.name(actor).into()];
                    state = self.call("finish", arguments, &state)?;
                }
            }
        }
        Some(state)
    }
}

fn array(names: &[ImmutableString]) -> Dynamic {
    names.iter().cloned().map(Dynamic::from).collect::<Array>().into()
}

fn delays(count: usize) -> String {
    if count == 1 { "1 delay".into() } else { format!("{count} delays") }
}

impl Explorer for ScriptExplorer {
    fn begin(&mut self, enabled: &[ActorId], fingerprint: u64) {
        let script = Arc::clone(&self.script.0);
        self.fingerprint = script.kept(fingerprint);
        for actor in enabled {
            self.machines.add_first(*actor, script.vocabulary());
        }
        if script.has_start() {
            let names: Vec<_> = enabled.iter().map(|actor| self.machines.name(*actor)).collect();
            if let Some(state) = self.call("start", vec![array(&names)], &Held::default()) {
                self.state = state;
            }
        }
    }

    fn next(&self, choices: &[Choice]) -> usize {
        // Nothing is to be decided, and the law is easily kept.
        if choices.len() < 2 {
            return 0;
        }
        self.ask(choices)
    }

    fn delay(&mut self, choices: &[Choice]) {
        let named = self.next(choices);
        self.named.push(named);
        let sees_choices = self.script().delay_sees_choices();
        let names = if sees_choices { self.names(choices) } else { Vec::new() };
        let mut key = self.key(&names);
        key.push_str("\ndelay");
        let state = self.script().recall_state(key, || {
            let choices = sees_choices.then(|| array(&names));
            let arguments = [self.state.value()].into_iter().chain(choices).collect();
            self.call("delay", arguments, &self.state)
        });
        self.state = state.unwrap_or_else(|| self.state.clone());
    }

    fn step(&mut self, taken: &Taken<'_>) {
        let script = Arc::clone(&self.script.0);
        self.named.clear();
        self.fingerprint = script.kept(taken.fingerprint);
        self.machines.learn(taken.effects, script.vocabulary());
        let mut key = self.key(&[]);
        key.push('\n');
        key_of(taken, &self.machines, &mut key);
        if let Some(state) = script.recall_state(key, || self.told(taken)) {
            self.state = state;
        }
    }
}
