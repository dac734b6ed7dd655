//! The parser of types.

use super::Parser;
use super::lexer::Token;
use crate::ids::EnumId;
use crate::ir::text::TextError;
use crate::names::Name;
use crate::types::{PermissionId, Type, TypeId};

/// How deep types may be nested on one line; the printer stays far below.
const DEEPEST: usize = 200;

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Result<TypeId, TextError> {
        self.type_at_depth(0)
    }

    fn type_at_depth(&mut self, depth: usize) -> Result<TypeId, TextError> {
        if depth > DEEPEST {
            return Err(self.error(format!("types cannot be nested more than {DEEPEST} deep")));
        }
        let ty = match self.peek() {
            Token::Word(word) => {
                self.next();
                return self.type_of_word(word, depth);
            }
            Token::Sign("(") => self.tuple_type(depth)?,
            Token::Sign("@") => {
                self.next();
                Type::Permission(PermissionId(self.reference("permission", |scope| &scope.permissions)?))
            }
            Token::TypeNumber(number) => {
                let known = self.long_types.get(number as usize).copied();
                let ty =
                    known.ok_or_else(|| self.error(format!("no type `${number}` is declared before")))?;
                self.next();
                return Ok(ty);
            }
            Token::Name(_) | Token::Index(_) => {
                Type::Enum(EnumId(self.reference("enum", |scope| &scope.enums)?))
            }
            _ => return Err(self.expected("a type")),
        };
        Ok(self.program.types.intern(ty))
    }

    fn type_of_word(&mut self, word: &str, depth: usize) -> Result<TypeId, TextError> {
        let ty = match word {
            "error" => return Ok(TypeId::ERROR),
            "null" => return Ok(TypeId::NULL),
            "bool" => return Ok(TypeId::BOOL),
            "int" => return Ok(TypeId::INT),
            "float" => return Ok(TypeId::FLOAT),
            "string" => return Ok(TypeId::STRING),
            "event" => return Ok(TypeId::EVENT),
            "machine" => return Ok(TypeId::MACHINE),
            "data" => return Ok(TypeId::DATA),
            "any" => return Ok(TypeId::ANY),
            "foreign" => Type::Foreign(self.name()?),
            "seq" | "set" => {
                self.sign("[")?;
                let element = self.type_at_depth(depth + 1)?;
                self.sign("]")?;
                if word == "seq" { Type::Seq(element) } else { Type::Set(element) }
            }
            "map" => {
                self.sign("[")?;
                let key = self.type_at_depth(depth + 1)?;
                self.sign(",")?;
                let value = self.type_at_depth(depth + 1)?;
                self.sign("]")?;
                Type::Map(key, value)
            }
            _ => return Err(self.expected_before("a type")),
        };
        Ok(self.program.types.intern(ty))
    }

    fn tuple_type(&mut self, depth: usize) -> Result<Type, TextError> {
        self.sign("(")?;
        if self.take_sign(":") {
            self.sign(")")?;
            return Ok(Type::NamedTuple([].into()));
        }
        if matches!((self.peek(), self.peek_second()), (Token::Name(_), Token::Sign(":"))) {
            let fields = self.list(")", |parser| parser.named_item(depth))?;
            return Ok(Type::NamedTuple(fields.into()));
        }
        let items = self.list(")", |parser| parser.type_at_depth(depth + 1))?;
        Ok(Type::Tuple(items.into()))
    }

    fn named_item(&mut self, depth: usize) -> Result<(Name, TypeId), TextError> {
        let name = self.name()?;
        self.sign(":")?;
        Ok((name, self.type_at_depth(depth + 1)?))
    }
}
