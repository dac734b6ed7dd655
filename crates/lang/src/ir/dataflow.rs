//! What each instruction reads, writes and leads to.
//!
//! The order of evaluation within one instruction: first its operands, in the order of [`Instruction::uses`]; then the
//! changed place, if any ([`Instruction::updated`]); last the written register ([`Instruction::definition`]). A
//! `receive` writes a payload register on the way to its case ([`Successor::defines`]).

use super::{ChooseFrom, Instruction, Label, Operand, Place, Projection, Register, Root};

/// A position that control can reach next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Successor {
    pub at: usize,
    /// The register that is written on the way there.
    pub defines: Option<Register>,
}

impl Instruction {
    /// The operands in the order in which they are evaluated.
    pub fn uses(&self) -> impl DoubleEndedIterator<Item = Operand> {
        let (path, list, singles) = self.operands();
        let indices = path.iter().filter_map(|projection| match projection {
            Projection::Item(_) => None,
            Projection::Index(operand) => Some(*operand),
        });
        indices.chain(list.iter().copied()).chain(singles.into_iter().flatten().copied())
    }

    /// As [`Instruction::uses`], to change them.
    pub fn uses_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Operand> {
        let (path, list, singles) = self.operands_mut();
        let indices = path.iter_mut().filter_map(|projection| match projection {
            Projection::Item(_) => None,
            Projection::Index(operand) => Some(operand),
        });
        indices.chain(list.iter_mut()).chain(singles.into_iter().flatten())
    }

    /// The register that gets a new value, whatever it held before.
    pub fn definition(&self) -> Option<Register> {
        match self {
            Self::Const { to, .. }
            | Self::Copy { to, .. }
            | Self::LoadField { to, .. }
            | Self::LoadParameter { to, .. }
            | Self::This { to }
            | Self::Unary { to, .. }
            | Self::Binary { to, .. }
            | Self::Tuple { to, .. }
            | Self::Item { to, .. }
            | Self::Element { to, .. }
            | Self::Lookup { to, .. }
            | Self::Contains { to, .. }
            | Self::Cast { to, .. }
            | Self::Permit { to, .. }
            | Self::Format { to, .. }
            | Self::Choose { to, .. } => Some(*to),
            Self::Call { to, .. } | Self::New { to, .. } => *to,
            Self::Assign { place: Place { root: Root::Register(register), path }, .. } if path.is_empty() => {
                Some(*register)
            }
            _ => None,
        }
    }

    /// The register that is changed in part, so that its value before matters.
    pub fn updated(&self) -> Option<Register> {
        let (place, is_whole) = match self {
            Self::Assign { place, .. } => (place, place.path.is_empty()),
            Self::Insert { place, .. } | Self::Add { place, .. } | Self::Remove { place, .. } => {
                (place, false)
            }
            _ => return None,
        };
        match place.root {
            Root::Register(register) if !is_whole => Some(register),
            _ => None,
        }
    }

    /// Where control can go from here, `at` being this instruction's position.
    pub fn successors(&self, at: usize) -> impl Iterator<Item = Successor> {
        let (first, second) = match self {
            Self::Jump(label) => (Some(label.index()), None),
            Self::Branch { then, otherwise, .. } => (Some(then.index()), Some(otherwise.index())),
            _ if self.is_terminator() => (None, None),
            _ => (Some(at + 1), None),
        };
        let cases = if let Self::Receive { cases } = self { &cases[..] } else { &[] };
        let plain = first.into_iter().chain(second).map(|at| Successor { at, defines: None });
        plain.chain(cases.iter().map(|case| Successor { at: case.target.index(), defines: case.payload }))
    }

    /// The positions that the instruction names.
    pub fn labels_mut(&mut self) -> impl Iterator<Item = &mut Label> {
        let (first, second, cases) = match self {
            Self::Jump(label) => (Some(label), None, None),
            Self::Branch { then, otherwise, .. } => (Some(then), Some(otherwise), None),
            Self::Receive { cases } => (None, None, Some(cases)),
            _ => (None, None, None),
        };
        let targets = cases.into_iter().flat_map(|cases| cases.iter_mut().map(|case| &mut case.target));
        first.into_iter().chain(second).chain(targets)
    }
}

type Operands<'a> = (&'a [Projection], &'a [Operand], [Option<&'a Operand>; 3]);
type OperandsMut<'a> = (&'a mut [Projection], &'a mut [Operand], [Option<&'a mut Operand>; 3]);

/// The operands of an instruction where they lie, in order: those of the path, the listed ones, the single ones. Both
/// functions have the same body, so that reading and changing cannot disagree about what is an operand.
macro_rules! operands {
    ($name:ident, $result:ident, $as_option:ident $(, $mutable:tt)?) => {
        fn $name(& $($mutable)? self) -> $result<'_> {
            let mut path: & $($mutable)? [Projection] = & $($mutable)? [];
            let mut list: & $($mutable)? [Operand] = & $($mutable)? [];
            let mut singles = [None, None, None];
            match self {
                Self::Const { .. }
                | Self::LoadField { .. }
                | Self::LoadParameter { .. }
                | Self::This { .. }
                | Self::Jump(_)
                | Self::Receive { .. }
                | Self::Choose { from: ChooseFrom::Bool { .. }, .. }
                | Self::Halt => {}
                Self::Copy { from: operand, .. }
                | Self::Unary { operand, .. }
                | Self::Item { base: operand, .. }
                | Self::Cast { operand, .. }
                | Self::Permit { operand, .. }
                | Self::Branch { condition: operand, .. }
                | Self::Print { message: operand }
                | Self::Choose { from: ChooseFrom::Below(operand) | ChooseFrom::Elements(operand), .. } => {
                    singles[0] = Some(operand);
                }
                Self::Binary { lhs: first, rhs: second, .. }
                | Self::Element { base: first, index: second, .. }
                | Self::Lookup { base: first, key: second, .. }
                | Self::Contains { item: first, collection: second, .. } => {
                    singles = [Some(first), Some(second), None];
                }
                Self::Tuple { items: operands, .. }
                | Self::Format { arguments: operands, .. }
                | Self::Call { arguments: operands, .. } => list = operands,
                Self::Assign { place, value: operand }
                | Self::Add { place, value: operand }
                | Self::Remove { place, key: operand } => {
                    path = & $($mutable)? place.path;
                    singles[0] = Some(operand);
                }
                Self::Insert { place, key, value } => {
                    path = & $($mutable)? place.path;
                    singles = [Some(key), Some(value), None];
                }
                Self::Return(operand)
                | Self::New { payload: operand, .. }
                | Self::Goto { payload: operand, .. } => singles[0] = operand.$as_option(),
                Self::Assert { condition: first, message: second }
                | Self::Announce { event: first, payload: second }
                | Self::Raise { event: first, payload: second } => {
                    singles = [Some(first), second.$as_option(), None];
                }
                Self::Send { target, event, payload } => {
                    singles = [Some(target), Some(event), payload.$as_option()];
                }
            }
            (path, list, singles)
        }
    };
}

impl Instruction {
    operands!(operands, Operands, as_ref);
    operands!(operands_mut, OperandsMut, as_mut, mut);
}
