//! The virtual machine against the oracle, step by step.
//!
//! Both run the same program with the same random choices, machines being named by their order of creation. After every
//! step they must agree on who can move, on every machine's state, fields and queue, on the monitors, on what is told
//! about the step, and on the bug, if there is one. Beside the virtual machine goes one that remembers nothing, and must be
//! in the same state.
//!
//! P takes an event from a queue when a handler or a `receive` asks for it, the virtual machine when the machine is
//! scheduled next. No later message can change which one it is, so both queues are compared without it: see [`mail`].

use crate::oracle::{Fault, Source, Standing, Value, World};
use crate::support::{compile, fail, seeds, tests, text, vm};
use fabius_explore::Rng;
use fabius_lang::ids::EventId;
use fabius_lang::ir::Handler;
use fabius_model::{ActorId, Choice, Happening, Narrate, Outcome, Program};
use fabius_vm::{Bug, BugKind, Granularity, MachineView, State, Value as VmValue, Vm, Walk, Walker};
use std::fmt::Write;

const RUNS: u64 = 6;
const STEPS: usize = 150;

#[test]
fn the_virtual_machine_does_what_the_oracle_does() {
    let (mut steps, mut bugs) = (0, 0);
    for seed in seeds(1500) {
        let text = text(seed);
        let (taken, found) = check(&text).unwrap_or_else(|what| fail(seed, &text, &what, &check));
        (steps, bugs) = (steps + taken, bugs + found);
    }
    println!("{steps} steps, {bugs} runs with bugs");
    assert!(steps > 10_000 && bugs > 500, "{steps} steps, {bugs} bugs");
}

/// Runs every test of a program; the number of steps and of bugs, or the first difference.
pub(crate) fn check(text: &str) -> Result<(usize, usize), String> {
    let program = compile(text).ok_or("does not compile")?;
    let source = Source::new(text);
    let (mut steps, mut bugs) = (0, 0);
    for test in tests(&program) {
        let vm = vm(&program, test, Granularity::Reference);
        for seed in 0..RUNS {
            let mut lockstep = match Lockstep::new(&vm, &source, test.index(), seed)? {
                Some(lockstep) => lockstep,
                None => {
                    bugs += 1;
                    break;
                }
            };
            bugs += usize::from(lockstep.run()?);
            steps += lockstep.log.len();
        }
    }
    Ok((steps, bugs))
}

struct Lockstep<'p> {
    vm: &'p Vm,
    source: &'p Source,
    world: World<'p>,
    state: State,
    walker: Walker,
    walk: Walk,
    /// The machines in the order of creation.
    actors: Vec<ActorId>,
    rng: Rng,
    log: Vec<String>,
}

impl<'p> Lockstep<'p> {
    /// Both at their beginning; none if that is a bug already.
    fn new(vm: &'p Vm, source: &'p Source, test: usize, seed: u64) -> Result<Option<Self>, String> {
        let walker = vm.walker();
        let walk = match (walker.initial(), vm.initial()) {
            (Outcome::State(walk), Outcome::State(_)) => Some(walk),
            (Outcome::Bug(walked), Outcome::Bug(bug)) if walked == bug => None,
            (walked, outcome) => return Err(format!("walking begins with {walked:?}, not {outcome:?}")),
        };
        match (vm.initial(), World::new(source, test)) {
            (Outcome::State(state), Ok(world)) => {
                let walk = walk.ok_or("walking does not begin")?;
                let mut choices = Vec::new();
                vm.choices(&state, &mut choices);
                let [Choice::Schedule(main)] = choices[..] else {
                    return Err(format!("begins with {choices:?}"));
                };
                let (actors, rng, log) = (vec![main], Rng::from_seed(seed), Vec::new());
                Ok(Some(Self { vm, source, world, state, walker, walk, actors, rng, log }))
            }
            (Outcome::Bug(bug), Err(fault)) => same_bug(source, &bug, &fault).map(|()| None),
            (Outcome::Bug(bug), Ok(_)) => Err(format!("begins with {bug:?}")),
            (Outcome::State(_), Err(fault)) => Err(format!("does not begin with {fault:?}")),
        }
    }

    /// Runs to the end or the bound; whether there was a bug.
    fn run(&mut self) -> Result<bool, String> {
        for _ in 0..STEPS {
            self.compare().map_err(|what| self.tell(&what))?;
            match self.step().map_err(|what| self.tell(&what))? {
                Next::Goes => {}
                Next::Ended(bug) => return Ok(bug),
            }
        }
        Ok(false)
    }

