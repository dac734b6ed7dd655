//! The ways to the states on a stack, as a tree that shares their beginnings.
//!
//! Invariant: a path is kept as long as somebody holds it: the states that wait to be expanded behind it, and the paths
//! that go on from it. What is held is thus in proportion to the stack, not to the states visited.

use std::io::{self, Read, Write};

use fabius_model::wire::{damaged, get, get_number, put_number};

/// The position by which the initial state is reached.
pub(super) const START: u32 = u32::MAX;

/// A path of a [`Paths`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PathId(u32);

impl PathId {
    /// What comes before the initial state: nothing.
    const NONE: PathId = PathId(u32::MAX);
}

#[derive(Default)]
pub(super) struct Paths {
    nodes: Vec<Node>,
    free: Vec<u32>,
    /// The longest path made since it was asked for.
    depth: u32,
}

struct Node {
    before: PathId,
    position: u32,
    depth: u32,
    holds: u32,
}

impl Paths {
    /// The path along these positions, held once.
    pub(super) fn begin(&mut self, positions: &[u32]) -> PathId {
        let mut path = PathId::NONE;
        for position in positions {
            path = self.step(path, *position);
        }
        path
    }

    /// The path with one step more. The caller's hold on `before` goes over to it, and it is held once.
    #[inline]
    pub(super) fn step(&mut self, before: PathId, position: u32) -> PathId {
        let depth = if before == PathId::NONE { 0 } else { self.nodes[before.0 as usize].depth + 1 };
        self.depth = self.depth.max(depth);
        let node = Node { before, position, depth, holds: 1 };
        match self.free.pop() {
            Some(at) => {
                self.nodes[at as usize] = node;
                PathId(at)
            }
            None => {
                self.nodes.push(node);
                PathId(self.nodes.len() as u32 - 1)
            }
        }
    }

    pub(super) fn hold(&mut self, path: PathId) {
        if path != PathId::NONE {
            self.nodes[path.0 as usize].holds += 1;
        }
    }

    pub(super) fn release(&mut self, mut path: PathId) {
        while path != PathId::NONE {
            let node = &mut self.nodes[path.0 as usize];
            node.holds -= 1;
            if node.holds > 0 {
                return;
            }
            self.free.push(path.0);
            path = node.before;
        }
    }

    /// The positions of the choices along a path.
    pub(super) fn way(&self, path: PathId) -> Vec<u32> {
        let mut positions = self.positions(path);
        positions.retain(|position| *position != START);
        positions
    }

    /// All positions along a path, with [`START`].
    pub(super) fn positions(&self, mut path: PathId) -> Vec<u32> {
        let mut positions = Vec::new();
        while path != PathId::NONE {
            let node = &self.nodes[path.0 as usize];
            positions.push(node.position);
            path = node.before;
        }
        positions.reverse();
        positions
    }

    pub(super) fn take_depth(&mut self) -> u64 {
        u64::from(std::mem::take(&mut self.depth))
    }

    /// Writes all paths that are held, and gives their numbers in the file.
    pub(super) fn write_to(&self, to: &mut dyn Write) -> io::Result<Numbers> {
        let mut numbers = Numbers(vec![0; self.nodes.len()]);
        let mut count = 0;
        for (number, node) in numbers.0.iter_mut().zip(&self.nodes) {
            count += u64::from(node.holds > 0);
            *number = if node.holds > 0 { count } else { 0 };
        }
        put_number(to, count)?;
        for node in self.nodes.iter().filter(|node| node.holds > 0) {
            put_number(to, numbers.of(node.before))?;
            put_number(to, u64::from(node.position))?;
            put_number(to, u64::from(node.depth))?;
        }
        Ok(numbers)
    }

    /// Reads paths, which are then held by nobody but each other.
    pub(super) fn read_from(from: &mut dyn Read) -> io::Result<Self> {
        let count = get_number(from)?;
        let mut paths = Paths::default();
        let mut befores = Vec::new();
        for _ in 0..count {
            befores.push(get_number(from)?);
            let (position, depth) = (get(from)?, get(from)?);
            paths.nodes.push(Node { before: PathId::NONE, position, depth, holds: 0 });
        }
        for (at, before) in befores.into_iter().enumerate() {
            let before = paths.path(before)?;
            // Depths that fall along the way make sure that it ends.
            let depth = paths.nodes.get(before.0 as usize).map_or(0, |node| node.depth.saturating_add(1));
            if paths.nodes[at].depth != depth {
                return Err(damaged());
            }
            paths.nodes[at].before = before;
            paths.hold(before);
        }
        Ok(paths)
    }

    /// The path with this number in the file that was read.
    pub(super) fn path(&self, number: u64) -> io::Result<PathId> {
        match number.checked_sub(1) {
            None => Ok(PathId::NONE),
            Some(at) if at < self.nodes.len() as u64 => Ok(PathId(at as u32)),
            Some(_) => Err(damaged()),
        }
    }
}

/// The numbers of paths in a file, from 1.
pub(super) struct Numbers(Vec<u64>);

impl Numbers {
    /// 0 stands for what comes before the initial state.
    pub(super) fn of(&self, path: PathId) -> u64 {
        self.0.get(path.0 as usize).copied().unwrap_or(0)
    }
}
