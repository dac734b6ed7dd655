//! Modules, and the implementations made of them.

use crate::source::{Code, Diagnostic};
use crate::syntax::parser::Parser;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{
    Binding, Declaration, Ident, ImplementationDeclaration, ModuleDeclaration, ModuleExprId, ModuleExprKind,
};

impl Parser<'_> {
    /// `module M = ..;`
    pub(in crate::syntax) fn module_declaration(&mut self) -> Declaration {
        self.bump();
        let name = self.name("the name of the module");
        if !self.eat(TokenKind::Assign) {
            return self.retired_module_body(name);
        }
        let module = self.module_expr();
        self.end_of_declaration("the module");
        Declaration::Module(ModuleDeclaration { name, module })
    }

    /// `implementation I [main=M]: ..;`
    pub(in crate::syntax) fn implementation_declaration(&mut self) -> Declaration {
        let start = self.bump().start;
        self.retired_nameless_implementation();
        let name = self.name("the name of the implementation");
        let main = self.at(TokenKind::LeftBracket).then(|| self.main_machine());
        self.expect(TokenKind::Colon, "`:` and a module");
        let module = self.module_expr();
        self.end_of_declaration("the implementation");
        Declaration::Implementation(ImplementationDeclaration {
            name,
            main,
            module,
            span: self.span_from(start),
        })
    }

    /// `[main=M]`
    pub(in crate::syntax) fn main_machine(&mut self) -> Ident {
        let opening = self.span();
        self.expect(TokenKind::LeftBracket, "`[main=..]`");
        self.expect(TokenKind::Main, "`main`");
        self.expect(TokenKind::Assign, "`=`");
        let main = self.name("the name of the main machine");
        self.closing_bracket(opening, "the main machine");
        main
    }

    pub(in crate::syntax) fn module_expr(&mut self) -> ModuleExprId {
        let start = self.start();
        if !self.enter("module") {
            self.skip_nested_module();
            return self.add_module(ModuleExprKind::Error, start);
        }
        let module = self.module_inside(start);
        self.leave();
        module
    }

    fn module_inside(&mut self, start: u32) -> ModuleExprId {
        use TokenKind as K;
        let kind = match self.kind() {
            K::LeftParen => return self.module_in_parentheses(),
            K::LeftBrace => self.bindings(),
            K::Compose => ModuleExprKind::Compose(self.module_list("compose")),
            K::Union => ModuleExprKind::Union(self.module_list("union")),
            K::HideEvents => {
                self.bump();
                let events = self.events();
                ModuleExprKind::HideEvents { events, module: self.module_after_in() }
            }
            K::HideInterfaces => {
                self.bump();
                let interfaces = self.names("the name of an interface");
                ModuleExprKind::HideInterfaces { interfaces, module: self.module_after_in() }
            }
            K::Assert => {
                self.bump();
                let specs = self.names("the name of a spec");
                ModuleExprKind::Assert { specs, module: self.module_after_in() }
            }
            K::Rename => self.renaming(),
            K::Main => {
                self.bump();
                let machine = self.name("the name of the main machine");
                ModuleExprKind::Main { machine, module: self.module_after_in() }
            }
            kind if kind.is_name() => {
                if let Some(module) = self.retired_module() {
                    return module;
                }
                ModuleExprKind::Named(self.take_name().name)
            }
            _ => {
                self.expected("a module");
                return self.add_module(ModuleExprKind::Error, self.previous().end);
            }
        };
        self.add_module(kind, start)
    }

    fn module_in_parentheses(&mut self) -> ModuleExprId {
        let opening = self.bump();
        let module = self.module_expr();
        if !self.eat(TokenKind::RightParen) {
            self.expected_with("`)` to close the module", |diagnostic| {
                diagnostic.label(opening, "opened here")
            });
            self.skip_nested_module();
            self.eat(TokenKind::RightParen);
        }
        module
    }

    /// `{ A, B -> I }`
    fn bindings(&mut self) -> ModuleExprKind {
        let opening = self.bump();
        let mut bindings = vec![self.binding()];
        while self.eat(TokenKind::Comma) {
            bindings.push(self.binding());
        }
        if !self.eat(TokenKind::RightBrace) {
            self.expected_with("`,` or `}` in the list of machines", |diagnostic| {
                diagnostic.label(opening, "it begins here")
            });
            self.skip_nested_module();
            self.eat(TokenKind::RightBrace);
        }
        ModuleExprKind::Bind(bindings.into())
    }

    fn binding(&mut self) -> Binding {
        let machine = self.name("the name of a machine");
        let interface = self.eat(TokenKind::Arrow).then(|| self.name("the name of an interface"));
        Binding { machine, interface }
    }

    /// `compose a, b, ..`
    fn module_list(&mut self, word: &str) -> Box<[ModuleExprId]> {
        let span = self.bump();
        let mut modules = vec![self.module_expr()];
        while self.eat(TokenKind::Comma) {
            modules.push(self.module_expr());
        }
        if modules.len() == 1 && !self.recovering {
            let message = format!("`{word}` takes at least two modules");
            let error = Diagnostic::new(Code::SyntaxError, span, message);
            self.report(error.hint("a list inside a list takes all that follows: put it in parentheses"));
        }
        modules.into()
    }

    fn module_after_in(&mut self) -> ModuleExprId {
        self.expect(TokenKind::In, "`in` and a module");
        self.module_expr()
    }

    /// `rename a to b in m`
    fn renaming(&mut self) -> ModuleExprKind {
        self.bump();
        let old = self.name("the name of an interface");
        self.expect(TokenKind::To, "`to` and the new name");
        let new = self.name("the new name of the interface");
        ModuleExprKind::Rename { old, new, module: self.module_after_in() }
    }
}
