//! The parser of declarations.

use super::Parser;
use super::lexer::Token;
use super::scope::event_word;
use crate::ids::{EventSet, InterfaceId, MachineId, StateId};
use crate::ir::text::TextError;
use crate::ir::{
    Enum, EnumElement, Event, Field, Handler, Interface, Link, Machine, MonitorAttachment, Parameter, State,
    Test, TestKind,
};
use crate::source::Span;
use crate::syntax::tree::{MachineKind, Temperature};
use crate::types::{Origin, Permission, TypeId};

impl Parser<'_> {
    pub(super) fn declaration(&mut self) -> Result<(), TextError> {
        let word = self.word()?;
        match word {
            "enum" => self.enum_declaration()?,
            "type" => self.long_type()?,
            "param" => {
                let (name, ty) = self.typed_name()?;
                self.program.parameters.push(Parameter { name, ty });
            }
            "permission" => self.permission()?,
            "event" => self.event_declaration()?,
            "interface" => self.interface_declaration()?,
            "machine" => self.machine(MachineKind::Machine)?,
            "spec" => self.machine(MachineKind::Spec)?,
            "scenario" => self.machine(MachineKind::Scenario)?,
            "fun" => self.function(false)?,
            "foreign" => {
                self.expect_word("fun")?;
                self.function(true)?;
            }
            "test" => self.test(TestKind::Test)?,
            "implementation" => self.test(TestKind::Implementation)?,
            "default" => self.test(TestKind::Default)?,
            _ => return Err(self.expected_before("a declaration")),
        }
        self.line_end()
    }

    fn enum_declaration(&mut self) -> Result<(), TextError> {
        let name = self.name()?;
        self.sign("{")?;
        let elements = self.list("}", |parser| {
            let name = parser.name()?;
            parser.sign("=")?;
            Ok(EnumElement { name, value: parser.int()? })
        })?;
        self.program.enums.push(Enum { name, elements });
        Ok(())
    }

    fn long_type(&mut self) -> Result<(), TextError> {
        if self.peek() != Token::TypeNumber(self.long_types.len() as u32) {
            return Err(self.expected(&format!("`${}`", self.long_types.len())));
        }
        self.next();
        self.sign("=")?;
        let ty = self.ty()?;
        self.long_types.push(ty);
        Ok(())
    }

    fn permission(&mut self) -> Result<(), TextError> {
        let name = self.name()?;
        self.sign(":")?;
        let origin = match self.word()? {
            "interface" => Origin::Interface(self.interface()?),
            "spec" => Origin::Spec(self.machine_reference()?),
            "eventset" => Origin::EventSet,
            "event" => Origin::Event(self.event()?),
            _ => return Err(self.expected_before("`interface`, `spec`, `eventset` or `event`")),
        };
        let events = self.event_set()?;
        self.program.types.add_permission(Permission { name, origin, events });
        Ok(())
    }

    fn event_declaration(&mut self) -> Result<(), TextError> {
        let name = match event_word(self.peek()) {
            Some(name) => {
                self.next();
                name
            }
            None => self.name()?,
        };
        let payload = if self.take_sign(":") { self.ty()? } else { TypeId::NULL };
        self.program.events.push(Event { name, payload, span: Span::default() });
        Ok(())
    }

    fn interface_declaration(&mut self) -> Result<(), TextError> {
        let name = self.name()?;
        self.sign("(")?;
        let payload = self.ty()?;
        self.sign(")")?;
        self.expect_word("receives")?;
        let receives = self.event_set()?;
        self.program.interfaces.push(Interface { name, payload, receives });
        Ok(())
    }

    fn machine(&mut self, kind: MachineKind) -> Result<(), TextError> {
        let id = MachineId(self.program.machines.len() as u32);
        let mut machine = Machine {
            name: self.name()?,
            kind,
            fields: Vec::new(),
            states: Vec::new(),
            start: StateId(0),
            receives: EventSet::default(),
            sends: EventSet::default(),
            creates: Vec::new(),
            observes: EventSet::default(),
            span: Span::default(),
        };
        self.open_block()?;
        while !self.take_sign("}") {
            match self.word()? {
                "start" => machine.start = self.state_reference(Some(id))?,
                "receives" => machine.receives = self.event_set()?,
                "sends" => machine.sends = self.event_set()?,
                "observes" => machine.observes = self.event_set()?,
                "creates" => machine.creates = self.interfaces()?,
                "var" => {
                    let (name, ty) = self.typed_name()?;
                    machine.fields.push(Field { name, ty });
                }
                "state" => machine.states.push(self.state(id, Temperature::Warm)?),
                "hot" => {
                    self.expect_word("state")?;
                    machine.states.push(self.state(id, Temperature::Hot)?);
                }
                "cold" => {
                    self.expect_word("state")?;
                    machine.states.push(self.state(id, Temperature::Cold)?);
                }
                _ => return Err(self.expected_before("a part of a machine")),
            }
            self.line_end()?;
        }
        self.program.machines.push(machine);
        Ok(())
    }

    fn state(&mut self, machine: MachineId, temperature: Temperature) -> Result<State, TextError> {
        let name = self.name()?;
        let mut state = State {
            name,
            temperature,
            entry: None,
            exit: None,
            handlers: Vec::new(),
            handler_spans: Vec::new(),
            span: Span::default(),
        };
        self.open_block()?;
        while !self.take_sign("}") {
            match self.word()? {
                "entry" => state.entry = Some(self.function_reference()?),
                "exit" => state.exit = Some(self.function_reference()?),
                "defer" => state.handlers.push((self.event()?, Handler::Defer)),
                "ignore" => state.handlers.push((self.event()?, Handler::Ignore)),
                "on" => state.handlers.push((self.event()?, self.handler(machine)?)),
                _ => return Err(self.expected_before("a part of a state")),
            }
            self.line_end()?;
        }
        Ok(state)
    }

    fn handler(&mut self, machine: MachineId) -> Result<Handler, TextError> {
        match self.word()? {
            "do" => Ok(Handler::Do(self.function_reference()?)),
            "goto" => {
                let target = self.state_reference(Some(machine))?;
                let with = if self.take_word("with") { Some(self.function_reference()?) } else { None };
                Ok(Handler::Goto { target, with })
            }
            _ => Err(self.expected_before("`do` or `goto`")),
        }
    }

    fn test(&mut self, kind: TestKind) -> Result<(), TextError> {
        let name = self.name()?;
        let name = self.program.name(name).into();
        let mut main = None;
        let mut test = Test {
            name,
            kind,
            main: InterfaceId(0),
            parameters: Vec::new(),
            bindings: vec![None; self.scope.interfaces.len as usize],
            links: Vec::new(),
            monitors: Vec::new(),
            span: Span::default(),
        };
        self.open_block()?;
        while !self.take_sign("}") {
            match self.word()? {
                "main" => main = Some(self.interface()?),
                "param" => {
                    let parameter = self.parameter()?;
                    self.sign("=")?;
                    test.parameters.push((parameter, self.constant()?));
                }
                "bind" => self.binding(&mut test.bindings)?,
                "link" => test.links.push(self.link()?),
                "monitor" => {
                    let monitor = self.machine_reference()?;
                    let observed = if self.take_word("observes") { self.interfaces()? } else { Vec::new() };
                    test.monitors.push(MonitorAttachment { monitor, observed });
                }
                _ => return Err(self.expected_before("a part of a test")),
            }
            self.line_end()?;
        }
        test.main = main.ok_or_else(|| self.error("the test does not say which interface is `main`"))?;
        self.program.tests.push(test);
        Ok(())
    }

    fn binding(&mut self, bindings: &mut [Option<MachineId>]) -> Result<(), TextError> {
        let interface = self.interface()?;
        self.sign("->")?;
        let machine = self.machine_reference()?;
        match bindings.get_mut(interface.index()) {
            Some(binding @ None) => *binding = Some(machine),
            Some(Some(_)) => return Err(self.error("the interface is bound twice")),
            None => return Err(self.error(format!("there is no interface #{}", interface.0))),
        }
        Ok(())
    }

    fn link(&mut self) -> Result<Link, TextError> {
        let creator = self.interface()?;
        self.sign(",")?;
        let requested = self.interface()?;
        self.sign("->")?;
        Ok(Link { creator, requested, created: self.interface()? })
    }
}
