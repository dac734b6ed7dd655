//! Members of machines and states of old: groups, actions, stacked states.

use crate::names::Name;
use crate::syntax::parser::Parser;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{FunctionId, Handler, Ident, MachineDeclaration};

impl Parser<'_> {
    /// A member of old, or a word of old in front of one.
    pub(in crate::syntax::grammar) fn retired_machine_item(
        &mut self,
        machine: &mut MachineDeclaration,
        groups: &mut u32,
    ) -> bool {
        use TokenKind as K;
        let next = self.nth(1);
        match self.token_text() {
            "group" | "submachine" if next.is_name() && self.nth(2) == K::LeftBrace => {
                self.retired(self.span(), "groups of states are", "write the states without the group");
                self.bump();
                self.bump();
                self.bump();
                *groups += 1;
                true
            }
            "action" if next.is_name() => {
                self.retired(self.span(), "`action` is", "write `fun f() { .. }`");
                machine.functions.push(self.retired_action());
                true
            }
            "maxqueue" if next == K::Number => {
                self.retired(self.span(), "`maxqueue` is", "queues are unbounded: leave it out");
                self.skip_to_semicolon();
                true
            }
            "stable" | "ghost" if next == K::State || next == K::Var => self.retired_state_word(),
            _ => self.retired_function_word(),
        }
    }

    /// `action A { .. }`, as a function.
    fn retired_action(&mut self) -> FunctionId {
        self.bump();
        let name = self.take_name();
        let id = self.inline_handler(1);
        self.tree.functions[id.0 as usize].name = Some(name);
        id
    }

    /// `stable` before `state`, `ghost` before `var`.
    pub(in crate::syntax::grammar) fn retired_state_word(&mut self) -> bool {
        let word = self.token_text();
        if !self.at(TokenKind::Identifier) || !matches!(word, "stable" | "ghost") {
            return false;
        }
        self.retired_prefix(&format!("`{word}` is"), "leave it out")
    }

    /// `on e push S;`, whose `on e` is behind the cursor.
    pub(in crate::syntax::grammar) fn retired_push_reaction(&mut self) -> bool {
        let found = self.at(TokenKind::Identifier) && matches!(self.token_text(), "push" | "call");
        if found {
            self.retired(self.span(), "`push` is", "states are not stacked any more: use `goto`");
            self.skip_to_state_item();
        }
        found
    }

    /// `on e goto S { .. };`
    pub(in crate::syntax::grammar) fn retired_transition_block(&mut self) -> Handler {
        self.retired(
            self.span(),
            "a block right behind the target of a transition is",
            "write `with { .. }`",
        );
        let handler = Handler::Inline(self.inline_handler(1));
        self.eat(TokenKind::Semicolon);
        handler
    }

    /// `G.S`, the state `S` of the group `G`.
    pub(in crate::syntax::grammar) fn retired_qualified_state(&mut self, mut name: Ident) -> Ident {
        self.retired(name.span, "groups of states are", "write the name of the state alone");
        while self.eat(TokenKind::Dot) {
            name = self.name("the name of a state");
        }
        name
    }

    /// `on default ..`
    pub(in crate::syntax::grammar) fn retired_default_event(&mut self) -> Ident {
        let span = self.span();
        self.retired(span, "`default` as an event is", "write `null`");
        self.bump();
        Ident { name: Name::NULL, span }
    }
}
