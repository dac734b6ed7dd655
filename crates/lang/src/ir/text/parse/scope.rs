//! The declarations of a text by name, found before anything is parsed, so that all can refer to all.
//!
//! Declarations are the lines outside braces; a machine's fields and states are lines inside its braces. Where the
//! parser accepts a text, it meets the same declarations in the same order.

use super::lexer::Token;
use crate::names::Name;
use rapidhash::RapidHashMap;

/// The declarations of one kind.
#[derive(Debug, Default)]
pub(super) struct Table {
    ids: RapidHashMap<Name, u32>,
    pub(super) len: u32,
}

/// Why a name does not name a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotFound {
    Undeclared,
    Ambiguous,
}

const AMBIGUOUS: u32 = u32::MAX;

impl Table {
    fn declare(&mut self, name: Name) {
        self.ids.entry(name).and_modify(|id| *id = AMBIGUOUS).or_insert(self.len);
        self.len += 1;
    }

    pub(super) fn find(&self, name: Name) -> Result<u32, NotFound> {
        match self.ids.get(&name) {
            None => Err(NotFound::Undeclared),
            Some(&AMBIGUOUS) => Err(NotFound::Ambiguous),
            Some(id) => Ok(*id),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) events: Table,
    pub(super) enums: Table,
    pub(super) permissions: Table,
    pub(super) parameters: Table,
    pub(super) interfaces: Table,
    pub(super) machines: Table,
    pub(super) functions: Table,
    /// For each machine.
    pub(super) fields: Vec<Table>,
    pub(super) states: Vec<Table>,
}

impl Scope {
    pub(super) fn new(tokens: &[Token]) -> Self {
        let mut scope = Self::default();
        let mut depth = 0_usize;
        let mut is_machine = false;
        for (at, token) in tokens.iter().enumerate() {
            let is_line_start = at == 0 || tokens[at - 1] == Token::LineEnd;
            if is_line_start && depth == 0 {
                is_machine = scope.declaration(&tokens[at..]);
            } else if is_line_start && depth == 1 && is_machine {
                scope.part_of_machine(&tokens[at..]);
            }
            match token {
                Token::Sign("{") => depth += 1,
                Token::Sign("}") => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        scope
    }

    /// Whether a machine is declared.
    fn declaration(&mut self, line: &[Token]) -> bool {
        let (word, name) = match line {
            [Token::Word("foreign"), Token::Word("fun"), name, ..] => ("fun", name),
            [Token::Word(word), name, ..] => (*word, name),
            _ => return false,
        };
        let Some(name) = declared_name(word, *name) else { return false };
        let table = match word {
            "event" => &mut self.events,
            "enum" => &mut self.enums,
            "permission" => &mut self.permissions,
            "param" => &mut self.parameters,
            "interface" => &mut self.interfaces,
            "machine" | "spec" | "scenario" => &mut self.machines,
            "fun" => &mut self.functions,
            _ => return false,
        };
        table.declare(name);
        let is_machine = matches!(word, "machine" | "spec" | "scenario");
        if is_machine {
            self.fields.push(Table::default());
            self.states.push(Table::default());
        }
        is_machine
    }

    fn part_of_machine(&mut self, line: &[Token]) {
        match line {
            [Token::Word("var"), Token::Name(name), ..] => {
                self.fields.last_mut().into_iter().for_each(|fields| fields.declare(*name));
            }
            [Token::Word("state"), Token::Name(name), ..]
            | [Token::Word("hot" | "cold"), Token::Word("state"), Token::Name(name), ..] => {
                self.states.last_mut().into_iter().for_each(|states| states.declare(*name));
            }
            _ => {}
        }
    }
}

fn declared_name(word: &str, token: Token) -> Option<Name> {
    match token {
        Token::Name(name) => Some(name),
        _ if word == "event" => event_word(token),
        _ => None,
    }
}

/// The built-in events are the only ones that may be called like words of the form.
pub(super) fn event_word(token: Token) -> Option<Name> {
    match token {
        Token::Word("null") => Some(Name::NULL),
        Token::Word("halt") => Some(Name::HALT),
        _ => None,
    }
}
