//! Names as small integers: each distinct identifier or string is stored once.

use rapidhash::RapidHashMap;

/// An interned identifier or string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Name(pub u32);

impl Name {
    /// The built-in event that stands for "nothing to dequeue".
    pub const NULL: Self = Self(0);
    /// The built-in event that ends a machine.
    pub const HALT: Self = Self(1);
    /// What the parser puts where a name is missing; no source text interns to it.
    pub const MISSING: Self = Self(2);
}

/// The table of names of one project.
#[derive(Debug)]
pub struct Names {
    texts: Vec<Box<str>>,
    ids: RapidHashMap<Box<str>, Name>,
}

impl Default for Names {
    fn default() -> Self {
        let mut names = Self { texts: Vec::new(), ids: RapidHashMap::default() };
        for built_in in ["null", "halt", ""] {
            names.intern(built_in);
        }
        names.ids.remove("");
        names
    }
}

impl Names {
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.ids.get(text) {
            return *name;
        }
        let name = Name(self.texts.len() as u32);
        self.texts.push(text.into());
        self.ids.insert(text.into(), name);
        name
    }

    pub fn get(&self, text: &str) -> Option<Name> {
        self.ids.get(text).copied()
    }

    pub fn text(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.texts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}
