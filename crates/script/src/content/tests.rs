use super::{read, write};
use crate::opaque::Opaque;
use fabius_vm::Value;
use rhai::{Dynamic, Engine};

fn script_value(expression: &str) -> Dynamic {
    Engine::new().eval(expression).expect("the expression is right")
}

/// The content, after having been read and written again.
fn content(value: &Dynamic) -> String {
    let Ok(Value::Foreign(first)) = write(value, "T") else { panic!("{value:?} has no content") };
    let again = read(&first).expect("what was written can be read");
    assert_eq!(write(&again, "T"), Ok(Value::Foreign(first.clone())), "{again:?}");
    first.content().to_owned()
}

#[test]
fn every_kind_of_value_is_written_and_read_back() {
    for (expression, expected) in [
        ("()", "null"),
        ("true", "true"),
        ("-12", "-12"),
        ("1.0", "1.0"),
        ("1e300", "1e300"),
        ("[]", "[]"),
        ("#{}", "{}"),
        ("\"a\\\"b\\\\c\\n\\u0000d\"", "\"a\\\"b\\\\c\\n\\u0000d\""),
        ("'x'", "'x'"),
        ("'\\''", "'\\''"),
        ("[1, [2.5, ()], \"], }\"]", "[1, [2.5, null], \"], }\"]"),
        ("#{ b: 1, a: [#{ c: 'q' }] }", "{\"a\": [{\"c\": 'q'}], \"b\": 1}"),
    ] {
        assert_eq!(content(&script_value(expression)), expected, "{expression}");
    }
}

#[test]
fn floats_beyond_numbers_are_kept() {
    for number in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -0.0] {
        let text = content(&Dynamic::from_float(number));
        assert_eq!(text, format!("{number:?}"));
    }
}

#[test]
fn values_of_p_are_parts() {
    let pair = Value::tuple([Value::Int(1), Value::Bool(true)]);
    let value: Dynamic = vec![Dynamic::from(Opaque(pair.clone())), 5.into()].into();
    let Ok(Value::Foreign(written)) = write(&value, "T") else { panic!("it has no content") };
    assert_eq!((written.content(), written.parts()), ("[\0, 5]", &[pair][..]));
    assert_eq!(content(&value), "[\0, 5]");
}

#[test]
fn functions_and_deep_values_have_no_content() {
    let function = script_value("|x| x");
    assert_eq!(write(&function, "T").err(), Some("a function, which a value of type `T` cannot hold".into()));
    let deep = script_value("let x = []; for i in 0..200 { x = [x]; } x");
    assert!(write(&deep, "T").is_err_and(|message| message.contains("more than 100 levels")));
}
