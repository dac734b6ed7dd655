//! A delaying explorer of one's own, under 50 lines: who became able to move last runs first.
//!
//! `cargo run -p fabius-explore --example newest_first` searches a toy program with it, exhaustively and by sampling.

use fabius_explore::{Explorer, Taken};
use fabius_model::{ActorId, Choice, Effect};

/// The strategy and its state: who can move, and how many were passed over at the present state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NewestFirst {
    able: Vec<ActorId>,
    passed: usize,
}

impl Explorer for NewestFirst {
    fn begin(&mut self, enabled: &[ActorId], _fingerprint: u64) {
        self.able = enabled.to_vec();
    }

    /// The newest that was not passed over. Its position among the choices is asked for.
    fn next(&self, choices: &[Choice]) -> usize {
        let newest = self.able.iter().rev().nth(self.passed);
        let is_it = |choice: &Choice| newest.is_some_and(|actor| *choice == Choice::Schedule(*actor));
        choices.iter().position(is_it).unwrap_or(0)
    }

    fn delay(&mut self, _choices: &[Choice]) {
        self.passed += 1;
    }

    fn step(&mut self, taken: &Taken<'_>) {
        self.passed = 0;
        for effect in taken.effects {
            match *effect {
                Effect::Created(actor) | Effect::Enabled(actor) => self.able.push(actor),
                Effect::Blocked(actor) | Effect::Halted(actor) => self.able.retain(|other| *other != actor),
                _ => {}
            }
        }
    }
}

pub fn main() {
    // Node 5 is a bug: from node 0 only edge 0, then edge 1, then edge 0 lead there.
    let edges = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 4), (4, 5), (4, 6)];
    let program = fabius_model::toys::Graph::from_edges(&edges).with_bugs(&[5]);
    let explorer = NewestFirst::default();
    search::exhaustively(&program, &explorer);
    search::by_sampling(&program, &explorer);
}

mod search {
    use fabius_explore::Explorer;
    use fabius_model::toys::Graph;
    use fabius_search::Callbacks;
    use fabius_search::exhaustive::stratified as ses;
    use fabius_search::sampling::stratified as ss;

    pub(super) fn exhaustively(program: &Graph, explorer: &impl Explorer) {
        let limits = ses::Limits::default();
        let (report, _) = ses::run(program, explorer, &limits, &Callbacks::default(), &|_| {});
        assert_eq!(report.bugs[0].bug, 5, "{report:?}");
        println!("found with {:?} delays after {} states", report.bug_delays, report.states);
    }

    pub(super) fn by_sampling(program: &Graph, explorer: &impl Explorer) {
        let limits = ss::Limits { delays: 3, ..ss::Limits::default() };
        let report =
            ss::run(|| program.clone(), explorer, ss::Start::Initial, &limits, &Callbacks::default());
        assert_eq!(report.bugs[0].bug, 5, "{report:?}");
        println!("found after {} samples", report.samples);
    }
}
