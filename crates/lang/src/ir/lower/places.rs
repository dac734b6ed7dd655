//! Places: variables and parts of them that a statement changes.

use super::function::{Builder, Value};
use crate::check::Resolution;
use crate::ir::{Place, Projection, Root};
use crate::source::Span;
use crate::syntax::tree::{ExprId, ExprKind};

/// A place whose indices are evaluated, but not yet read if they are plain variables.
pub(super) struct PendingPlace {
    pub(super) root: Root,
    path: Vec<PendingProjection>,
}

enum PendingProjection {
    Item(u32),
    Index(Value, Span),
}

impl PendingPlace {
    pub(super) fn is_whole(&self) -> bool {
        self.path.is_empty()
    }
}

impl Builder<'_> {
    /// Evaluates the indices of a place, from the outside in.
    pub(super) fn pending_place(&mut self, id: ExprId) -> PendingPlace {
        match self.tree[id].kind {
            ExprKind::Field { base, .. } => {
                let mut place = self.pending_place(base);
                let Resolution::Item(index) = self.resolution(id) else {
                    unreachable!("a checked field of a place has a position")
                };
                place.path.push(PendingProjection::Item(index));
                place
            }
            ExprKind::Item { base, index, .. } => {
                let mut place = self.pending_place(base);
                place.path.push(PendingProjection::Item(index));
                place
            }
            ExprKind::Index { base, index } => {
                let mut place = self.pending_place(base);
                let value = self.value(index);
                place.path.push(PendingProjection::Index(value, self.span(index)));
                place
            }
            _ => PendingPlace { root: self.root(self.resolution(id)), path: Vec::new() },
        }
    }

    pub(super) fn root(&self, resolution: Resolution) -> Root {
        match resolution {
            Resolution::Local(local) => Root::Register(Self::local(local)),
            Resolution::Field(field) => Root::Field(field),
            _ => unreachable!("a checked place is a variable"),
        }
    }

    /// Reads the indices: the place is about to be changed.
    pub(super) fn finish_place(&mut self, place: PendingPlace) -> Place {
        let path = (place.path.into_iter())
            .map(|projection| match projection {
                PendingProjection::Item(index) => Projection::Item(index),
                PendingProjection::Index(value, span) => Projection::Index(self.materialise(value, span)),
            })
            .collect();
        Place { root: place.root, path }
    }
}
