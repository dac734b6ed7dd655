//! A queue of messages that changes in place: most are empty or short, and an empty one needs no memory.

use crate::machine::Message;
use crate::value::Value;
use fabius_lang::ids::EventId;

/// Messages in the order of their arrival.
///
/// Invariant: those before `head` have been taken, and are empty; there are no more of them than of others.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    messages: Vec<Message>,
    head: usize,
}

impl Mailbox {
    pub(super) fn as_slice(&self) -> &[Message] {
        &self.messages[self.head..]
    }

    pub(super) fn len(&self) -> usize {
        self.messages.len() - self.head
    }

    pub(super) fn push(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// Takes the message at a position out.
    pub(super) fn remove(&mut self, at: usize) -> Message {
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

    pub(super) fn clear(&mut self) {
        self.messages.clear();
        self.head = 0;
    }
}

impl Clone for Mailbox {
    fn clone(&self) -> Self {
        Self { messages: self.as_slice().to_vec(), head: 0 }
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
