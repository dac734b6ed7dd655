//! Variables declared as other languages do, the type first: reported with P's way, and taken as what is meant.

use crate::syntax::parser::Parser;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{StmtKind, VariableDeclaration};

/// Words of old that stand before a name.
const RETIRED: [&str; 3] = ["push", "call", "monitor"];

impl Parser<'_> {
    /// Whether a type stands here, and then a name. Nothing else of P looks like that.
    pub(super) fn at_type_first(&self) -> bool {
        use TokenKind as K;
        let is_declared =
            |name: K, behind: K| name.is_name() && matches!(behind, K::Semicolon | K::Assign | K::Comma);
        match self.kind() {
            K::Bool | K::Int | K::Float | K::String | K::Any | K::Data => {
                is_declared(self.nth(1), self.nth(2))
            }
            K::Seq | K::Set | K::Map => self.nth(1) == K::LeftBracket,
            K::Identifier => is_declared(self.nth(1), self.nth(2)) && !RETIRED.contains(&self.token_text()),
            _ => false,
        }
    }

    /// `int x;` among the members of a machine.
    pub(super) fn type_first_member(&mut self) -> VariableDeclaration {
        self.type_first("a variable, a function or a state")
    }

    /// `int x;` among statements. The variable joins those of the function.
    pub(super) fn type_first_statement(&mut self) -> StmtKind {
        let declaration = self.type_first("a statement");
        self.misplaced.push(declaration);
        self.latest_misplaced = self.position();
        StmtKind::Error
    }

    fn type_first(&mut self, expected: &str) -> VariableDeclaration {
        // The hint has the text of the type and the name, which are read first.
        let (at, found) = (self.span(), self.found());
        let ty = self.type_expr();
        let text = self.short_text_from(at.start);
        let name = if self.at_name() { self.token_text() } else { "x" };
        let hint = format!("P writes the type behind the name: `var {name}: {text};`");
        self.misread(at, format!("expected {expected}, found {found}"), hint);
        let names = self.names("the name of a variable");
        if self.eat(TokenKind::Assign) {
            self.expression();
        }
        self.end_of_declaration("the declaration");
        VariableDeclaration { names, ty }
    }
}
