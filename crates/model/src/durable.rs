//! Programs that outlive their process: what their states refer to can be written down and taken up again.

use std::io;

use crate::Packed;

/// A program that another process can go on with.
///
/// # Law
///
/// Let `other` be the same program, which has met no state, after `other.restore` has read what `program.save` has
/// written. Then the words of every state that `program` had met mean the same to `other`: `other.unpack` gives a state with
/// these words, with the same fingerprint and the same future. So it `UNPACKS`.
pub trait Durable: Packed {
    /// Writes what the words of states refer to. While nobody takes steps.
    fn save(&self, to: &mut dyn io::Write) -> io::Result<()>;

    /// Takes up what `save` has written, in a program that has met no state. After an error it is of no use.
    fn restore(&self, from: &mut dyn io::Read) -> io::Result<()>;
}

/// The small parts that such files consist of: numbers in as few bytes as they need, and lists with their lengths.
pub mod wire {
    use std::io::{self, ErrorKind, Read, Write};

    /// Writes a number, seven bits to a byte; all bytes but the last have their eighth bit set.
    pub fn put_number(to: &mut dyn Write, mut number: u64) -> io::Result<()> {
        let (mut bytes, mut length) = ([0; 10], 0);
        while number > 0x7f {
            bytes[length] = number as u8 | 0x80;
            number >>= 7;
            length += 1;
        }
        bytes[length] = number as u8;
        to.write_all(&bytes[..=length])
    }

    /// Reads a number.
    pub fn get_number(from: &mut dyn Read) -> io::Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let mut byte = [0];
            from.read_exact(&mut byte)?;
            let bits = u64::from(byte[0] & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte[0] & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(damaged())
    }

    /// Reads a number that fits into a smaller type.
    pub fn get<T: TryFrom<u64>>(from: &mut dyn Read) -> io::Result<T> {
        T::try_from(get_number(from)?).map_err(|_| damaged())
    }

    /// Writes a list of numbers.
    pub fn put_words(to: &mut dyn Write, words: &[u32]) -> io::Result<()> {
        put_number(to, words.len() as u64)?;
        words.iter().try_for_each(|word| put_number(to, u64::from(*word)))
    }

    /// Reads a list of numbers. The memory it asks for does not depend on a length that was read.
    pub fn get_words(from: &mut dyn Read) -> io::Result<Vec<u32>> {
        let length = get_number(from)?;
        (0..length).map(|_| get(from)).collect()
    }

    /// Writes a text.
    pub fn put_text(to: &mut dyn Write, text: &str) -> io::Result<()> {
        put_number(to, text.len() as u64)?;
        to.write_all(text.as_bytes())
    }

    /// Reads a text.
    pub fn get_text(from: &mut dyn Read) -> io::Result<String> {
        let length = get_number(from)?;
        let mut bytes = Vec::new();
        from.take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != length {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        String::from_utf8(bytes).map_err(|_| damaged())
    }

    /// What is wrong with something that cannot have been written so.
    pub fn damaged() -> io::Error {
        io::Error::new(ErrorKind::InvalidData, "the content is damaged")
    }
}

#[cfg(test)]
mod tests {
    use super::wire::{get, get_number, get_text, get_words, put_number, put_text, put_words};

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let powers = (0..64).map(|bit| 1_u64 << bit);
        for number in powers.flat_map(|power| [power - 1, power, power + 1]).chain([u64::MAX]) {
            let mut file = Vec::new();
            put_number(&mut file, number).expect("memory can be written");
            let mut rest = file.as_slice();
            assert_eq!(get_number(&mut rest).expect("it is whole"), number);
            assert!(rest.is_empty());
            assert!(get_number(&mut &file[..file.len() - 1]).is_err(), "{number} without its end");
        }
    }

    #[test]
    fn numbers_that_are_too_large_are_refused() {
        assert!(get_number(&mut [0xff; 11].as_slice()).is_err());
        assert!(
            get_number(&mut [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2].as_slice()).is_err()
        );
        assert!(get::<u32>(&mut [0x80, 0x80, 0x80, 0x80, 0x10].as_slice()).is_err(), "2^32");
    }

    #[test]
    fn lists_and_texts_are_read_as_they_were_written_and_refused_when_cut() {
        let mut file = Vec::new();
        put_words(&mut file, &[0, 127, 128, u32::MAX]).expect("memory can be written");
        put_text(&mut file, "état").expect("memory can be written");
        let read =
            |mut from: &[u8]| -> std::io::Result<_> { Ok((get_words(&mut from)?, get_text(&mut from)?)) };
        assert_eq!(read(&file).expect("it is whole"), (vec![0, 127, 128, u32::MAX], "état".to_owned()));
        for length in 0..file.len() {
            assert!(read(&file[..length]).is_err(), "cut to {length} bytes");
        }
    }
}
