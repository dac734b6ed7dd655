use super::{Interned, Interner, Links, Table, locate};
use std::collections::HashMap;

#[test]
fn ids_fill_one_chunk_after_the_other() {
    assert_eq!(locate(0), (0, 0));
    assert_eq!(locate(31), (0, 31));
    assert_eq!(locate(32), (1, 0));
    assert_eq!(locate(95), (1, 63));
    assert_eq!(locate(96), (2, 0));
    assert_eq!(locate((1 << 31) - 33), (25, (1 << 30) - 1));
}

#[test]
fn a_table_gives_back_what_was_pushed() {
    let table = Table::new();
    let ids: Vec<u32> = (0..1000).map(|number| table.push(number * 3)).collect();
    assert_eq!(table.len(), 1000);
    assert!(ids.iter().enumerate().all(|(number, id)| *table.get(*id) == number * 3));
}

struct Word(String);

impl Interned for Word {
    fn hash(&self) -> u128 {
        // Deliberately poor: words of one length share a hash.
        self.0.len() as u128
    }
    fn is_same(&self, other: &Self) -> bool {
        self.0 == other.0
    }
    fn bytes(&self) -> usize {
        self.0.len()
    }
}

#[test]
fn equal_contents_get_equal_ids_even_when_hashes_collide() {
    let interner = Interner::new();
    let a = interner.intern(Word("ab".into()));
    let b = interner.intern(Word("ba".into()));
    assert_ne!(a, b);
    assert_eq!(interner.intern(Word("ab".into())), a);
    assert_eq!(interner.get(b).0, "ba");
}

#[test]
fn threads_agree_on_ids() {
    let interner = Interner::new();
    let number = |n: u32| Word(n.to_string());
    let intern_all = || (0..500).map(|n| interner.intern(number(n))).collect::<Vec<_>>();
    let (a, b) = std::thread::scope(|scope| {
        let other = scope.spawn(intern_all);
        (intern_all(), other.join().expect("the thread does not panic"))
    });
    assert_eq!(a, b);
}

#[test]
fn links_remember_every_pair() {
    let links = Links::default();
    let mut expected = HashMap::new();
    for key in (0..3000_u32).map(|n| n.wrapping_mul(2_654_435_761) >> 1) {
        assert_eq!(links.get(key), expected.get(&key).copied());
        links.insert(key, key / 3);
        links.insert(key, key / 3);
        expected.insert(key, key / 3);
    }
    assert!(expected.iter().all(|(key, value)| links.get(*key) == Some(*value)));
}
