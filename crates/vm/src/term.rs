//! What several plain instructions compute together, as a term over registers and fields.
//!
//! `this.limits[this.names[i]] < sizeof(keys(m))` is eight instructions. Done one by one, each puts its value into a register
//! only for the next to take it from there; a map is then held once more while something is looked up in it, and `keys`
//! makes a sequence of which only the length is wanted. A term looks at the values where they are, and makes none but the last.
//!
//! A term is computed or, where anything is out of the ordinary, it is not: then nothing has been done, and the
//! instructions are run one by one. They find the fault, if there is one, with its place.

use crate::execute::{PARTS_PER_INSTRUCTION, check_extent};
use crate::link::Linked;
use crate::plain::{Made, on_ints};
use crate::value::{FieldNames, Reference, Tuple, Value};
use fabius_lang::ir::BinaryOp;
use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::sync::Arc;

/// How a value is computed.
#[derive(Clone, Debug)]
pub(crate) enum Term {
    Register(u32),
    Field(u32),
    Constant(Value),
    This,
    /// `names` are those of the static type.
    Item {
        base: Box<Term>,
        index: u32,
        names: Option<FieldNames>,
    },
    Lookup {
        base: Box<Term>,
        key: Box<Term>,
    },
    Element {
        base: Box<Term>,
        index: Box<Term>,
    },
    /// Stands only inside `Element`, `Sizeof` and `Contains`.
    Keys(Box<Term>),
    Sizeof(Box<Term>),
    /// An operator that makes a number of two, or compares them.
    Ints {
        op: BinaryOp,
        lhs: Box<Term>,
        rhs: Box<Term>,
    },
    /// Whether two values are equal; or, if not `wanted`, whether they are not.
    Equal {
        lhs: Box<Term>,
        rhs: Box<Term>,
        wanted: bool,
    },
    Contains {
        item: Box<Term>,
        collection: Box<Term>,
    },
    Not(Box<Term>),
    /// Stands only where [`Scope::make`] comes to it.
    Tuple {
        names: Option<FieldNames>,
        items: Box<[Term]>,
    },
}

impl Term {
    /// Whether its value is at hand.
    pub(crate) fn is_leaf(&self) -> bool {
        matches!(self, Self::Register(_) | Self::Field(_) | Self::Constant(_))
    }

    /// Visits all registers that it reads.
    pub(crate) fn each_register(&mut self, visit: &mut impl FnMut(&mut Self, u32)) {
        match self {
            Self::Register(register) => {
                let register = *register;
                visit(self, register);
            }
            Self::Field(_) | Self::Constant(_) | Self::This => {}
            Self::Item { base: of, .. } | Self::Keys(of) | Self::Sizeof(of) | Self::Not(of) => {
                of.each_register(visit);
            }
            Self::Lookup { base: one, key: other }
            | Self::Element { base: one, index: other }
            | Self::Ints { lhs: one, rhs: other, .. }
            | Self::Equal { lhs: one, rhs: other, .. }
            | Self::Contains { item: one, collection: other } => {
                one.each_register(visit);
                other.each_register(visit);
            }
            Self::Tuple { items, .. } => items.iter_mut().for_each(|item| item.each_register(visit)),
        }
    }
}

/// Room for a value that `Scope::compute` makes: there is never anything to drop.
pub(crate) type Room = ManuallyDrop<Value>;

/// What terms are computed from: a machine in the midst of a function.
#[derive(Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) linked: &'a Linked,
    pub(crate) fields: &'a mut [Value],
    pub(crate) registers: &'a mut [Value],
    /// `None` in monitors.
    pub(crate) this: Option<Reference>,
    pub(crate) is_narrated: bool,
    /// What is left of the instruction limit.
    pub(crate) fuel: u64,
    /// How many calls are under way.
    pub(crate) depth: u32,
    /// What is to be paid for the term that is being computed.
    pub(crate) work: Cell<u64>,
}

