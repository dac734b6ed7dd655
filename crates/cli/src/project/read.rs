//! The text of a file, or the reason why there is none.

use std::io::{ErrorKind, Read};
use std::path::Path;
use std::{fmt, fs, io};

use fabius_lang::source::separated;

/// What a file holds.
#[derive(Debug)]
pub(super) struct Content {
    /// Without byte-order mark. Where the bytes are no text, there is U+FFFD.
    pub(super) text: String,
    pub(super) damage: Option<Damage>,
}

/// Bytes that are not UTF-8.
#[derive(Debug)]
pub(super) struct Damage {
    /// Where the first of them are, as an offset in the text.
    pub(super) offset: usize,
    pub(super) byte: u8,
    /// Whether the file is not text in any encoding we might guess.
    pub(super) is_binary: bool,
}

#[derive(Debug)]
pub(super) enum Failure {
    Io(io::Error),
    BrokenLink,
    Folder,
    NotAFile,
    TooLarge(u64),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // It was there when somebody named it.
            Self::Io(error) if error.kind() == ErrorKind::NotFound => write!(f, "it is gone"),
            // The kind's own words have no error number in them.
            Self::Io(error) if error.kind() != ErrorKind::Other => write!(f, "{}", error.kind()),
            Self::Io(error) => write!(f, "{error}"),
            Self::BrokenLink => write!(f, "the link is broken"),
            Self::Folder => write!(f, "it is a folder"),
            Self::NotAFile => write!(f, "it is not a regular file"),
            Self::TooLarge(size) => write!(f, "it has {} bytes", separated(*size)),
        }
    }
}

/// Reads a file of at most `room` bytes. Waits for nothing: pipes and devices are refused.
pub(super) fn read(path: &Path, room: u64) -> Result<Content, Failure> {
    let metadata = fs::metadata(path).map_err(Failure::Io)?;
    if metadata.is_dir() {
        return Err(Failure::Folder);
    }
    if !metadata.is_file() {
        return Err(Failure::NotAFile);
    }
    if metadata.len() > room {
        return Err(Failure::TooLarge(metadata.len()));
    }
    let mut bytes = Vec::new();
    let out_of_memory = |_| Failure::Io(ErrorKind::OutOfMemory.into());
    bytes.try_reserve_exact(metadata.len() as usize + 1).map_err(out_of_memory)?;
    let file = fs::File::open(path).map_err(Failure::Io)?;
    // The file may be growing while it is read.
    file.take(room.saturating_add(1)).read_to_end(&mut bytes).map_err(Failure::Io)?;
    if bytes.len() as u64 > room {
        return Err(Failure::TooLarge(bytes.len() as u64));
    }
    Ok(decode(bytes))
}

fn decode(bytes: Vec<u8>) -> Content {
    match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => decode_utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => decode_utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => decode_utf8(rest.to_vec()),
        _ => decode_utf8(bytes),
    }
}

fn decode_utf8(bytes: Vec<u8>) -> Content {
    match String::from_utf8(bytes) {
        Ok(text) => Content { text, damage: None },
        Err(error) => {
            let (offset, bytes) = (error.utf8_error().valid_up_to(), error.into_bytes());
            let text = String::from_utf8_lossy(&bytes).into_owned();
            // Text in an old encoding has some such bytes; where they abound, it is no text.
            let damaged = text.matches(char::REPLACEMENT_CHARACTER).count();
            let is_binary = bytes.contains(&0) || damaged > bytes.len() / 4;
            Content { text, damage: Some(Damage { offset, byte: bytes[offset], is_binary }) }
        }
    }
}

/// P reads UTF-16 with a byte-order mark, too.
fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Content {
    let (pairs, odd) = bytes.as_chunks();
    let mut text = String::with_capacity(bytes.len());
    let mut damage = None;
    for character in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        if character.is_err() && damage.is_none() {
            damage = Some(Damage { offset: text.len(), byte: 0xd8, is_binary: false });
        }
        text.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    if let ([byte], None) = (odd, &damage) {
        damage = Some(Damage { offset: text.len(), byte: *byte, is_binary: false });
        text.push(char::REPLACEMENT_CHARACTER);
    }
    Content { text, damage }
}
