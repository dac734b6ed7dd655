//! Names of machine types, control states and events: what hints speak of.
//!
//! A program has one vocabulary, made before it runs. Hints carry numbers, which cost nothing to copy and compare; who
//! wants words asks the vocabulary. Numbers follow from the program's text alone, so they mean the same in every process.

/// A name in a [`Vocabulary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub u32);

/// The names of a program.
///
/// Invariant: machine types come first, then control states, then events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    texts: Vec<String>,
    machines: usize,
    /// The machine type of each control state.
    owners: Vec<Name>,
    first: Option<Name>,
}

impl Vocabulary {
    /// A vocabulary of machine types, each with its control states, and of events; `first` is the position of the type
    /// of those machines that exist in the initial state.
    pub fn new(machines: &[(String, Vec<String>)], events: &[String], first: Option<usize>) -> Vocabulary {
        let mut texts: Vec<String> = machines.iter().map(|(machine, _)| machine.clone()).collect();
        let mut owners = Vec::new();
        for (at, (machine, states)) in machines.iter().enumerate() {
            texts.extend(states.iter().map(|state| format!("{machine}.{state}")));
            owners.extend(states.iter().map(|_| Name(at as u32)));
        }
        texts.extend(events.iter().cloned());
        let first = first.map(|at| Name(at as u32));
        Vocabulary { texts, machines: machines.len(), owners, first }
    }

    /// The text of a name: `Server`, `Server.Busy`, `eRequest`.
    pub fn text(&self, name: Name) -> &str {
        self.texts.get(name.0 as usize).map_or("", String::as_str)
    }

    /// The type of the machines that exist in the initial state.
    pub fn first(&self) -> Option<Name> {
        self.first
    }

    /// The machine type that a control state belongs to.
    pub fn machine_of(&self, state: Name) -> Option<Name> {
        self.owners.get((state.0 as usize).checked_sub(self.machines)?).copied()
    }

    /// The machine type with this name.
    pub fn machine(&self, text: &str) -> Option<Name> {
        find(self.machines(), 0, text)
    }

    /// The control state with this name, written `Machine.State`.
    pub fn state(&self, text: &str) -> Option<Name> {
        find(self.states(), self.machines, text)
    }

    /// The event with this name.
    pub fn event(&self, text: &str) -> Option<Name> {
        find(self.events(), self.machines + self.owners.len(), text)
    }

    /// All machine types.
    pub fn machines(&self) -> &[String] {
        &self.texts[..self.machines]
    }

    /// All control states, written `Machine.State`.
    pub fn states(&self) -> &[String] {
        &self.texts[self.machines..self.machines + self.owners.len()]
    }

    /// All events.
    pub fn events(&self) -> &[String] {
        &self.texts[self.machines + self.owners.len()..]
    }
}

fn find(texts: &[String], first: usize, text: &str) -> Option<Name> {
    texts.iter().position(|other| other == text).map(|at| Name((first + at) as u32))
}

#[cfg(test)]
mod tests {
    use super::Vocabulary;

    #[test]
    fn names_are_found_in_their_kind_and_keep_their_texts() {
        let machines = [
            ("Server".to_owned(), vec!["Idle".to_owned(), "Busy".to_owned()]),
            ("Client".to_owned(), vec![]),
        ];
        let vocabulary = Vocabulary::new(&machines, &["eRequest".to_owned(), "Server".to_owned()], Some(1));
        let busy = vocabulary.state("Server.Busy").expect("there is such a state");
        assert_eq!(vocabulary.text(busy), "Server.Busy");
        assert_eq!(vocabulary.machine_of(busy), vocabulary.machine("Server"));
        assert_ne!(vocabulary.event("Server"), vocabulary.machine("Server"), "two kinds of names");
        assert_eq!(vocabulary.first(), vocabulary.machine("Client"));
        assert_eq!(vocabulary.machine("Busy"), None);
        assert_eq!(vocabulary.events(), ["eRequest", "Server"]);
        let request = vocabulary.event("eRequest").expect("there is such an event");
        assert_eq!(vocabulary.machine_of(request), None);
    }
}
