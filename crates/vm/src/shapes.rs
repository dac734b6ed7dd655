//! All shapes of configurations met so far.
//!
//! A program has few of them, and every move asks for one. So the latest are found without a lock: at the place that the
//! hash of a shape says stands the number of the shape last asked for with such a hash.

use crate::link::Linked;
use crate::machine::Local;
use crate::packed::{Brief, Shape, shape_key};
use crate::table::Interner;
use std::sync::atomic::{AtomicU32, Ordering};

/// An index into [`Shapes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ShapeId(pub(crate) u32);

#[derive(Debug)]
pub(crate) struct Shapes {
    table: Interner<Shape>,
    /// Numbers plus one; 0 where there is none.
    recent: Box<[AtomicU32]>,
}

/// As many as there are bytes.
const RECENT: usize = 256;

impl Shapes {
    pub(crate) fn new() -> Self {
        Self { table: Interner::new(), recent: (0..RECENT).map(|_| AtomicU32::new(0)).collect() }
    }

    pub(crate) fn clear(&mut self) {
        self.table.clear();
        self.recent.iter_mut().for_each(|number| *number.get_mut() = 0);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.table.bytes()
    }

    pub(crate) fn table(&self) -> &Interner<Shape> {
        &self.table
    }

    pub(crate) fn get(&self, id: ShapeId) -> &Shape {
        self.table.get(id.0)
    }

    /// The shape with a number that need not exist.
    pub(crate) fn find(&self, number: u32) -> Option<&Shape> {
        self.table.find(number)
    }

    /// The shape of a configuration.
    #[inline]
    pub(crate) fn intern(&self, local: &Local, linked: &Linked) -> (ShapeId, &Shape) {
        let Some(brief) = Brief::of(local) else { return self.intern_complex(local, linked) };
        let recent = &self.recent[brief.byte()];
        if let Some(id) = recent.load(Ordering::Acquire).checked_sub(1) {
            let shape = self.table.get(id);
            if shape.brief() == Some(brief) {
                return (ShapeId(id), shape);
            }
        }
        self.look_up(local, shape_key(local), linked, recent)
    }

    /// The shape of one that cannot be told in brief.
    fn intern_complex(&self, local: &Local, linked: &Linked) -> (ShapeId, &Shape) {
        let key = shape_key(local);
        let recent = &self.recent[(key >> 120) as usize];
        if let Some(id) = recent.load(Ordering::Acquire).checked_sub(1) {
            let shape = self.table.get(id);
            if shape.is_of(local) {
                return (ShapeId(id), shape);
            }
        }
        self.look_up(local, key, linked, recent)
    }

    /// The shape from the table, which from now on is the latest.
    #[inline(never)]
    fn look_up(&self, local: &Local, key: u128, linked: &Linked, recent: &AtomicU32) -> (ShapeId, &Shape) {
        let make = |local: &Local| Shape::new(local, key, linked);
        let is_same = |shape: &Shape, local: &Local| shape.is_of(local);
        let id = self.table.intern_with(key, local, is_same, make);
        recent.store(id + 1, Ordering::Release);
        (ShapeId(id), self.table.get(id))
    }
}
