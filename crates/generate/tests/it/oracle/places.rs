//! Changes of variables and their parts: positions are evaluated first, then the value, then the place is changed.
//!
//! A position that is just a variable is read only then; see [`Term`]. Null is neither a key of a map nor an element of a
//! set: P's containers throw.

use super::code::{Frame, Run, Step, Stop};
use super::expressions::Term;
use super::value::{Value, contains};
use fabius_lang::check::Resolution;
use fabius_lang::syntax::tree::{ExprId, ExprKind, StmtKind};
use fabius_vm::BugKind;

/// The way into a variable, with positions that are not read yet.
struct Way {
    root: Resolution,
    parts: Vec<Projection>,
}

enum Projection {
    Item(usize),
    Index(Term),
}

/// A part of a value.
enum Part {
    Item(usize),
    Index(Value),
}

impl Run<'_> {
    pub(crate) fn variable<'a>(&'a mut self, frame: &'a mut Frame, resolution: Resolution) -> &'a mut Value {
        match resolution {
            Resolution::Local(local) => &mut frame.locals[local.0 as usize],
            Resolution::Field(field) => &mut self.fields[field.index()],
            other => unreachable!("{other:?} is no variable"),
        }
    }

    pub(crate) fn change(&mut self, frame: &mut Frame, statement: &StmtKind) -> Step<()> {
        match statement {
            StmtKind::Assign { target, value } => {
                let way = self.way(frame, *target)?;
                let value = self.value(frame, *value)?;
                let place = self.place(frame, way);
                self.write(frame, place, value)
            }
            StmtKind::Insert { target, key, value } => {
                let way = self.way(frame, *target)?;
                let key = self.term(frame, *key)?;
                let value = self.value(frame, *value)?;
                let (place, key) = (self.place(frame, way), self.read(frame, key));
                let result = insert(self.find(frame, place)?, key, value);
                result.map_err(|kind| self.fault(kind))
            }
            StmtKind::Add { target, value } => {
                let way = self.way(frame, *target)?;
                let value = self.value(frame, *value)?;
                let place = self.place(frame, way);
                match self.find(frame, place)? {
                    Value::Set(_) if matches!(value, Value::Null) => {
                        return Err(self.fault(BugKind::NullDereference));
                    }
                    Value::Set(items) if contains(items, &value) => {}
                    Value::Set(items) => items.push(value),
                    _ => return Err(self.fault(BugKind::NullDereference)),
                }
                Ok(())
            }
            StmtKind::Remove { target, value } => {
                let way = self.way(frame, *target)?;
                let key = self.value(frame, *value)?;
                let place = self.place(frame, way);
                let result = remove(self.find(frame, place)?, &key);
                result.map_err(|kind| self.fault(kind))
            }
            other => unreachable!("{other:?} changes no place"),
        }
    }

    fn way(&mut self, frame: &mut Frame, id: ExprId) -> Step<Way> {
        let source = self.source;
        let resolution = source.checked.expr_resolutions[id.0 as usize];
        let (base, part) = match &source.tree[id].kind {
            ExprKind::Name(_) => return Ok(Way { root: resolution, parts: Vec::new() }),
            ExprKind::Field { base, .. } => {
                let Resolution::Item(at) = resolution else { unreachable!("a field has a position") };
                (self.way(frame, *base)?, Projection::Item(at as usize))
            }
            ExprKind::Item { base, index, .. } => {
                (self.way(frame, *base)?, Projection::Item(*index as usize))
            }
            ExprKind::Index { base, index } => {
                let base = self.way(frame, *base)?;
                (base, Projection::Index(self.term(frame, *index)?))
            }
            other => unreachable!("{other:?} is no place"),
        };
        let Way { root, mut parts } = base;
        parts.push(part);
        Ok(Way { root, parts })
    }

    fn place(&mut self, frame: &mut Frame, way: Way) -> (Resolution, Vec<Part>) {
        let parts = way.parts.into_iter().map(|part| match part {
            Projection::Item(at) => Part::Item(at),
            Projection::Index(term) => Part::Index(self.read(frame, term)),
        });
        (way.root, parts.collect())
    }

    /// The part that is there.
    fn find<'a>(
        &'a mut self,
        frame: &'a mut Frame,
        (root, parts): (Resolution, Vec<Part>),
    ) -> Step<&'a mut Value> {
        let faults = |kind| self.fault(kind);
        let (index, key, null) =
            (faults(BugKind::IndexOutOfRange), faults(BugKind::MissingKey), faults(BugKind::NullDereference));
        let mut value = self.variable(frame, root);
        for part in parts {
            value = match (value, part) {
                (Value::Tuple(items), Part::Item(at)) => &mut items[at],
                (Value::Named(fields), Part::Item(at)) => &mut fields[at].1,
                (Value::Seq(items), Part::Index(Value::Int(at))) => {
                    match usize::try_from(at).ok().and_then(|at| items.get_mut(at)) {
                        Some(item) => item,
                        None => return Err(index),
                    }
                }
                (Value::Map(_), Part::Index(Value::Null)) => return Err(null),
                (Value::Map(entries), Part::Index(wanted)) => {
                    match entries.iter_mut().find(|(known, _)| known.equals(&wanted)) {
                        Some((_, value)) => value,
                        None => return Err(key),
                    }
                }
                _ => return Err(null),
            };
        }
        Ok(value)
    }

    /// Assigning to a key that a map does not have adds it.
    fn write(
        &mut self,
        frame: &mut Frame,
        (root, mut parts): (Resolution, Vec<Part>),
        value: Value,
    ) -> Step<()> {
        let last = parts.pop();
        let null: Stop = self.fault(BugKind::NullDereference);
        let out_of_range = self.fault(BugKind::IndexOutOfRange);
        let base = self.find(frame, (root, parts))?;
        match (base, last) {
            (base, None) => *base = value,
            (Value::Tuple(items), Some(Part::Item(at))) => items[at] = value,
            (Value::Named(fields), Some(Part::Item(at))) => fields[at].1 = value,
            (Value::Seq(items), Some(Part::Index(Value::Int(at)))) => {
                match usize::try_from(at).ok().and_then(|at| items.get_mut(at)) {
                    Some(item) => *item = value,
                    None => return Err(out_of_range),
                }
            }
            (Value::Map(_), Some(Part::Index(Value::Null))) => return Err(null),
            (Value::Map(entries), Some(Part::Index(key))) => {
                match entries.iter_mut().find(|(known, _)| known.equals(&key)) {
                    Some((_, old)) => *old = value,
                    None => entries.push((key, value)),
                }
            }
            _ => return Err(null),
        }
        Ok(())
    }
}

