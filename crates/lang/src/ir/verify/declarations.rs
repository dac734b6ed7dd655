//! The rules about declarations.

use super::{Rule, Subject, Verifier};
use crate::ids::{EnumId, EventId, FunctionId, InterfaceId, MachineId, ParameterId, StateId, TestId};
use crate::ir::{Constant, Handler, Machine, Parameter, State, Test};
use crate::names::Name;
use crate::syntax::tree::MachineKind;
use crate::types::{Type, TypeId};
use rapidhash::RapidHashMap;

impl Verifier<'_> {
    pub(super) fn declarations(&mut self) {
        let program = self.program;
        for (at, event) in program.events.iter().enumerate() {
            let subject = Subject::Event(EventId(at as u32));
            self.name(subject, event.name);
            self.ty(subject, event.payload);
        }
        self.built_in_events();
        for (at, declared) in program.enums.iter().enumerate() {
            let subject = Subject::Enum(EnumId(at as u32));
            self.name(subject, declared.name);
            declared.elements.iter().for_each(|element| _ = self.name(subject, element.name));
            if declared.elements.is_empty() {
                self.report(Rule::EnumElements, subject, "the enum has no elements");
            }
        }
        for (at, Parameter { name, ty }) in program.parameters.iter().enumerate() {
            let subject = Subject::Parameter(ParameterId(at as u32));
            self.name(subject, *name);
            self.ty(subject, *ty);
        }
        for (at, interface) in program.interfaces.iter().enumerate() {
            let subject = Subject::Interface(InterfaceId(at as u32));
            self.name(subject, interface.name);
            self.ty(subject, interface.payload);
            self.event_set(subject, &interface.receives);
        }
        for (at, machine) in program.machines.iter().enumerate() {
            self.machine_declaration(MachineId(at as u32), machine);
        }
    }

    fn built_in_events(&mut self) {
        let names: Vec<_> = self.program.events.iter().take(2).map(|event| event.name).collect();
        if names != [Name::NULL, Name::HALT] {
            self.report(
                Rule::BuiltInEvents,
                Subject::Program,
                "the first two events are not `null` and `halt`",
            );
        }
    }

    fn machine_declaration(&mut self, id: MachineId, machine: &Machine) {
        let subject = Subject::Machine(id);
        self.name(subject, machine.name);
        for field in &machine.fields {
            self.name(subject, field.name);
            self.ty(subject, field.ty);
        }
        for events in [&machine.receives, &machine.sends, &machine.observes] {
            self.event_set(subject, events);
        }
        machine.creates.iter().for_each(|interface| _ = self.interface(subject, *interface));
        if !machine.creates.is_sorted_by(|a, b| a < b) {
            self.report(
                Rule::CreatesOrder,
                subject,
                "the created interfaces are not in order, or one is there twice",
            );
        }
        if machine.start.index() >= machine.states.len() {
            self.report(
                Rule::StartState,
                subject,
                format!("there is no state #{} to start in", machine.start.0),
            );
        }
        for (at, state) in machine.states.iter().enumerate() {
            self.state(id, StateId(at as u32), machine, state);
        }
    }

    fn state(&mut self, id: MachineId, state_id: StateId, machine: &Machine, state: &State) {
        let subject = Subject::State(id, state_id);
        self.name(subject, state.name);
        if let Some(function) = state.entry {
            self.reaction(subject, id, function, "entry", 1);
        }
        if let Some(function) = state.exit {
            self.reaction(subject, id, function, "exit", 0);
        }
        for (event, handler) in &state.handlers {
            self.event(subject, *event);
            match handler {
                Handler::Defer | Handler::Ignore => {}
                Handler::Do(function) => self.reaction(subject, id, *function, "handler", 1),
                Handler::Goto { target, with } => {
                    self.in_range(subject, "state", target.0, machine.states.len());
                    if let Some(function) = with {
                        self.reaction(subject, id, *function, "transition", 1);
                    }
                }
            }
        }
        if !state.handlers.is_sorted_by(|(a, _), (b, _)| a < b) {
            let message = "the reactions are not in order of event, or an event has two";
            self.report(Rule::HandlerOrder, subject, message);
        }
    }

    fn reaction(
        &mut self,
        subject: Subject,
        machine: MachineId,
        id: FunctionId,
        role: &str,
        parameters: u32,
    ) {
        if !self.in_range(subject, "function", id.0, self.program.functions.len()) {
            return;
        }
        let function = &self.program[id];
        if function.owner != Some(machine) {
            let message = format!("the {role} function #{} does not belong to the machine", id.0);
            self.report(Rule::ReactionOwner, subject, message);
        }
        if function.parameters > parameters {
            let message = format!("the {role} function #{} takes {} arguments", id.0, function.parameters);
            self.report(Rule::ReactionParameters, subject, message);
        }
    }
}

