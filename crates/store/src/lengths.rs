//! Something for each length of vectors that has been met. Nothing ever moves or goes away, so nothing is locked.
//!
//! Piece `k` has places for `FIRST_PIECE << k` lengths, and exists once one of them was met.

use std::sync::OnceLock;

const FIRST_PIECE: usize = 1 << 6;
/// Enough for all lengths of vectors that fit into memory.
const PIECES: usize = 40;

/// What there is for lengths.
#[derive(Debug)]
pub(crate) struct Lengths<T>([OnceLock<Piece<T>>; PIECES]);

type Piece<T> = Box<[OnceLock<Box<T>>]>;

impl<T> Lengths<T> {
    pub(crate) fn new() -> Self {
        Self([const { OnceLock::new() }; PIECES])
    }

    /// The piece of a length, and its place there.
    #[inline]
    fn locate(length: usize) -> (usize, usize) {
        let piece = ((length + FIRST_PIECE).ilog2() - FIRST_PIECE.ilog2()) as usize;
        (piece, length + FIRST_PIECE - (FIRST_PIECE << piece))
    }

    #[inline]
    pub(crate) fn get(&self, length: usize) -> Option<&T> {
        let (piece, place) = Self::locate(length);
        self.0.get(piece)?.get()?[place].get().map(Box::as_ref)
    }

    /// What there is for a length, made now if it was not met before.
    #[inline]
    pub(crate) fn get_or_make(&self, length: usize, make: impl FnOnce() -> T) -> &T {
        match self.get(length) {
            Some(known) => known,
            None => self.make(length, make),
        }
    }

    #[cold]
    fn make(&self, length: usize, make: impl FnOnce() -> T) -> &T {
        let (piece, place) = Self::locate(length);
        let fresh = || (0..FIRST_PIECE << piece).map(|_| OnceLock::new()).collect();
        self.0[piece].get_or_init(fresh)[place].get_or_init(|| Box::new(make()))
    }

    /// All of them with their lengths, the shortest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let pieces = self.0.iter().enumerate().filter_map(|(number, piece)| Some((number, piece.get()?)));
        pieces.flat_map(|(number, piece)| {
            let first = (FIRST_PIECE << number) - FIRST_PIECE;
            piece
                .iter()
                .enumerate()
                .filter_map(move |(place, known)| known.get().map(|known| (first + place, known.as_ref())))
        })
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.iter().map(|(_, value)| value)
    }
}