fn insert(collection: &mut Value, key: Value, value: Value) -> Result<(), BugKind> {
    match (collection, key) {
        (Value::Seq(items), Value::Int(at)) => match usize::try_from(at) {
            Ok(at) if at <= items.len() => {
                items.insert(at, value);
                Ok(())
            }
            _ => Err(BugKind::IndexOutOfRange),
        },
        (Value::Map(_), Value::Null) => Err(BugKind::NullDereference),
        (Value::Map(entries), key) => {
            if entries.iter().any(|(known, _)| known.equals(&key)) {
                return Err(BugKind::DuplicateKey);
            }
            entries.push((key, value));
            Ok(())
        }
        _ => Err(BugKind::NullDereference),
    }
}

/// Removing what is not in a set or map changes nothing.
fn remove(collection: &mut Value, key: &Value) -> Result<(), BugKind> {
    match (collection, key) {
        (Value::Seq(items), Value::Int(at)) => match usize::try_from(*at) {
            Ok(at) if at < items.len() => _ = items.remove(at),
            _ => return Err(BugKind::IndexOutOfRange),
        },
        (Value::Set(items), key) => items.retain(|item| !item.equals(key)),
        (Value::Map(_), Value::Null) => return Err(BugKind::NullDereference),
        (Value::Map(entries), key) => entries.retain(|(known, _)| !known.equals(key)),
        _ => return Err(BugKind::NullDereference),
    }
    Ok(())
}