impl Scope<'_> {
    /// The value of a term, which may be a tuple of others.
    #[inline]
    pub(crate) fn make(&self, term: &Term) -> Option<Value> {
        match term {
            Term::Tuple { names, items } => self.tuple(names.as_ref(), items),
            term => self.value(term),
        }
    }

    fn tuple(&self, names: Option<&FieldNames>, items: &[Term]) -> Option<Value> {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            values.push(self.make(item)?);
        }
        let tuple = Tuple::new(names.cloned(), values.into());
        check_extent(tuple.extent(), &self.linked.options.limits).ok()?;
        Some(Value::Tuple(Arc::new(tuple)))
    }

    /// The value of a term.
    #[inline]
    fn value(&self, term: &Term) -> Option<Value> {
        match self.look(term) {
            Some(value) => Some(value.clone()),
            None => self.compute(term),
        }
    }

    /// A number.
    #[inline]
    pub(crate) fn number(&self, term: &Term) -> Option<i64> {
        match self.leaf(term) {
            Some(Value::Int(number)) => Some(*number),
            Some(_) => None,
            None => self.compute_number(term),
        }
    }

    fn compute_number(&self, term: &Term) -> Option<i64> {
        match term {
            Term::Sizeof(of) => self.size(of),
            Term::Ints { op, lhs, rhs } => match on_ints(*op, self.number(lhs)?, self.number(rhs)?)? {
                Made::Int(number) => Some(number),
                Made::Bool(_) => None,
            },
            term => match self.look_into(term)? {
                Value::Int(number) => Some(*number),
                _ => None,
            },
        }
    }

    /// Whether a condition holds.
    #[inline]
    pub(crate) fn truth(&self, term: &Term) -> Option<bool> {
        match term {
            Term::Ints { op: BinaryOp::LessInt, lhs, rhs } => Some(self.number(lhs)? < self.number(rhs)?),
            Term::Equal { lhs, rhs, wanted } => Some(self.equals(lhs, rhs)? == *wanted),
            term => self.compute_truth(term),
        }
    }

    /// How two numbers that are at hand compare.
    #[inline]
    pub(crate) fn compared(&self, op: BinaryOp, lhs: &Term, rhs: &Term) -> Option<bool> {
        match (self.leaf(lhs)?, self.leaf(rhs)?, op) {
            (Value::Int(lhs), Value::Int(rhs), BinaryOp::LessInt) => Some(lhs < rhs),
            (Value::Int(lhs), Value::Int(rhs), BinaryOp::LessOrEqualInt) => Some(lhs <= rhs),
            (Value::Int(lhs), Value::Int(rhs), BinaryOp::Equal) => Some(lhs == rhs),
            (Value::Int(lhs), Value::Int(rhs), BinaryOp::NotEqual) => Some(lhs != rhs),
            _ => None,
        }
    }

    fn compute_truth(&self, term: &Term) -> Option<bool> {
        match term {
            Term::Ints { op, lhs, rhs } => match on_ints(*op, self.number(lhs)?, self.number(rhs)?)? {
                Made::Bool(holds) => Some(holds),
                Made::Int(_) => None,
            },
            Term::Equal { .. } => self.truth(term),
            Term::Contains { item, collection } => self.contains(item, collection),
            Term::Not(term) => Some(!self.truth(term)?),
            term => match self.look(term)? {
                Value::Bool(holds) => Some(*holds),
                _ => None,
            },
        }
    }

    /// The bytes of a value; see [`Value::extent`].
    pub(crate) fn bytes(&self, term: &Term) -> Option<usize> {
        self.find(term, &mut Room::new(Value::Null)).map(|value| value.extent().bytes)
    }

    /// A value that is at hand.
    #[inline]
    fn leaf<'v>(&'v self, term: &'v Term) -> Option<&'v Value> {
        match term {
            Term::Register(register) => self.registers.get(*register as usize),
            Term::Field(field) => self.fields.get(*field as usize),
            Term::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// A value that is somewhere already.
    #[inline]
    fn look<'v>(&'v self, term: &'v Term) -> Option<&'v Value> {
        match term {
            Term::Item { base, index, names } => self.item(base, *index, names.as_ref()),
            term => self.leaf(term).or_else(|| self.look_into(term)),
        }
    }

    /// An item of a tuple, which is mostly at hand: apart from the way into other values, which needs more room.
    #[inline(never)]
    fn item<'v>(&'v self, base: &'v Term, index: u32, names: Option<&FieldNames>) -> Option<&'v Value> {
        match self.leaf(base) {
            Some(base) => item_of(base, index, names),
            None => self.item_within(base, index, names),
        }
    }

    #[inline(never)]
    fn item_within<'v>(
        &'v self,
        base: &'v Term,
        index: u32,
        names: Option<&FieldNames>,
    ) -> Option<&'v Value> {
        item_of(self.look(base)?, index, names)
    }

    /// A value that is part of another one.
    fn look_into<'v>(&'v self, term: &'v Term) -> Option<&'v Value> {
        match term {
            Term::Item { base, index, names } => self.item(base, *index, names.as_ref()),
            Term::Lookup { base, key } => {
                let Value::Map(map) = self.look(base)? else { return None };
                map.get(self.key(key, &mut Room::new(Value::Null))?)
            }
            Term::Element { base, index } => self.element(base, index),
            _ => None,
        }
    }

    fn element<'v>(&'v self, base: &'v Term, index: &Term) -> Option<&'v Value> {
        let at = usize::try_from(self.number(index)?).ok()?;
        if let Term::Keys(map) = base {
            let Value::Map(map) = self.look(map)? else { return None };
            self.pay(map.len());
            return map.key(at);
        }
        match self.look(base)? {
            Value::Seq(seq) => seq.items().get(at),
            Value::Set(set) => set.get(at),
            _ => None,
        }
    }

    /// A value wherever it is; one that has to be made is put into `room`.
    #[inline]
    pub(crate) fn find<'v>(&'v self, term: &'v Term, room: &'v mut Room) -> Option<&'v Value> {
        if let Some(value) = self.look(term) {
            return Some(value);
        }
        *room = Room::new(self.compute(term)?);
        Some(room)
    }

    /// As `find`, for what must not be null.
    fn key<'v>(&'v self, term: &'v Term, room: &'v mut Room) -> Option<&'v Value> {
        self.find(term, room).filter(|key| !matches!(key, Value::Null))
    }

    /// A value that is nowhere yet: a number or the like.
    fn compute(&self, term: &Term) -> Option<Value> {
        match term {
            Term::This => self.this.map(Value::Machine),
            Term::Sizeof(_) => self.compute_number(term).map(Value::Int),
            Term::Ints { op, lhs, rhs } => self.ints(*op, lhs, rhs),
            Term::Equal { .. } | Term::Contains { .. } | Term::Not(_) => self.truth(term).map(Value::Bool),
            _ => None,
        }
    }

    fn ints(&self, op: BinaryOp, lhs: &Term, rhs: &Term) -> Option<Value> {
        Some(match on_ints(op, self.number(lhs)?, self.number(rhs)?)? {
            Made::Int(number) => Value::Int(number),
            Made::Bool(holds) => Value::Bool(holds),
        })
    }

    fn size(&self, of: &Term) -> Option<i64> {
        if let Term::Keys(map) = of {
            let Value::Map(map) = self.look(map)? else { return None };
            self.pay(map.len());
            return Some(map.len() as i64);
        }
        Some(match self.look(of)? {
            Value::Seq(seq) => seq.items().len(),
            Value::Set(set) => set.len(),
            Value::Map(map) => map.len(),
            _ => return None,
        } as i64)
    }

    #[inline]
    fn equals(&self, lhs: &Term, rhs: &Term) -> Option<bool> {
        match (self.leaf(lhs), self.leaf(rhs)) {
            (Some(Value::Int(lhs)), Some(Value::Int(rhs))) => Some(lhs == rhs),
            _ => self.compare(lhs, rhs),
        }
    }

    fn compare(&self, lhs: &Term, rhs: &Term) -> Option<bool> {
        let (mut left, mut right) = (Room::new(Value::Null), Room::new(Value::Null));
        let (lhs, rhs) = (self.find(lhs, &mut left)?, self.find(rhs, &mut right)?);
        if !lhs.is_scalar() || !rhs.is_scalar() {
            self.pay((lhs.extent().bytes + rhs.extent().bytes) / 16);
        }
        Some(lhs.equals(rhs))
    }

    fn contains(&self, item: &Term, collection: &Term) -> Option<bool> {
        let mut room = Room::new(Value::Null);
        let item = self.find(item, &mut room)?;
        if let Term::Keys(map) = collection {
            let Value::Map(map) = self.look(map)? else { return None };
            self.pay(map.len());
            self.pay(map.len() + item.extent().bytes / 16);
            return Some(map.entries().any(|(key, _)| key.equals(item)));
        }
        match self.look(collection)? {
            Value::Seq(seq) => {
                self.pay(seq.items().len() + item.extent().bytes / 16);
                Some(seq.items().iter().any(|other| other.equals(item)))
            }
            Value::Set(set) => Some(set.contains(item)),
            Value::Map(map) => (!matches!(item, Value::Null)).then(|| map.get(item).is_some()),
            _ => None,
        }
    }

    /// Pays for looking at so many parts of values.
    pub(crate) fn pay(&self, parts: usize) {
        self.work.set(self.work.get() + (parts / PARTS_PER_INSTRUCTION) as u64);
    }
}

/// An item of a tuple, if that is one with the names that are expected.
#[inline]
fn item_of<'v>(tuple: &'v Value, index: u32, names: Option<&FieldNames>) -> Option<&'v Value> {
    let Value::Tuple(tuple) = tuple else { return None };
    match (tuple.names(), names) {
        (Some(found), Some(expected)) if !found.is_shared_with(expected) => None,
        _ => tuple.items().get(index as usize),
    }
}
