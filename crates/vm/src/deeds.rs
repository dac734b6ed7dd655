//! What a move does beside changing its machine: mostly nothing or one thing, which needs no memory of its own.

use crate::machine::Message;
use crate::value::Value;
use fabius_model::{ActorId, Effect, Happening};

/// One thing that a move does.
#[derive(Debug)]
pub(crate) enum Deed {
    /// A machine comes into being, with what its first state is entered with.
    Create { actor: ActorId, payload: Value },
    /// The message is shown to the monitors that see it.
    Observe(Message),
    /// A hint for strategies; only if they were asked for.
    Hint(Effect),
    /// Something to tell; only in narrated moves.
    Say(Box<Happening>),
}

/// Deeds in the order in which they happen.
///
/// Invariant: if there is no first, there are no others.
#[derive(Debug, Default)]
pub(crate) struct Deeds {
    first: Option<Deed>,
    others: Vec<Deed>,
}

impl Deeds {
    pub(crate) fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.others.len()
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    #[inline]
    pub(crate) fn push(&mut self, deed: Deed) {
        if self.first.is_none() {
            self.first = Some(deed);
        } else {
            self.others.push(deed);
        }
    }

    /// Keeps only so many, from the first on.
    pub(crate) fn truncate(&mut self, length: usize) {
        match length.checked_sub(1) {
            Some(others) => self.others.truncate(others),
            None => *self = Self::default(),
        }
    }
}

impl IntoIterator for Deeds {
    type Item = Deed;
    type IntoIter = std::iter::Chain<std::option::IntoIter<Deed>, std::vec::IntoIter<Deed>>;

    fn into_iter(self) -> Self::IntoIter {
        self.first.into_iter().chain(self.others)
    }
}

#[cfg(test)]
mod tests {
    use super::{Deed, Deeds};
    use fabius_model::{ActorId, Effect};

    #[test]
    fn deeds_of_any_number_behave_like_a_list() {
        for length in 0..4_usize {
            for kept in 0..=length {
                let mut deeds = Deeds::default();
                let hints = (0..length as u32).map(|number| Effect::Created(ActorId(number)));
                hints.clone().for_each(|effect| deeds.push(Deed::Hint(effect)));
                assert_eq!((deeds.len(), deeds.is_empty()), (length, length == 0));
                deeds.truncate(kept);
                let left: Vec<Effect> = deeds
                    .into_iter()
                    .map(|deed| match deed {
                        Deed::Hint(effect) => effect,
                        other => unreachable!("{other:?} was not pushed"),
                    })
                    .collect();
                assert_eq!(left, hints.take(kept).collect::<Vec<_>>());
            }
        }
    }
}
