use super::{Naming, fill, text};
use crate::value::{FieldNames, Permission, Reference, Value};
use fabius_lang::ids::{EnumId, EventId};
use fabius_lang::types::{Type, TypeId};
use fabius_model::ActorId;

struct Names;

impl Naming for Names {
    fn machine(&self, actor: ActorId) -> String {
        format!("M({})", actor.0)
    }
    fn event(&self, _: EventId) -> &str {
        "eGo"
    }
    fn shape(&self, _: TypeId) -> &Type {
        &Type::Any
    }
    fn element(&self, _: EnumId, _: i64) -> Option<&str> {
        None
    }
}

fn shown(value: &Value) -> String {
    text(value, &Names)
}

#[test]
fn simple_values_print_as_in_p() {
    let machine = Value::Machine(Reference { actor: ActorId(1), permission: Permission(0) });
    let cases = [
        (Value::Null, ""),
        (Value::Bool(true), "True"),
        (Value::Bool(false), "False"),
        (Value::Int(-7), "-7"),
        (Value::Event(EventId(2)), "eGo"),
        (machine, "M(1)"),
        (Value::string("a b"), "a b"),
    ];
    for (value, expected) in cases {
        assert_eq!(shown(&value), expected);
    }
}

#[test]
fn floats_print_as_in_c_sharp() {
    let cases = [
        (2.0, "2"),
        (-0.5, "-0.5"),
        (0.1, "0.1"),
        (-0.0, "-0"),
        (1e14, "100000000000000"),
        (1e15, "1E+15"),
        (1.5e300, "1.5E+300"),
        (0.0001, "0.0001"),
        (0.00001, "1E-05"),
        (f64::NAN, "NaN"),
        (f64::NEG_INFINITY, "-Infinity"),
    ];
    for (number, expected) in cases {
        assert_eq!(shown(&Value::Float(number)), expected);
    }
}

#[test]
fn composite_values_print_as_in_p() {
    let (one, two) = (Value::Int(1), Value::Int(2));
    assert_eq!(shown(&Value::tuple([one.clone(), Value::string("a")])), "<1,a,>");
    let names = FieldNames::new(["k", "l"]);
    assert_eq!(shown(&Value::named_tuple(names, [two.clone(), Value::Null])), "<k:2, l:, >");
    assert_eq!(shown(&Value::seq([one.clone(), two.clone()])), "(1, 2)");
    assert_eq!(shown(&Value::seq([])), "()");
    assert_eq!(shown(&Value::map([(Value::Int(4), Value::Bool(true))])), "(<4->True>)");
}

#[test]
fn sets_and_maps_print_in_the_order_of_texts_not_of_insertion() {
    let set = Value::set([Value::Int(9), Value::Int(10), Value::Int(9)]);
    assert_eq!(shown(&set), "(<10>, <9>)");
    let map = Value::map([(Value::string("b"), Value::Int(1)), (Value::string("a"), Value::Int(2))]);
    assert_eq!(shown(&map), "(<a->2>, <b->1>)");
}

#[test]
fn templates_are_filled_and_doubled_braces_become_single() {
    let arguments = ["x".to_owned(), "y".to_owned()];
    assert_eq!(fill("{1}-{0}-{1}", &arguments), "y-x-y");
    assert_eq!(fill("{{x}} {0}}}", &arguments), "{x} x}");
    assert_eq!(fill("plain", &[]), "plain");
}

#[test]
fn braces_that_mean_nothing_stay() {
    assert_eq!(fill("{7} { } {a}", &["x".to_owned()]), "{7} { } {a}");
}
