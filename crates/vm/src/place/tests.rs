use super::{Access, Change, change, item};
use crate::bug::BugKind;
use crate::value::{Extent, FieldNames, Value};
use std::sync::Arc;

fn int(number: i64) -> Value {
    Value::Int(number)
}

fn at(index: i64) -> Access {
    Access::Index(int(index))
}

fn names(names: &[&str]) -> FieldNames {
    FieldNames::new(names.iter().copied())
}

/// The extent counted afresh.
fn exact(value: &Value) -> Extent {
    match value {
        Value::Tuple(tuple) => parts(tuple.items().iter()),
        Value::Seq(seq) => parts(seq.items().iter()),
        Value::Set(set) => parts(set.items()),
        Value::Map(map) => parts(map.entries().flat_map(|(key, value)| [key, value])),
        _ => value.extent(),
    }
}

fn parts<'a>(parts: impl Iterator<Item = &'a Value>) -> Extent {
    parts.fold(Extent::EMPTY, |extent, part| extent.with(exact(part)))
}

#[test]
fn a_change_deep_inside_leaves_other_holders_alone() {
    let mut value = Value::map([(int(1), Value::seq([Value::tuple([int(5), int(6)])]))]);
    let before = value.clone();
    let path = [at(1), at(0), Access::Item { index: 1, names: None }];
    change(&mut value, &path, Change::Assign(int(7))).expect("the place is there");
    assert_eq!(value, Value::map([(int(1), Value::seq([Value::tuple([int(5), int(7)])]))]));
    assert_eq!(before, Value::map([(int(1), Value::seq([Value::tuple([int(5), int(6)])]))]));
}

#[test]
fn a_change_of_an_unshared_value_copies_nothing() {
    let mut value = Value::seq([Value::seq([int(1)])]);
    let address = |value: &Value| match value {
        Value::Seq(seq) => Arc::as_ptr(seq),
        _ => unreachable!("it stays a seq"),
    };
    let before = address(&value);
    change(&mut value, &[at(0)], Change::Insert(int(1), int(2))).expect("the place is there");
    assert_eq!(address(&value), before);
    assert_eq!(value, Value::seq([Value::seq([int(1), int(2)])]));
}

#[test]
fn extents_stay_exact_through_any_changes() {
    let deep = Value::seq([Value::seq([Value::seq([])])]);
    let mut value = Value::seq([int(1), deep.clone(), Value::set([]), Value::map([])]);
    let changes: [(&[Access], Change); 12] = [
        (&[at(1), at(0)], Change::Insert(int(1), deep.clone())),
        (&[at(1)], Change::Remove(int(0))),
        (&[], Change::Insert(int(4), deep.clone())),
        (&[], Change::Remove(int(4))),
        (&[at(2)], Change::Add(deep.clone())),
        (&[at(2)], Change::Add(deep.clone())),
        (&[at(2)], Change::Remove(deep.clone())),
        (&[at(3)], Change::Insert(int(0), deep.clone())),
        (&[at(3), at(0)], Change::Assign(Value::string("abc"))),
        (&[at(3), at(1)], Change::Assign(deep)),
        (&[at(3)], Change::Remove(int(1))),
        (&[], Change::Remove(int(1))),
    ];
    for (number, (path, what)) in changes.into_iter().enumerate() {
        change(&mut value, path, what).expect("every change fits");
        assert_eq!(value.extent(), exact(&value), "after change {number}");
    }
}

#[test]
fn wrong_places_are_faults_of_the_right_kind() {
    let two = || Value::seq([int(1), int(2)]);
    let map = || Value::map([(int(1), int(1))]);
    let cases: [(Value, &[Access], Change, BugKind); 9] = [
        (two(), &[at(2)], Change::Assign(int(0)), BugKind::IndexOutOfRange),
        (two(), &[at(-1)], Change::Assign(int(0)), BugKind::IndexOutOfRange),
        (two(), &[], Change::Insert(int(3), int(0)), BugKind::IndexOutOfRange),
        (two(), &[], Change::Remove(int(2)), BugKind::IndexOutOfRange),
        (map(), &[], Change::Insert(int(1), int(0)), BugKind::DuplicateKey),
        (map(), &[at(2), at(0)], Change::Assign(int(0)), BugKind::MissingKey),
        (Value::Null, &[at(0)], Change::Assign(int(0)), BugKind::NullDereference),
        (Value::Null, &[], Change::Add(int(0)), BugKind::NullDereference),
        (Value::set([int(0)]), &[at(0)], Change::Assign(int(0)), BugKind::BadCast),
    ];
    for (mut value, path, what, kind) in cases {
        let shown = format!("{value:?} {what:?}");
        let fault = change(&mut value, path, what).expect_err(&shown);
        assert_eq!(fault.kind, kind, "{shown}");
    }
}

#[test]
fn assigning_to_a_missing_key_adds_it_and_removing_one_does_nothing() {
    let mut map = Value::map([]);
    change(&mut map, &[at(1)], Change::Assign(int(5))).expect("the key is added");
    change(&mut map, &[], Change::Remove(int(9))).expect("there is nothing to remove");
    assert_eq!(map, Value::map([(int(1), int(5))]));
}

#[test]
fn fields_are_found_by_name_after_a_cast_to_other_fields() {
    let tuple = Value::named_tuple(names(&["a", "b"]), [int(1), int(2)]);
    let expected = names(&["b", "c"]);
    assert_eq!(item(&tuple, 0, Some(&expected)).expect("`b` is there"), &int(2));
    let fault = item(&tuple, 1, Some(&expected)).expect_err("`c` is not");
    assert_eq!(fault.kind, BugKind::BadCast);
}
