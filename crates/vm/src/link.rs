//! A test made ready to run: the program's code with every table that running it asks for.
//!
//! Made once per test and shared by all workers; nothing in it changes afterwards.

use crate::cast::Passing;
use crate::exercise::Places;
use crate::frames::Frame;
use crate::fused::{Fused, fuse};
use crate::liveness::{Kept, kept_registers};
use crate::machine::{Local, Owner};
use crate::mask::Mask;
use crate::options::Options;
use crate::reach::{self, Reach};
use crate::value::{Extent, FieldNames, Permission, Text, Value};
use fabius_lang::ids::{
    EnumId, EventId, EventSet, FunctionId, InterfaceId, MachineId, ParameterId, StateId, TestId,
};
use fabius_lang::ir::{self, Constant, Handler, Instruction, Register, RegisterSet};
use fabius_lang::names::Name;
use fabius_lang::syntax::tree::{MachineKind, Temperature};
use fabius_lang::types::{Type, TypeId};
use fabius_model::ActorId;
use rapidhash::RapidHashMap;
use std::sync::Arc;

/// Why a test cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// Foreign functions that the test may call and nobody has given a body.
    MissingForeign(Vec<FunctionId>),
    /// Interfaces that the test may create and its module does not implement.
    Unbound(Vec<String>),
    /// A type whose default value goes beyond the limits on values.
    TypeTooLarge(String),
}

impl std::fmt::Display for LinkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let quoted =
            |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        match self {
            Self::MissingForeign(functions) => {
                let what = if functions.len() == 1 { "function" } else { "functions" };
                write!(f, "the test may call {} foreign {what} without a body", functions.len())
            }
            Self::Unbound(names) => {
                write!(
                    f,
                    "the test may create interfaces that its module does not implement: {}",
                    quoted(names)
                )
            }
            Self::TypeTooLarge(name) => {
                write!(f, "the default value of type `{name}` is beyond the limits on values")
            }
        }
    }
}

impl std::error::Error for LinkError {}

/// A test made ready to run.
#[derive(Debug)]
pub(crate) struct Linked {
    pub(crate) program: Arc<ir::Program>,
    pub(crate) test: TestId,
    pub(crate) options: Options,
    functions: Vec<FunctionInfo>,
    /// The states of all machines, those of machine `m` from `first_state[m]` on.
    states: Vec<StateInfo>,
    first_state: Vec<u32>,
    pub(crate) places: Places,
    /// What each `receive` takes.
    receives: Vec<Mask>,
    /// By `TypeId`.
    defaults: Vec<Value>,
    /// By `MachineId`: the values that fields begin with.
    fields: Vec<Box<[Value]>>,
    /// By `TypeId`: the names of a named tuple's fields.
    field_names: Vec<Option<FieldNames>>,
    strings: RapidHashMap<Name, Arc<Text>>,
    /// The length of the longest name that texts of values contain; `None` where foreign functions may bring their own.
    longest_name: Option<usize>,
    parameters: Vec<Value>,
    created: RapidHashMap<(InterfaceId, InterfaceId), InterfaceId>,
    /// By `Permission`: what each interface, then each machine, may be sent.
    permissions: Vec<Mask>,
    /// By `MachineId`.
    sends: Vec<Mask>,
    pub(crate) monitors: Vec<MonitorInfo>,
    /// By `InterfaceId`: for each event the monitors that see it, in their order.
    observers: Vec<Vec<Box<[u32]>>>,
}

#[derive(Debug)]
pub(crate) struct FunctionInfo {
    /// How many registers it has.
    pub(crate) registers: usize,
    /// What registers hold when a call begins, if that is ever read and is not an argument; all others are empty then.
    pub(crate) defaults: Box<[(u32, Value)]>,
    /// What its first parameter, if it has one, takes without a closer look.
    pub(crate) payloads: Option<Passing>,
    /// The parameters that are at most printed, before a machine can stop.
    pub(crate) unheard: Box<[u32]>,
    /// By position: what can be done at once from there on.
    pub(crate) fused: Box<[Option<Box<Fused>>]>,
    /// By position: the registers that matter, and do not, when a machine stands at the instruction.
    standing: Vec<Standing>,
    /// By position, up to the last `receive`: the index of its mask.
    receive_at: Box<[u32]>,
}

/// The registers of a function where a machine stands; both lists are empty where none ever does.
#[derive(Debug, Default)]
struct Standing {
    /// Their values are needed.
    live: Box<[u32]>,
    /// The others, as runs of neighbours: the first, and the first behind.
    dead: Box<[(u32, u32)]>,
}

