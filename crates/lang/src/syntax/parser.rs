//! The parser's cursor: tokens in, nodes out, and a report of what does not fit.
//!
//! The grammar's functions look at most a handful of tokens ahead, never go back, and always return something: where
//! text is missing or wrong they report it and leave an `Error` node or a missing name.
//!
//! Two rules keep reports free of echoes. While `recovering`, nothing is reported: it is set by a report and cleared
//! where the next statement, member or declaration begins. And no two reports begin at one place.
//!
//! Depth: everything that can nest calls [`Parser::enter`] before it recurs, so the stack holds at most `MAX_NESTING`
//! nested constructs, whatever the text. Expressions also grow from the inside (`a.b.c`), so their heights are carried
//! along in [`Operand`].

use std::collections::HashSet;

use super::lexer::Tokens;
use super::token::TokenKind;
use super::tree::{
    Expr, ExprId, ExprKind, Ident, MAX_NESTING, ModuleExpr, ModuleExprId, ModuleExprKind, Stmt, StmtId,
    StmtKind, Tree, TypeExpr, TypeExprId, TypeExprKind, VariableDeclaration,
};
use crate::names::Name;
use crate::source::{Code, Diagnostic, Diagnostics, SourceFile, Span};

pub(super) struct Parser<'a> {
    pub(super) tree: &'a mut Tree,
    diagnostics: &'a mut Diagnostics,
    file: &'a SourceFile,
    kinds: &'a [TokenKind],
    spans: &'a [Span],
    damaged: &'a [usize],
    // Invariant: below `kinds.len()`; the last token, `EndOfFile`, is never passed.
    position: usize,
    depth: u32,
    /// Whether the outermost construct around the cursor was reported as nested too deeply.
    too_deep: bool,
    pub(super) recovering: bool,
    /// How many errors there are so far, said or unsaid, behind which text may have been misread.
    pub(super) damage: u32,
    /// The token at which the latest report was made.
    latest: Option<usize>,
    /// Where reports begin.
    reported: HashSet<u32>,
    /// Elements of the lists that are being parsed, innermost last, so that each finished list is allocated once.
    pub(super) pending_exprs: Vec<ExprId>,
    pub(super) pending_stmts: Vec<StmtId>,
    /// Variables declared where the grammar has none, which join the locals of the function around.
    pub(super) misplaced: Vec<VariableDeclaration>,
    pub(super) words: Words,
    /// Whether `case` ends the statements here.
    pub(super) in_receive: bool,
    /// Whether a brace too many was blamed for what stands too far outside: then the next `}` that closes nothing is
    /// known.
    pub(super) brace_blamed: bool,
    /// The token behind the latest misplaced variable.
    pub(super) latest_misplaced: usize,
    /// How many modules of old, which contain declarations, are open.
    pub(super) open_modules: u32,
}

/// Which contextual words may begin or join expressions here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    Ordinary,
    /// In a proof, `using` and `except` end an expression.
    Proof,
    /// In the assumption of a test an expression may be followed by the test's name.
    Test,
}

/// An expression that was just built, with its height.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub(super) id: ExprId,
    pub(super) height: u32,
}

