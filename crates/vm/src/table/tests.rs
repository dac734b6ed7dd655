use super::{Interned, Interner, Links};
use std::collections::HashMap;

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
        assert!(links.insert(key, key / 3).is_new);
        assert!(!links.insert(key, key / 3).is_new);
        expected.insert(key, key / 3);
    }
    assert!(expected.iter().all(|(key, value)| links.get(*key) == Some(*value)));
}

#[test]
fn threads_that_intern_the_same_at_once_leave_ids_out() {
    let mut interner = Interner::new();
    for _ in 0..2 {
        let intern_all = || (0..20_000_u32).map(|n| interner.intern(Number(n))).collect::<Vec<_>>();
        let all: Vec<Vec<u32>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..7).map(|_| scope.spawn(intern_all)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(all.windows(2).all(|two| two[0] == two[1]));
        let mut ids = all[0].clone();
        ids.sort_unstable();
        assert!(interner.iter().map(|(id, _)| id).eq(ids), "each content once, in the order of ids");
        assert!(all[0].iter().zip(0..).all(|(id, n)| interner.get(*id).0 == n));
        // Whoever leaves the same ids out gives the others the same contents.
        let restored = Interner::new();
        for (id, number) in interner.iter() {
            assert!(restored.skip_to(id));
            assert_eq!(restored.intern(Number(number.0)), id);
        }
        interner.clear();
        assert_eq!((interner.iter().count(), interner.intern(Number(9))), (0, 0));
        interner.clear();
    }
}

struct Number(u32);

impl Interned for Number {
    fn hash(&self) -> u128 {
        u128::from(self.0) << 64
    }
    fn is_same(&self, other: &Self) -> bool {
        self.0 == other.0
    }
    fn bytes(&self) -> usize {
        0
    }
}