/// How a state treats queued events.
#[derive(Debug)]
pub(crate) struct StateInfo {
    pub(crate) ignored: Mask,
    /// Everything else: what a dequeue takes.
    pub(crate) taken: Mask,
    /// Whether it has a reaction to `null`.
    pub(crate) has_null: bool,
}

#[derive(Debug)]
pub(crate) struct MonitorInfo {
    pub(crate) machine: MachineId,
    pub(crate) is_scenario: bool,
}

impl Linked {
    pub(crate) fn new(program: Arc<ir::Program>, test: TestId, options: Options) -> Result<Self, LinkError> {
        let reach = reach::of_test(&program, test);
        check_reach(&program, test, &reach, &options)?;
        let field_names = field_names(&program);
        let defaults = defaults(&program, &field_names, &options)?;
        let mut receives = Vec::new();
        let functions = program
            .functions
            .iter()
            .map(|function| FunctionInfo::new(function, &program, &defaults, &mut receives))
            .collect();
        let (states, first_state) = states(&program);
        let fields = program.machines.iter().map(|machine| first_fields(machine, &defaults)).collect();
        let strings = strings(&program);
        let longest_name = reach.foreign.is_empty().then(|| longest_name(&program, &field_names));
        let mut linked = Self {
            functions,
            states,
            first_state,
            places: Places::new(&program),
            receives,
            fields,
            defaults,
            field_names,
            strings,
            longest_name,
            parameters: Vec::new(),
            created: program[test].links.iter().map(|l| ((l.creator, l.requested), l.created)).collect(),
            permissions: permissions(&program),
            sends: program.machines.iter().map(|m| Mask::of(&m.sends, program.events.len())).collect(),
            monitors: monitors(&program, test),
            observers: observers(&program, test),
            program,
            test,
            options,
        };
        linked.parameters = linked.parameter_values();
        let fused: Vec<_> = linked.program.functions.iter().map(|function| fuse(function, &linked)).collect();
        for (info, fused) in linked.functions.iter_mut().zip(fused) {
            info.fused = fused;
        }
        Ok(linked)
    }

    pub(crate) fn function(&self, id: FunctionId) -> &FunctionInfo {
        &self.functions[id.index()]
    }

    pub(crate) fn state(&self, index: u32) -> &StateInfo {
        &self.states[index as usize]
    }

    pub(crate) fn state_index(&self, machine: MachineId, state: StateId) -> u32 {
        self.first_state[machine.index()] + state.0
    }

    pub(crate) fn state_count(&self) -> u32 {
        self.states.len() as u32
    }

    pub(crate) fn receive(&self, index: u32) -> &Mask {
        &self.receives[index as usize]
    }

    /// The index of the `receive` at a position of a function.
    pub(crate) fn receive_index(&self, function: FunctionId, at: u32) -> u32 {
        self.functions[function.index()].receive_at[at as usize]
    }

    pub(crate) fn default_of(&self, ty: TypeId) -> &Value {
        &self.defaults[ty.0 as usize]
    }

    /// The names of the fields of a type, if it is a named tuple.
    pub(crate) fn field_names(&self, ty: TypeId) -> Option<&FieldNames> {
        self.field_names[ty.0 as usize].as_ref()
    }

    /// A number that stands for names that a type of the program has.
    pub(crate) fn number_of_names(&self, names: &FieldNames) -> Option<u32> {
        names.number().or_else(|| {
            let mut known = self.field_names.iter().flatten();
            known.find(|known| *known == names).and_then(FieldNames::number)
        })
    }

    /// The names for which a number stands.
    pub(crate) fn names_of_number(&self, number: u32) -> Option<&FieldNames> {
        self.field_names.iter().flatten().find(|names| names.number() == Some(number))
    }

    pub(crate) fn parameter(&self, id: ParameterId) -> &Value {
        &self.parameters[id.index()]
    }

    #[inline]
    pub(crate) fn constant(&self, constant: Constant) -> Value {
        match constant {
            Constant::Null => Value::Null,
            Constant::Bool(value) => Value::Bool(value),
            Constant::Int(value) | Constant::Enum(value) => Value::Int(value),
            Constant::Float(value) => Value::Float(value),
            Constant::Event(event) => Value::Event(event),
            Constant::String(name) => self.string(name),
            Constant::Default(ty) => self.default_of(ty).clone(),
        }
    }

    #[inline(never)]
    fn string(&self, name: Name) -> Value {
        match self.strings.get(&name) {
            Some(text) => Value::String(text.clone()),
            None => Value::string(self.program.name(name)),
        }
    }

