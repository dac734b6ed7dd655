//! Operands: names, literals, calls, tuples and quantifiers.

use crate::names::Name;
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::parser::{Operand, Parser};
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{ExprId, ExprKind, Ident, Quantifier};

/// A list of expressions, and the height of the highest.
struct Arguments {
    list: Box<[ExprId]>,
    height: u32,
}

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Operand {
        use TokenKind as K;
        match self.kind() {
            K::Forall | K::Exists if self.begins_quantifier() => self.quantifier(),
            kind if kind.is_name() => self.name_or_call(),
            K::Number | K::Dot => self.numeral(),
            K::LeftParen => self.parenthesised(),
            K::Text => {
                let text = self.string();
                self.leaf(ExprKind::String(text), self.previous())
            }
            K::Keys => self.built_in(ExprKind::Keys),
            K::Values => self.built_in(ExprKind::Values),
            K::Sizeof => self.built_in(ExprKind::Sizeof),
            K::Default => self.default_value(),
            K::New => self.creation(),
            K::Choose => self.choice(),
            K::Format => self.format(),
            K::Float => self.scientific_float(),
            _ => self.constant(),
        }
    }

    /// A word or sign that is a whole operand; anything else is none.
    fn constant(&mut self) -> Operand {
        use TokenKind as K;
        let kind = match self.kind() {
            K::True => ExprKind::Bool(true),
            K::False => ExprKind::Bool(false),
            K::Null => ExprKind::Null,
            K::Halt => ExprKind::Halt,
            K::This => ExprKind::This,
            K::Dollar => ExprKind::Nondet { fair: false },
            K::DollarDollar => ExprKind::Nondet { fair: true },
            _ => return self.no_operand(),
        };
        let span = self.bump();
        self.leaf(kind, span)
    }

    fn no_operand(&mut self) -> Operand {
        if self.retired_choice() {
            return self.leaf(ExprKind::Nondet { fair: false }, self.previous());
        }
        self.expected("an expression");
        self.error_expr()
    }

    /// `a`, `f(..)`
    fn name_or_call(&mut self) -> Operand {
        let start = self.start();
        let is_call = self.nth(1) == TokenKind::LeftParen && !self.at_wise_behind_name();
        let function = self.take_name();
        if !is_call {
            return self.leaf(ExprKind::Name(function.name), function.span);
        }
        let arguments = self.arguments();
        self.node(ExprKind::Call { function, arguments: arguments.list }, start, arguments.height + 1)
    }

    /// Whether `(2 wise)` follows the name at the cursor, which ends the assumption of a test.
    fn at_wise_behind_name(&self) -> bool {
        self.nth(2) == TokenKind::Number && self.nth(3) == TokenKind::Wise
    }

    /// `new M(..)`
    fn creation(&mut self) -> Operand {
        let start = self.bump().start;
        let interface = self.name("the name of a machine or interface");
        let arguments = self.arguments();
        self.node(ExprKind::New { interface, arguments: arguments.list }, start, arguments.height + 1)
    }

    /// `(a, b)`, or nothing between the parentheses.
    fn arguments(&mut self) -> Arguments {
        let opening = self.span();
        if !self.expect(TokenKind::LeftParen, "`(` and the arguments") {
            return Arguments { list: Box::default(), height: 0 };
        }
        if self.eat(TokenKind::RightParen) {
            return Arguments { list: Box::default(), height: 0 };
        }
        let arguments = self.argument_list();
        self.closing_paren(opening, "the arguments");
        arguments
    }

    /// `a, b, c`
    fn argument_list(&mut self) -> Arguments {
        let first = self.pending_exprs.len();
        let mut height = 0;
        loop {
            let argument = self.any_operand();
            self.pending_exprs.push(argument.id);
            height = height.max(argument.height);
            self.retired_qualifier();
            if !self.eat(TokenKind::Comma) && !self.misread_argument() {
                break;
            }
        }
        let list = self.pending_exprs[first..].into();
        self.pending_exprs.truncate(first);
        Arguments { list, height }
    }

    /// Between arguments, skips what belongs to none, up to the next `,`.
    fn misread_argument(&mut self) -> bool {
        if matches!(self.kind(), TokenKind::RightParen | TokenKind::Semicolon) {
            return false;
        }
        self.expected("`,` or `)` in the list of arguments");
        self.skip_in_brackets(&[TokenKind::Comma]);
        self.eat(TokenKind::Comma)
    }

    /// `, a, b`, or nothing: the arguments of statements without parentheses.
    pub(super) fn trailing_arguments(&mut self) -> Box<[ExprId]> {
        if !self.eat(TokenKind::Comma) {
            return Box::default();
        }
        let first = self.pending_exprs.len();
        loop {
            let argument = self.expression();
            self.pending_exprs.push(argument);
            self.retired_qualifier();
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        let list = self.pending_exprs[first..].into();
        self.pending_exprs.truncate(first);
        list
    }

    /// `keys(e)` and its like.
    fn built_in(&mut self, make: fn(ExprId) -> ExprKind) -> Operand {
        let start = self.bump().start;
        let opening = self.span();
        if !self.expect(TokenKind::LeftParen, "`(` and a collection") {
            return self.error_expr();
        }
        let operand = self.any_operand();
        self.closing_paren(opening, "the argument");
        self.node(make(operand.id), start, operand.height + 1)
    }

    /// `default(type)`
    fn default_value(&mut self) -> Operand {
        let start = self.bump().start;
        let opening = self.span();
        if !self.expect(TokenKind::LeftParen, "`(` and a type") {
            return self.error_expr();
        }
        let ty = self.type_expr();
        self.closing_paren(opening, "the type");
        self.node(ExprKind::Default(ty), start, 1)
    }

    /// `choose()`, `choose(e)`
    fn choice(&mut self) -> Operand {
        let start = self.bump().start;
        let opening = self.span();
        if !self.expect(TokenKind::LeftParen, "`(`") {
            return self.error_expr();
        }
        if self.eat(TokenKind::RightParen) {
            return self.node(ExprKind::Choose(None), start, 1);
        }
        let from = self.any_operand();
        self.closing_paren(opening, "the argument");
        self.node(ExprKind::Choose(Some(from.id)), start, from.height + 1)
    }

    /// `format("..", a, b)`
    fn format(&mut self) -> Operand {
        let start = self.bump().start;
        let opening = self.span();
        if !self.expect(TokenKind::LeftParen, "`(`") {
            return self.error_expr();
        }
        if !self.at(TokenKind::Text) {
            self.expected("a string");
            self.skip_in_brackets(&[TokenKind::RightParen]);
            self.eat(TokenKind::RightParen);
            return self.error_expr();
        }
        let text_span = self.span();
        let text = self.string();
        let Arguments { list: arguments, height } = if self.eat(TokenKind::Comma) {
            self.argument_list()
        } else {
            Arguments { list: Box::default(), height: 0 }
        };
        self.closing_paren(opening, "the arguments");
        self.node(ExprKind::Format { text, text_span, arguments }, start, height + 1)
    }

    /// `(e)`, `(a, b)`, `(x = a, y = b)`
    fn parenthesised(&mut self) -> Operand {
        let opening = self.bump();
        if self.at_name() && self.nth(1) == TokenKind::Assign {
            return self.named_tuple(opening);
        }
        let first = self.any_operand();
        if !self.at(TokenKind::Comma) {
            self.closing_paren(opening, "the expression");
            return first;
        }
        self.bump();
        let mark = self.pending_exprs.len();
        self.pending_exprs.push(first.id);
        let mut height = first.height;
        if !self.at(TokenKind::RightParen) {
            let rest = self.argument_list();
            height = height.max(rest.height);
            self.pending_exprs.extend(&rest.list);
        }
        let items = self.pending_exprs[mark..].into();
        self.pending_exprs.truncate(mark);
        self.closing_paren(opening, "the tuple");
        self.node(ExprKind::Tuple(items), opening.start, height + 1)
    }

    fn named_tuple(&mut self, opening: Span) -> Operand {
        let mut fields: Vec<(Ident, ExprId)> = Vec::new();
        let mut height = 0;
        loop {
            let field = self.name("the name of a field");
            self.expect(TokenKind::Assign, "`=` and the value of the field");
            let value = self.any_operand();
            self.retired_qualifier();
            fields.push((field, value.id));
            height = height.max(value.height);
            if !self.eat(TokenKind::Comma) || (fields.len() == 1 && self.at(TokenKind::RightParen)) {
                break;
            }
        }
        let has_comma = self.kind_at(self.position() - 1) == TokenKind::Comma;
        if fields.len() == 1 && !has_comma && self.at(TokenKind::RightParen) {
            self.expected_with("`,` after the only field of a named tuple", |diagnostic| {
                diagnostic.hint("comparison is written `==`; a named tuple with one field `(x = 1,)`")
            });
        }
        self.closing_paren(opening, "the named tuple");
        self.node(ExprKind::NamedTuple(fields.into()), opening.start, height + 1)
    }

    /// A number, whole or with a point.
    fn numeral(&mut self) -> Operand {
        let start = self.start();
        let whole = self.at(TokenKind::Number).then(|| self.bump());
        match whole {
            Some(whole) if !self.at(TokenKind::Dot) || self.nth(1) != TokenKind::Number => {
                let value = self.number_value(whole);
                self.leaf(ExprKind::Int(value), whole)
            }
            _ => {
                self.bump();
                let fraction = self.span();
                if !self.expect(TokenKind::Number, "the digits of a number behind the point") {
                    return self.error_expr();
                }
                let whole = whole.map_or("0", |span| self.text(span));
                let text = format!("{whole}.{}", self.text(fraction));
                self.float(&text, start)
            }
        }
    }

    /// `float(b, e)`, the number b * 10^e.
    fn scientific_float(&mut self) -> Operand {
        let start = self.bump().start;
        let opening = self.span();
        if !self.expect(TokenKind::LeftParen, "`(`, digits, `,` and an exponent") {
            return self.error_expr();
        }
        let base = self.span();
        self.expect(TokenKind::Number, "a number");
        self.expect(TokenKind::Comma, "`,` and an exponent");
        let exponent = self.span();
        self.expect(TokenKind::Number, "an exponent");
        if self.recovering {
            self.skip_in_brackets(&[TokenKind::RightParen]);
            self.eat(TokenKind::RightParen);
            return self.error_expr();
        }
        self.closing_paren(opening, "the number");
        let text = format!("{}e{}", self.text(base), self.text(exponent));
        self.float(&text, start)
    }

    fn float(&mut self, text: &str, start: u32) -> Operand {
        let span = self.span_from(start);
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => self.leaf(ExprKind::Float(value), span),
            _ => {
                let message = "this number is too large for a `float`";
                self.report(Diagnostic::new(Code::LiteralOutOfRange, span, message));
                self.leaf(ExprKind::Float(0.0), span)
            }
        }
    }

    /// Takes a string and resolves its escapes.
    fn string(&mut self) -> Name {
        let span = self.bump();
        // Quotes that are not P's, and a string that ends with its line for want of one, were reported by the lexer.
        let mut quoted = self.text(span).chars();
        quoted.next();
        let inside = quoted.as_str();
        if !inside.contains('\\') {
            let content = inside.strip_suffix(['"', '\'', '’', '”', '`']).unwrap_or(inside);
            return self.tree.names.intern(content);
        }
        let text = unescaped(inside);
        self.tree.names.intern(&text)
    }

    /// Whether the `forall` or `exists` at the cursor begins a quantifier.
    fn begins_quantifier(&self) -> bool {
        use TokenKind as K;
        match self.nth(1) {
            K::New => self.nth(2) == K::LeftParen,
            K::LeftParen => self.nth(2).is_name() && self.nth(3) == K::Colon,
            _ => false,
        }
    }

    /// `forall (x: type) :: e`, `exists new (x: type) :: e`; the body extends as far as it can.
    fn quantifier(&mut self) -> Operand {
        let start = self.start();
        let universal = self.at(TokenKind::Forall);
        self.bump();
        let difference = self.eat(TokenKind::New);
        let opening = self.bump();
        let bound = self.typed_names("the name of a bound variable");
        self.closing_paren(opening, "the bound variables");
        let _ = self.expect(TokenKind::Colon, "`::` and a condition")
            && self.expect(TokenKind::Colon, "`::` and a condition");
        let body = self.any_operand();
        let quantifier = Quantifier { universal, difference, bound, body: body.id };
        self.node(ExprKind::Quantifier(Box::new(quantifier)), start, body.height + 1)
    }
}

/// What stands between the quotes, escapes resolved, up to the closing quote or the end.
fn unescaped(inside: &str) -> String {
    let mut text = String::with_capacity(inside.len());
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => break,
            '\\' => text.extend(characters.next().map(escaped)),
            _ => text.push(character),
        }
    }
    text
}

/// The character that a backslash and `character` stand for.
fn escaped(character: char) -> char {
    match character {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        other => other,
    }
}
