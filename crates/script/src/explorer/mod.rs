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
mod script;
mod values;

use std::sync::Arc;

use fabius_explore::{Explorer, Fixed, Taken};
use fabius_model::{ActorId, Choice, Effect};
use rhai::{Array, Dynamic};

use machines::Machines;
pub use script::ExplorerScript;
use values::{Held, listed, things};

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
    fn update(&mut self, function: &str, arguments: Vec<Dynamic>) {
        let draws = (self.fingerprint, self.state.content());
        if let Some(value) = self.script().update(function, arguments, &self.state, draws) {
            self.state = value;
        }
    }

    /// The position that `next` names, checked against the law.
    fn ask(&self, choices: &[Choice]) -> usize {
        let first_unnamed = || (0..choices.len()).find(|at| !self.named.contains(at)).unwrap_or(0);
        let names: Vec<_> = choices.iter().map(|choice| self.machines.name_of(*choice)).collect();
        let script = self.script();
        let list: Array = names.iter().cloned().map(Dynamic::from).collect();
        let draws = (self.fingerprint, self.state.content());
        let answer = script.call("next", vec![self.state.value(), list.into()], draws);
        let Some(answer) = answer else { return first_unnamed() };
        let position = match (answer.as_int(), answer.read_lock::<rhai::ImmutableString>()) {
            (Ok(at), _) => usize::try_from(at).ok().filter(|at| *at < names.len()),
            (_, Some(name)) => names.iter().position(|other| *other == *name),
            _ => None,
        };
        match position {
            Some(at) if !self.named.contains(&at) => at,
            Some(at) => {
                let earlier: Vec<_> = self.named.iter().map(|at| names[*at].as_str()).collect();
                let missing = (0..names.len()).filter(|other| !self.named.contains(other));
                let missing: Vec<_> = missing.map(|at| names[at].as_str()).collect();
                script.fail(format!(
                    "{}: the strategy is not sound: at a state with the choices {}, `next` named {} and, after {}, `{}` \
                     again; so {} may never run. After each `delay`, `next` must name a choice that it has not named at \
                     this state (`s` is {})",
                    script.file(),
                    listed(&names),
                    listed(&earlier),
                    delays(self.named.len()),
                    names[at],
                    listed(&missing),
                    self.state.content(),
                ));
                first_unnamed()
            }
            None => {
                script.fail(format!(
                    "{}: `next` returned {}, which is none of the choices {}; return one of them, or its position (`s` is {})",
                    script.file(),
                    values::in_short(&answer),
                    listed(&names),
                    self.state.content(),
                ));
                first_unnamed()
            }
        }
    }

    fn tell(&mut self, thing: Dynamic) {
        if self.script().has_step() {
            let state = self.state.value();
            self.update("step", vec![state, thing]);
        }
    }
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
            let name = |actor: &ActorId| Dynamic::from(self.machines.name(*actor));
            let names: Array = enabled.iter().map(name).collect();
            self.update("start", vec![names.into()]);
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
        let mut arguments = vec![self.state.value()];
        if self.script().delay_sees_choices() {
            let names: Array =
                choices.iter().map(|choice| Dynamic::from(self.machines.name_of(*choice))).collect();
            arguments.push(names.into());
        }
        self.update("delay", arguments);
    }

    fn step(&mut self, taken: &Taken<'_>) {
        let script = Arc::clone(&self.script.0);
        self.named.clear();
        self.fingerprint = script.kept(taken.fingerprint);
        if let Choice::Schedule(actor) = taken.choice {
            self.machines.set_mover(actor, script.vocabulary());
        }
        self.machines.learn(taken.effects, script.vocabulary());
        for thing in things(taken, &self.machines, script.vocabulary()) {
            self.tell(thing);
        }
        self.machines.settle(taken.effects);
        if script.has_finish() {
            for effect in taken.effects {
                if let Effect::Halted(actor) = *effect {
                    let arguments = vec![self.state.value(), self.machines.name(actor).into()];
                    self.update("finish", arguments);
                }
            }
        }
    }
}
