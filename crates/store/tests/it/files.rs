//! Sets written to files and read again, whole and damaged.

use std::io;

use fabius_store::{
    Bitstate, Bounded, Exact, Fingerprints64, Fingerprints128, VisitedSet, WhenFull, Whole, read,
};

use crate::states::{Random, contains, faithful_sets, insert};

fn written(set: &dyn VisitedSet) -> Vec<u8> {
    let mut file = Vec::new();
    set.write_to(&mut file).expect("memory can be written");
    file
}

fn some_vectors(seed: u64, count: usize) -> Vec<Vec<u32>> {
    let mut random = Random(seed);
    (0..count)
        .map(|_| {
            let length = 2 * random.below(9) as usize;
            random.words(length, 3)
        })
        .collect()
}

#[test]
fn a_set_that_is_read_again_has_the_same_states_and_goes_on() {
    for set in faithful_sets() {
        let (first, second) = (some_vectors(1, 50_000), some_vectors(2, 50_000));
        insert(&*set, &first);
        let again = read(&mut written(&*set).as_slice()).expect("the file is whole");
        assert_eq!((again.len(), again.bytes()), (set.len(), set.bytes()), "{set:?}");
        assert_eq!((again.omission(), again.forgets()), (set.omission(), set.forgets()), "{set:?}");
        assert_eq!(contains(&*again, &first), vec![true; first.len()], "{set:?}");
        assert_eq!(insert(&*again, &second), insert(&*set, &second), "{set:?}");
        assert_eq!(again.len(), set.len(), "{set:?}");
    }
}

#[test]
fn what_follows_a_set_in_a_file_is_left_to_be_read() {
    let set = Exact::new();
    insert(&set, &some_vectors(3, 100));
    let mut file = written(&set);
    file.extend_from_slice(b"more");
    let mut rest = file.as_slice();
    read(&mut rest).expect("the file is whole");
    assert_eq!(rest, b"more");
}

/// A small set of each kind.
fn small_sets() -> Vec<Box<dyn VisitedSet>> {
    vec![
        Box::new(Exact::new()),
        Box::new(Fingerprints64::new()),
        Box::new(Fingerprints128::new()),
        Box::new(Bounded::new(640, WhenFull::Replace)),
        Box::new(Bitstate::new(512, 3).expect("there is memory for a small table")),
        Box::new(Whole::new()),
    ]
}

#[test]
fn every_truncated_file_is_refused() {
    for set in small_sets() {
        insert(&*set, &[vec![], vec![0, 0], vec![1, 2, 3], vec![4; 14]]);
        let file = written(&*set);
        for length in 0..file.len() {
            assert!(read(&mut &file[..length]).is_err(), "{set:?} cut to {length} bytes");
        }
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    for set in small_sets() {
        insert(&*set, &[vec![], vec![0, 0], vec![1, 2, 3], vec![4; 14]]);
        let mut file = written(&*set);
        for bit in 0..file.len() * 8 {
            file[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&mut file.as_slice()).is_err(), "{set:?} with bit {bit} flipped");
            file[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn random_bytes_are_refused_without_a_panic() {
    let mut random = Random(5);
    for length in 0..2000 {
        let noise: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        assert!(read(&mut noise.as_slice()).is_err());
    }
}

#[test]
fn a_file_of_another_kind_is_refused_with_a_sentence() {
    let file = written(&Fingerprints64::new());
    let error = Exact::read_from(&mut file.as_slice()).expect_err("it holds no vectors");
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    assert_eq!(error.to_string(), "another kind of set of visited states");
    let error = read(&mut [7; 100].as_slice()).expect_err("it holds no set");
    assert_eq!(error.to_string(), "this is not a set of visited states");
}

#[test]
fn a_disk_that_is_full_is_an_error() {
    struct FullDisk(usize);
    impl io::Write for FullDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let written = bytes.len().min(self.0);
            self.0 -= written;
            if written == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(written) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for set in small_sets() {
        let length = written(&*set).len();
        for space in (0..length).step_by(61) {
            assert!(set.write_to(&mut FullDisk(space)).is_err(), "{set:?} in {space} bytes");
        }
    }
}
