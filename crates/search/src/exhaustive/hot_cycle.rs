//! Whether some infinite run leaves an obligation open for ever: a cycle behind a hot state that never cools down.
//!
//! P lets an obligation end only in a cold state: a neutral one neither heats nor cools. So the cycles that matter are
//! those of states that are not cold, reachable from a hot one without a cold one in between.
//!
//! Each thread searches depth-first over the states that are not cold, from hot ones, in an order of its own. A successor that
//! is on its own path closes a cycle. What it comes back from is *done*, which all threads know; they share nothing else.
//! Invariant: a state becomes done after its warm successors, and so none that is done leads to a cycle: of the states of one, each
//! would have become done after the next. Two threads may be at work behind one state; what either has done
//! the other leaves out. After Laarman, Langerak, van de Pol, Weber, Wijs, "Multi-Core Nested Depth-First Search", ATVA 2011,
//! where every state counts and no second search is needed.
//!
//! Guarantees: `false` means that there is no such cycle, so that in every infinite run of a program with finitely many
//! states, fair or not, each hot state is followed by a cold one. Together with [`Program::end`](fabius_model::Program::end), which judges the runs
//! that end, every obligation is then met. The answer is the same for any number of threads.
//! Does not guarantee: that `true` is a bug. The cycle may be one that no fair scheduler follows, or one of neutral states
//! only.
//!
//! States that are done are known by their keys in an exact set, in a dozen bytes or two; only those that wait along the current
//! paths are held themselves.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fabius_explore::Rng;
use fabius_model::{Outcome, Packed, Sketch, Sketches};
use fabius_store::{Batch, Key, Keyed};
use hashbrown::HashSet;

use crate::threads;

/// A thread asks after so many states whether it is to end.
const UNASKED: u32 = 64;

/// Hot states, which come in pieces. A thread holds those of a piece at a time.
#[derive(Clone, Copy)]
pub struct Pieces<'a, S> {
    /// How many pieces there are.
    pub pieces: usize,
    /// The states of a piece.
    pub piece: &'a (dyn Fn(usize) -> Vec<S> + Sync),
}

impl<S> fmt::Debug for Pieces<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pieces").field("pieces", &self.pieces).finish_non_exhaustive()
    }
}

/// Whether there is a cycle of states that are not cold, reachable from `hot` ones without a cold one in between. `None`
/// when `should_stop` said so first, or if the set is full.
pub fn exists<P: Packed>(
    program: &P,
    hot: Pieces<'_, P::State>,
    is_warm: &(dyn Fn(&P::State) -> bool + Sync),
    jobs: usize,
    should_stop: &(dyn Fn() -> bool + Sync),
) -> Option<bool> {
    let shared = Shared {
        program,
        hot,
        is_warm,
        should_stop,
        done: Keyed::new(true),
        is_over: AtomicBool::new(false),
    };
    let answers: Vec<Option<bool>> = thread::scope(|scope| {
        let shared = &shared;
        let start = |worker| threads::start(scope, move || Worker::new(shared, worker, jobs).work());
        let others: Vec<_> = (1..jobs).map_while(start).collect();
        let own = Worker::new(shared, 0, jobs).work();
        let others = others.into_iter().map(|other| other.join().expect("a panic ends the process"));
        others.chain([own]).collect()
    });
    // Whoever has done everything has done what the others left, too.
    answers.iter().flatten().copied().reduce(|one, other| one || other)
}

struct Shared<'a, P: Packed> {
    program: &'a P,
    hot: Pieces<'a, P::State>,
    is_warm: &'a (dyn Fn(&P::State) -> bool + Sync),
    should_stop: &'a (dyn Fn() -> bool + Sync),
    done: Keyed,
    /// Whether some thread has found the answer, or has been told to end.
    is_over: AtomicBool,
}

/// A state on the current path.
struct Frame {
    key: Key,
    /// Where its successors begin among those that wait.
    waiting: usize,
}

/// A state that was looked up, and was not done then.
struct Waiting<S> {
    state: S,
    key: Key,
}

/// What ends a search.
enum End {
    Cycle,
    Stopped,
}

/// One thread's part.
struct Worker<'w, 'a, P: Packed> {
    shared: &'w Shared<'a, P>,
    /// With which of the pieces it begins.
    first_piece: usize,
    /// Draws which successor comes first; one thread takes them as they come.
    order: Option<Rng>,
    path: Vec<Frame>,
    /// The keys of the path.
    open: HashSet<Key>,
    waiting: Vec<Waiting<P::State>>,
    unasked: u32,
    sketches: Sketches<P::State, P::Bug>,
    batch: Batch,
    /// The keys of what was looked up last, and whether that is done.
    keys: Vec<Key>,
    is_done: Vec<bool>,
    words: Vec<u32>,
}

impl<'w, 'a, P: Packed> Worker<'w, 'a, P> {
    fn new(shared: &'w Shared<'a, P>, number: usize, jobs: usize) -> Self {
        Self {
            shared,
            first_piece: number * shared.hot.pieces / jobs,
            order: (number > 0).then(|| Rng::from_seed(number as u64)),
            path: Vec::new(),
            open: HashSet::new(),
            waiting: Vec::new(),
            unasked: 0,
            sketches: Sketches::default(),
            batch: Batch::new(),
            keys: Vec::new(),
            is_done: Vec::new(),
            words: Vec::new(),
        }
    }