impl<'a> Parser<'a> {
    pub(super) fn new(
        file: &'a SourceFile,
        tokens: &'a Tokens,
        tree: &'a mut Tree,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        Self {
            tree,
            diagnostics,
            file,
            kinds: &tokens.kinds,
            spans: &tokens.spans,
            damaged: &tokens.damaged,
            position: 0,
            depth: 0,
            too_deep: false,
            recovering: false,
            damage: 0,
            latest: None,
            reported: tokens.reported.iter().copied().collect(),
            pending_exprs: Vec::new(),
            pending_stmts: Vec::new(),
            misplaced: Vec::new(),
            words: Words::Ordinary,
            in_receive: false,
            brace_blamed: false,
            latest_misplaced: 0,
            open_modules: 0,
        }
    }

    // ---- looking ----

    pub(super) fn kind(&self) -> TokenKind {
        self.kinds[self.position]
    }

    /// The kind of the token `distance` behind the cursor's.
    pub(super) fn nth(&self, distance: usize) -> TokenKind {
        self.kinds.get(self.position + distance).copied().unwrap_or(TokenKind::EndOfFile)
    }

    pub(super) fn kind_at(&self, position: usize) -> TokenKind {
        self.kinds[position]
    }

    pub(super) fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    pub(super) fn at_name(&self) -> bool {
        self.kind().is_name()
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    pub(super) fn span(&self) -> Span {
        self.spans[self.position]
    }

    pub(super) fn span_at(&self, position: usize) -> Span {
        self.spans[position]
    }

    pub(super) fn start(&self) -> u32 {
        self.span().start
    }

    /// The span of the token before the cursor, or the empty start of the file.
    pub(super) fn previous(&self) -> Span {
        match self.position.checked_sub(1) {
            Some(before) => self.spans[before],
            None => Span::new(self.file.start, self.file.start),
        }
    }

    /// From `start` to the end of the token before the cursor.
    pub(super) fn span_from(&self, start: u32) -> Span {
        Span::new(start, self.previous().end.max(start))
    }

    pub(super) fn text(&self, span: Span) -> &'a str {
        let file: &'a SourceFile = self.file;
        &file.text[(span.start - file.start) as usize..(span.end - file.start) as usize]
    }

    /// The text from `start` to the cursor on one line, for a hint; two dots if that would be long.
    pub(super) fn short_text_from(&self, start: u32) -> String {
        const LONG: u32 = 80;
        let span = self.span_from(start);
        if span.end - span.start > LONG {
            return "..".to_owned();
        }
        self.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The text of the cursor's token.
    pub(super) fn token_text(&self) -> &'a str {
        self.text(self.span())
    }

    /// Whether the cursor's token stands on a later line than the one before it, or at the end of the file.
    pub(super) fn on_new_line(&self) -> bool {
        let between = Span::new(self.previous().end, self.start());
        self.at(TokenKind::EndOfFile) || self.text(between).contains('\n')
    }

    // ---- moving ----

    pub(super) fn bump(&mut self) -> Span {
        let span = self.span();
        if !self.at(TokenKind::EndOfFile) {
            self.position += 1;
        }
        span
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.position += 1;
        }
        found
    }

    /// Takes the token that must be here, described by `what`.
    pub(super) fn expect(&mut self, kind: TokenKind, what: &str) -> bool {
        let found = self.eat(kind);
        if !found {
            self.expected(what);
        }
        found
    }

    /// Takes the cursor's token as a name; it must be one, or one of the words that stand for built-in names.
    pub(super) fn take_name(&mut self) -> Ident {
        let span = self.bump();
        let name = self.tree.names.intern(self.text(span));
        Ident { name, span }
    }

    /// Takes the name that must be here, described by `what`.
    pub(super) fn name(&mut self, what: &str) -> Ident {
        if self.at_name() {
            return self.take_name();
        }
        let is_word = self.reserved_word_as_name();
        let (word, next) = (self.token_text(), self.nth(1));
        self.expected_with(what, |diagnostic| {
            if is_word && next != TokenKind::LeftBrace {
                diagnostic.hint(format!("`{word}` is a word of the language and cannot be a name"))
            } else {
                diagnostic
            }
        });
        let span = self.previous().after();
        if is_word {
            self.bump();
        }
        Ident { name: Name::MISSING, span }
    }

    /// Whether the cursor's token is a reserved word where, by the look of it, somebody means a name.
    fn reserved_word_as_name(&self) -> bool {
        use TokenKind as K;
        self.kind().is_reserved_word()
            && !self.on_new_line()
            && matches!(
                self.nth(1),
                K::Colon
                    | K::Comma
                    | K::Semicolon
                    | K::Assign
                    | K::LeftParen
                    | K::RightParen
                    | K::LeftBrace
                    | K::Dot
            )
    }

    // ---- nodes ----

    pub(super) fn add_expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let id = ExprId(self.tree.exprs.len() as u32);
        self.tree.exprs.push(Expr { kind, span });
        id
    }

    /// An expression without parts.
    pub(super) fn leaf(&mut self, kind: ExprKind, span: Span) -> Operand {
        Operand { id: self.add_expr(kind, span), height: 1 }
    }

    pub(super) fn error_expr(&mut self) -> Operand {
        self.leaf(ExprKind::Error, self.previous().after())
    }

    /// An expression over parts, from `start` to the cursor. One that is too high becomes an error.
    pub(super) fn node(&mut self, kind: ExprKind, start: u32, height: u32) -> Operand {
        let span = self.span_from(start);
        if height > MAX_NESTING {
            self.nested_too_deeply(self.previous(), "expression");
            return self.leaf(ExprKind::Error, span);
        }
        Operand { id: self.add_expr(kind, span), height }
    }

    pub(super) fn add_stmt(&mut self, kind: StmtKind, start: u32) -> StmtId {
        let id = StmtId(self.tree.stmts.len() as u32);
        let span = self.span_from(start);
        self.tree.stmts.push(Stmt { kind, span });
        id
    }

    pub(super) fn add_type(&mut self, kind: TypeExprKind, start: u32) -> TypeExprId {
        let id = TypeExprId(self.tree.type_exprs.len() as u32);
        let span = self.span_from(start);
        self.tree.type_exprs.push(TypeExpr { kind, span });
        id
    }

    pub(super) fn add_module(&mut self, kind: ModuleExprKind, start: u32) -> ModuleExprId {
        let id = ModuleExprId(self.tree.module_exprs.len() as u32);
        let span = self.span_from(start);
        self.tree.module_exprs.push(ModuleExpr { kind, span });
        id
    }

    // ---- depth ----

    /// Begins a construct that can nest. When it returns `false` the construct is nested too deeply, which is reported:
    /// the caller must skip it, without `leave`.
    pub(super) fn enter(&mut self, what: &str) -> bool {
        if self.depth == 0 {
            self.too_deep = false;
        }
        // What is skipped leaves an error node, which needs a level of its own.
        if self.depth + 1 >= MAX_NESTING {
            self.nested_too_deeply(self.span(), what);
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Reports, once per outermost construct, that something nests beyond the limit.
    fn nested_too_deeply(&mut self, span: Span, what: &str) {
        if !self.too_deep {
            self.too_deep = true;
            let message = format!("this {what} is nested more than {MAX_NESTING} levels deep");
            self.report(Diagnostic::new(Code::NestedTooDeeply, span, message));
        }
    }

    // ---- reports ----

    /// Reports something unless another report begins at the same place.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if !self.diagnostics.is_full() && self.reported.insert(diagnostic.span.start) {
            self.diagnostics.report(diagnostic);
        }
    }

    /// Reports that `what` is missing at the cursor, and begins to recover.
    pub(super) fn expected(&mut self, what: &str) {
        self.expected_with(what, |diagnostic| diagnostic);
    }

    /// As [`Parser::expected`], with labels or a hint.
    pub(super) fn expected_with(&mut self, what: &str, more: impl FnOnce(Diagnostic) -> Diagnostic) {
        if self.diagnostics.is_full() {
            self.recovering = true;
            self.damage += 1;
            return;
        }
        let span = if self.on_new_line() { self.previous().after() } else { self.place() };
        let message = format!("expected {what}, found {}", self.found());
        self.fail(Diagnostic::new(Code::SyntaxError, span, message), more);
    }

    /// Reports that the cursor's token begins nothing of what may begin here, and begins to recover.
    pub(super) fn unexpected(&mut self, what: &str, more: impl FnOnce(Diagnostic) -> Diagnostic) {
        let message = format!("expected {what}, found {}", self.found());
        self.fail(Diagnostic::new(Code::SyntaxError, self.place(), message), more);
    }

    /// Where to report what is wrong at the cursor: its token, or just behind the one before if nothing follows.
    fn place(&self) -> Span {
        match self.kind() {
            TokenKind::RightBrace | TokenKind::EndOfFile => self.previous().after(),
            _ => self.span(),
        }
    }

    /// Reports an error at the cursor, unless it is a consequence of an earlier one, and begins to recover.
    pub(super) fn fail(&mut self, diagnostic: Diagnostic, more: impl FnOnce(Diagnostic) -> Diagnostic) {
        let consequence = self.recovering
            || self.latest == Some(self.position)
            || self.damaged.binary_search(&self.position).is_ok();
        self.recovering = true;
        self.damage += 1;
        self.latest = Some(self.position);
        if !consequence {
            let diagnostic = self.with_hint_of_text(more(diagnostic));
            self.report(diagnostic);
        }
    }

    /// Reports text behind the cursor that was understood though it is wrong: nothing has to be skipped.
    pub(super) fn misread(&mut self, span: Span, message: String, hint: String) {
        if !self.recovering {
            self.report(Diagnostic::new(Code::SyntaxError, span, message).hint(hint));
        }
    }

    /// The cursor's token as messages name it.
    pub(super) fn found(&self) -> String {
        match self.kind() {
            TokenKind::EndOfFile => "the end of the file".to_owned(),
            TokenKind::Text => "a string".to_owned(),
            kind if kind.is_reserved_word() => format!("the keyword `{}`", self.token_text()),
            _ => format!("`{}`", self.token_text().chars().take(40).collect::<String>()),
        }
    }

    /// Adds what helps against common slips that show in the text around the cursor.
    fn with_hint_of_text(&self, diagnostic: Diagnostic) -> Diagnostic {
        let previous = self.previous();
        if self.position > 0
            && self.kinds[self.position - 1] == TokenKind::Text
            && self.text(previous).contains('\n')
        {
            let opening = Span::new(previous.start, previous.start + 1);
            return diagnostic.label(opening, "the string that ends before it begins here");
        }
        let hint = match (self.kind(), self.token_text()) {
            (TokenKind::Assign, _) if ends_expression(&diagnostic.message) => "comparison is written `==`",
            (TokenKind::Plus, _) if self.text(previous) == "+" => "P has no `++`: write `n = n + 1`",
            (TokenKind::Identifier, "and") => "`and` is written `&&`",
            (TokenKind::Identifier, "or") => "`or` is written `||`",
            (TokenKind::Identifier, "mod") => "the remainder is written `%`",
            (TokenKind::Identifier, "payload") => {
                "the payload is the handler's parameter: `(payload: T) { .. }`"
            }
            _ => return diagnostic,
        };
        if diagnostic.hint.is_some() { diagnostic } else { diagnostic.hint(hint) }
    }
}

/// Whether what was expected, by the message, can only stand behind an expression.
fn ends_expression(message: &str) -> bool {
    ["expected `)`", "expected `]`", "expected `,` or `)`", "expected `;`"]
        .iter()
        .any(|expected| message.starts_with(expected))
}
