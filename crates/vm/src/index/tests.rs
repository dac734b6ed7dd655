use super::{CELLS, Index, LINES, Segment, locate, tag_of};
use std::sync::atomic::Ordering;
use std::thread;

/// An id here is a number, and three bits for whoever has added it.
fn enter(index: &Index, number: u32, new: impl Fn() -> u32) -> u32 {
    enter_as(index, tag_of(u128::from(number)), number, new)
}

fn enter_as(index: &Index, tag: u32, number: u32, new: impl Fn() -> u32) -> u32 {
    let is_same = |id: u32| id >> 3 == number;
    index.find(tag, is_same).unwrap_or_else(|place| index.add(place, tag, new(), is_same))
}

/// Every tag in a segment belongs there, and its search does not end before it.
fn check_invariants(index: &Index) {
    let depth = index.depth.load(Ordering::Relaxed);
    for (at, entry) in index.directory(depth).iter().enumerate() {
        let entry = entry.load(Ordering::Relaxed);
        let (number, of_segment) = (entry & ((1 << super::MOST_DEPTH) - 1), entry >> super::MOST_DEPTH);
        let segment = Segment { number, depth: of_segment, lines: index.lines(number) };
        let cells: Vec<u64> = segment.cells().map(|cell| cell.load(Ordering::Relaxed)).collect();
        for (place, cell) in cells.iter().enumerate() {
            let tag = super::tag_in(*cell);
            if tag == 0 {
                assert_eq!(*cell, super::empty(of_segment), "an empty cell has the depth of its segment");
                continue;
            }
            assert_eq!(super::place_of(tag, of_segment), at >> (depth - of_segment), "of the directory");
            let home = tag as usize % LINES * super::LINE;
            let way = (0..CELLS).map(|step| (home + step) % CELLS).take_while(|step| *step != place);
            assert!({ way }.all(|step| super::tag_in(cells[step]) != 0), "an empty cell on the way");
        }
    }
}

#[test]
fn segments_fill_one_chunk_after_the_other() {
    assert_eq!([0, 3, 4, 11, 12].map(locate), [(0, 0), (0, 3), (1, 0), (1, 7), (2, 0)]);
    assert_eq!(locate((1 << super::MOST_DEPTH) - 1).0, super::CHUNKS);
}

#[test]
fn what_was_added_is_found_after_any_number_of_splits() {
    let mut index = Index::new();
    for count in [100_000, 10, 30_000] {
        for number in 0..count {
            assert_eq!(enter(&index, number, || number << 3), number << 3);
        }
        assert!((0..count).all(|number| enter(&index, number, || unreachable!()) == number << 3));
        check_invariants(&index);
        let bytes = index.bytes() as u32;
        assert!(count < 1000 || (8 * count..24 * count).contains(&bytes), "{bytes} for {count}");
        index.clear();
        assert_eq!(index.bytes(), super::SEGMENT_BYTES);
    }
}

#[test]
fn threads_that_add_the_same_get_the_same() {
    const COUNT: u32 = 60_000;
    for round in 0..4 {
        let index = Index::new();
        // Each thread goes through the numbers in another order, two of them in the same.
        let work = |thread: u32| {
            let step = [1, 1, 7, 11, 13, 17, 19][thread as usize];
            let mut ids = vec![0; COUNT as usize];
            for nth in 0..COUNT {
                let number = (nth * step + round) % COUNT;
                ids[number as usize] = enter(&index, number, || number << 3 | thread);
            }
            ids
        };
        let all: Vec<Vec<u32>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..7).map(|thread| scope.spawn(move || work(thread))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(all.windows(2).all(|two| two[0] == two[1]));
        check_invariants(&index);
    }
}

#[test]
fn many_of_one_tag_do_not_split_a_segment() {
    let index = Index::new();
    for number in 0..CELLS as u32 - 10 {
        enter_as(&index, 77, number, || number << 3);
    }
    assert_eq!(index.bytes(), super::SEGMENT_BYTES);
    // Others do, until they are apart.
    (0..1000).for_each(|number| _ = enter(&index, number + 10_000, || (number + 10_000) << 3));
    for number in 0..CELLS as u32 - 10 {
        assert_eq!(enter_as(&index, 77, number, || unreachable!()), number << 3);
    }
    check_invariants(&index);
    assert!(index.bytes() < 100 * super::SEGMENT_BYTES);
}
