//! The numbers of a test, as they are in the JSON. docs/statistics.md describes each field.

use fabius_lang::ids::{EventId, MachineId, StateId};
use fabius_lang::ir::Program;
use fabius_lang::source::SourceMap;
use fabius_vm::{Coverage, Lengths, Profile, Reaction, Vm};
use serde::Serialize;

use super::super::search::Conclusion;
use super::coverage::CoverageEntry;
use super::recorder::{Measured, Over};
use super::series::Point;

#[derive(Clone, Debug, Serialize)]
pub(in super::super) struct StatsEntry {
    pub(super) phases: Vec<PhaseEntry>,
    pub(super) machines: Vec<MachineEntry>,
    pub(super) specs: Vec<SpecEntry>,
    pub(super) levels: Option<LevelsEntry>,
    pub(super) store: Option<StoreEntry>,
    pub(super) memo: MemoEntry,
    pub(super) estimate: Option<EstimateEntry>,
    pub(super) coverage: CoverageEntry,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct PhaseEntry {
    /// `states` or `runs`.
    pub(super) over: &'static str,
    pub(super) seconds: f64,
    pub(super) states: Option<u64>,
    pub(super) steps: u64,
    pub(super) states_per_second: Option<f64>,
    pub(super) steps_per_second: f64,
    pub(super) series: Vec<PointEntry>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct PointEntry {
    seconds: f64,
    states: Option<u64>,
    steps: u64,
    /// Since the point before.
    pub(super) states_per_second: Option<f64>,
    pub(super) steps_per_second: f64,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct MachineEntry {
    pub(super) machine: String,
    pub(super) transitions: u64,
    pub(super) steps: u64,
    pub(super) handlers: Vec<HandlerEntry>,
    pub(super) queue: Option<QueueEntry>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct HandlerEntry {
    pub(super) state: String,
    /// `entry`, `exit`, `halt`, `unhandled`, or `on` with its events.
    pub(super) handler: String,
    pub(super) transitions: u64,
    pub(super) steps: u64,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct QueueEntry {
    pub(super) largest: u64,
    pub(super) mean: f64,
    lengths: Vec<LengthEntry>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct LengthEntry {
    from: u64,
    to: u64,
    count: u64,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct SpecEntry {
    pub(super) spec: String,
    pub(super) states: Vec<SpecStateEntry>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct SpecStateEntry {
    pub(super) state: String,
    pub(super) count: u64,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct LevelsEntry {
    /// `stratum`, `depth` or `bound`.
    pub(super) by: &'static str,
    pub(super) states: Vec<u64>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct StoreEntry {
    pub(super) kind: String,
    pub(super) bytes: u64,
    pub(super) bytes_per_state: f64,
    pub(super) load: f64,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct MemoEntry {
    pub(super) moves: u64,
    pub(super) bytes: u64,
    pub(super) lookups: u64,
    /// Those that had to be made.
    made: u64,
    pub(super) hit_rate: f64,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct EstimateEntry {
    pub(super) states_left: u64,
    method: &'static str,
}

impl StatsEntry {
    pub(in super::super) fn new(
        vm: &Vm,
        conclusion: &Conclusion,
        coverage: &Coverage,
        sources: &SourceMap,
    ) -> Self {
        let measured = &conclusion.measured;
        let profile = |over: Over| {
            let mut sum = Profile::default();
            let phases = measured.iter().filter(|phase| phase.over == over);
            phases.for_each(|phase| sum.merge(&phase.profile));
            sum
        };
        let (states, runs) = (profile(Over::States), profile(Over::Runs));
        let states_of_store = conclusion.states.unwrap_or(0).max(1) as f64;
        Self {
            phases: measured.iter().map(PhaseEntry::new).collect(),
            machines: machines(vm, &states, &runs),
            specs: specs(vm, if states == Profile::default() { &runs } else { &states }),
            levels: (conclusion.levels.as_ref())
                .map(|levels| LevelsEntry { by: levels.by, states: levels.states.clone() }),
            store: conclusion.store.as_ref().map(|store| StoreEntry {
                kind: store.kind.clone(),
                bytes: store.bytes,
                bytes_per_state: store.bytes as f64 / states_of_store,
                load: store.load,
            }),
            memo: MemoEntry::new(measured),
            estimate: conclusion.estimate.map(|estimate| EstimateEntry {
                states_left: estimate.states_left,
                method: "levels-in-the-shape-of-a-bell",
            }),
            coverage: CoverageEntry::new(coverage, vm.program(), sources),
        }
    }
}

impl PhaseEntry {
    fn new(measured: &Measured) -> Self {
        let over_states = measured.over == Over::States;
        let start = Point::default();
        let end = measured.points.last().copied().unwrap_or(start);
        let whole = PointEntry::new(start, end, over_states);
        let before = [start].into_iter().chain(measured.points.iter().copied());
        let series = before.zip(&measured.points);
        Self {
            over: if over_states { "states" } else { "runs" },
            seconds: end.seconds,
            states: whole.states,
            steps: whole.steps,
            states_per_second: whole.states_per_second,
            steps_per_second: whole.steps_per_second,
            series: series.map(|(before, point)| PointEntry::new(before, *point, over_states)).collect(),
        }
    }
}

impl PointEntry {
    fn new(before: Point, now: Point, over_states: bool) -> Self {
        let seconds = (now.seconds - before.seconds).max(1e-9);
        let rate = |before: u64, now: u64| (now.saturating_sub(before) as f64 / seconds).round();
        Self {
            seconds: now.seconds,
            states: over_states.then_some(now.states),
            steps: now.steps,
            states_per_second: over_states.then(|| rate(before.states, now.states)),
            steps_per_second: rate(before.steps, now.steps),
        }
    }
}

impl MemoEntry {
    fn new(measured: &[Measured]) -> Self {
        let sum = |of: fn(&Measured) -> u64| measured.iter().map(of).sum::<u64>();
        let lookups = sum(|phase| phase.points.last().map_or(0, |end| end.steps));
        let made = sum(|phase| phase.memory.made);
        Self {
            moves: sum(|phase| phase.memory.remembered),
            bytes: sum(|phase| phase.memory.bytes),
            lookups,
            made,
            hit_rate: lookups.saturating_sub(made) as f64 / lookups.max(1) as f64,
        }
    }
}

/// Each machine that moved or had a queue, with its reactions, in order of declaration.
fn machines(vm: &Vm, states: &Profile, runs: &Profile) -> Vec<MachineEntry> {
    let program = vm.program();
    let (in_states, in_runs) = (states.steps(vm), runs.steps(vm));
    let mut machines = Vec::new();
    for id in (0..program.machines.len() as u32).map(MachineId) {
        let mut handlers: Vec<((StateId, Reaction), u64, u64)> = Vec::new();
        let own = |all: &[fabius_vm::ReactionSteps]| {
            let own = all.iter().filter(|steps| steps.machine == id);
            own.map(|own| ((own.state, own.reaction.clone()), own.steps)).collect::<Vec<_>>()
        };
        handlers.extend(own(&in_states).into_iter().map(|(key, count)| (key, count, 0)));
        for (key, steps) in own(&in_runs) {
            match handlers.iter_mut().find(|(other, ..)| *other == key) {
                Some((_, _, known)) => *known = steps,
                None => handlers.push((key, 0, steps)),
            }
        }
        handlers.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        let mut queue = states.queues(id).cloned();
        if queue.is_none() {
            queue = runs.queues(id).cloned();
        }
        if queue.is_none() && handlers.is_empty() {
            continue;
        }
        let handlers: Vec<HandlerEntry> = (handlers.into_iter())
            .map(|((state, reaction), transitions, steps)| HandlerEntry {
                state: program.name(program[id][state].name).to_owned(),
                handler: reaction_text(program, &reaction),
                transitions,
                steps,
            })
            .collect();
        machines.push(MachineEntry {
            machine: program.name(program[id].name).to_owned(),
            transitions: handlers.iter().map(|handler| handler.transitions).sum(),
            steps: handlers.iter().map(|handler| handler.steps).sum(),
            handlers,
            queue: queue.as_ref().map(QueueEntry::new),
        });
    }
    machines
}

fn reaction_text(program: &Program, reaction: &Reaction) -> String {
    let name = |event: &EventId| program.name(program[*event].name);
    match reaction {
        Reaction::Entry => "entry".into(),
        Reaction::Exit => "exit".into(),
        Reaction::Halt => "halt".into(),
        Reaction::Unhandled => "unhandled".into(),
        Reaction::Events(events) => {
            format!("on {}", events.iter().map(name).collect::<Vec<_>>().join(", "))
        }
    }
}

impl QueueEntry {
    fn new(lengths: &Lengths) -> Self {
        let bounds = |bucket: u32| match bucket {
            0 => (0, 0),
            bucket => (1 << (bucket - 1), (1 << bucket) - 1),
        };
        let lengths_of = lengths.counts.iter().zip(0..).map(|(count, bucket)| {
            let (from, to) = bounds(bucket);
            LengthEntry { from, to, count: *count }
        });
        Self { largest: lengths.largest, mean: lengths.mean(), lengths: lengths_of.collect() }
    }
}

fn specs(vm: &Vm, profile: &Profile) -> Vec<SpecEntry> {
    let program = vm.program();
    let attached = program[vm.test()].monitors.iter().map(|attachment| attachment.monitor);
    let entry = |spec: MachineId| {
        let states = program[spec].states.iter().zip((0..).map(StateId));
        SpecEntry {
            spec: program.name(program[spec].name).to_owned(),
            states: states
                .map(|(state, id)| SpecStateEntry {
                    state: program.name(state.name).to_owned(),
                    count: profile.states_of_spec(vm, spec, id),
                })
                .collect(),
        }
    };
    attached.map(entry).collect()
}
