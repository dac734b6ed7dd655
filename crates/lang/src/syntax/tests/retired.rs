//! Syntax of older versions.

use super::{errors, hint, recovered};

/// Each text has exactly one error, which is retired syntax with this in its message and a hint.
#[test]
fn each_construct_of_old_is_named_and_has_a_replacement() {
    let in_function = [
        ("pop;", "`pop` is"),
        ("leave;", "`leave` is"),
        ("delete;", "`delete` is"),
        ("push S;", "`push` is"),
        ("push S, 1;", "`push` is"),
        ("monitor e, 1;", "`monitor` is"),
        ("send(m, e);", "`send` with parentheses is"),
        ("send(m, e, 1);", "`send` with parentheses is"),
        ("goto G.S;", "groups of states are"),
        ("f(x swap);", "`swap` is"),
        ("f(1, x move, y);", "`move` is"),
        ("x = y move;", "`move` is"),
        ("send m, e, x move;", "`move` is"),
        ("s += (1, x swap);", "`swap` is"),
        ("x = (a = y move, b = 1);", "`move` is"),
        ("print \"{0}\", x;", "filling in a string without `format` is"),
        ("s = \"{0}\", x;", "filling in a string without `format` is"),
        ("assert a, \"{0}\", x;", "filling in a string without `format` is"),
        ("if (*) { }", "`*` for an arbitrary choice is"),
        ("s.insert(0, x);", "functions that belong to collections are"),
        ("s.remove(0);", "functions that belong to collections are"),
        ("x = y as any<S>;", "`any` bounded by an event set is"),
    ];
    let in_state = [
        ("on e push S;", "`push` is"),
        ("on e goto S { x = 1; };", "a block right behind the target of a transition is"),
        ("on e goto G.H.S;", "groups of states are"),
        ("on default goto S;", "`default` as an event is"),
        ("on e do f [a = 1];", "annotations in brackets are"),
        ("on e do [a = 1] { }", "annotations in brackets are"),
        ("defer e [a = null];", "annotations in brackets are"),
    ];
    let in_machine = [
        ("group G { state A { } state B { } }", "groups of states are"),
        ("model fun f() { }", "`model fun` is"),
        ("static fun f() { }", "`static fun` is"),
        ("action f { x = 1; }", "`action` is"),
        ("maxqueue 3;", "`maxqueue` is"),
        ("start stable state X { }", "`stable` is"),
        ("stable state X { }", "`stable` is"),
        ("state X [a = 1] { }", "annotations in brackets are"),
        ("var x: int [a = b];", "annotations in brackets are"),
    ];
    let at_top = [
        ("event e assert 1;", "bounds on the queue of an event are"),
        ("event e assume 2: int;", "bounds on the queue of an event are"),
        ("event e: int assert 1;", "bounds on the queue of an event are"),
        ("event e [a = 1];", "annotations in brackets are"),
        ("machine M assume 4 { }", "bounds on the queue of a machine are"),
        ("machine M [a = 1] { }", "annotations in brackets are"),
        ("machine M : I { }", "exported interfaces are"),
        ("machine M sends e; creates N; { }", "`creates` clauses of machines are"),
        ("main machine M { }", "`main machine` is"),
        ("model machine M { }", "`model` and `real` machines are"),
        ("real machine M { }", "`model` and `real` machines are"),
        ("model M { }", "`model` and `real` machines are"),
        ("monitor M { state S { } }", "`monitor` is"),
        ("spec M monitors e { }", "`monitors` is"),
        ("static fun f() { }", "`static fun` is"),
        ("model fun f() { }", "`model fun` is"),
        ("extern fun f();", "`extern fun` is"),
        ("extern machine M(int);", "prototypes of machines are"),
        ("model type T = int;", "`model type` is"),
        ("include \"a.p\"", "including files is"),
        ("#include \"a.p\"", "including files is"),
        ("type I(int) = { a, b };", "interfaces declared by `type` are"),
        ("type I() = S;", "interfaces declared by `type` are"),
        ("module m = (hide a, b in c);", "`hide` is"),
        ("module m = (safe c);", "`safe` is"),
        ("module m = (assume s in c);", "`assume` of modules is"),
        ("module M private e; { machine A { } }", "modules that contain machines are"),
        ("test t: main M in m;", "`main` in the module of a test is"),
        ("test t: main M in m refines main N in n;", "`main` in the module of a test is"),
        ("implementation (compose a, b);", "implementations without a name are"),
        ("implementation a;", "implementations without a name are"),
    ];
    let texts = in_function.map(|(text, said)| (format!("fun f() {{ {text} }}"), said)).into_iter();
    let texts = texts
        .chain(in_state.map(|(text, said)| (format!("machine M {{ state S {{ {text} }} }}"), said)))
        .chain(in_machine.map(|(text, said)| (format!("machine M {{ {text} }}"), said)))
        .chain(at_top.map(|(text, said)| (text.to_owned(), said)));
    for (text, said) in texts {
        // What follows is still read.
        let text = format!("{text}\nevent x: ;");
        let errors = errors(&text);
        assert_eq!(errors.len(), 2, "{text}\n{errors:#?}");
        let message = format!("retired-syntax: {said} no longer part of P");
        assert!(errors[0].starts_with("1:") && errors[0].ends_with(&message), "{text}\n{}", errors[0]);
        assert_eq!(errors[1], "2:10 syntax-error: expected a type, found `;`", "{text}");
        assert!(!hint(&text).is_empty(), "{text}");
    }
}