    /// Takes the same step without memory.
    fn walk_along(&mut self, position: usize, outcome: &Outcome<State, Box<Bug>>) -> Result<(), String> {
        let mut choices = Vec::new();
        self.walker.choices(&self.walk, &mut choices);
        let choice = *choices.get(position).ok_or("walking has fewer choices")?;
        match (self.walker.proceed(&mut self.walk, choice, &mut Vec::new()), outcome) {
            (Ok(()), Outcome::State(state))
                if self.walker.fingerprint(&self.walk) == self.vm.fingerprint(state) =>
            {
                Ok(())
            }
            (Err(walked), Outcome::Bug(bug)) if walked == *bug => Ok(()),
            (walked, outcome) => Err(format!("walking leads to {walked:?}, not {outcome:?}")),
        }
    }

    fn step(&mut self) -> Result<Next, String> {
        let mut choices = Vec::new();
        self.vm.choices(&self.state, &mut choices);
        if choices.is_empty() {
            return self.compare_end();
        }
        let position = self.rng.position(choices.len());
        let choice = choices[position];
        let mut happenings = Vec::new();
        let outcome = self.vm.narrate(&self.state, choice, &mut happenings);
        if outcome != self.vm.step(&self.state, choice, &mut Vec::new()) {
            return Err("telling a step differs from taking it".into());
        }
        self.walk_along(position, &outcome)?;
        self.world.told.clear();
        let result = match choice {
            Choice::Schedule(actor) => {
                let number = self.number(actor)?;
                self.log.push(format!("{number} moves from {:?}", self.world.machines[number].standing));
                self.world.schedule(number)
            }
            Choice::Data(alternative) => {
                let Some((number, _)) = self.world.chooser() else { return Err("nobody chooses".into()) };
                self.log.push(format!("{number} chooses {alternative}"));
                self.world.choose(number, alternative as usize)
            }
        };
        match (outcome, result) {
            (_, Err(fault)) if matches!(fault.kind, BugKind::StackOverflow | BugKind::EndlessLoop) => {
                Err("the oracle gives up".into())
            }
            (Outcome::State(state), Ok(())) => {
                self.state = state;
                let told = self.words(&happenings)?;
                same("what is told", &told, &self.world.told)?;
                Ok(Next::Goes)
            }
            (Outcome::Bug(bug), Err(fault)) => {
                same_bug(self.source, &bug, &fault).map(|()| Next::Ended(true))
            }
            (Outcome::Bug(bug), Ok(())) => Err(format!("the vm alone has {bug:?}")),
            (Outcome::State(_), Err(fault)) => Err(format!("the oracle alone has {fault:?}")),
        }
    }

    /// What the virtual machine tells, in the oracle's words; meets the machines that are created.
    fn words(&mut self, happenings: &[Happening]) -> Result<Vec<String>, String> {
        let mut words = Vec::new();
        for happening in happenings {
            words.push(match happening {
                Happening::Created { actor, machine, .. } => {
                    self.actors.push(*actor);
                    format!("created {machine} as #{}", self.actors.len() - 1)
                }
                Happening::Received { event, .. } => format!("received {event}"),
                Happening::Sent { to, event, dropped, .. } => {
                    let dropped = if *dropped { " in vain" } else { "" };
                    format!("sent {event} to #{}{dropped}", self.number(*to)?)
                }
                // The oracle does not tell why an event is shown to monitors.
                Happening::Sending { event, .. } | Happening::Announced { event, .. } => {
                    format!("announced {event}")
                }
                Happening::Raised { event, .. } => format!("raised {event}"),
                Happening::Entered { to, .. } => format!("entered {to}"),
                Happening::MonitorEntered { monitor, to, .. } => format!("{monitor} entered {to}"),
                Happening::Chose { .. } => "chose".into(),
                Happening::Printed { text } => format!("printed {text}"),
                Happening::Halted => "halted".into(),
                Happening::Waiting { .. } => continue,
            });
        }
        Ok(words)
    }

    fn compare_end(&self) -> Result<Next, String> {
        match (self.vm.end(&self.state), self.world.end()) {
            (None, None) => Ok(Next::Ended(false)),
            (Some(bug), Some(fault)) if bug.kind == BugKind::Deadlock => {
                // Which of the waiting machines is named depends on how machines are ordered.
                if fault.kind == bug.kind { Ok(Next::Ended(true)) } else { Err(format!("{bug:?} {fault:?}")) }
            }
            (Some(bug), Some(fault)) => same_bug(self.source, &bug, &fault).map(|()| Next::Ended(true)),
            (bug, fault) => Err(format!("at the end, the vm has {bug:?}, the oracle {fault:?}")),
        }
    }

