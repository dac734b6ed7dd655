//! A queue of messages that changes in place: most hold one message or none, and need no memory of their own.

use crate::machine::Message;
use crate::value::Value;
use fabius_lang::ids::EventId;

/// Messages in the order of their arrival.
#[derive(Debug, Default)]
pub(super) enum Mailbox {
    #[default]
    Empty,
    One([Message; 1]),
    Many(Many),
}

/// A queue that has, or had, several.
///
/// Invariant: those before `head` have been taken, and are empty; there are no more of them than of others.
#[derive(Debug)]
pub(super) struct Many {
    messages: Vec<Message>,
    head: usize,
}

impl Mailbox {
    #[inline]
    pub(super) fn as_slice(&self) -> &[Message] {
        match self {
            Self::Empty => &[],
            Self::One(message) => message,
            Self::Many(Many { messages, head }) => &messages[*head..],
        }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [Message] {
        match self {
            Self::Empty => &mut [],
            Self::One(message) => message,
            Self::Many(Many { messages, head }) => &mut messages[*head..],
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.as_slice().len()
    }

    #[inline]
    pub(super) fn push(&mut self, message: Message) {
        match self {
            Self::Empty => *self = Self::One([message]),
            Self::One(_) => self.push_second(message),
            Self::Many(many) => many.messages.push(message),
        }
    }

    #[inline(never)]
    fn push_second(&mut self, message: Message) {
        let Self::One([first]) = std::mem::take(self) else { unreachable!("there is one") };
        // Three have a size that the allocator has at hand; for two it goes the long way.
        let mut messages = Vec::with_capacity(3);
        messages.extend([first, message]);
        *self = Self::Many(Many { messages, head: 0 });
    }

    /// Takes the message at a position out.
    #[inline]
    pub(super) fn remove(&mut self, at: usize) -> Message {
        match self {
            Self::Many(many) => many.remove(at),
            few => match std::mem::take(few) {
                Self::One([only]) if at == 0 => only,
                _ => unreachable!("only messages that are there are taken"),
            },
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::Empty;
    }
}

impl Many {
    fn remove(&mut self, at: usize) -> Message {
        if at > 0 {
            return self.messages.remove(self.head + at);
        }
        let first =
            std::mem::replace(&mut self.messages[self.head], Message::new(EventId::NULL, Value::Null));
        self.head += 1;
        if self.head * 2 > self.messages.len() {
            self.messages.drain(..self.head);
            self.head = 0;
        }
        first
    }
}

impl Clone for Mailbox {
    fn clone(&self) -> Self {
        match self.as_slice() {
            [] => Self::Empty,
            [only] => Self::One([only.clone()]),
            several => Self::Many(Many { messages: several.to_vec(), head: 0 }),
        }
    }
}

impl PartialEq for Mailbox {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Mailbox {}

#[cfg(test)]
mod tests {
    use super::Mailbox;
    use crate::machine::Message;
    use crate::value::Value;
    use fabius_lang::ids::EventId;

    #[test]
    fn a_mailbox_behaves_like_a_list() {
        let (mut mailbox, mut plain) = (Mailbox::default(), Vec::new());
        for number in 0..500_i64 {
            if number % 5 < 3 {
                let message = Message::new(EventId(2), Value::Int(number));
                mailbox.push(message.clone());
                plain.push(message);
            } else {
                let at = if number % 5 == 3 { 0 } else { number as usize % plain.len() };
                assert_eq!(mailbox.remove(at), plain.remove(at));
            }
            assert_eq!((mailbox.as_slice(), mailbox.len()), (&*plain, plain.len()));
            assert_eq!(mailbox.clone(), mailbox);
        }
        mailbox.clear();
        assert_eq!(mailbox, Mailbox::default());
    }
}