    /// Whether a template is surely within the limit on values when arguments of so many bytes have been filled in.
    pub(crate) fn fits_filled(&self, template: &str, bytes: usize) -> bool {
        let Some(longest_name) = self.longest_name else { return false };
        // 16 bytes of a value become two names and 32 signs at most: say those of a field and of a machine, with its number,
        // brackets and commas. Text becomes itself. A place to be filled in takes three signs of the template.
        let text = bytes.saturating_mul(longest_name / 8 + 3);
        let most =
            text.saturating_mul(template.len() / 3).saturating_add(Extent::SCALAR.bytes + template.len());
        most <= self.options.limits.value_bytes
    }

    #[cfg(test)]
    pub(crate) fn functions(&self) -> impl Iterator<Item = &FunctionInfo> {
        self.functions.iter()
    }

    /// Lets every instruction be done alone.
    #[cfg(test)]
    pub(crate) fn take_apart(&mut self) {
        let fused = self.functions.iter_mut().flat_map(|function| &mut function.fused);
        fused.for_each(|fused| *fused = None);
    }

    /// Empties the registers whose values are not needed where a configuration stands.
    pub(crate) fn empty_dead(&self, local: &mut Local) {
        let Local { frames, values, .. } = local;
        frames.for_each(|Frame { function, at, base }| {
            let registers = &mut values[*base as usize..];
            for (first, end) in &self.functions[function.index()].standing[*at as usize].dead {
                registers[*first as usize..*end as usize].iter_mut().for_each(Value::empty);
            }
        });
    }

    /// What `new requested` creates inside a machine behind `creator`.
    pub(crate) fn created(&self, creator: InterfaceId, requested: InterfaceId) -> InterfaceId {
        self.created.get(&(creator, requested)).copied().unwrap_or(requested)
    }

    /// A machine that has just been created.
    pub(crate) fn created_local(&self, actor: ActorId, machine: MachineId, payload: Value) -> Local {
        let start = self.program[machine].start;
        Local::new(Owner::Actor(actor), start, self.fields(machine), payload)
    }

    /// The machine behind an interface of the test.
    pub(crate) fn machine_of(&self, interface: InterfaceId) -> MachineId {
        let machine = self.program[self.test].bindings.get(interface.index()).copied().flatten();
        machine.expect("`Linked::new` refuses tests that may create unbound interfaces")
    }

    pub(crate) fn permission_of_interface(&self, interface: InterfaceId) -> Permission {
        Permission(interface.0)
    }

    /// What `this` may be sent.
    pub(crate) fn permission_of_machine(&self, machine: MachineId) -> Permission {
        Permission(self.program.interfaces.len() as u32 + machine.0)
    }

    pub(crate) fn permitted(&self, permission: Permission) -> &Mask {
        &self.permissions[permission.0 as usize]
    }

    pub(crate) fn sends(&self, machine: MachineId) -> &Mask {
        &self.sends[machine.index()]
    }

    /// The monitors that see an event of a machine behind the interface.
    pub(crate) fn observers(&self, interface: InterfaceId, event: EventId) -> &[u32] {
        &self.observers[interface.index()][event.index()]
    }

    pub(crate) fn machine_name(&self, machine: MachineId) -> &str {
        self.program.name(self.program[machine].name)
    }

    pub(crate) fn state_name(&self, machine: MachineId, state: StateId) -> &str {
        self.program.name(self.program[machine][state].name)
    }

    pub(crate) fn event_name(&self, event: EventId) -> &str {
        self.program.name(self.program[event].name)
    }

    pub(crate) fn temperature(&self, machine: MachineId, state: StateId) -> Temperature {
        self.program[machine][state].temperature
    }

    /// The values a machine's fields begin with.
    pub(crate) fn fields(&self, machine: MachineId) -> &[Value] {
        &self.fields[machine.index()]
    }

    fn parameter_values(&self) -> Vec<Value> {
        let mut values: Vec<Value> =
            self.program.parameters.iter().map(|parameter| self.default_of(parameter.ty).clone()).collect();
        for (parameter, constant) in &self.program[self.test].parameters {
            values[parameter.index()] = self.constant(*constant);
        }
        values
    }
}

