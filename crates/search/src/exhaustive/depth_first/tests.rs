//! A moment of a search that timing seldom brings about.

use fabius_model::toys::Graph;
use fabius_store::Exact;

use super::*;

#[test]
fn a_worker_that_is_to_stop_keeps_what_waits_also_while_the_pool_has_more() {
    let stack = |state| {
        let mut stack = Stack::default();
        stack.accept(vec![Gift::initial(state)]);
        stack
    };
    let (program, set, limits, callbacks) =
        (Graph::from_edges(&[(0, 1), (0, 2)]), Exact::new(), Limits::default(), Callbacks::default());
    let shared = Shared {
        program: &program,
        set: &set,
        limits: &limits,
        sleeps: false,
        callbacks: &callbacks,
        visit: &|_| {},
        keeping: None,
        pool: Pool::new(1, vec![stack(1), stack(2)]),
        findings: Mutex::new((0, Findings::new(limits.bugs, &callbacks))),
        counts: Counts {
            states: AtomicU64::new(3),
            transitions: AtomicU64::new(2),
            depth: AtomicU64::new(1),
            frontier: AtomicU64::new(0),
        },
        omission_before: 0.0,
        stop: Mutex::new(Some(StopReason::Asked)),
        is_stopped: AtomicBool::new(true),
    };
    let own = Worker::new(&shared).work();
    let mut waiting = Vec::new();
    shared.pool.look_at_end(vec![own], |everything| {
        let stacks = everything.stacks.iter();
        waiting = stacks.flat_map(|stack| &stack.waiting).map(|waiting| waiting.state).collect();
    });
    waiting.sort_unstable();
    assert_eq!(waiting, [1, 2]);
}
