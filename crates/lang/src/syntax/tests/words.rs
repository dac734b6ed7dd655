//! Words that mean something in one construct and are ordinary names elsewhere.

use super::{declaration, declarations, error, expression, statements};

const CONTEXTUAL: [&str; 26] = [
    "invariant",
    "axiom",
    "is",
    "inflight",
    "targets",
    "sent",
    "Proof",
    "prove",
    "using",
    "Lemma",
    "Theorem",
    "except",
    "requires",
    "ensures",
    "forall",
    "exists",
    "init",
    "condition",
    "pure",
    "assume",
    "param",
    "scenario",
    "pairwise",
    "wise",
    "paramtest",
    "safe",
];

const RESERVED: [&str; 74] = [
    "any",
    "bool",
    "enum",
    "event",
    "eventset",
    "float",
    "int",
    "machine",
    "interface",
    "map",
    "set",
    "string",
    "seq",
    "data",
    "announce",
    "as",
    "assert",
    "break",
    "case",
    "cold",
    "continue",
    "default",
    "defer",
    "do",
    "else",
    "entry",
    "exit",
    "foreach",
    "format",
    "fun",
    "goto",
    "halt",
    "hot",
    "if",
    "ignore",
    "in",
    "keys",
    "new",
    "observes",
    "on",
    "print",
    "raise",
    "receive",
    "return",
    "send",
    "sizeof",
    "spec",
    "start",
    "state",
    "this",
    "type",
    "values",
    "var",
    "while",
    "with",
    "choose",
    "module",
    "implementation",
    "test",
    "refines",
    "compose",
    "union",
    "hidee",
    "hidei",
    "rename",
    "main",
    "receives",
    "sends",
    "creates",
    "to",
    "true",
    "false",
    "null",
    "null",
];

#[test]
fn contextual_words_name_all_sorts_of_declarations() {
    for word in CONTEXTUAL {
        let program = format!(
            "type {word} = int;
             enum E {{ {word}, B }}
             event {word}: {word};
             eventset {word} = {{ {word}, halt }};
             interface {word}((a: {word})) receives {word};
             fun {word}({word}: {word}): {word} {{ var {word}: {word}; return {word}; }}
             machine {word} receives {word}; sends {word}; {{
               var {word}, b: (a: {word});
               start state {word} {{
                 entry {word}; exit {word}; defer {word}; ignore {word};
                 on {word}, {word} do {word};
                 on {word} goto {word} with {word};
                 on {word} do ({word}: {word}) {{ }}
               }}
             }}
             spec {word} observes {word} {{ }}
             scenario {word} observes {word} {{ }}
             param {word}: int;
             module {word} = union {word}, {{ {word} -> {word}, {word} }};
             module {word} = rename {word} to {word} in assert {word} in hidee {word} in hidei {word} in {word};
             test {word} [main={word}]: {word} refines {word};
             test param ({word} in [1]) {word} [main={word}]: {word};
             test assume {word} {word} [main={word}]: {word};
             test assume {word} && {word} pairwise {word} [main={word}]: {word};
             test assume {word} (2 wise) {word} [main={word}]: {word};
             implementation {word} [main={word}]: {word};
             pure {word}({word}: {word}): {word} = {word};
             invariant {word}: {word};
             Lemma {word} {{ invariant {word}: {word}; }}
             Proof {word} {{ prove {word}, {word} using {word} except {word}; }}"
        );
        assert_eq!(declarations(&program).len(), 22, "{word}");
    }
}

