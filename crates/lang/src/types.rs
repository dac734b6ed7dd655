//! The types of P, interned: equal types have equal ids.

use crate::ids::{EnumId, EventId, EventSet, InterfaceId, MachineId};
use crate::names::{Name, Names};
use rapidhash::RapidHashMap;

/// Types are cut about here when they are shown.
const LONGEST_TEXT: usize = 300;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

impl TypeId {
    /// The type of what was already reported; every check passes on it. No lowered program contains it.
    pub const ERROR: Self = Self(0);
    /// The type of `null`, of a missing payload and of a function without a result.
    pub const NULL: Self = Self(1);
    pub const BOOL: Self = Self(2);
    pub const INT: Self = Self(3);
    pub const FLOAT: Self = Self(4);
    pub const STRING: Self = Self(5);
    pub const EVENT: Self = Self(6);
    pub const MACHINE: Self = Self(7);
    pub const DATA: Self = Self(8);
    pub const ANY: Self = Self(9);
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Error,
    Null,
    Bool,
    Int,
    Float,
    String,
    Event,
    Machine,
    /// The top of the types that hold no machine reference.
    Data,
    Any,
    Seq(TypeId),
    Set(TypeId),
    Map(TypeId, TypeId),
    Tuple(Box<[TypeId]>),
    NamedTuple(Box<[(Name, TypeId)]>),
    Enum(EnumId),
    Foreign(Name),
    /// A machine reference that may be sent certain events only.
    Permission(PermissionId),
}

impl Type {
    /// Shows the types that this one is directly made of.
    pub fn for_each_part(&self, mut show: impl FnMut(TypeId)) {
        match self {
            Self::Seq(element) | Self::Set(element) => show(*element),
            Self::Map(key, value) => {
                show(*key);
                show(*value);
            }
            Self::Tuple(items) => items.iter().for_each(|item| show(*item)),
            Self::NamedTuple(fields) => fields.iter().for_each(|(_, ty)| show(*ty)),
            _ => {}
        }
    }
}

/// How far a type extends, written out in full: an alias can double in every line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// How many types are around the innermost one.
    pub depth: u32,
    /// How many types it is made of, itself included.
    pub size: u32,
}

/// An index into [`Types::permissions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PermissionId(pub u32);

/// What a permission type was written as, and the events it stands for.
#[derive(Clone, Debug)]
pub struct Permission {
    pub name: Name,
    pub origin: Origin,
    pub events: EventSet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// An interface; every machine has one of its own name.
    Interface(InterfaceId),
    /// A spec, which the verifier's expressions look into.
    Spec(MachineId),
    EventSet,
    /// One event, for the verifier's quantifiers.
    Event(EventId),
}

/// The table of types of one program.
#[derive(Clone, Debug)]
pub struct Types {
    list: Vec<Type>,
    /// The extent of each type of `list`.
    extents: Vec<Extent>,
    ids: RapidHashMap<Type, TypeId>,
    permissions: Vec<Permission>,
}

impl Default for Types {
    fn default() -> Self {
        let mut types = Self {
            list: Vec::new(),
            extents: Vec::new(),
            ids: RapidHashMap::default(),
            permissions: Vec::new(),
        };
        let built_in = [
            Type::Error,
            Type::Null,
            Type::Bool,
            Type::Int,
            Type::Float,
            Type::String,
            Type::Event,
            Type::Machine,
            Type::Data,
            Type::Any,
        ];
        for ty in built_in {
            types.intern(ty);
        }
        types
    }
}

impl Types {
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(id) = self.ids.get(&ty) {
            return *id;
        }
        let id = TypeId(self.list.len() as u32);
        self.extents.push(self.extent_of(&ty));
        self.list.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    /// How deep and how large a type is that may not be in the table yet.
    pub fn extent_of(&self, ty: &Type) -> Extent {
        let mut extent = Extent { depth: 0, size: 1 };
        ty.for_each_part(|part| {
            // The text form can name parts that are not there; the verifier says so.
            let inner = self.extents.get(part.0 as usize).copied().unwrap_or_default();
            extent.depth = extent.depth.max(inner.depth.saturating_add(1));
            extent.size = extent.size.saturating_add(inner.size);
        });
        extent
    }

