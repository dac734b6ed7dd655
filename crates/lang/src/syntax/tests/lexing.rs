//! Characters, numbers, strings and comments.

use super::{declarations, error, errors, expression, hint};

#[test]
fn comments_and_spaces_leave_nothing() {
    let text = "// event a;\r\n/* event b; /* */ event\t\x0Cc /**/ ; // ö\n/* * / \" */";
    assert_eq!(declarations(text), ["(event c)"]);
}

#[test]
fn operators_are_the_longest_that_fit() {
    assert_eq!(expression("a<==>b==>c"), "(<==> a (==> b c))");
    assert_eq!(expression("a<=b"), "(<= a b)");
    assert_eq!(expression("$$&&$"), "(&& $$ $)");
    assert_eq!(expression("a!=!b"), "(!= a (! b))");
    assert_eq!(expression("a- -b"), "(- a (- b))");
}

#[test]
fn strings_resolve_their_escapes_and_may_span_lines() {
    assert_eq!(expression(r#""a\n\t\r\\\"\0\'\q{0}""#), format!("{:?}", "a\n\t\r\\\"\0'q{0}"));
    assert_eq!(expression("\"two\nlines\""), r#""two\nlines""#);
    assert_eq!(expression(r#""""#), r#""""#);
    assert_eq!(expression(r#""// no comment /*""#), r#""// no comment /*""#);
    assert_eq!(expression(r#""ünïcode\ü""#), r#""ünïcodeü""#);
}

#[test]
fn an_unterminated_string_is_reported_at_its_quote_and_ends_with_its_line() {
    let text = "fun f() {\n  print \"no end);\n  x = ;\n}\nfun g() { y = ; }";
    assert_eq!(
        errors(text),
        [
            "2:9 unterminated-string: this string has no closing quote",
            "3:7 syntax-error: expected an expression, found `;`",
            "5:15 syntax-error: expected an expression, found `;`",
        ]
    );
    assert_eq!(error("event e; \"\\\""), "1:10 unterminated-string: this string has no closing quote");
}

#[test]
fn a_string_that_swallowed_lines_is_the_one_without_quote() {
    assert_eq!(
        errors("fun f() {\n  print \"one;\n  print \"two\";\n  print \"three\";\n  x = ;\n}"),
        [
            "2:9 unterminated-string: this string has no closing quote",
            "5:7 syntax-error: expected an expression, found `;`",
        ]
    );
    assert_eq!(expression("\"two\nlines\""), "\"two\\nlines\"");
}

#[test]
fn a_string_that_swallowed_lines_is_pointed_at() {
    let (sources, _, diagnostics) = super::parse_text("fun f() {\n  print \"one;\n  print \"two;\n}");
    let first = diagnostics.iter().next().expect("the quotes do not match");
    let label = first.labels.first().expect("the opening quote is labelled");
    assert_eq!(sources.location(label.span).map(|place| (place.line, place.column)), Some((2, 9)));
}

#[test]
fn an_unterminated_comment_is_reported_at_its_opening_and_nothing_else_is() {
    assert_eq!(
        error("machine M {\n  start state S { }\n  /* to the end }"),
        "3:3 unterminated-comment: this comment has no end"
    );
}

#[test]
fn adjacent_invalid_characters_are_one_error() {
    assert_eq!(
        errors("event a@@?@;\nevent ö;\nevent b;"),
        ["1:8 invalid-character: invalid characters `@@?@`", "2:7 invalid-character: invalid character `ö`",]
    );
}

#[test]
fn what_follows_an_invalid_character_is_not_blamed() {
    assert_eq!(error("fun f() { x = a & b; }"), "1:17 invalid-character: invalid character `&`");
    assert_eq!(hint("fun f() { x = a & b; }"), "`and` is written `&&`");
    assert_eq!(error("fun f() { x = 'a b'; }"), "1:15 invalid-character: invalid character `'`");
    assert_eq!(error("fun f() { x = “a b”; }"), "1:15 invalid-character: invalid character `“`");
    assert_eq!(error("fun f() { x = a – b; }"), "1:17 invalid-character: invalid character `–`");
    assert_eq!(error("fun f() { x = naïve + 1; }"), "1:17 invalid-character: invalid character `ï`");
    assert_eq!(error("fun f() { # x = \n x = 1; }"), "1:11 invalid-character: invalid character `#`");
}

#[test]
fn a_mark_of_byte_order_is_ignored_at_the_beginning_only() {
    assert_eq!(declarations("\u{feff}event e;"), ["(event e)"]);
    assert_eq!(error("event e;\u{feff}"), "1:9 invalid-character: invalid character `\\u{feff}`");
}

#[test]
fn numbers_beyond_the_largest_int_are_out_of_range() {
    assert_eq!(expression("2147483647"), "2147483647");
    assert_eq!(expression("0000000000007"), "7");
    let message = "literal-out-of-range: this number is too large for an `int`";
    assert_eq!(error("fun f() { x = 2147483648; }"), format!("1:15 {message}"));
    assert_eq!(error("fun f() { x = -99999999999999999999; }"), format!("1:16 {message}"));
    assert_eq!(error("fun f() { x = a.2147483648; }"), format!("1:17 {message}"));
    assert_eq!(error("enum E { A = 2147483648 }"), format!("1:14 {message}"));
    assert_eq!(error("test param (p in [-2147483648]) t [main=M]: m;"), format!("1:20 {message}"));
    assert_eq!(super::recovered("enum E { A = 2147483648 }"), ["(enum E A=0)"]);
}

#[test]
fn floats_are_made_of_numbers_and_points() {
    assert_eq!(expression("1.25"), "1.25f");
    assert_eq!(expression(".5"), "0.5f");
    assert_eq!(expression("1 . 5"), "1.5f");
    assert_eq!(expression("99999999999.5"), "99999999999.5f");
    assert_eq!(expression("float(12, 3)"), "12000.0f");
    assert_eq!(expression("a + .5"), "(+ a 0.5f)");
    let huge = format!("fun f() {{ x = {}.0; }}", "9".repeat(400));
    assert_eq!(error(&huge), "1:15 literal-out-of-range: this number is too large for a `float`");
    assert_eq!(
        error("fun f() { x = float(1, 999); }"),
        "1:15 literal-out-of-range: this number is too large for a `float`"
    );
    assert_eq!(error("fun f() { x = float(a, 1); }"), "1:21 syntax-error: expected a number, found `a`");
}

#[test]
fn points_behind_operands_are_positions() {
    assert_eq!(expression("x.0.1"), "(. (. x 0) 1)");
    assert_eq!(expression("x[0].1.2"), "(. (. ([] x 0) 1) 2)");
    assert_eq!(expression("f(x).0"), "(. (call f x) 0)");
    assert_eq!(expression("(1).2"), "(. 1 2)");
}
