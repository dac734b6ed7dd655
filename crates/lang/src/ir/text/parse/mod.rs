//! The parser: tokens, names and references to declarations.

mod code;
mod declarations;
mod lexer;
mod scope;
mod types;

use super::TextError;
use crate::ids::{EventId, EventSet, FunctionId, InterfaceId, MachineId, ParameterId, StateId};
use crate::ir::Program;
use crate::names::Name;
use crate::types::TypeId;
use lexer::{Token, Tokens, lex};
use scope::{NotFound, Scope, Table, event_word};

/// Reads a program from its text form. All spans are the default one.
pub fn parse(text: &str) -> Result<Program, TextError> {
    let mut program = Program::default();
    let Tokens { tokens, offsets } = lex(text, &mut program.names)?;
    let scope = Scope::new(&tokens);
    let mut parser = Parser { text, tokens, offsets, at: 0, scope, program, long_types: Vec::new() };
    while parser.peek() != Token::End {
        parser.declaration()?;
    }
    Ok(parser.program)
}

#[derive(Debug)]
struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    offsets: Vec<usize>,
    // Invariant: less than the number of tokens; the last one is never passed.
    at: usize,
    scope: Scope,
    program: Program,
    /// The types declared with a number.
    long_types: Vec<TypeId>,
}

/// Names and what they stand for.
impl Parser<'_> {
    fn name(&mut self) -> Result<Name, TextError> {
        match self.peek() {
            Token::Name(name) => {
                self.next();
                Ok(name)
            }
            _ => Err(self.expected("a name")),
        }
    }

    fn typed_name(&mut self) -> Result<(Name, TypeId), TextError> {
        let name = self.name()?;
        self.sign(":")?;
        Ok((name, self.ty()?))
    }

    /// A declaration of some kind by name or index.
    fn reference(&mut self, kind: &str, table: impl Fn(&Scope) -> &Table) -> Result<u32, TextError> {
        let found = match self.peek() {
            Token::Index(index) => Ok(index),
            Token::Name(name) => {
                table(&self.scope).find(name).map_err(|problem| self.not_found(kind, name, problem))
            }
            _ => return Err(self.expected(&format!("the name of {kind}"))),
        };
        if found.is_ok() {
            self.next();
        }
        found
    }

    fn not_found(&self, kind: &str, name: Name, problem: NotFound) -> TextError {
        let name = self.program.name(name);
        match problem {
            NotFound::Undeclared => self.error(format!("no {kind} `{name}` is declared")),
            NotFound::Ambiguous => {
                self.error(format!("more than one {kind} `{name}` is declared: give its index"))
            }
        }
    }

    fn event(&mut self) -> Result<EventId, TextError> {
        if let Some(name) = event_word(self.peek()) {
            let found =
                self.scope.events.find(name).map_err(|problem| self.not_found("event", name, problem))?;
            self.next();
            return Ok(EventId(found));
        }
        self.reference("event", |scope| &scope.events).map(EventId)
    }

    fn event_set(&mut self) -> Result<EventSet, TextError> {
        let count = self.scope.events.len;
        if self.take_word("all") {
            return Ok(EventSet::all(count as usize));
        }
        self.sign("{")?;
        let events = self.list("}", |parser| {
            let event = parser.event()?;
            // The set is a row of bits: a wild index must not make it huge.
            match event.0 < count {
                true => Ok(event),
                false => Err(parser.error(format!("there is no event #{}", event.0))),
            }
        })?;
        Ok(events.into_iter().collect())
    }

    fn interface(&mut self) -> Result<InterfaceId, TextError> {
        self.reference("interface", |scope| &scope.interfaces).map(InterfaceId)
    }

    fn interfaces(&mut self) -> Result<Vec<InterfaceId>, TextError> {
        let mut interfaces = vec![self.interface()?];
        while self.take_sign(",") {
            interfaces.push(self.interface()?);
        }
        Ok(interfaces)
    }

    fn machine_reference(&mut self) -> Result<MachineId, TextError> {
        self.reference("machine", |scope| &scope.machines).map(MachineId)
    }

    fn function_reference(&mut self) -> Result<FunctionId, TextError> {
        self.reference("function", |scope| &scope.functions).map(FunctionId)
    }

    fn parameter(&mut self) -> Result<ParameterId, TextError> {
        self.reference("parameter", |scope| &scope.parameters).map(ParameterId)
    }

    fn state_reference(&mut self, machine: Option<MachineId>) -> Result<StateId, TextError> {
        self.reference_in_machine("state", machine, |scope| &scope.states).map(StateId)
    }

    /// A declaration inside a machine by name or index; by index only where there is no such machine.
    fn reference_in_machine(
        &mut self,
        kind: &str,
        machine: Option<MachineId>,
        tables: impl Fn(&Scope) -> &Vec<Table>,
    ) -> Result<u32, TextError> {
        match machine.map(MachineId::index).filter(|machine| *machine < tables(&self.scope).len()) {
            Some(machine) => self.reference(kind, |scope| &tables(scope)[machine]),
            None => match self.peek() {
                Token::Index(index) => {
                    self.next();
                    Ok(index)
                }
                _ => Err(self.expected(&format!("the index of a {kind}, `#0`"))),
            },
        }
    }
}

/// Tokens.
impl Parser<'_> {
    fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    fn peek_second(&self) -> Token {
        self.tokens.get(self.at + 1).copied().unwrap_or(Token::End)
    }

    fn next(&mut self) -> Token {
        let token = self.tokens[self.at];
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let is_there = matches!(self.peek(), Token::Sign(found) if found == sign);
        if is_there {
            self.next();
        }
        is_there
    }

    fn sign(&mut self, sign: &str) -> Result<(), TextError> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_there = matches!(self.peek(), Token::Word(found) if found == word);
        if is_there {
            self.next();
        }
        is_there
    }

    fn expect_word(&mut self, word: &str) -> Result<(), TextError> {
        if self.take_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    fn word(&mut self) -> Result<&'static str, TextError> {
        match self.peek() {
            Token::Word(word) => {
                self.next();
                Ok(word)
            }
            _ => Err(self.expected("a word of the text form")),
        }
    }

    fn int(&mut self) -> Result<i64, TextError> {
        match self.peek() {
            Token::Int(value) => {
                self.next();
                Ok(value)
            }
            _ => Err(self.expected("an integer")),
        }
    }

    fn line_end(&mut self) -> Result<(), TextError> {
        match self.peek() {
            Token::LineEnd => {
                self.next();
                Ok(())
            }
            _ => Err(self.expected("the end of the line")),
        }
    }

    fn open_block(&mut self) -> Result<(), TextError> {
        self.sign("{")?;
        self.line_end()
    }

    /// Items with commas between them, up to the closing sign.
    fn list<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Result<T, TextError>,
    ) -> Result<Vec<T>, TextError> {
        let mut items = Vec::new();
        if self.take_sign(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if !self.take_sign(",") {
                self.sign(close)?;
                return Ok(items);
            }
        }
    }

    fn expected(&self, what: &str) -> TextError {
        self.error(format!("expected {what}"))
    }

    /// For a token that was taken already.
    fn expected_before(&self, what: &str) -> TextError {
        self.error_at(self.at.saturating_sub(1), format!("expected {what}"))
    }

    fn error(&self, message: impl Into<String>) -> TextError {
        self.error_at(self.at, message)
    }

    fn error_at(&self, token: usize, message: impl Into<String>) -> TextError {
        TextError::at(self.text, self.offsets[token], message)
    }
}