    pub fn get(&self, id: TypeId) -> &Type {
        &self.list[id.0 as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.list.iter().enumerate().map(|(index, ty)| (TypeId(index as u32), ty))
    }

    /// Adds a permission type; the caller keeps one per declaration.
    pub fn add_permission(&mut self, permission: Permission) -> TypeId {
        self.permissions.push(permission);
        self.intern(Type::Permission(PermissionId(self.permissions.len() as u32 - 1)))
    }

    pub fn permission(&self, id: PermissionId) -> &Permission {
        &self.permissions[id.0 as usize]
    }

    pub fn permissions(&self) -> &[Permission] {
        &self.permissions
    }

    pub fn permissions_mut(&mut self) -> &mut [Permission] {
        &mut self.permissions
    }

    /// Whether a place of type `to` can hold every value of type `from`.
    pub fn is_assignable(&self, to: TypeId, from: TypeId) -> bool {
        if to == from {
            return true;
        }
        match (self.get(to), self.get(from)) {
            (Type::Error | Type::Any, _) | (_, Type::Error) => true,
            (Type::Machine, Type::Null | Type::Permission(_)) => true,
            (Type::Event, Type::Null) => true,
            (Type::Data, _) => self.is_data(from),
            (Type::Seq(to), Type::Seq(from)) | (Type::Set(to), Type::Set(from)) => {
                self.is_assignable(*to, *from)
            }
            (Type::Map(to_key, to_value), Type::Map(from_key, from_value)) => {
                self.is_assignable(*to_key, *from_key) && self.is_assignable(*to_value, *from_value)
            }
            (Type::Tuple(to), Type::Tuple(from)) => {
                to.len() == from.len() && to.iter().zip(from).all(|(to, from)| self.is_assignable(*to, *from))
            }
            (Type::NamedTuple(to), Type::NamedTuple(from)) => {
                to.len() == from.len()
                    && to
                        .iter()
                        .zip(from)
                        .all(|(to, from)| to.0 == from.0 && self.is_assignable(to.1, from.1))
            }
            (Type::Permission(to), Type::Permission(from)) => {
                self.permission(*to).events == self.permission(*from).events
            }
            _ => false,
        }
    }

    /// Whether each type can hold the other's values.
    pub fn is_same(&self, a: TypeId, b: TypeId) -> bool {
        self.is_assignable(a, b) && self.is_assignable(b, a)
    }

    /// Whether values of the type hold no machine reference with permissions.
    fn is_data(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Machine | Type::Any | Type::Foreign(_) => false,
            Type::Permission(permission) => self.permission(*permission).events.is_empty(),
            Type::Seq(element) | Type::Set(element) => self.is_data(*element),
            Type::Map(key, value) => self.is_data(*key) && self.is_data(*value),
            Type::Tuple(items) => items.iter().all(|item| self.is_data(*item)),
            Type::NamedTuple(fields) => fields.iter().all(|(_, ty)| self.is_data(*ty)),
            _ => true,
        }
    }

    /// The type as people write it; a very long one is cut.
    pub fn display(&self, id: TypeId, names: &Names, enum_name: &impl Fn(EnumId) -> Name) -> String {
        let mut text = String::new();
        self.write(&mut text, id, names, enum_name);
        if text.len() > LONGEST_TEXT {
            text.push('…');
        }
        text
    }

    fn write(&self, out: &mut String, id: TypeId, names: &Names, enum_name: &impl Fn(EnumId) -> Name) {
        if out.len() > LONGEST_TEXT {
            return;
        }
        let list = |out: &mut String, opening: &str, parts: &[TypeId], closing: &str| {
            out.push_str(opening);
            for (at, part) in parts.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                self.write(out, *part, names, enum_name);
            }
            out.push_str(closing);
        };
        match self.get(id) {
            Type::Error => out.push('?'),
            Type::Null => out.push_str("null"),
            Type::Bool => out.push_str("bool"),
            Type::Int => out.push_str("int"),
            Type::Float => out.push_str("float"),
            Type::String => out.push_str("string"),
            Type::Event => out.push_str("event"),
            Type::Machine => out.push_str("machine"),
            Type::Data => out.push_str("data"),
            Type::Any => out.push_str("any"),
            Type::Seq(element) => list(out, "seq[", &[*element], "]"),
            Type::Set(element) => list(out, "set[", &[*element], "]"),
            Type::Map(key, value) => list(out, "map[", &[*key, *value], "]"),
            Type::Tuple(items) => list(out, "(", items, ")"),
            Type::NamedTuple(fields) => {
                for (at, (name, ty)) in fields.iter().enumerate() {
                    out.push_str(if at > 0 { ", " } else { "(" });
                    out.push_str(names.text(*name));
                    list(out, ": ", &[*ty], "");
                }
                out.push(')');
            }
            Type::Enum(id) => out.push_str(names.text(enum_name(*id))),
            Type::Foreign(name) => out.push_str(names.text(*name)),
            Type::Permission(id) => out.push_str(names.text(self.permission(*id).name)),
        }
    }
}
