use super::{Map, SMALL, Set};
use crate::value::Value;

fn int(number: i64) -> Value {
    Value::Int(number)
}

#[test]
fn large_sets_behave_like_small_ones() {
    let mut set = Set::default();
    let size = SMALL as i64 * 20;
    for number in (0..size).chain(0..size) {
        set.insert(int(number * 7 % size));
    }
    assert_eq!(set.len() as i64, size);
    for number in 0..size / 2 {
        assert!(set.contains(&int(number)));
        set.remove(&int(number));
        assert!(!set.contains(&int(number)));
    }
    let expected: Vec<_> =
        (0..size).map(|number| number * 7 % size).filter(|number| *number >= size / 2).collect();
    assert!(set.items().eq(expected.into_iter().map(int).collect::<Vec<_>>().iter()), "the order is kept");
}

#[test]
fn large_maps_find_set_and_remove_keys() {
    let mut map = Map::default();
    for number in 0..100 {
        map.insert(int(number), int(number));
    }
    for number in 0..100 {
        map.insert(int(number), int(number * 2));
    }
    map.remove(&int(50));
    assert_eq!(map.len(), 99);
    assert_eq!(map.get(&int(50)), None);
    assert!(
        (0..100).filter(|number| *number != 50).all(|number| map.get(&int(number)) == Some(&int(number * 2)))
    );
    assert_eq!(map.key(50), Some(&int(51)));
}

#[test]
fn a_nan_is_never_found() {
    let mut set = Set::default();
    set.insert(Value::Float(f64::NAN));
    set.insert(Value::Float(f64::NAN));
    assert_eq!(set.len(), 2);
    assert!(!set.contains(&Value::Float(f64::NAN)));
}

#[test]
fn zero_and_minus_zero_are_one_member() {
    for size in [0, SMALL * 2] {
        let mut set = Set::default();
        (0..size).for_each(|number| set.insert(int(number as i64)));
        set.insert(Value::Float(0.0));
        set.insert(Value::Float(-0.0));
        assert_eq!(set.len(), size + 1);
    }
}

#[test]
fn equality_does_not_depend_on_order_and_identity_does() {
    let make = |numbers: &[i64]| {
        let mut set = Set::default();
        numbers.iter().for_each(|number| set.insert(int(*number)));
        set
    };
    let forward: Vec<i64> = (0..30).collect();
    let backward: Vec<i64> = (0..30).rev().collect();
    assert!(make(&forward).equals(&make(&backward)));
    assert!(!make(&forward).is_identical(&make(&backward)));
    assert!(!make(&forward).equals(&make(&forward[1..])));
}
