//! The types that programs use, and their text.

use crate::dice::Dice;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    Int,
    Bool,
    Text,
    Float,
    /// The program's enum.
    Color,
    /// Only events whose payload is an `int` are ever stored.
    Event,
    Machine,
    /// A reference of the type of an interface or machine, by its name.
    Reference(String),
    Any,
    Seq(Box<Ty>),
    Set(Box<Ty>),
    Map(Box<Ty>, Box<Ty>),
    Tuple(Vec<Ty>),
    /// The program's named tuple, `(n: int, who: machine)`.
    Pair,
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Int => f.write_str("int"),
            Ty::Bool => f.write_str("bool"),
            Ty::Text => f.write_str("string"),
            Ty::Float => f.write_str("float"),
            Ty::Color => f.write_str("Color"),
            Ty::Event => f.write_str("event"),
            Ty::Machine => f.write_str("machine"),
            Ty::Reference(name) => f.write_str(name),
            Ty::Any => f.write_str("any"),
            Ty::Seq(element) => write!(f, "seq[{element}]"),
            Ty::Set(element) => write!(f, "set[{element}]"),
            Ty::Map(key, value) => write!(f, "map[{key}, {value}]"),
            Ty::Tuple(items) => {
                let items: Vec<String> = items.iter().map(Ty::to_string).collect();
                write!(f, "({})", items.join(", "))
            }
            Ty::Pair => f.write_str("Pair"),
        }
    }
}

impl Ty {
    /// A name for functions that are about this type.
    pub(crate) fn word(&self) -> String {
        match self {
            Ty::Int => "Int".into(),
            Ty::Bool => "Bool".into(),
            Ty::Text => "Text".into(),
            Ty::Float => "Float".into(),
            Ty::Color => "Color".into(),
            Ty::Event => "Event".into(),
            Ty::Machine => "Machine".into(),
            Ty::Reference(name) => name.clone(),
            Ty::Any => "Any".into(),
            Ty::Seq(element) => format!("Seq{}", element.word()),
            Ty::Set(element) => format!("Set{}", element.word()),
            Ty::Map(key, value) => format!("Map{}To{}", key.word(), value.word()),
            Ty::Tuple(items) => items.iter().map(Ty::word).collect::<Vec<_>>().join("And"),
            Ty::Pair => "Pair".into(),
        }
    }

    /// What `foreach` and `choose` give.
    pub(crate) fn element(&self) -> Option<&Ty> {
        match self {
            Ty::Seq(element) | Ty::Set(element) => Some(element),
            Ty::Map(key, _) => Some(key),
            _ => None,
        }
    }

    /// Whether the text of a value is the same in every run (that of a machine has its number) and laid down.
    pub(crate) fn has_stable_text(&self) -> bool {
        match self {
            Ty::Machine | Ty::Reference(_) | Ty::Any | Ty::Pair | Ty::Event => false,
            Ty::Seq(element) | Ty::Set(element) => element.has_stable_text(),
            Ty::Map(key, value) => key.has_stable_text() && value.has_stable_text(),
            Ty::Tuple(items) => items.iter().all(Ty::has_stable_text),
            _ => true,
        }
    }

    pub(crate) fn can_be_null(&self) -> bool {
        matches!(self, Ty::Event | Ty::Machine | Ty::Reference(_) | Ty::Any)
    }

    /// Whether all expressions of the type have the very same type, and not only one that fits.
    pub(crate) fn is_exact(&self) -> bool {
        match self {
            Ty::Machine | Ty::Reference(_) | Ty::Any | Ty::Pair => false,
            Ty::Seq(element) | Ty::Set(element) => element.is_exact(),
            Ty::Map(key, value) => key.is_exact() && value.is_exact(),
            Ty::Tuple(items) => items.iter().all(Ty::is_exact),
            _ => true,
        }
    }

    /// Everything, simple types most often.
    pub(crate) fn random(dice: &mut Dice) -> Ty {
        match dice.below(20) {
            0..=4 => Ty::Int,
            5..=6 => Ty::Bool,
            7 => Ty::Text,
            8 => Ty::Color,
            9 => Ty::Any,
            10..=12 => Ty::Machine,
            13 => Ty::Event,
            14 if dice.chance(50) => Ty::Float,
            _ => Ty::random_composite(dice),
        }
    }

    pub(crate) fn random_composite(dice: &mut Dice) -> Ty {
        match dice.below(12) {
            0..=2 => Ty::Seq(Box::new(Ty::random_element(dice))),
            3..=4 => Ty::Set(Box::new(Ty::random_element(dice))),
            5..=6 => Ty::Map(Box::new(Ty::random_element(dice)), Box::new(Ty::random_element(dice))),
            7 => Ty::Map(Box::new(Ty::Int), Box::new(Ty::Seq(Box::new(Ty::Int)))),
            8 => Ty::Tuple(vec![Ty::Int, Ty::Bool]),
            9 => Ty::Tuple(vec![Ty::Seq(Box::new(Ty::Int)), Ty::Color]),
            _ => Ty::Pair,
        }
    }

    fn random_element(dice: &mut Dice) -> Ty {
        match dice.below(12) {
            0..=4 => Ty::Int,
            5..=8 => Ty::Machine,
            9 => Ty::Bool,
            10 => Ty::Pair,
            _ => Ty::Tuple(vec![Ty::Int, Ty::Bool]),
        }
    }
}
