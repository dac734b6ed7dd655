//! The form in which sets are kept in files: a header, raw tables, and a checksum after each.
//!
//! A file is a sequence of 64-bit words, least byte first: the mark, kind and version, the number of parameters, the
//! parameters, a checksum; then the words of the tables and a checksum again. The checksum is a bijection of each
//! word (for given others), so that a change within any one word is always noticed, others all but always. Nothing
//! is taken from a header before its checksum was right.
//!
//! Anything may follow; a reader stops at the end of its set.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

/// "FabiusSt" as bytes.
const MARK: u64 = u64::from_le_bytes(*b"FabiusSt");
/// Another one whenever words mean something else, the places and keys in tables included.
const VERSION: u32 = 3;
/// No set has more parameters; a header that says so is damaged.
const MOST_PARAMETERS: u64 = 1 << 20;
const BUFFER_WORDS: usize = 8192;

/// What kind of set a file holds. The numbers keep their meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Kind {
    Exact = 1,
    Fingerprints64 = 2,
    Fingerprints128 = 3,
    Bounded = 4,
    Bitstate = 5,
    Whole = 6,
}

const KINDS: [Kind; 6] =
    [Kind::Exact, Kind::Fingerprints64, Kind::Fingerprints128, Kind::Bounded, Kind::Bitstate, Kind::Whole];

/// Writes one set.
pub(crate) struct Writer<'a> {
    to: &'a mut dyn Write,
    checksum: u64,
    buffer: Vec<u8>,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(to: &'a mut dyn Write, kind: Kind, parameters: &[u64]) -> io::Result<Self> {
        let mut writer = Self { to, checksum: MARK, buffer: Vec::new() };
        let head = [MARK, u64::from(kind as u32) << 32 | u64::from(VERSION), parameters.len() as u64];
        head.iter().chain(parameters).for_each(|&word| writer.word(word));
        writer.seal()?;
        Ok(writer)
    }

    fn word(&mut self, word: u64) {
        self.checksum = add(self.checksum, word);
        self.buffer.extend_from_slice(&word.to_le_bytes());
    }

    /// Writes words of a table.
    pub(crate) fn cells(&mut self, cells: &[AtomicU64]) -> io::Result<()> {
        for chunk in cells.chunks(BUFFER_WORDS) {
            chunk.iter().for_each(|cell| self.word(cell.load(Ordering::Relaxed)));
            self.flush()?;
        }
        Ok(())
    }

    fn seal(&mut self) -> io::Result<()> {
        self.word(self.checksum);
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Ends the set; without it, it cannot be read.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.seal()?;
        self.to.flush()
    }
}

/// Reads one set.
pub(crate) struct Reader<'a> {
    from: &'a mut dyn Read,
    checksum: u64,
    buffer: Vec<u8>,
    pub(crate) kind: Kind,
    pub(crate) parameters: Vec<u64>,
}

impl<'a> Reader<'a> {
    /// Reads the header of a set.
    pub(crate) fn new(from: &'a mut dyn Read) -> io::Result<Self> {
        let mut reader =
            Self { from, checksum: MARK, buffer: Vec::new(), kind: Kind::Exact, parameters: Vec::new() };
        if reader.word()? != MARK {
            return Err(invalid("this is not a set of visited states"));
        }
        let kind = reader.word()?;
        let count = reader.word()?;
        if count > MOST_PARAMETERS {
            return Err(damaged());
        }
        for _ in 0..count {
            let parameter = reader.word()?;
            reader.parameters.push(parameter);
        }
        reader.check_seal()?;
        if kind as u32 != VERSION {
            return Err(invalid("this set of visited states has another version"));
        }
        let kind = KINDS.into_iter().find(|&known| known as u32 == (kind >> 32) as u32);
        reader.kind = kind.ok_or_else(|| invalid("unknown kind of set of visited states"))?;
        Ok(reader)
    }

    /// Refuses a set of another kind, or with another number of parameters.
    pub(crate) fn expect<const N: usize>(&self, kind: Kind) -> io::Result<[u64; N]> {
        self.expect_kind(kind)?;
        self.parameters.as_slice().try_into().map_err(|_| damaged())
    }

    pub(crate) fn expect_kind(&self, kind: Kind) -> io::Result<()> {
        if self.kind == kind { Ok(()) } else { Err(invalid("another kind of set of visited states")) }
    }

    fn word(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.from.read_exact(&mut bytes)?;
        let word = u64::from_le_bytes(bytes);
        self.checksum = add(self.checksum, word);
        Ok(word)
    }

    /// Fills a table.
    pub(crate) fn cells(&mut self, cells: &[AtomicU64]) -> io::Result<()> {
        for chunk in cells.chunks(BUFFER_WORDS) {
            self.buffer.resize(chunk.len() * 8, 0);
            self.from.read_exact(&mut self.buffer)?;
            for (cell, bytes) in chunk.iter().zip(self.buffer.as_chunks::<8>().0) {
                let word = u64::from_le_bytes(*bytes);
                self.checksum = add(self.checksum, word);
                cell.store(word, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    fn check_seal(&mut self) -> io::Result<()> {
        let expected = self.checksum;
        let found = self.word()?;
        self.require(found == expected)
    }

    /// Refuses the set unless this holds.
    pub(crate) fn require(&self, holds: bool) -> io::Result<()> {
        if holds { Ok(()) } else { Err(damaged()) }
    }

    /// Checks the end of the set.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.check_seal()
    }
}

fn add(checksum: u64, word: u64) -> u64 {
    (checksum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn damaged() -> io::Error {
    invalid("the set of visited states is damaged")
}