    fn number(&self, actor: ActorId) -> Result<usize, String> {
        self.actors.iter().position(|known| *known == actor).ok_or(format!("{actor:?} was never created"))
    }

    /// Compares everything that can be seen.
    fn compare(&self) -> Result<(), String> {
        let mut choices = Vec::new();
        self.vm.choices(&self.state, &mut choices);
        match (self.world.chooser(), choices.first()) {
            (Some((_, count)), Some(Choice::Data(_))) => same("alternatives", &choices.len(), &count)?,
            (None, Some(Choice::Schedule(_)) | None) => {
                let number = |choice: &Choice| match choice {
                    Choice::Schedule(actor) => self.number(*actor),
                    Choice::Data(_) => Err("choices of both kinds".into()),
                };
                let mut enabled: Vec<usize> = choices.iter().map(number).collect::<Result<_, _>>()?;
                enabled.sort_unstable();
                same("who can move", &enabled, &self.world.enabled())?;
            }
            (chooser, choice) => {
                return Err(format!("the vm offers {choice:?}, the oracle's chooser is {chooser:?}"));
            }
        }
        let views = self.vm.machines(&self.state);
        same("the number of machines", &views.len(), &self.world.machines.len())?;
        for view in &views {
            self.compare_machine(view)?;
        }
        self.compare_monitors()
    }

    fn compare_machine(&self, view: &MachineView<'_>) -> Result<(), String> {
        let number = self.number(view.actor)?;
        let machine = &self.world.machines[number];
        let what = |part: &str| format!("the {part} of machine {number}");
        same(&what("type"), &view.machine, &machine.machine)?;
        same(
            &what("halting"),
            &(view.standing == fabius_vm::Standing::Halted),
            &matches!(machine.standing, Standing::Halted),
        )?;
        if let Standing::Halted = machine.standing {
            return same(&what("queue"), &view.queue.len(), &0);
        }
        same(&what("state"), &view.state, &machine.state)?;
        same(&what("fields"), &self.show_all(view.fields), &show_values(&machine.fields))?;
        let (theirs, ours) = self.mail(view, number);
        same(&what("mail"), &theirs, &ours)
    }

    /// The two queues without the event that the machine gets next, and without what it ignores before that: when
    /// it is dropped makes no difference, because the state does not change in between.
    fn mail(&self, view: &MachineView<'_>, number: usize) -> (Vec<String>, Vec<String>) {
        let machine = &self.world.machines[number];
        let theirs = view.queue.iter().map(|(event, payload)| (*event, self.show(payload)));
        let ours = machine.queue.iter().map(|message| (message.event, show_value(&message.payload)));
        let (mut theirs, mut ours): (Vec<_>, Vec<_>) = (theirs.collect(), ours.collect());
        match &machine.standing {
            Standing::Idle | Standing::Woken | Standing::Looking => {
                self.drop_ignored(number, &mut theirs);
                self.drop_ignored(number, &mut ours);
            }
            Standing::Dequeued(_) if view.standing != fabius_vm::Standing::Between => {
                let next = self.drop_ignored(number, &mut theirs);
                theirs.remove(next);
            }
            Standing::Received(message) => {
                let next = theirs.iter().position(|(event, _)| *event == message.event);
                next.map(|next| theirs.remove(next));
            }
            _ => {}
        }
        let show = |mail: Vec<(EventId, String)>| {
            mail.into_iter().map(|(event, payload)| format!("{event:?} {payload}")).collect()
        };
        (show(theirs), show(ours))
    }

    /// Drops what the state ignores before the first event that it takes; the position of the latter.
    fn drop_ignored(&self, number: usize, mail: &mut Vec<(EventId, String)>) -> usize {
        let mut at = 0;
        while at < mail.len() {
            match self.world.reaction(number, mail[at].0) {
                Some(Handler::Ignore) => _ = mail.remove(at),
                Some(Handler::Defer) => at += 1,
                _ => break,
            }
        }
        at
    }

    fn compare_monitors(&self) -> Result<(), String> {
        let views = self.vm.monitors(&self.state);
        same("the number of monitors", &views.len(), &self.world.monitors.len())?;
        for (view, monitor) in views.iter().zip(&self.world.monitors) {
            same("a monitor", &view.machine, &monitor.machine)?;
            same("the state of a monitor", &view.state, &monitor.state)?;
            same("the fields of a monitor", &self.show_all(view.fields), &show_values(&monitor.fields))?;
        }
        Ok(())
    }