    /// Whether a cycle is reachable from a hot state; `None` if it was told to end before it knew.
    fn work(mut self) -> Option<bool> {
        let pieces = self.shared.hot.pieces;
        let result = (self.first_piece..pieces).chain(0..self.first_piece).try_for_each(|piece| {
            let roots = (self.shared.hot.piece)(piece);
            self.look_up_roots(roots)?;
            self.search()
        });
        self.shared.is_over.store(true, Ordering::Relaxed);
        match result {
            Ok(()) => Some(false),
            Err(End::Cycle) => Some(true),
            Err(End::Stopped) => None,
        }
    }

    /// Lets those that are warm and not done wait.
    fn look_up_roots(&mut self, mut roots: Vec<P::State>) -> Result<(), End> {
        let Self { shared, batch, words, .. } = self;
        roots.retain(shared.is_warm);
        batch.clear();
        roots.iter().for_each(|root| batch.push(0, shared.program.words(root, words)));
        self.look_up()?;
        let roots = roots.into_iter().zip(&self.keys).zip(&self.is_done).filter(|(_, is_done)| !**is_done);
        self.waiting.extend(roots.map(|((state, key), _)| Waiting { state, key: *key }));
        Ok(())
    }

    /// Does all that waits.
    fn search(&mut self) -> Result<(), End> {
        loop {
            let first = self.path.last().map_or(0, |frame| frame.waiting);
            if let Some(Waiting { state, key }) = self.next_waiting(first) {
                if !self.is_done(key) {
                    self.ask()?;
                    self.open(&state, key)?;
                }
            } else if let Some(Frame { key, .. }) = self.path.pop() {
                self.open.remove(&key);
                self.shared.done.insert_keys(&[key], &mut self.is_done);
            } else {
                return Ok(());
            }
        }
    }

    /// One of those that wait from a place on.
    fn next_waiting(&mut self, first: usize) -> Option<Waiting<P::State>> {
        let count = self.waiting.len() - first;
        if count > 1
            && let Some(order) = &mut self.order
        {
            let last = self.waiting.len() - 1;
            self.waiting.swap(first + order.position(count), last);
        }
        if count > 0 { self.waiting.pop() } else { None }
    }

    /// Whether a state has become done since it was looked up.
    fn is_done(&mut self, key: Key) -> bool {
        self.shared.done.contains_keys(&[key], &mut self.is_done);
        self.is_done[0]
    }

    fn ask(&mut self) -> Result<(), End> {
        self.unasked += 1;
        if self.unasked < UNASKED {
            return Ok(());
        }
        self.unasked = 0;
        let Shared { is_over, should_stop, done, .. } = self.shared;
        // What a full set has refused would never become done.
        let ends = is_over.load(Ordering::Relaxed) || should_stop() || done.is_full();
        if ends { Err(End::Stopped) } else { Ok(()) }
    }

    /// Puts a state on the path, and lets its successors wait that are warm and not done.
    fn open(&mut self, state: &P::State, key: Key) -> Result<(), End> {
        self.open.insert(key);
        self.path.push(Frame { key, waiting: self.waiting.len() });
        self.look_up_successors(state, key)?;
        let Self { shared, sketches, waiting, open, .. } = self;
        let mut looked_up = self.keys.iter().zip(&self.is_done);
        for index in 0..sketches.len() {
            if matches!(sketches.get(index), Sketch::Made(Outcome::Bug(_))) {
                continue;
            }
            let (key, is_done) = looked_up.next().expect("all successors but bugs were looked up");
            if *is_done {
                continue;
            }
            // Only warm states are on the path.
            if open.contains(key) {
                return Err(End::Cycle);
            }
            match sketches.take(index, shared.program, state) {
                Outcome::State(state) if (shared.is_warm)(&state) => {
                    waiting.push(Waiting { state, key: *key });
                }
                Outcome::State(_) | Outcome::Bug(_) => {}
            }
        }
        Ok(())
    }

    /// Looks up where a state leads, but for bugs.
    fn look_up_successors(&mut self, state: &P::State, key: Key) -> Result<(), End> {
        let Self { shared, sketches, batch, words, .. } = self;
        batch.clear();
        sketches.clear();
        shared.program.sketch(state, sketches);
        batch.push_known_base(shared.program.words(state, words), key);
        if sketches.are_changes() {
            batch.push_all_edited(sketches.fingerprints(0), sketches.edits(0));
        } else {
            for index in 0..sketches.len() {
                match sketches.get(index) {
                    Sketch::Changed { edits, .. } => batch.push_edited(0, edits),
                    Sketch::Made(Outcome::State(next)) => batch.push(0, shared.program.words(next, words)),
                    Sketch::Made(Outcome::Bug(_)) => {}
                }
            }
        }
        self.look_up()
    }

    /// Finds the keys of a batch of states, and which of them are done.
    fn look_up(&mut self) -> Result<(), End> {
        self.shared.done.probe(&self.batch, &mut self.keys, &mut self.is_done);
        // Nothing can be said of a state that the set has refused.
        if self.keys.contains(&Key::NONE) { Err(End::Stopped) } else { Ok(()) }
    }
}
