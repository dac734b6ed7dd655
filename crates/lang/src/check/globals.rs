//! The global namespaces of a project, one table each, as P keeps them.

use crate::ids::{EnumId, EventSet, InterfaceId, MachineId, ParameterId};
use crate::names::Name;
use crate::source::Span;
use crate::syntax::tree::{FunctionId, Ident};
use crate::types::TypeId;
use rapidhash::RapidHashMap;

pub(super) type NameMap<T> = RapidHashMap<Name, T>;

#[derive(Debug, Default)]
pub(super) struct Globals {
    pub(super) enums: NameMap<EnumId>,
    /// Enum, number and place of each element.
    pub(super) enum_elements: NameMap<(EnumId, i64, Span)>,
    pub(super) aliases: NameMap<Alias>,
    pub(super) event_sets: NameMap<NamedEventSet>,
    pub(super) interfaces: NameMap<InterfaceId>,
    pub(super) machines: NameMap<MachineId>,
    pub(super) functions: NameMap<FunctionId>,
    pub(super) parameters: NameMap<ParameterId>,
    pub(super) pures: NameMap<Pure>,
    /// By full name; those of a lemma or theorem are called `Lemma_invariant`.
    pub(super) invariants: RapidHashMap<String, InvariantId>,
    /// Where each invariant is declared.
    pub(super) invariant_spans: Vec<Span>,
    /// Lemmas and theorems with their invariants.
    pub(super) invariant_groups: NameMap<(Span, Vec<InvariantId>)>,
    pub(super) proofs: NameMap<Span>,
    /// Module names with the position of their declaration.
    pub(super) modules: NameMap<(Ident, usize)>,
    /// Tests and implementations, as which they were declared.
    pub(super) tests: NameMap<(&'static str, Span)>,
    /// Permission types of event sets, single events and specs, made when first named.
    pub(super) permission_types: NameMap<TypeId>,
    /// All events but `null`.
    pub(super) all_events: EventSet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct InvariantId(pub(super) u32);

/// `type A = ..;`
#[derive(Debug)]
pub(super) struct Alias {
    pub(super) span: Span,
    pub(super) declaration: usize,
    pub(super) state: AliasState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AliasState {
    Unresolved,
    /// Being resolved: meeting it again is a cycle.
    Resolving,
    /// As `Resolving`; the cycle has been reported.
    Circular,
    Resolved(TypeId),
}

#[derive(Debug)]
pub(super) struct NamedEventSet {
    pub(super) span: Span,
    pub(super) events: EventSet,
}

/// A function of the verifier.
#[derive(Clone, Debug)]
pub(super) struct Pure {
    pub(super) span: Span,
    pub(super) declaration: usize,
    pub(super) parameters: Vec<(Ident, TypeId)>,
    pub(super) result: TypeId,
}
