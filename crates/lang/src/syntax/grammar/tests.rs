//! Test declarations: what to run, with which parameters.

use crate::source::{Code, Diagnostic};
use crate::syntax::parser::{Parser, Words};
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{
    Coverage, Declaration, ExprId, Literal, ParameterValue, TestDeclaration, TestParameter,
};

impl Parser<'_> {
    /// `test param (..) assume e pairwise T [main=M]: ..;`, `test T [main=M]: .. refines ..;`
    pub(in crate::syntax) fn test_declaration(&mut self) -> Declaration {
        use TokenKind as K;
        let start = self.bump().start;
        let plain = self.position();
        let parameters = match (self.kind(), self.nth(1), self.nth(2)) {
            (K::Param, K::LeftParen, _) => self.test_parameters(),
            (K::Param, name, K::In) if name.is_name() => self.bare_test_parameters(),
            _ => Vec::new(),
        };
        let assume = (self.at(K::Assume) && self.nth(1) != K::LeftBracket).then(|| self.test_assumption());
        let coverage = self.coverage();
        let plain = self.position() == plain;
        let name = self.name("the name of the test");
        let (main, module) = if self.at_retired_test_main() {
            self.retired_test_main()
        } else {
            let main = self.main_machine();
            self.expect(K::Colon, "`:` and a module");
            (main, self.module_expr())
        };
        if self.at(K::Refines) && !plain {
            let message = "a refinement test has no parameters";
            self.report(Diagnostic::new(Code::SyntaxError, self.span(), message));
        }
        let refines = self.eat(K::Refines).then(|| self.module_expr());
        self.end_of_declaration("the test");
        let span = self.span_from(start);
        Declaration::Test(TestDeclaration { name, main, parameters, assume, coverage, module, refines, span })
    }

    /// `param (a in [1, 2], b in [true])`
    fn test_parameters(&mut self) -> Vec<TestParameter> {
        self.bump();
        let opening = self.bump();
        let mut parameters = vec![self.test_parameter()];
        while self.eat(TokenKind::Comma) {
            parameters.push(self.test_parameter());
        }
        self.closing_paren(opening, "the parameters");
        parameters
    }

    /// The same without the parentheses.
    fn bare_test_parameters(&mut self) -> Vec<TestParameter> {
        self.bump();
        let message = "the parameters of a test stand in parentheses".to_owned();
        let span = self.span();
        let mut parameters = vec![self.test_parameter()];
        while self.eat(TokenKind::Comma) {
            parameters.push(self.test_parameter());
        }
        let text = self.short_text_from(span.start);
        self.misread(span, message, format!("write `test param ({text})`"));
        parameters
    }

    fn test_parameter(&mut self) -> TestParameter {
        let name = self.name("the name of a parameter");
        self.expect(TokenKind::In, "`in` and a list of values");
        let opening = self.span();
        let mut values = Vec::new();
        if self.expect(TokenKind::LeftBracket, "`[` and the values") {
            values.extend(self.parameter_value());
            while self.eat(TokenKind::Comma) {
                values.extend(self.parameter_value());
            }
            self.closing_bracket(opening, "the values");
        }
        TestParameter { name, values }
    }

    /// `true`, `17` or `-17`
    fn parameter_value(&mut self) -> Option<ParameterValue> {
        let start = self.start();
        let value = match self.kind() {
            TokenKind::True | TokenKind::False => Literal::Bool(self.bump_bool()),
            TokenKind::Minus if self.nth(1) == TokenKind::Number => {
                self.bump();
                Literal::Int(-i64::from(self.number("a number")))
            }
            TokenKind::Number => Literal::Int(i64::from(self.number("a number"))),
            _ => {
                self.expected("a number, `true` or `false`");
                return None;
            }
        };
        Some(ParameterValue { value, span: self.span_from(start) })
    }

    fn bump_bool(&mut self) -> bool {
        let value = self.at(TokenKind::True);
        self.bump();
        value
    }

    /// `assume e`; the test's name follows at once, so contextual words join no expression here.
    fn test_assumption(&mut self) -> ExprId {
        self.bump();
        let words = std::mem::replace(&mut self.words, Words::Test);
        let assumption = self.expression();
        self.words = words;
        assumption
    }

    /// `pairwise` or `(3 wise)`, unless that is the test's name.
    fn coverage(&mut self) -> Option<Coverage> {
        use TokenKind as K;
        let span = self.span();
        if self.at(K::Pairwise) && self.nth(1) != K::LeftBracket {
            self.bump();
            return Some(Coverage { strength: 2, span, pairwise: true });
        }
        if !self.at(K::LeftParen) {
            return None;
        }
        self.bump();
        let strength = self.number("a number and `wise`");
        self.expect(K::Wise, "`wise`");
        self.closing_paren(span, "the strength of the combinations");
        Some(Coverage { strength, span: self.span_from(span.start), pairwise: false })
    }
}