#[test]
fn syntax_of_old_is_read_as_what_replaced_it() {
    let table = [
        ("fun f() { send(m, e, 1); }", "(fun f () {(send m e 1)})"),
        ("fun f() { monitor e, 1; }", "(fun f () {(announce e 1)})"),
        ("fun f() { goto G.S, 1; }", "(fun f () {(goto S 1)})"),
        ("fun f() { f(x swap, y); }", "(fun f () {(call f x y)})"),
        ("fun f() { if (*) ; }", "(fun f () {(if $ (skip))})"),
        (
            "machine M { group G { group H { state A { } } state B { } } state C { } }",
            "(machine M (state A) (state B) (state C))",
        ),
        ("machine M { action a { x = 1; } }", "(machine M (fun a () {(= x 1)}))"),
        ("machine M { state S { on default goto T; } }", "(machine M (state S (goto null T)))"),
        ("machine M { state S { on e goto T { ; }; } }", "(machine M (state S (goto e T ({(skip)}))))"),
        ("main machine M { var x: int; }", "(machine M (var x:int))"),
        ("model M assume 3 { var x: int; }", "(machine M (var x:int))"),
        ("monitor M { var x: int; }", "(spec M (var x:int))"),
        ("spec M monitors a, b { }", "(spec M observes[a,b])"),
        ("event e assert 1: int;", "(event e int)"),
        ("static model fun f(): int { return 1; }", "(fun f () : int {(return 1)})"),
        ("type I(int) = { a, b };", "(interface I int [a,b])"),
        ("test t: main M in m;", "(test t main=M m)"),
        ("module m = hide e in c;", "(module m c)"),
    ];
    for (text, meaning) in table {
        assert_eq!(recovered(text), [meaning], "{text}");
    }
}

#[test]
fn words_of_old_are_ordinary_names() {
    let words = [
        "pop",
        "push",
        "group",
        "swap",
        "move",
        "ref",
        "xfer",
        "model",
        "real",
        "monitor",
        "monitors",
        "static",
        "include",
        "fresh",
        "action",
        "call",
        "leave",
        "delete",
        "stable",
        "ghost",
        "extern",
        "hide",
        "export",
        "private",
        "maxqueue",
        "submachine",
        "trigger",
        "payload",
        "arg",
        "elseif",
        "elif",
        "for",
        "switch",
        "and",
        "or",
    ];
    for word in words {
        let text = format!(
            "event {word}: {word};
             fun {word}({word}: {word}): {word} {{
               var {word}: {word};
               {word} = {word}({word}, {word}.{word});
               {word}({word});
               {word}.{word} += ({word}, {word});
               if ({word}) {{ }}
               {word}();
               return {word};
             }}
             machine {word} {{ var {word}: int; state {word} {{ on {word}, {word} do {word}; on {word} goto {word}; }} }}
             module {word} = union {word}, {{ {word} }}, ({word});
             test {word} [main={word}]: {word};"
        );
        assert_eq!(errors(&text), Vec::<String>::new(), "{word}");
    }
}