#[test]
fn contextual_words_are_variables_in_expressions() {
    for word in CONTEXTUAL {
        assert_eq!(expression(word), word);
        assert_eq!(
            expression(&format!("{word} + {word} * -{word}")),
            format!("(+ {word} (* {word} (- {word})))")
        );
        assert_eq!(expression(&format!("{word} - {word}")), format!("(- {word} {word})"));
        assert_eq!(expression(&format!("{word}.{word}")), format!("(. {word} {word})"));
        assert_eq!(expression(&format!("{word}.0")), format!("(. {word} 0)"));
        assert_eq!(expression(&format!("{word}[{word}]")), format!("([] {word} {word})"));
        assert_eq!(expression(&format!("{word}({word}, 1)")), format!("(call {word} {word} 1)"));
        assert_eq!(expression(&format!("{word}()")), format!("(call {word})"));
        assert_eq!(expression(&format!("({word})")), word);
        assert_eq!(expression(&format!("({word} = {word},)")), format!("(tuple {word}={word})"));
        assert_eq!(expression(&format!("({word}, {word})")), format!("(tuple {word} {word})"));
        assert_eq!(expression(&format!("{word} in {word}")), format!("(in {word} {word})"));
        assert_eq!(expression(&format!("{word} as {word}")), format!("(as {word} {word})"));
        assert_eq!(expression(&format!("new {word}({word})")), format!("(new {word} {word})"));
        assert_eq!(expression(&format!("{word} is K")), format!("(is {word} K)"));
        assert_eq!(expression(&format!("a is {word}")), format!("(is a {word})"));
        assert_eq!(expression(&format!("{word} targets m")), format!("(targets {word} m)"));
        assert_eq!(expression(&format!("sent {word} && a")), format!("(&& (sent {word}) a)"));
    }
}

#[test]
fn contextual_words_are_variables_in_statements() {
    for word in CONTEXTUAL {
        assert_eq!(statements(&format!("{word} = 1;")), format!("(= {word} 1)"));
        assert_eq!(statements(&format!("{word} += (1);")), format!("(add {word} 1)"));
        assert_eq!(statements(&format!("{word} -= 1;")), format!("(remove {word} 1)"));
        assert_eq!(statements(&format!("{word}.x = 1;")), format!("(= (. {word} x) 1)"));
        assert_eq!(statements(&format!("{word}[0].1 = 1;")), format!("(= (. ([] {word} 0) 1) 1)"));
        assert_eq!(
            statements(&format!("foreach ({word} in {word}) {word} = 1;")),
            format!("(foreach {word} {word} (= {word} 1))")
        );
        assert_eq!(statements(&format!("goto {word}, {word};")), format!("(goto {word} {word})"));
        assert_eq!(
            statements(&format!("send {word}, {word}, {word};")),
            format!("(send {word} {word} {word})")
        );
        assert_eq!(
            statements(&format!("receive {{ case {word}: ({word}: {word}) {{ }} }}")),
            format!("(receive (case {word} ({word}:{word}) {{}}))")
        );
        if word != "assume" {
            assert_eq!(statements(&format!("{word}({word});")), format!("(call {word} {word})"));
        }
    }
    // A function called `assume` cannot be told from the statement.
    assert_eq!(statements("assume(a);"), "(assume a)");
}

#[test]
fn operators_that_are_words_need_operands() {
    assert_eq!(expression("sent(e)"), "(call sent e)");
    assert_eq!(expression("inflight (e).f"), "(. (call inflight e) f)");
    assert_eq!(expression("forall(x)"), "(call forall x)");
    assert_eq!(expression("sent is K"), "(is sent K)");
    assert_eq!(expression("sent targets"), "(sent targets)");
    assert_eq!(expression("forall (x: int) :: x"), "(forall (x:int) x)");
    assert_eq!(expression("is is is"), "(is is is)");
    assert_eq!(expression("targets targets targets"), "(targets targets targets)");
}

#[test]
fn words_of_tests_name_tests() {
    assert_eq!(declaration("test param [main=M]: m;"), "(test param main=M m)");
    assert_eq!(declaration("test assume [main=M]: m;"), "(test assume main=M m)");
    assert_eq!(declaration("test pairwise pairwise [main=M]: m;"), "(test pairwise main=M 2wise! m)");
    assert_eq!(declaration("test assume sent is [main=M]: m;"), "(test is main=M (assume sent) m)");
    assert_eq!(declaration("test assume a[0] t [main=M]: m;"), "(test t main=M (assume ([] a 0)) m)");
}

#[test]
fn reserved_words_are_no_identifiers() {
    for word in RESERVED {
        let said = error(&format!("event {word};"));
        assert_eq!(
            said,
            format!("1:7 syntax-error: expected the name of the event, found the keyword `{word}`")
        );
    }
}
