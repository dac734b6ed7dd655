//! The canonical form of foreign values: text from which the script value can be made again.
//!
//! It looks like JSON: `null`, `true`, `12`, `1.5`, `"text"`, `[1, 2]`, `{"a": 1}` with keys in alphabetical order, and
//! `'c'` for a char. Floats have a point or an exponent, or are `inf`, `-inf` or `NaN`. Values of P inside are not in the
//! text: U+0000 stands for each, which cannot occur otherwise, because control characters in strings are escaped. Equal
//! script values thus have equal texts, and a text belongs to one script value.

use std::fmt::Write;

use fabius_vm::{ForeignValue, Value};
use rhai::{Array, Dynamic, Map};

use crate::opaque::Opaque;
use crate::results::{DEPTH, in_words};

/// The value of P of this foreign type that holds a script value.
pub(crate) fn write(value: &Dynamic, type_name: &str) -> Result<Value, String> {
    let mut writer = Writer { text: String::new(), parts: Vec::new() };
    writer
        .value(value, 0)
        .map_err(|what| format!("{what}, which a value of type `{type_name}` cannot hold"))?;
    Ok(Value::foreign(type_name, writer.text, writer.parts))
}

/// The canonical form of a script value without values of P in it.
pub(crate) fn canonical(value: &Dynamic) -> Result<String, String> {
    let mut writer = Writer { text: String::new(), parts: Vec::new() };
    writer.value(value, 0)?;
    Ok(writer.text)
}

struct Writer {
    text: String,
    parts: Vec<Value>,
}

impl Writer {
    fn value(&mut self, value: &Dynamic, depth: u32) -> Result<(), String> {
        if depth > DEPTH {
            return Err(format!("more than {DEPTH} levels"));
        }
        let value = value.clone().flatten();
        if let Some(opaque) = value.read_lock::<Opaque>() {
            self.text.push('\0');
            self.parts.push(opaque.0.clone());
        } else if value.is_unit() {
            self.text.push_str("null");
        } else if let Ok(value) = value.as_bool() {
            self.push(format_args!("{value}"));
        } else if let Ok(value) = value.as_int() {
            self.push(format_args!("{value}"));
        } else if let Ok(value) = value.as_float() {
            self.push(format_args!("{value:?}"));
        } else if let Ok(value) = value.as_char() {
            self.quoted('\'', value.encode_utf8(&mut [0; 4]));
        } else if let Some(text) = value.read_lock::<rhai::ImmutableString>() {
            self.quoted('"', &text);
        } else if let Some(items) = value.read_lock::<Array>() {
            self.text.push('[');
            for (at, item) in items.iter().enumerate() {
                self.comma(at);
                self.value(item, depth + 1)?;
            }
            self.text.push(']');
        } else if let Some(fields) = value.read_lock::<Map>() {
            self.text.push('{');
            for (at, (name, item)) in fields.iter().enumerate() {
                self.comma(at);
                self.quoted('"', name);
                self.text.push_str(": ");
                self.value(item, depth + 1)?;
            }
            self.text.push('}');
        } else {
            return Err(in_words(value.type_name()).to_owned());
        }
        Ok(())
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        self.text.write_fmt(text).expect("writing to a string does not fail");
    }

    fn comma(&mut self, at: usize) {
        if at > 0 {
            self.text.push_str(", ");
        }
    }

    fn quoted(&mut self, quote: char, text: &str) {
        self.text.push(quote);
        for character in text.chars() {
            match character {
                '"' | '\'' | '\\' => self.text.extend(['\\', character]),
                '\n' => self.text.push_str("\\n"),
                character if character.is_control() => self.push(format_args!("\\u{:04x}", character as u32)),
                character => self.text.push(character),
            }
        }
        self.text.push(quote);
    }
}

/// The script value that a foreign value holds.
pub(crate) fn read(value: &ForeignValue) -> Result<Dynamic, String> {
    let mut reader = Reader { rest: value.content(), parts: value.parts().iter() };
    let dynamic = reader.value();
    dynamic
        .filter(|_| reader.rest.is_empty())
        .ok_or_else(|| format!("a value of type `{}` that no script has made", value.type_name()))
}

struct Reader<'a> {
    rest: &'a str,
    parts: std::slice::Iter<'a, Value>,
}

impl Reader<'_> {
    /// `None` if the text is none that `Writer` writes.
    fn value(&mut self) -> Option<Dynamic> {
        Some(match self.rest.chars().next()? {
            '\0' => {
                self.take("\0");
                Dynamic::from(Opaque(self.parts.next()?.clone()))
            }
            '"' => self.quoted('"')?.into(),
            '\'' => Dynamic::from_char(self.quoted('\'')?.chars().next()?),
            '[' => self.array()?.into(),
            '{' => self.map()?.into(),
            _ => self.word()?,
        })
    }

    fn take(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> Option<Dynamic> {
        let end = self.rest.find([',', ']', '}']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word {
            "null" => Some(Dynamic::UNIT),
            "true" => Some(true.into()),
            "false" => Some(false.into()),
            number => match number.parse::<i64>() {
                Ok(number) => Some(number.into()),
                Err(_) => number.parse::<f64>().ok().map(Dynamic::from_float),
            },
        }
    }

    fn array(&mut self) -> Option<Array> {
        let mut items = Array::new();
        self.take("[");
        while !self.take("]") {
            self.take(", ");
            items.push(self.value()?);
        }
        Some(items)
    }

    fn map(&mut self) -> Option<Map> {
        let mut fields = Map::new();
        self.take("{");
        while !self.take("}") {
            self.take(", ");
            let name = self.quoted('"')?;
            self.take(": ");
            fields.insert(name.into(), self.value()?);
        }
        Some(fields)
    }

    fn quoted(&mut self, quote: char) -> Option<String> {
        let mut text = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => match characters.next()?.1 {
                    'n' => text.push('\n'),
                    'u' => {
                        let code: String = characters.by_ref().take(4).map(|(_, digit)| digit).collect();
                        text.push(char::from_u32(u32::from_str_radix(&code, 16).ok()?)?);
                    }
                    escaped => text.push(escaped),
                },
                character if character == quote => {
                    self.rest = &self.rest[at + quote.len_utf8()..];
                    return Some(text);
                }
                character => text.push(character),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
