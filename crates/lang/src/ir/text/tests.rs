//! Tests of the text form's details; whole programs are in `ir/tests`.

use super::{parse, print, print_function, print_instruction};
use crate::ids::{EventId, FunctionId};
use crate::ir::{Constant, Instruction, Label, Program};
use crate::types::TypeId;

fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The code of a function without registers.
fn code(lines: &str) -> Vec<Instruction> {
    program(&format!("fun f() {{\n{lines}\n}}")).functions.remove(0).code
}

fn error(text: &str) -> String {
    parse(text).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn floats_come_back_bit_by_bit() {
    let values = [
        0.0,
        -0.0,
        0.1,
        1.0 / 3.0,
        1e16,
        123_456_789_012_345_680.0,
        f64::MIN_POSITIVE,
        5e-324,
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        -f64::NAN,
        f64::from_bits(0x7ff0_0000_0000_0001),
    ];
    for value in values {
        let mut original = program("fun f() {\n  r0: float\n  r0 = 1.0\n  return\n}");
        original.functions[0].code[0] =
            Instruction::Const { to: crate::ir::Register(0), value: Constant::Float(value) };
        let text = print(&original);
        let Instruction::Const { value: Constant::Float(again), .. } = program(&text).functions[0].code[0]
        else {
            panic!("{text}");
        };
        assert_eq!(again.to_bits(), value.to_bits(), "{text}");
    }
}

#[test]
fn any_name_can_be_used_for_anything() {
    let names =
        ["event", "move", "r1", "L1", "#1", "", " ", "a.b", "this.x", "é", "\n", "'", "\\", "\"", "//", "$0"];
    for name in names {
        let mut quoted = String::new();
        for character in name.chars() {
            quoted += &format!("\\u{{{:x}}}", character as u32);
        }
        let text = "enum N { N = 1 }\nparam N: N\npermission N: interface N { N }\nevent null\nevent halt\n\
            event N: (N: @N, x: foreign N)\ninterface N(N) receives { N }\n\
            machine N {\n start N\n creates N\n var N: N\n state N {\n entry N\n on N goto N with N\n }\n}\n\
            fun N(r0 N: N) of N {\n r1: event\n r1 = event N\n r0 = param N\n this.N = r0\n new N(r0)\n call N(r0)\n \
            receive { N -> L6 }\nL6:\n goto N, r0\n}\n\
            test N {\n main N\n param N = enum 1\n bind N -> N\n}";
        let text = text.replace('N', &format!("'{quoted}'"));
        let original = program(&text);
        let printed = print(&original);
        assert_eq!(original.name(original.machines[0].fields[0].name), name);
        assert_eq!(print(&program(&printed)), printed);
    }
}

#[test]
fn declarations_with_one_name_are_told_apart_by_index() {
    let text = "event null\nevent halt\nevent e\nevent e: int\n\nfun f() {\n  r0: event\n  r0 = event #3\n  return\n}\n";
    let original = program(text);
    assert_eq!(print(&original), text);
    let Instruction::Const { value, .. } = original.functions[0].code[0] else { panic!("not a constant") };
    assert_eq!(value, Constant::Event(EventId(3)));
    assert_eq!(error(&text.replace("#3", "e")), "8:14: more than one event `e` is declared: give its index");
}

#[test]
fn indices_outside_of_everything_are_read_and_written() {
    let text = "machine M {\n  start #7\n}\n\nfun f() of #9 {\n  r0: #5\n  r1 = event #44\n  call #3(r88)\n  \
        this.#2 = r0\n  goto #1\n  jump #4000\n}\n";
    assert_eq!(print(&program(text)).trim_start(), text);
}

#[test]
fn a_label_can_stand_behind_the_last_instruction() {
    let text = "  jump L1\nL1:";
    assert_eq!(code(text), [Instruction::Jump(Label(1))]);
    assert_eq!(print(&program(&format!("fun f() {{\n{text}\n}}"))), format!("\nfun f() {{\n{text}\n}}\n"));
}

#[test]
fn labels_are_printed_only_where_something_jumps_to() {
    let text = print(&program("fun f() {\n halt\nL5:\n halt\nL7:\n jump L7\n}"));
    assert_eq!(text, "\nfun f() {\n  halt\n  halt\nL2:\n  jump L2\n}\n");
}

#[test]
fn the_types_of_a_doubling_chain_are_printed_in_linear_space() {
    let mut text = String::from("type $0 = (int, int)\n");
    for level in 1..200 {
        text += &format!("type ${level} = (${}, ${})\n", level - 1, level - 1);
    }
    text += "param p: $199\n";
    let printed = print(&program(&text));
    assert!(printed.len() < 20_000, "{} bytes", printed.len());
    assert_eq!(print(&program(&printed)), printed);
}

#[test]
fn types_nested_too_deep_are_an_error() {
    let nested = |depth: usize| format!("param p: {}int{}", "seq[".repeat(depth), "]".repeat(depth));
    assert!(parse(&nested(100)).is_ok());
    assert!(error(&nested(100_000)).ends_with("types cannot be nested more than 200 deep"));
}

#[test]
fn long_types_that_were_nested_deep_come_back() {
    let mut text = String::from("type $0 = seq[int]\n");
    (1..1000).for_each(|level| text += &format!("type ${level} = seq[${}]\n", level - 1));
    text += "param p: $999\n";
    let printed = print(&program(&text));
    assert_eq!(print(&program(&printed)), printed);
}

#[test]
fn one_function_or_instruction_can_be_printed() {
    let original = program("fun f() {\n halt\n}\nfun g(r0: int) -> int {\n return move r0\n}");
    let g = FunctionId(1);
    assert_eq!(print_function(&original, g), "fun g(r0: int) -> int {\n  return move r0\n}\n");
    assert_eq!(print_instruction(&original, g, 0), "return move r0");
    assert_eq!(print_instruction(&original, g, 1), "");
    assert_eq!(print_function(&original, FunctionId(2)), "");
}

#[test]
fn names_and_types_outside_their_tables_are_shown() {
    let mut original = program("param p: int");
    original.parameters[0].ty = TypeId(1000);
    original.parameters[0].name.0 = 2000;
    assert_eq!(print(&original), "param ?2000: ?1000\n");
}

#[test]
fn errors_say_what_and_where() {
    let cases = [
        ("evnt x", "1:1: expected a word of the text form"),
        ("int", "1:1: expected a declaration"),
        ("event x\nevent y:", "2:9: expected a type"),
        ("event x y", "1:9: expected the end of the line"),
        ("param p: Missing", "1:10: no enum `Missing` is declared"),
        ("// é\nparam 'é' : 'é", "2:13: no closing ' on this line"),
        ("param 'x\\q': int", "1:9: not an escape"),
        ("enum E { A = 9223372036854775808 }", "1:14: `9223372036854775808` is not a number that fits here"),
        ("fun f() {\n  jump L3\n}", "2:8: no line has the label `L3`"),
        ("fun f() {\nL3:\nL3:\n}", "3:1: label `L3` is in two places"),
        ("fun f() {\n  r1: int\n}", "2:3: expected `r0`"),
        ("fun f() {\n  goto S\n}", "2:8: expected the index of a state, `#0`"),
        ("fun f() {\n  halt", "2:7: expected an instruction"),
        ("test t {\n}", "2:2: the test does not say which interface is `main`"),
        ("interface I(int) receives { #5 }", "1:32: there is no event #5"),
        ("param p: $0", "1:10: no type `$0` is declared before"),
        ("%", "1:1: no token begins here"),
    ];
    for (text, message) in cases {
        assert_eq!(error(text), message, "{text}");
    }
}
