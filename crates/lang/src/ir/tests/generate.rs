//! Random programs that break no rule: declarations. Their code is made in `generate_code`.

use super::generate_code::{Setting, function};
use super::random::Random;
use crate::ids::{EnumId, EventId, EventSet, FunctionId, InterfaceId, MachineId, ParameterId, StateId};
use crate::ir::{
    Constant, Enum, EnumElement, Event, Field, Function, Handler, Interface, Link, Machine,
    MonitorAttachment, Parameter, Program, State, Test, TestKind,
};
use crate::names::Name;
use crate::source::Span;
use crate::syntax::tree::{MachineKind, Temperature};
use crate::types::{Origin, Permission, Type, TypeId};

pub(super) fn generate(seed: u64) -> Program {
    generate_of_size(seed, Size { declarations: 3, statements: 12, depth: 3 })
}

pub(super) fn generate_small(seed: u64) -> Program {
    generate_of_size(seed, Size { declarations: 1, statements: 3, depth: 1 })
}

/// Limits of how much is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// Of one kind, but for some.
    declarations: usize,
    /// In the outermost block of a function.
    pub(super) statements: usize,
    /// Of blocks in blocks.
    pub(super) depth: usize,
}

fn generate_of_size(seed: u64, size: Size) -> Program {
    let (random, program) = (Random::new(seed), Program::default());
    let mut generator = Generator { random, program, types: Vec::new(), size };
    generator.enums_and_types();
    generator.events();
    generator.interfaces();
    generator.machines();
    generator.tests();
    generator.program
}

struct Generator {
    random: Random,
    program: Program,
    /// Types to pick from.
    types: Vec<TypeId>,
    size: Size,
}

/// Words of the text form, names with parts, and plain ones.
const NAMES: [&str; 12] =
    ["x", "count", "move", "r1", "L2", "event", "a.b", "seq", "x_1", "halt", "add.int", "with space"];

impl Generator {
    fn name(&mut self, kind: &str, index: usize) -> Name {
        let text = match self.random.below(3) {
            0 => format!("{}{index}", NAMES[self.random.below(NAMES.len())]),
            1 if index < NAMES.len() => NAMES[index].into(),
            _ => format!("{kind}{index}"),
        };
        self.program.names.intern(&text)
    }

    /// Names are unique where they would be unique in a program.
    fn unique_name(&mut self, kind: &str, index: usize) -> Name {
        let text = match self.random.below(3) {
            0 => format!("{} {index}", NAMES[self.random.below(NAMES.len())]),
            1 if index < NAMES.len() && kind != "function" && kind != "event" => NAMES[index].into(),
            _ => format!("{kind}{index}"),
        };
        self.program.names.intern(&text)
    }

    fn ty(&mut self) -> TypeId {
        self.random.pick(&self.types)
    }

    fn enums_and_types(&mut self) {
        self.types = vec![
            TypeId::NULL,
            TypeId::BOOL,
            TypeId::INT,
            TypeId::FLOAT,
            TypeId::STRING,
            TypeId::EVENT,
            TypeId::MACHINE,
            TypeId::DATA,
            TypeId::ANY,
        ];
        for index in 0..1 + self.random.below(2) {
            let name = self.unique_name("Enum", index);
            let elements = (0..1 + self.random.below(3)).map(|element| EnumElement {
                name: self.program.names.intern(&format!("E{index}_{element}")),
                value: element as i64 * 7 - 7,
            });
            let elements = elements.collect();
            self.program.enums.push(Enum { name, elements });
            self.add_type(Type::Enum(EnumId(index as u32)));
        }
        let foreign = self.name("Foreign", 0);
        self.add_type(Type::Foreign(foreign));
        for _ in 0..2 + self.random.below(4 * self.size.declarations) {
            let ty = self.composite();
            self.add_type(ty);
        }
        for index in 0..self.random.below(3) {
            let (name, ty) =
                (self.unique_name("parameter", index), self.random.pick(&[TypeId::INT, TypeId::BOOL]));
            self.program.parameters.push(Parameter { name, ty });
        }
    }

    fn add_type(&mut self, ty: Type) {
        let ty = self.program.types.intern(ty);
        self.types.push(ty);
    }