fn check_reach(
    program: &ir::Program,
    test: TestId,
    reach: &Reach,
    options: &Options,
) -> Result<(), LinkError> {
    let has_body = |function: FunctionId| {
        options.foreign.as_ref().is_some_and(|foreign| foreign.implements(program, function))
    };
    let missing: Vec<FunctionId> =
        reach.foreign.iter().copied().filter(|function| !has_body(*function)).collect();
    if !missing.is_empty() {
        return Err(LinkError::MissingForeign(missing));
    }
    let is_unbound =
        |interface: &&InterfaceId| program[test].bindings.get(interface.index()).is_none_or(Option::is_none);
    let unbound = reach.interfaces.iter().filter(is_unbound);
    let unbound: Vec<String> = unbound.map(|id| program.name(program[*id].name).to_owned()).collect();
    if unbound.is_empty() { Ok(()) } else { Err(LinkError::Unbound(unbound)) }
}

fn field_names(program: &ir::Program) -> Vec<Option<FieldNames>> {
    // One shared list for equal names, so that comparing them is comparing pointers most of the time.
    let mut lists: RapidHashMap<Box<[Name]>, FieldNames> = RapidHashMap::default();
    let list = |(_, ty): (TypeId, &Type)| match ty {
        Type::NamedTuple(fields) => {
            let names: Box<[Name]> = fields.iter().map(|(name, _)| *name).collect();
            let number = lists.len() as u32;
            let texts =
                || FieldNames::numbered(fields.iter().map(|(name, _)| program.name(*name)), Some(number));
            Some(lists.entry(names).or_insert_with(texts).clone())
        }
        _ => None,
    };
    program.types.iter().map(list).collect()
}

/// The default value of every type. Types are interned after their parts, so those of the parts are there already.
fn defaults(
    program: &ir::Program,
    field_names: &[Option<FieldNames>],
    options: &Options,
) -> Result<Vec<Value>, LinkError> {
    let mut defaults: Vec<Value> = Vec::new();
    for (id, ty) in program.types.iter() {
        let of = |ty: &TypeId| defaults[ty.0 as usize].clone();
        let value = match ty {
            Type::Bool => Value::Bool(false),
            Type::Int => Value::Int(0),
            Type::Float => Value::Float(0.0),
            Type::String => Value::string(""),
            Type::Seq(_) => Value::seq([]),
            Type::Set(_) => Value::set([]),
            Type::Map(..) => Value::map([]),
            Type::Enum(id) => Value::Int(lowest_element(program, *id)),
            Type::Tuple(items) => Value::tuple(items.iter().map(of).collect::<Box<[_]>>()),
            Type::NamedTuple(fields) => {
                let items: Box<[_]> = fields.iter().map(|(_, ty)| of(ty)).collect();
                match &field_names[id.0 as usize] {
                    Some(names) => Value::named_tuple(names.clone(), items),
                    None => Value::tuple(items),
                }
            }
            _ => Value::Null,
        };
        let (extent, limits) = (value.extent(), options.limits);
        if extent.bytes > limits.value_bytes || extent.depth > limits.value_depth {
            return Err(LinkError::TypeTooLarge(program.display_type(id)));
        }
        defaults.push(value);
    }
    Ok(defaults)
}

fn first_fields(machine: &ir::Machine, defaults: &[Value]) -> Box<[Value]> {
    machine.fields.iter().map(|field| defaults[field.ty.0 as usize].clone()).collect()
}

fn lowest_element(program: &ir::Program, id: EnumId) -> i64 {
    program[id].elements.iter().map(|element| element.value).min().unwrap_or(0)
}

impl FunctionInfo {
    fn new(
        function: &ir::Function,
        program: &ir::Program,
        defaults: &[Value],
        receives: &mut Vec<Mask>,
    ) -> Self {
        let kept = kept_registers(function);
        let parameter = function.registers.first().filter(|_| function.parameters > 0);
        let own = function.parameters..function.registers.len() as u32;
        let default =
            |index: u32| (index, defaults[function.registers[index as usize].ty.0 as usize].clone());
        let mut receive_at = Vec::new();
        for (at, instruction) in function.code.iter().enumerate() {
            if let Instruction::Receive { cases } = instruction {
                let mut mask = Mask::new(program.events.len());
                mask.insert(EventId::HALT);
                cases.iter().flat_map(|case| &case.events).for_each(|event| mask.insert(*event));
                receive_at.resize(at + 1, 0);
                receive_at[at] = receives.len() as u32;
                receives.push(mask);
            }
        }
        Self {
            registers: function.registers.len(),
            defaults: own.filter(|index| kept.at_start.contains(Register(*index))).map(default).collect(),
            payloads: parameter.map(|register| Passing::of(register.ty, program)),
            unheard: (0..function.parameters)
                .filter(|index| is_unheard(function, &kept, Register(*index)))
                .collect(),
            fused: Box::default(),
            standing: kept.standing.iter().map(|kept| Standing::new(function, kept.as_ref())).collect(),
            receive_at: receive_at.into(),
        }
    }