    fn show_all(&self, values: &[VmValue]) -> Vec<String> {
        values.iter().map(|value| self.show(value)).collect()
    }

    /// A value in a form that both sides share.
    fn show(&self, value: &VmValue) -> String {
        let list = |items: Vec<String>| items.join(" ");
        match value {
            VmValue::Null => "null".into(),
            VmValue::Bool(value) => value.to_string(),
            VmValue::Int(number) => number.to_string(),
            VmValue::Float(number) => format!("{number:?}"),
            VmValue::Event(event) => format!("{event:?}"),
            VmValue::Machine(reference) => match self.number(reference.actor) {
                Ok(number) => format!("#{number}"),
                Err(what) => what,
            },
            VmValue::String(text) => format!("{:?}", text.as_str()),
            VmValue::Tuple(tuple) => {
                let items: Vec<_> = tuple.items().iter().map(|item| self.show(item)).collect();
                match tuple.names() {
                    None => format!("({})", list(items)),
                    Some(names) => {
                        let fields =
                            names.as_slice().iter().zip(items).map(|(name, item)| format!("{name}={item}"));
                        format!("({})", list(fields.collect()))
                    }
                }
            }
            VmValue::Seq(seq) => {
                format!("[{}]", list(seq.items().iter().map(|item| self.show(item)).collect()))
            }
            VmValue::Set(set) => format!("{{{}}}", list(set.items().map(|item| self.show(item)).collect())),
            VmValue::Map(map) => {
                let entry =
                    |(key, value): (&VmValue, &VmValue)| format!("{}:{}", self.show(key), self.show(value));
                format!("{{{}}}", list(map.entries().map(entry).collect()))
            }
            VmValue::Foreign(_) => "foreign".into(),
        }
    }

    fn tell(&self, what: &str) -> String {
        let mut told = String::new();
        for (at, line) in self.log.iter().enumerate() {
            writeln!(told, "{}: {line}", at + 1).expect("text can be written");
        }
        format!("{what}\n{told}")
    }
}

enum Next {
    Goes,
    /// Whether in a bug.
    Ended(bool),
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, theirs: &T, ours: &T) -> Result<(), String> {
    if theirs == ours { Ok(()) } else { Err(format!("{what}: the vm has {theirs:?}, the oracle {ours:?}")) }
}

fn same_bug(source: &Source, bug: &Bug, fault: &Fault) -> Result<(), String> {
    let checked = &source.checked;
    let name = |name| source.tree.names.text(name);
    let info = &checked.machines[fault.place.machine.index()];
    let at_fault = match fault.place.interface {
        Some(interface) => name(checked.interfaces[interface.index()].name.name),
        None => name(info.name.name),
    };
    let is_machine = bug.machine == at_fault || bug.machine.starts_with(&format!("{at_fault}("));
    let state = name(info.states[fault.place.state.index()].name.name);
    let event = fault.place.event.map(|event| name(checked.events[event.index()].name.name).to_owned());
    let line = fault.place.line.filter(|_| {
        !matches!(
            fault.kind,
            BugKind::UnhandledEvent | BugKind::UnhandledObservation | BugKind::TransitionInExit
        )
    });
    let is_same = bug.kind == fault.kind
        && is_machine
        && bug.state.as_deref() == Some(state)
        && (event.is_none() || bug.event == event)
        && (line.is_none() || source.line(bug.span) == line);
    if is_same {
        return Ok(());
    }
    Err(format!(
        "the vm has {bug:?} in line {:?}, the oracle {fault:?} of {at_fault} in {state}",
        source.line(bug.span)
    ))
}

fn show_values(values: &[Value]) -> Vec<String> {
    values.iter().map(show_value).collect()
}

fn show_value(value: &Value) -> String {
    let list = |items: &[Value]| items.iter().map(show_value).collect::<Vec<_>>().join(" ");
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::Event(event) => format!("{event:?}"),
        Value::Machine { number, .. } => format!("#{number}"),
        Value::Text(text) => format!("{text:?}"),
        Value::Tuple(items) => format!("({})", list(items)),
        Value::Named(fields) => {
            let fields: Vec<_> =
                fields.iter().map(|(name, item)| format!("{name}={}", show_value(item))).collect();
            format!("({})", fields.join(" "))
        }
        Value::Seq(items) => format!("[{}]", list(items)),
        Value::Set(items) => format!("{{{}}}", list(items)),
        Value::Map(entries) => {
            let entries: Vec<_> = entries
                .iter()
                .map(|(key, value)| format!("{}:{}", show_value(key), show_value(value)))
                .collect();
            format!("{{{}}}", entries.join(" "))
        }
    }
}