    fn composite(&mut self) -> Type {
        match self.random.below(5) {
            0 => Type::Seq(self.ty()),
            1 => Type::Set(self.ty()),
            2 => Type::Map(self.ty(), self.ty()),
            3 => Type::Tuple((0..1 + self.random.below(3)).map(|_| self.ty()).collect()),
            _ => {
                let count = 1 + self.random.below(3);
                Type::NamedTuple((0..count).map(|field| (self.name("field", field), self.ty())).collect())
            }
        }
    }

    fn events(&mut self) {
        let count = 3 + self.random.below(2 * self.size.declarations);
        for index in 0..count {
            let name = match index {
                0 => Name::NULL,
                1 => Name::HALT,
                _ => self.unique_name("event", index),
            };
            let payload = if index < 2 || self.random.one_in(3) { TypeId::NULL } else { self.ty() };
            self.program.events.push(Event { name, payload, span: Span::new(index as u32, 9) });
        }
    }

    fn event_set(&mut self) -> EventSet {
        let count = self.program.events.len();
        match self.random.below(3) {
            0 => EventSet::all(count),
            _ => (1..count as u32).map(EventId).filter(|_| self.random.one_in(2)).collect(),
        }
    }

    /// An interface for each machine to come, and a permission type for each interface.
    fn interfaces(&mut self) {
        for index in 0..1 + self.random.below(self.size.declarations) {
            let name = self.unique_name("Machine", index);
            let payload = if index == 0 || self.random.one_in(2) { TypeId::NULL } else { self.ty() };
            let receives = self.event_set();
            let permission = Permission {
                name,
                origin: Origin::Interface(InterfaceId(index as u32)),
                events: receives.clone(),
            };
            self.program.interfaces.push(Interface { name, payload, receives });
            let ty = self.program.types.add_permission(permission);
            self.types.push(ty);
        }
    }

    fn machines(&mut self) {
        let interfaces = self.program.interfaces.len();
        for index in 0..interfaces {
            let name = self.program.interfaces[index].name;
            let creates = (0..interfaces as u32).map(InterfaceId).filter(|_| self.random.one_in(2)).collect();
            self.machine(name, MachineKind::Machine, creates);
        }
        for index in 0..self.random.below(3) {
            let name = self.program.names.intern(&format!("Monitor{index}"));
            let kind = self.random.pick(&[MachineKind::Spec, MachineKind::Scenario]);
            self.machine(name, kind, Vec::new());
        }
        // Functions of no machine come first in calls: they call only each other, and all may call them.
        let globals = 1 + self.random.below(2);
        for _ in 0..globals {
            let setting = Setting { owner: None, can_act: false };
            let parameters: Vec<_> = (0..self.random.below(3)).map(|_| self.ty()).collect();
            let result = self.ty();
            self.function(setting, &parameters, result);
        }
        for machine in 0..self.program.machines.len() {
            self.states(MachineId(machine as u32));
        }
        let name = self.program.names.intern("Foreign.function");
        let mut foreign = self.program.functions[0].clone_head();
        (foreign.name, foreign.is_foreign) = (name, true);
        foreign.registers.truncate(foreign.parameters as usize);
        self.program.functions.push(foreign);
    }

    fn machine(&mut self, name: Name, kind: MachineKind, creates: Vec<InterfaceId>) {
        let fields = (0..self.random.below(4)).map(|field| {
            let name = self.unique_name("field", field);
            Field { name, ty: self.ty() }
        });
        let fields = fields.collect();
        let states = 1 + self.random.below(self.size.declarations);
        let observes = if kind == MachineKind::Machine { EventSet::default() } else { self.event_set() };
        let machine = Machine {
            name,
            kind,
            fields,
            states: Vec::new(),
            start: StateId(self.random.below(states) as u32),
            receives: self.event_set(),
            sends: self.event_set(),
            creates,
            observes,
            span: Span::new(3, 5),
        };
        self.program.machines.push(machine);
        let machine = self.program.machines.len() - 1;
        for index in 0..states {
            let name = self.unique_name("State", index);
            let temperature = self.random.pick(&[Temperature::Hot, Temperature::Warm, Temperature::Cold]);
            let state = State {
                name,
                temperature,
                entry: None,
                exit: None,
                handlers: Vec::new(),
                handler_spans: Vec::new(),
                span: Span::new(1, 2),
            };
            self.program.machines[machine].states.push(state);
        }
    }

