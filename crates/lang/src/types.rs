//! The types of P, interned: equal types have equal ids.

use crate::ids::{EnumId, EventId, EventSet, InterfaceId, MachineId};
use crate::names::{Name, Names};
use rapidhash::RapidHashMap;

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
    ids: RapidHashMap<Type, TypeId>,
    permissions: Vec<Permission>,
}

impl Default for Types {
    fn default() -> Self {
        let mut types = Self { list: Vec::new(), ids: RapidHashMap::default(), permissions: Vec::new() };
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
        self.list.push(ty.clone());
        self.ids.insert(ty, id);
        id
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

    /// The type as people write it.
    pub fn display(&self, id: TypeId, names: &Names, enum_name: &impl Fn(EnumId) -> Name) -> String {
        let show = |id: TypeId| self.display(id, names, enum_name);
        match self.get(id) {
            Type::Error => "?".into(),
            Type::Null => "null".into(),
            Type::Bool => "bool".into(),
            Type::Int => "int".into(),
            Type::Float => "float".into(),
            Type::String => "string".into(),
            Type::Event => "event".into(),
            Type::Machine => "machine".into(),
            Type::Data => "data".into(),
            Type::Any => "any".into(),
            Type::Seq(element) => format!("seq[{}]", show(*element)),
            Type::Set(element) => format!("set[{}]", show(*element)),
            Type::Map(key, value) => format!("map[{}, {}]", show(*key), show(*value)),
            Type::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|item| show(*item)).collect();
                format!("({})", items.join(", "))
            }
            Type::NamedTuple(fields) => {
                let field = |(name, ty): &(Name, TypeId)| format!("{}: {}", names.text(*name), show(*ty));
                let fields: Vec<_> = fields.iter().map(field).collect();
                format!("({})", fields.join(", "))
            }
            Type::Enum(id) => names.text(enum_name(*id)).into(),
            Type::Foreign(name) => names.text(*name).into(),
            Type::Permission(id) => names.text(self.permission(*id).name).into(),
        }
    }
}
