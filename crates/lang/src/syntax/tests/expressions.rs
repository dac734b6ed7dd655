//! The meaning of expressions and types.

use super::{error, expression, hint, statements, type_expr};

fn all_mean(table: &[(&str, &str)]) {
    for (text, meaning) in table {
        assert_eq!(expression(text), *meaning, "{text}");
    }
}

#[test]
fn every_kind_of_operand() {
    all_mean(&[
        ("a", "a"),
        ("17", "17"),
        ("true", "true"),
        ("false", "false"),
        ("null", "null"),
        ("halt", "halt"),
        ("this", "this"),
        ("$", "$"),
        ("$$", "$$"),
        ("\"s\"", "\"s\""),
        ("f()", "(call f)"),
        ("f(a, 1)", "(call f a 1)"),
        ("new M()", "(new M)"),
        ("new M(a, b)", "(new M a b)"),
        ("keys(m)", "(keys m)"),
        ("values(m)", "(values m)"),
        ("sizeof(s)", "(sizeof s)"),
        ("default(seq[int])", "(default seq[int])"),
        ("choose()", "(choose)"),
        ("choose(5)", "(choose 5)"),
        ("format(\"{0}\")", "(format \"{0}\")"),
        ("format(\"{0}{1}\", a, b)", "(format \"{0}{1}\" a b)"),
    ]);
}

#[test]
fn parentheses_leave_no_node_and_commas_make_tuples() {
    all_mean(&[
        ("((a))", "a"),
        ("(a,)", "(tuple a)"),
        ("(a, b)", "(tuple a b)"),
        ("((a, b), (c,))", "(tuple (tuple a b) (tuple c))"),
        ("(x = 1,)", "(tuple x=1)"),
        ("(x = 1, y = (z = 2,))", "(tuple x=1 y=(tuple z=2))"),
    ]);
}

#[test]
fn what_follows_an_operand_binds_strongest() {
    all_mean(&[
        ("a.b.c", "(. (. a b) c)"),
        ("a.0", "(. a 0)"),
        ("a[1][b.c]", "([] ([] a 1) (. b c))"),
        ("-a.b[0]", "(- ([] (. a b) 0))"),
        ("!f(x).y", "(! (. (call f x) y))"),
        ("a * b.c", "(* a (. b c))"),
    ]);
}

/// Every pair of neighbours in the table of precedences, in both orders.
#[test]
fn operators_bind_as_the_grammar_lists_them() {
    all_mean(&[
        ("-a * b", "(* (- a) b)"),
        ("a * -b", "(* a (- b))"),
        ("!a && b", "(&& (! a) b)"),
        ("a * b + c", "(+ (* a b) c)"),
        ("a + b * c", "(+ a (* b c))"),
        ("a - b % c / d", "(- a (/ (% b c) d))"),
        ("a + b as int", "(as (+ a b) int)"),
        ("a as int + b", "(+ (as a int) b)"),
        ("a + b to float", "(to (+ a b) float)"),
        ("a < b as int", "(< a (as b int))"),
        ("a as int < b", "(< (as a int) b)"),
        ("a < b + c", "(< a (+ b c))"),
        ("a in b == c", "(== (in a b) c)"),
        ("a == b in c", "(== a (in b c))"),
        ("a == b && c", "(&& (== a b) c)"),
        ("a && b == c", "(&& a (== b c))"),
        ("a && b || c", "(|| (&& a b) c)"),
        ("a || b && c", "(|| a (&& b c))"),
        ("a || b ==> c", "(==> (|| a b) c)"),
        ("a ==> b || c", "(==> a (|| b c))"),
        ("a ==> b <==> c", "(<==> (==> a b) c)"),
        ("a <==> b ==> c", "(<==> a (==> b c))"),
        ("a != b >= c <= d > e", "(!= a (> (<= (>= b c) d) e))"),
    ]);
}

#[test]
fn operators_of_one_strength_associate_to_the_left() {
    for op in ["*", "/", "%", "+", "-", "<", ">", "<=", ">=", "in", "==", "!=", "&&", "||", "==>", "<==>"] {
        assert_eq!(expression(&format!("a {op} b {op} c")), format!("({op} ({op} a b) c)"));
    }
    all_mean(&[
        ("a as int as any", "(as (as a int) any)"),
        ("a - b + c", "(+ (- a b) c)"),
        ("- - !a", "(- (- (! a)))"),
        ("a as int to float + b as any", "(as (+ (to (as a int) float) b) any)"),
    ]);
}

#[test]
fn the_verifiers_operators_bind_as_the_grammar_lists_them() {
    all_mean(&[
        ("e is K", "(is e K)"),
        ("e.f is K && b", "(&& (is (. e f) K) b)"),
        ("!e is K", "(! (is e K))"),
        ("e targets m ==> b", "(==> (targets e m) b)"),
        ("e targets m.f", "(targets e (. m f))"),
        ("e targets this targets n", "(targets (targets e this) n)"),
        ("inflight e && sent f", "(&& (inflight e) (sent f))"),
        ("inflight e.f", "(inflight (. e f))"),
        ("inflight e is K", "(inflight (is e K))"),
        ("sent e targets m", "(sent (targets e m))"),
        // Indexing is weaker than these in P's grammar.
        ("sent e[0]", "([] (sent e) 0)"),
        ("e targets m[0]", "([] (targets e m) 0)"),
        ("inflight inflight e", "(inflight (inflight e))"),
        ("-sent e", "(- (sent e))"),
    ]);
}