    /// The registers whose values are needed when a machine stands at a position.
    pub(crate) fn live(&self, at: u32) -> &[u32] {
        &self.standing[at as usize].live
    }
}

fn is_unheard(function: &ir::Function, kept: &Kept, parameter: Register) -> bool {
    let is_read = |instruction: &Instruction| {
        let mut read = instruction.uses().map(|operand| operand.register).chain(instruction.updated());
        !matches!(instruction, Instruction::Print { .. }) && read.any(|register| register == parameter)
    };
    let is_kept = kept.standing.iter().flatten().any(|kept| kept.contains(parameter));
    !function.is_foreign && !is_kept && !function.code.iter().any(is_read)
}

impl Standing {
    fn new(function: &ir::Function, kept: Option<&RegisterSet>) -> Self {
        let Some(kept) = kept else { return Self::default() };
        let all = 0..function.registers.len() as u32;
        let (live, dead): (Vec<u32>, Vec<u32>) = all.partition(|index| kept.contains(Register(*index)));
        let runs = dead.chunk_by(|before, after| before + 1 == *after);
        let dead = runs.map(|run| (run[0], run[0] + run.len() as u32)).collect();
        Self { live: live.into(), dead }
    }
}

fn states(program: &ir::Program) -> (Vec<StateInfo>, Vec<u32>) {
    let count = program.events.len();
    let mut states = Vec::new();
    let mut first_state = Vec::new();
    for machine in &program.machines {
        first_state.push(states.len() as u32);
        for state in &machine.states {
            let mut ignored = Mask::new(count);
            let mut taken = Mask::of(&EventSet::all(count), count);
            for (event, handler) in &state.handlers {
                if *handler == Handler::Ignore {
                    ignored.insert(*event);
                }
                if matches!(handler, Handler::Ignore | Handler::Defer) {
                    taken.remove(*event);
                }
            }
            states.push(StateInfo { ignored, taken, has_null: state.handler(EventId::NULL).is_some() });
        }
    }
    (states, first_state)
}

fn strings(program: &ir::Program) -> RapidHashMap<Name, Arc<Text>> {
    let constants = program.functions.iter().flat_map(|function| &function.code).filter_map(|instruction| {
        match instruction {
            Instruction::Const { value: Constant::String(name), .. } => Some(*name),
            _ => None,
        }
    });
    constants.map(|name| (name, Arc::new(Text(program.name(name).into())))).collect()
}

fn longest_name(program: &ir::Program, field_names: &[Option<FieldNames>]) -> usize {
    let events = program.events.iter().map(|event| event.name);
    let interfaces = program.interfaces.iter().map(|interface| interface.name);
    let fields = field_names.iter().flatten().flat_map(FieldNames::as_slice);
    let lengths = events.chain(interfaces).map(|name| program.name(name).len());
    lengths.chain(fields.map(|name| name.len())).max().unwrap_or(0)
}

fn permissions(program: &ir::Program) -> Vec<Mask> {
    let interfaces = program.interfaces.iter().map(|interface| &interface.receives);
    let machines = program.machines.iter().map(|machine| &machine.receives);
    interfaces.chain(machines).map(|events| Mask::of(events, program.events.len())).collect()
}

fn monitors(program: &ir::Program, test: TestId) -> Vec<MonitorInfo> {
    let info = |attachment: &ir::MonitorAttachment| MonitorInfo {
        machine: attachment.monitor,
        is_scenario: program[attachment.monitor].kind == MachineKind::Scenario,
    };
    program[test].monitors.iter().map(info).collect()
}

fn observers(program: &ir::Program, test: TestId) -> Vec<Vec<Box<[u32]>>> {
    let sees = |index: usize, interface: InterfaceId, event: EventId| {
        let attachment = &program[test].monitors[index];
        attachment.observed.contains(&interface) && program[attachment.monitor].observes.contains(event)
    };
    let of_event = |interface: InterfaceId, event: EventId| {
        let monitors = 0..program[test].monitors.len();
        monitors.filter(|index| sees(*index, interface, event)).map(|index| index as u32).collect()
    };
    let of_interface = |interface: usize| {
        let events = 0..program.events.len();
        events.map(|event| of_event(InterfaceId(interface as u32), EventId(event as u32))).collect()
    };
    (0..program.interfaces.len()).map(of_interface).collect()
}
