use super::{Counted, OnceBox, Table, locate};
use std::sync::Arc;

#[test]
fn ids_fill_one_chunk_after_the_other() {
    assert_eq!(locate(0), (0, 0));
    assert_eq!(locate(4095), (0, 4095));
    assert_eq!(locate(4096), (1, 0));
    assert_eq!(locate(12_287), (1, 8191));
    assert_eq!(locate(12_288), (2, 0));
    assert_eq!(locate((1 << 31) - 4097), (18, (1 << 30) - 1));
}

#[test]
fn a_table_gives_back_what_was_pushed() {
    let table = Table::new();
    let ids: Vec<u32> = (0..20_000).map(|number| table.push(number * 3)).collect();
    assert!(ids.iter().copied().eq(0..20_000), "a thread alone leaves no gaps");
    assert!(ids.iter().enumerate().all(|(number, id)| *table.get(*id) == number * 3));
}

#[test]
fn objects_that_are_added_together_lie_together() {
    let table = Table::new();
    let mut added = Vec::new();
    for count in (0..200).chain([0, 1, 63, 64, 65]) {
        let numbers: Vec<usize> = (count..2 * count).collect();
        let id = table.push_all(count, |filling| numbers.iter().for_each(|number| filling.push(*number)));
        added.push((id, numbers));
    }
    assert!(added.iter().all(|(id, numbers)| table.slice(*id, numbers.len()) == numbers));
}

#[test]
fn each_object_is_dropped_once() {
    let object = Arc::new(());
    let mut table = Table::new();
    for _ in 0..2 {
        (0..300).for_each(|_| _ = table.push(object.clone()));
        assert_eq!(Arc::strong_count(&object), 301);
        table.clear();
        assert_eq!((Arc::strong_count(&object), table.end()), (1, 0));
    }
    (0..100).for_each(|_| _ = table.push(object.clone()));
    drop(table);
    assert_eq!(Arc::strong_count(&object), 1);
}

#[test]
#[should_panic(expected = "ids come from `push`")]
fn an_id_that_was_never_given_is_refused() {
    let table = Table::new();
    table.push(1);
    table.get(1);
}

#[test]
fn threads_push_side_by_side() {
    let table = Table::new();
    std::thread::scope(|scope| {
        let push_all = |first: u32| {
            let table = &table;
            move || {
                for number in first..first + 5000 {
                    let id = table.push(Box::new(number));
                    assert_eq!(**table.get(id), number);
                }
            }
        };
        for first in [0, 5000, 10_000] {
            scope.spawn(push_all(first));
        }
    });
    let mut all: Vec<u32> =
        (0..table.end() + 10).filter_map(|id| table.find(id)).map(|number| **number).collect();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..15_000));
}

#[test]
fn a_box_is_filled_once() {
    let one = OnceBox::default();
    assert_eq!(one.get(), None);
    std::thread::scope(|scope| {
        let fill = |number: u32| {
            let one = &one;
            move || **one.get_or_init(|| Box::new(number))
        };
        let threads = [1, 2, 3].map(|number| scope.spawn(fill(number)));
        let seen = threads.map(|thread| thread.join().expect("the thread does not panic"));
        assert!(seen.iter().all(|number| number == &seen[0]));
    });
    assert!(one.get().is_some());
}

#[test]
fn what_others_hold_too_is_copied_to_be_changed() {
    let mut one = Counted::new(1);
    let first = std::ptr::from_ref(&*one);
    *one.make_mut() = 2;
    assert!(std::ptr::eq(first, &*one), "nobody else holds it");
    let mut other = one.clone();
    assert!(one.is_same(&other) && one.count() == 2);
    *other.make_mut() = 3;
    assert!(!one.is_same(&other));
    assert_eq!((*one, *other, one.count(), other.count()), (2, 3, 1, 1));
}

#[test]
fn what_several_threads_hold_is_dropped_once() {
    let object = Arc::new(());
    let counted = Counted::new(object.clone());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let counted = counted.clone();
            scope.spawn(move || (0..1000).for_each(|_| drop(counted.clone())));
        }
    });
    assert_eq!((counted.count(), Arc::strong_count(&object)), (1, 2));
    drop(counted);
    assert_eq!(Arc::strong_count(&object), 1);
}