/// Tests.
impl Verifier<'_> {
    pub(super) fn tests(&mut self) {
        for (at, test) in self.program.tests.iter().enumerate() {
            let subject = Subject::Test(TestId(at as u32));
            if self.test_in_range(subject, test) {
                self.bindings(subject, test);
                self.links(subject, test);
                self.monitors(subject, test);
            }
            for (parameter, value) in &test.parameters {
                self.test_parameter(subject, *parameter, *value);
            }
        }
    }

    /// Whether all interfaces and machines that the test mentions exist.
    fn test_in_range(&mut self, subject: Subject, test: &Test) -> bool {
        let before = self.violations.len();
        self.interface(subject, test.main);
        test.bindings.iter().flatten().for_each(|machine| _ = self.machine(subject, *machine));
        for link in &test.links {
            for interface in [link.creator, link.requested, link.created] {
                self.interface(subject, interface);
            }
        }
        for attachment in &test.monitors {
            self.machine(subject, attachment.monitor);
            attachment.observed.iter().for_each(|interface| _ = self.interface(subject, *interface));
        }
        self.violations.len() == before
    }

    fn bindings(&mut self, subject: Subject, test: &Test) {
        if test.bindings.len() != self.program.interfaces.len() {
            let message = format!(
                "there are {} bindings for {} interfaces",
                test.bindings.len(),
                self.program.interfaces.len()
            );
            return self.report(Rule::TestBindings, subject, message);
        }
        if test.bindings[test.main.index()].is_none() {
            self.report(Rule::TestBindings, subject, "the main interface is not bound");
        }
        let links = test.links.iter().map(|link| ((link.creator, link.requested), link.created)).collect();
        for (interface, machine) in test.bindings.iter().enumerate() {
            let Some(machine) = machine else { continue };
            if self.program[*machine].kind != MachineKind::Machine {
                let message = format!("interface #{interface} is bound to a spec or scenario");
                self.report(Rule::TestBindings, subject, message);
            }
            self.creations(subject, test, &links, InterfaceId(interface as u32), *machine);
        }
    }

    /// Whatever the machine behind an interface creates is bound.
    fn creations(
        &mut self,
        subject: Subject,
        test: &Test,
        links: &RapidHashMap<(InterfaceId, InterfaceId), InterfaceId>,
        creator: InterfaceId,
        machine: MachineId,
    ) {
        for requested in &self.program[machine].creates {
            let created = links.get(&(creator, *requested)).unwrap_or(requested);
            if let Some(None) = test.bindings.get(created.index()) {
                let message =
                    format!("interface #{} creates interface #{}, which is not bound", creator.0, created.0);
                self.report(Rule::TestClosed, subject, message);
            }
        }
    }

    fn links(&mut self, subject: Subject, test: &Test) {
        let key = |at: usize| (test.links[at].creator, test.links[at].requested);
        if (1..test.links.len()).any(|at| key(at - 1) >= key(at)) {
            self.report(
                Rule::TestLinks,
                subject,
                "the links are not in order, or two say what one request means",
            );
        }
    }

    fn monitors(&mut self, subject: Subject, test: &Test) {
        for attachment in &test.monitors {
            if self.program[attachment.monitor].kind == MachineKind::Machine {
                let message = format!("machine #{} is no spec or scenario", attachment.monitor.0);
                self.report(Rule::TestMonitors, subject, message);
            }
        }
    }

    fn test_parameter(&mut self, subject: Subject, parameter: ParameterId, value: Constant) {
        if !self.parameter(subject, parameter) || !self.constant(subject, value) {
            return;
        }
        let ty = self.program[parameter].ty;
        if !self.constant_fits(ty, value) {
            let message =
                format!("parameter #{} is of type {} and cannot be {value:?}", parameter.0, self.show(ty));
            self.report(Rule::TestParameters, subject, message);
        }
    }
}

/// Constants.
impl Verifier<'_> {
    /// Whether the indices in the constant are in range.
    pub(super) fn constant(&mut self, subject: Subject, value: Constant) -> bool {
        match value {
            Constant::Null
            | Constant::Bool(_)
            | Constant::Int(_)
            | Constant::Float(_)
            | Constant::Enum(_) => true,
            Constant::String(text) => self.name(subject, text),
            Constant::Event(event) => self.event(subject, event),
            Constant::Default(ty) => self.ty(subject, ty),
        }
    }

    /// Whether something of the type can hold the constant. An enum constant says only its number, not its enum.
    pub(super) fn constant_fits(&self, to: TypeId, value: Constant) -> bool {
        let ty = match value {
            Constant::Null => TypeId::NULL,
            Constant::Bool(_) => TypeId::BOOL,
            Constant::Int(_) => TypeId::INT,
            Constant::Float(_) => TypeId::FLOAT,
            Constant::String(_) => TypeId::STRING,
            Constant::Event(_) => TypeId::EVENT,
            Constant::Default(ty) => ty,
            Constant::Enum(_) => {
                return matches!(
                    self.shape(to),
                    None | Some(Type::Enum(_) | Type::Data | Type::Any | Type::Error)
                );
            }
        };
        self.fits(to, ty)
    }
}