    /// Entry functions first, because `goto` needs their parameters.
    fn states(&mut self, id: MachineId) {
        let kind = self.program[id].kind;
        let setting = Setting { owner: Some(id), can_act: kind == MachineKind::Machine };
        for state in 0..self.program[id].states.len() {
            if self.random.one_in(2) {
                let parameters: Vec<_> = (0..self.random.below(2)).map(|_| self.ty()).collect();
                let entry = self.function(setting, &parameters, TypeId::NULL);
                self.program.machines[id.index()].states[state].entry = Some(entry);
            }
        }
        for state in 0..self.program[id].states.len() {
            if self.random.one_in(2) {
                let exit = self.function(setting, &[], TypeId::NULL);
                self.program.machines[id.index()].states[state].exit = Some(exit);
            }
            let handlers = self.handlers(setting);
            self.program.machines[id.index()].states[state].handlers = handlers;
        }
        if self.random.one_in(2) {
            let parameters: Vec<_> = (0..self.random.below(4)).map(|_| self.ty()).collect();
            let result = self.ty();
            self.function(setting, &parameters, result);
        }
    }

    fn handlers(&mut self, setting: Setting) -> Vec<(EventId, Handler)> {
        let mut handlers = Vec::new();
        for event in 0..self.program.events.len() {
            let states = setting.owner.map_or(0, |owner| self.program[owner].states.len());
            let payload = self.program.events[event].payload;
            let handler = match self.random.below(6) {
                0 => Handler::Defer,
                1 => Handler::Ignore,
                2 => Handler::Do(self.function(setting, &[payload], TypeId::NULL)),
                3 => {
                    let with = self.random.one_in(2).then(|| self.function(setting, &[], TypeId::NULL));
                    Handler::Goto { target: StateId(self.random.below(states) as u32), with }
                }
                _ => continue,
            };
            handlers.push((EventId(event as u32), handler));
        }
        handlers
    }

    fn function(&mut self, setting: Setting, parameters: &[TypeId], result: TypeId) -> FunctionId {
        let id = self.program.functions.len();
        let name = self.unique_name("function", id);
        let made =
            function(&mut self.random, &self.program, &self.types, self.size, setting, parameters, result);
        self.program.functions.push(Function { name, ..made });
        FunctionId(id as u32)
    }

    fn tests(&mut self) {
        let interfaces = self.program.interfaces.len();
        for index in 0..self.random.below(3) {
            let links = (0..interfaces).map(|creator| Link {
                creator: InterfaceId(creator as u32),
                requested: InterfaceId(self.random.below(interfaces) as u32),
                created: InterfaceId(self.random.below(interfaces) as u32),
            });
            let links = links.collect();
            let monitors = (interfaces..self.program.machines.len()).map(|monitor| MonitorAttachment {
                monitor: MachineId(monitor as u32),
                observed: (0..self.random.below(interfaces + 1) as u32).map(InterfaceId).collect(),
            });
            let monitors = monitors.collect();
            let value = |(at, parameter): (usize, &Parameter)| {
                let value =
                    if parameter.ty == TypeId::INT { Constant::Int(-7) } else { Constant::Bool(true) };
                (ParameterId(at as u32), value)
            };
            let test = Test {
                name: format!("{}{index}", self.random.pick(&["test", "tc_", "a b", "'"])),
                kind: self.random.pick(&[TestKind::Test, TestKind::Implementation, TestKind::Default]),
                main: InterfaceId(0),
                parameters: self.program.parameters.iter().enumerate().map(value).collect(),
                bindings: (0..interfaces as u32).map(|machine| Some(MachineId(machine))).collect(),
                links,
                monitors,
                span: Span::new(7, 8),
            };
            self.program.tests.push(test);
        }
    }
}

impl Function {
    /// The function without its code.
    fn clone_head(&self) -> Self {
        Self { registers: self.registers.clone(), code: Vec::new(), spans: Vec::new(), ..*self }
    }
}
