//! Names of machines in texts: found by their look, a name and a number as in `Server(3)` or `Server(2.1)`.
//!
//! What a program prints or puts into a message has no structure any more, so a text of the user's own that looks just
//! like the name of a machine of the run is taken for one.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::trace::Machine;

/// The machines of a run by what the program's own texts call them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(HashMap<String, Machine>);

impl Names {
    pub(crate) fn insert(&mut self, name: String, machine: Machine) {
        self.0.insert(name, machine);
    }

    /// A text of the program's, with the machines in it called as in the run: `Lease(5)` where it says `Lease(2.1)`.
    pub fn retold(&self, text: &str) -> String {
        with_names(text, &|name| self.0.get(name).map(Machine::to_string))
    }
}

/// The text with the names in it replaced, where there is something to replace them with.
pub(crate) fn with_names(text: &str, replacement: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('(') {
        let start = rest[..open].rfind(|c: char| !is_of_name(c)).map_or(0, |at| at + width_at(rest, at));
        let end = rest[open..].find(')').map(|length| open + length + 1);
        let found = end.filter(|end| start < open && is_number(&rest[open + 1..end - 1]));
        let shown = found.and_then(|end| Some((replacement(&rest[start..end])?, end)));
        let (next, end) = match shown {
            Some((name, end)) => (Cow::Owned(name), end),
            None => (Cow::Borrowed(&rest[start..=open]), open + 1),
        };
        out.push_str(&rest[..start]);
        out.push_str(&next);
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

fn width_at(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(1, char::len_utf8)
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Whether it is a number, or several with points between them.
fn is_number(text: &str) -> bool {
    text.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::with_names;

    fn renamed(text: &str) -> String {
        with_names(text, &|name| match name {
            "Lease(2.1)" => Some("Lease(5)".to_owned()),
            "Lease(5)" => Some("Lease(6)".to_owned()),
            _ => None,
        })
    }

    #[test]
    fn names_are_replaced_wherever_they_stand() {
        assert_eq!(renamed("Lease(2.1)"), "Lease(5)");
        assert_eq!(renamed("<who:Lease(2.1), at:Lease(5), >"), "<who:Lease(5), at:Lease(6), >");
        assert_eq!(renamed("(Lease(2.1), (Lease(2.1)))"), "(Lease(5), (Lease(5)))");
        assert_eq!(renamed("→Lease(2.1)"), "→Lease(5)");
    }

    #[test]
    fn what_is_no_name_stays() {
        for text in ["", "(", "Lease(", "Lease()", "Lease(2.)", "Lease(2.2)", "ALease(2.1)", "f(x) (1) (é)"]
        {
            assert_eq!(renamed(text), text);
        }
    }
}
