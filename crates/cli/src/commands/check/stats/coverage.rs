//! What was never exercised, by name and place.

use fabius_lang::ids::{EventId, MachineId};
use fabius_lang::ir::{Handler, Program};
use fabius_lang::source::{SourceMap, Span};
use fabius_lang::syntax::tree::MachineKind;
use fabius_vm::{Coverage, EventCoverage, MachineCoverage, StateCoverage};
use serde::Serialize;

#[derive(Clone, Debug, Default, Serialize)]
pub(in super::super) struct CoverageEntry {
    pub(super) states: Share,
    /// Reactions of states to events, deferring and ignoring included.
    pub(super) handlers: Share,
    pub(super) gotos: Share,
    /// Those that were sent, announced or raised.
    pub(super) events: Share,
    /// By machine, then by place. What is in a machine that was never created, or in a state that was never entered, is not
    /// listed besides.
    pub(super) unexercised: Vec<Unexercised>,
    pub(super) events_never_sent: Vec<String>,
    /// Those that were sent, and that something could have received.
    pub(super) events_never_received: Vec<String>,
}

/// How many there are, and how many of them were exercised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Share {
    pub(super) exercised: u64,
    pub(super) of: u64,
}

impl Share {
    fn add(&mut self, is_exercised: bool) {
        self.of += 1;
        self.exercised += u64::from(is_exercised);
    }
}

/// Something that was never exercised.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Unexercised {
    /// `machine`, `spec`, `state`, `handler` or `goto`.
    pub(super) kind: &'static str,
    pub(super) machine: String,
    /// The state; of a `goto`, the one it leads to.
    pub(super) state: Option<String>,
    /// How a state reacts: `on`, `defer` or `ignore`.
    pub(super) reaction: Option<&'static str>,
    pub(super) event: Option<String>,
    pub(super) file: Option<String>,
    pub(super) line: Option<u32>,
}

impl CoverageEntry {
    pub(in super::super) fn new(coverage: &Coverage, program: &Program, sources: &SourceMap) -> Self {
        let mut listing = Listing { program, sources, entry: Self::default() };
        coverage.machines.iter().for_each(|(id, machine)| listing.machine(*id, machine));
        coverage.events.iter().for_each(|(id, event)| listing.event(*id, event));
        listing.entry
    }
}

struct Listing<'a> {
    program: &'a Program,
    sources: &'a SourceMap,
    entry: CoverageEntry,
}

impl Listing<'_> {
    fn machine(&mut self, id: MachineId, coverage: &MachineCoverage) {
        let machine = &self.program[id];
        let name = self.program.name(machine.name).to_owned();
        let before = self.entry.unexercised.len();
        if !coverage.is_exercised {
            let kind = if machine.kind == MachineKind::Machine { "machine" } else { "spec" };
            self.list(machine.span, Unexercised::new(kind, &name));
        }
        for state in &coverage.states {
            self.state(id, &name, state, coverage.is_exercised);
        }
        for goto in &coverage.gotos {
            self.entry.gotos.add(goto.is_taken);
            if goto.is_near && !goto.is_taken {
                let state = Some(self.program.name(machine[goto.target].name).to_owned());
                self.list(goto.span, Unexercised { state, ..Unexercised::new("goto", &name) });
            }
        }
        let place = |item: &Unexercised| (item.file.clone(), item.line);
        self.entry.unexercised[before..].sort_by_key(place);
    }

    fn state(&mut self, id: MachineId, machine: &str, coverage: &StateCoverage, is_listed: bool) {
        let declared = &self.program[id][coverage.state];
        let state = Some(self.program.name(declared.name).to_owned());
        self.entry.states.add(coverage.is_entered);
        if is_listed && !coverage.is_entered {
            self.list(
                declared.span,
                Unexercised { state: state.clone(), ..Unexercised::new("state", machine) },
            );
        }
        for reaction in &coverage.reactions {
            self.entry.handlers.add(reaction.is_used);
            if is_listed && coverage.is_entered && !reaction.is_used {
                let item = Unexercised {
                    state: state.clone(),
                    reaction: Some(match reaction.handler {
                        Handler::Defer => "defer",
                        Handler::Ignore => "ignore",
                        Handler::Do(_) | Handler::Goto { .. } => "on",
                    }),
                    event: Some(self.event_name(reaction.event)),
                    ..Unexercised::new("handler", machine)
                };
                self.list(reaction.span, item);
            }
        }
    }

    fn event(&mut self, id: EventId, coverage: &EventCoverage) {
        self.entry.events.add(coverage.is_sent);
        let name = self.event_name(id);
        if !coverage.is_sent {
            self.entry.events_never_sent.push(name);
        } else if coverage.has_receiver && !coverage.is_received {
            self.entry.events_never_received.push(name);
        }
    }

    fn event_name(&self, event: EventId) -> String {
        self.program.name(self.program[event].name).to_owned()
    }

    fn list(&mut self, span: Span, item: Unexercised) {
        let location = self.sources.location(span);
        let (file, line) = location.map(|location| (location.path, location.line)).unzip();
        self.entry.unexercised.push(Unexercised { file, line, ..item });
    }
}

impl Unexercised {
    fn new(kind: &'static str, machine: &str) -> Self {
        Self {
            kind,
            machine: machine.to_owned(),
            state: None,
            reaction: None,
            event: None,
            file: None,
            line: None,
        }
    }
}
