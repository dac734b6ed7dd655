//! Types.

use crate::syntax::parser::Parser;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{Parameter, Primitive, TypeExprId, TypeExprKind};

impl Parser<'_> {
    pub(in crate::syntax) fn type_expr(&mut self) -> TypeExprId {
        let start = self.start();
        if !self.enter("type") {
            self.skip_nested();
            return self.add_type(TypeExprKind::Error, start);
        }
        let kind = self.type_kind();
        self.leave();
        let start = if matches!(kind, TypeExprKind::Error) { self.previous().end } else { start };
        self.add_type(kind, start)
    }

    fn type_kind(&mut self) -> TypeExprKind {
        use TokenKind as K;
        let primitive = match self.kind() {
            K::Bool => Primitive::Bool,
            K::Int => Primitive::Int,
            K::Float => Primitive::Float,
            K::String => Primitive::String,
            K::Event => Primitive::Event,
            K::Machine => Primitive::Machine,
            K::Data => Primitive::Data,
            K::Any => Primitive::Any,
            K::Seq => return self.collection_type(TypeExprKind::Seq),
            K::Set => return self.collection_type(TypeExprKind::Set),
            K::Map => return self.map_type(),
            K::LeftParen => return self.tuple_type(),
            kind if kind.is_name() => return TypeExprKind::Named(self.take_name().name),
            _ => {
                self.expected("a type");
                return TypeExprKind::Error;
            }
        };
        self.bump();
        if primitive == Primitive::Any && self.at(K::Less) {
            self.retired_bounded_type();
        }
        TypeExprKind::Primitive(primitive)
    }

    /// `seq[type]`, `set[type]`
    fn collection_type(&mut self, make: fn(TypeExprId) -> TypeExprKind) -> TypeExprKind {
        self.bump();
        let opening = self.span();
        if !self.expect(TokenKind::LeftBracket, "`[` and the type of the elements") {
            return TypeExprKind::Error;
        }
        let element = self.type_expr();
        self.closing_bracket(opening, "the type");
        make(element)
    }

    /// `map[type, type]`
    fn map_type(&mut self) -> TypeExprKind {
        self.bump();
        let opening = self.span();
        if !self.expect(TokenKind::LeftBracket, "`[` and the types of keys and values") {
            return TypeExprKind::Error;
        }
        let key = self.type_expr();
        self.expect(TokenKind::Comma, "`,` and the type of the values");
        let value = self.type_expr();
        self.closing_bracket(opening, "the type");
        TypeExprKind::Map(key, value)
    }

    /// `(type, type)`, `(a: type, b: type)`
    fn tuple_type(&mut self) -> TypeExprKind {
        let opening = self.bump();
        if self.begins_field() {
            let fields = self.typed_names("the name of a field");
            self.closing_paren(opening, "the type");
            return TypeExprKind::NamedTuple(fields.into());
        }
        let mut types = vec![self.type_expr()];
        while self.eat(TokenKind::Comma) {
            types.push(self.type_expr());
        }
        self.closing_paren(opening, "the type");
        TypeExprKind::Tuple(types.into())
    }

    /// Whether a field begins at the cursor, perhaps without its `:` or with a word of P's as its name.
    fn begins_field(&self) -> bool {
        let next = self.nth(1);
        (next == TokenKind::Colon && (self.at_name() || self.kind().is_reserved_word()))
            || (self.at_name() && (next.is_name() || next.begins_type()))
    }

    /// `a: type, b: type`
    pub(in crate::syntax) fn typed_names(&mut self, what: &str) -> Vec<Parameter> {
        let mut parameters = vec![self.typed_name(what)];
        while self.eat(TokenKind::Comma) {
            parameters.push(self.typed_name(what));
        }
        parameters
    }

    /// `a: type`
    pub(in crate::syntax) fn typed_name(&mut self, what: &str) -> Parameter {
        let name = self.name(what);
        self.retired_qualifier();
        self.expect(TokenKind::Colon, "`:` and a type");
        Parameter { name, ty: self.type_expr() }
    }
}