#[test]
fn the_body_of_a_quantifier_extends_as_far_as_it_can() {
    all_mean(&[
        ("forall (x: int) :: a ==> b <==> c", "(forall (x:int) (<==> (==> a b) c))"),
        ("exists (x: A, y: B) :: x == y", "(exists (x:A,y:B) (== x y))"),
        ("forall new (e: event) :: e is K", "(forall new (e:event) (is e K))"),
        ("a && forall (x: int) :: b && c", "(&& a (forall (x:int) (&& b c)))"),
        ("(forall (x: int) :: a) && b", "(&& (forall (x:int) a) b)"),
        ("forall (x: int) :: exists (y: int) :: a", "(forall (x:int) (exists (y:int) a))"),
        ("!exists (x: int) :: a || b", "(! (exists (x:int) (|| a b)))"),
    ]);
}

#[test]
fn every_kind_of_type() {
    for ty in ["bool", "int", "float", "string", "event", "machine", "data", "any", "Name"] {
        assert_eq!(type_expr(ty), ty);
    }
    assert_eq!(type_expr("seq[set[int]]"), "seq[set[int]]");
    assert_eq!(type_expr("map[int, map[string, any]]"), "map[int,map[string,any]]");
    assert_eq!(type_expr("(int)"), "(int)");
    assert_eq!(type_expr("(int, (bool, T))"), "(int,(bool,T))");
    assert_eq!(type_expr("(a: int, b: (c: T))"), "(a:int,b:(c:T))");
}

#[test]
fn spans_cover_parentheses_only_of_parts() {
    let (sources, tree, _) = super::parse_text("fun f() { x = ((a) + b).c; y = (d); }");
    let texts: Vec<&str> = tree.exprs.iter().map(|node| sources.text(node.span)).collect();
    assert_eq!(texts, ["x", "a", "b", "(a) + b", "((a) + b).c", "y", "d"]);
}

#[test]
fn one_named_field_needs_a_comma() {
    let text = "fun f() { x = (a = 1); }";
    assert_eq!(
        error(text),
        "1:21 syntax-error: expected `,` after the only field of a named tuple, found `)`"
    );
    assert!(hint(text).contains("(x = 1,)"));
}

#[test]
fn operands_that_are_missing_or_wrong_are_named() {
    let cases = [
        ("x = ;", "1:15 syntax-error: expected an expression, found `;`"),
        ("x = a + ;", "1:19 syntax-error: expected an expression, found `;`"),
        ("x = data;", "1:15 syntax-error: expected an expression, found the keyword `data`"),
        ("x = a[1;", "1:18 syntax-error: expected `]` to close the index, found `;`"),
        ("x = f(a;", "1:18 syntax-error: expected `)` to close the arguments, found `;`"),
        ("x = f(a b);", "1:19 syntax-error: expected `,` or `)` in the list of arguments, found `b`"),
        ("x = (a;", "1:17 syntax-error: expected `)` to close the expression, found `;`"),
        ("x = (1, 2,);", "1:21 syntax-error: expected an expression, found `)`"),
        ("x = a.;", "1:17 syntax-error: expected the name of a field, or a position, found `;`"),
        ("x = 1.;", "1:17 syntax-error: expected the name of a field, or a position, found `;`"),
        ("x = new (1);", "1:19 syntax-error: expected the name of a machine or interface, found `(`"),
        ("x = format(a);", "1:22 syntax-error: expected a string, found `a`"),
        ("x = keys m;", "1:20 syntax-error: expected `(` and a collection, found `m`"),
        ("x = a as 1;", "1:20 syntax-error: expected a type, found `1`"),
        ("x = seq[int];", "1:15 syntax-error: expected an expression, found the keyword `seq`"),
        ("x = forall (a: int) : b;", "1:33 syntax-error: expected `::` and a condition, found `b`"),
    ];
    for (statement, message) in cases {
        assert_eq!(error(&format!("fun f() {{ {statement} }}")), message, "{statement}");
    }
}

#[test]
fn a_closing_bracket_that_is_missing_points_at_the_opening_one() {
    let (sources, _, diagnostics) = super::parse_text("fun f() { x = g(1, (2, 3); }");
    let label = &diagnostics.iter().next().expect("a parenthesis is missing").labels[0];
    assert_eq!(sources.location(label.span).map(|place| place.column), Some(16));
}

#[test]
fn words_of_other_languages_have_hints() {
    assert_eq!(hint("fun f() { x = (a and b); }"), "`and` is written `&&`");
    assert_eq!(hint("fun f() { if (a or b) { } }"), "`or` is written `||`");
}

#[test]
fn damaged_expressions_leave_error_nodes() {
    assert_eq!(super::recovered("fun f() { x = a + ; }"), ["(fun f () {<error>})"]);
    assert_eq!(
        super::recovered("fun f() { if (a + ) { b = 1; } }"),
        ["(fun f () {(if <error> (block (= b 1)))})"]
    );
    assert_eq!(super::recovered("axiom a + ;"), ["(axiom (+ a <error>))"]);
    assert_eq!(statements("x = a;"), "(= x a)");
}
