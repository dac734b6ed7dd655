//! The form of a checkpoint: a mark, and blocks with a checksum each.
//!
//! A block is its length (4 bytes, least first), its bytes, and 8 bytes of a checksum over them that also depends on the
//! block's number. Nothing of a block is given to a reader before its checksum was right. An empty block ends the file: one
//! without it is torn. The first block is the header, in JSON.

use std::io::{self, ErrorKind, Read, Write};

use xxhash_rust::xxh3::xxh3_64_with_seed;

const MARK: &[u8; 8] = b"FabiusCp";
/// The longest block.
const MOST: usize = 1 << 20;

/// Writes blocks.
pub(super) struct BlockWriter<W> {
    to: W,
    block: Vec<u8>,
    number: u64,
    /// Bytes written so far.
    written: u64,
}

impl<W: Write> BlockWriter<W> {
    /// Begins a file with its header.
    pub(super) fn new(mut to: W, header: &[u8]) -> io::Result<Self> {
        to.write_all(MARK)?;
        let mut writer = Self { to, block: Vec::with_capacity(MOST), number: 0, written: MARK.len() as u64 };
        writer.write_all(header)?;
        writer.end_block()?;
        Ok(writer)
    }

    fn end_block(&mut self) -> io::Result<()> {
        self.to.write_all(&(self.block.len() as u32).to_le_bytes())?;
        self.to.write_all(&self.block)?;
        self.to.write_all(&xxh3_64_with_seed(&self.block, self.number).to_le_bytes())?;
        self.written += 12 + self.block.len() as u64;
        self.number += 1;
        self.block.clear();
        Ok(())
    }

    /// Ends the file; gives it back with its length.
    pub(super) fn finish(mut self) -> io::Result<(W, u64)> {
        if !self.block.is_empty() {
            self.end_block()?;
        }
        self.end_block()?;
        Ok((self.to, self.written))
    }
}

impl<W: Write> Write for BlockWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.block.len() == MOST {
            self.end_block()?;
        }
        let taken = bytes.len().min(MOST - self.block.len());
        self.block.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    /// Blocks are written when they are full.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads blocks.
pub(super) struct BlockReader<R> {
    from: R,
    block: Vec<u8>,
    at: usize,
    number: u64,
    is_at_end: bool,
}

impl<R: Read> BlockReader<R> {
    /// Begins to read a file; gives its header, too.
    pub(super) fn new(mut from: R) -> io::Result<(Self, Vec<u8>)> {
        let mut mark = [0; MARK.len()];
        from.read_exact(&mut mark)?;
        if mark != *MARK {
            return Err(damaged("it is no checkpoint"));
        }
        let mut reader = Self { from, block: Vec::new(), at: 0, number: 0, is_at_end: false };
        reader.next_block()?;
        reader.at = reader.block.len();
        let header = reader.block.clone();
        Ok((reader, header))
    }

    fn next_block(&mut self) -> io::Result<()> {
        let mut length = [0; 4];
        self.from.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > MOST {
            return Err(damaged("a block is too long"));
        }
        self.block.resize(length, 0);
        self.from.read_exact(&mut self.block)?;
        let mut checksum = [0; 8];
        self.from.read_exact(&mut checksum)?;
        if u64::from_le_bytes(checksum) != xxh3_64_with_seed(&self.block, self.number) {
            return Err(damaged("a checksum is wrong"));
        }
        self.number += 1;
        self.at = 0;
        self.is_at_end = length == 0;
        Ok(())
    }

    /// Reads to the end, and makes sure that nothing is wrong and nothing missing.
    pub(super) fn verify(mut self) -> io::Result<()> {
        while !self.is_at_end {
            self.next_block()?;
        }
        Ok(())
    }
}

impl<R: Read> Read for BlockReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.block.len() && !self.is_at_end {
            self.next_block()?;
        }
        let taken = buffer.len().min(self.block.len() - self.at);
        buffer[..taken].copy_from_slice(&self.block[self.at..self.at + taken]);
        self.at += taken;
        Ok(taken)
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::{BlockReader, BlockWriter, MOST};
    use std::io::{Read, Write};

    fn file(content: &[u8]) -> Vec<u8> {
        let mut writer = BlockWriter::new(Vec::new(), b"header").expect("memory can be written");
        writer.write_all(content).expect("memory can be written");
        let (file, length) = writer.finish().expect("memory can be written");
        assert_eq!(file.len() as u64, length);
        file
    }

    fn read(file: &[u8]) -> std::io::Result<Vec<u8>> {
        let (mut reader, header) = BlockReader::new(file)?;
        assert_eq!(header, b"header");
        let mut content = Vec::new();
        reader.read_to_end(&mut content)?;
        Ok(content)
    }

    fn is_whole(file: &[u8]) -> bool {
        BlockReader::new(file).and_then(|(reader, _)| reader.verify()).is_ok()
    }

    #[test]
    fn contents_of_any_length_are_read_as_they_were_written() {
        for length in [0, 1, MOST - 1, MOST, MOST + 1, 2 * MOST + 5] {
            let content: Vec<u8> = (0..length).map(|at| (at * 7 % 251) as u8).collect();
            let file = file(&content);
            assert!(is_whole(&file), "{length}");
            assert!(read(&file).expect("the file is whole") == content, "{length}");
        }
    }

    #[test]
    fn every_torn_file_and_every_flipped_bit_is_noticed() {
        let mut file = file(b"some content");
        for length in 0..file.len() {
            assert!(!is_whole(&file[..length]), "cut to {length} bytes");
            assert!(read(&file[..length]).is_err(), "cut to {length} bytes");
        }
        for bit in 0..file.len() * 8 {
            file[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_whole(&file), "bit {bit} flipped");
            file[bit / 8] ^= 1 << (bit % 8);
        }
    }
}
