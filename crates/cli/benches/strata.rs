//! What delaying explorers cost: stratified search against depth-first search over the same states in the same exact set,
//! which is what `--search dfs` does, and two threads against one. Figures are the best of several rounds, and ratios
//! within one run of this benchmark. What one thread does is measured in processor time, where the system tells it, because
//! other work on this computer must not count; two threads against one by the clock, so let nothing else run.
//!
//!     cargo bench -p fabius --bench strata      # ONLY=lcr-ring: this program only
//!
//! The aims: an explorer's own bookkeeping below 30 % of depth-first search; all strata in at most 1.5 times its time; two
//! threads at least 1.6 times as fast as one.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fabius_explore::{Explorer, RandomOrder, RoundRobin, RunToCompletion, Taken};
use fabius_lang::ids::TestId;
use fabius_lang::source::SourceMap;
use fabius_model::{ActorId, Choice};
use fabius_search::Callbacks;
use fabius_search::exhaustive::depth_first;
use fabius_search::exhaustive::stratified::{self, Limits};
use fabius_store::Exact;
use fabius_vm::{Options, Vm};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Folders of the corpus, and a larger program of `benches/peers`, with their tests.
const PROGRAMS: [(&str, &str); 5] = [
    ("corpus/two-phase-commit", "tcWithTimeouts"),
    ("corpus/chain-replication", "tcTwoClients"),
    ("corpus/multi-paxos", "tcHoles"),
    ("corpus/lcr-ring", "tcAsynchronous___nodes_5"),
    ("benches/peers/p/Lcr.p", "tcLcr___nodes_9"),
];
const ROUNDS: usize = 5;

fn main() {
    let only = std::env::var("ONLY").unwrap_or_default();
    for (program, test) in PROGRAMS.into_iter().filter(|(program, _)| program.contains(&only)) {
        let Some(vm) = vm(program, test) else {
            println!("{program} has no test {test}");
            continue;
        };
        let (states, depth_first) = best(|| {
            let limits = depth_first::Limits { bugs: usize::MAX, ..depth_first::Limits::default() };
            let vm = vm.fresh();
            depth_first::run(&vm, &Exact::new(), &limits, &Callbacks::default(), &|_| {}).states
        });
        let depth_first = depth_first.busy;
        println!("{program} {test}: {states} states");
        println!("  depth-first             {:>8.1} ms", milliseconds(depth_first));
        let tell = |name: &str, time: Duration| {
            let ratio = time.as_secs_f64() / depth_first.as_secs_f64();
            println!("  {name:<22}  {:>8.1} ms  {ratio:>5.2} x depth-first", milliseconds(time));
        };
        let unguided = stratified(&vm, &InOrder::default(), 1, states).busy;
        let rtc = stratified(&vm, &RunToCompletion::new(), 1, states).busy;
        let rr = stratified(&vm, &RoundRobin::new(), 1, states).busy;
        let random = stratified(&vm, &RandomOrder::new(1), 1, states).busy;
        tell("strata, in order", unguided);
        tell("strata of rtc", rtc);
        tell("strata of rr", rr);
        tell("strata of random", random);
        let share = (rtc.as_secs_f64() - unguided.as_secs_f64()) / depth_first.as_secs_f64();
        println!("  bookkeeping of rtc      {:>7.0} % of depth-first", 100.0 * share);
        let [one, two] = [1, 2].map(|jobs| stratified(&vm, &RunToCompletion::new(), jobs, states).elapsed);
        println!(
            "  rtc with two threads    {:>8.1} ms by the clock, {:.2} times as fast as with one",
            milliseconds(two),
            one.as_secs_f64() / two.as_secs_f64()
        );
    }
}

/// What a search took: on its thread's processor, and by the clock.
#[derive(Clone, Copy)]
struct Time {
    busy: Duration,
    elapsed: Duration,
}

fn stratified<E: Explorer>(vm: &Vm, explorer: &E, jobs: usize, expected: u64) -> Time {
    let limits = Limits { jobs, bugs: usize::MAX, ..Limits::default() };
    let (states, time) = best(|| {
        let vm = vm.fresh();
        stratified::run(&vm, explorer, &limits, &Callbacks::default(), &|_| {}).0.states
    });
    assert_eq!(states, expected, "all searches visit the same states");
    time
}

/// The best times of several rounds, and what they gave.
fn best(mut round: impl FnMut() -> u64) -> (u64, Time) {
    let mut best: Option<(u64, Time)> = None;
    for _ in 0..ROUNDS {
        let (start, busy_before) = (Instant::now(), busy());
        let result = round();
        let elapsed = start.elapsed();
        let busy = busy_before.zip(busy()).map_or(elapsed, |(before, after)| after - before);
        let times = best.map_or(Time { busy, elapsed }, |(_, best)| Time {
            busy: busy.min(best.busy),
            elapsed: elapsed.min(best.elapsed),
        });
        best = Some((result, times));
    }
    best.expect("there are rounds")
}

/// The processor time of this thread, where the system tells it.
fn busy() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn vm(program: &str, test: &str) -> Option<Vm> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(program);
    let mut files = Vec::new();
    if path.is_file() {
        files.push(path);
    } else {
        for part in ["PSrc", "PSpec", "PTst"] {
            let entries = std::fs::read_dir(path.join(part)).ok()?;
            files.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
        }
    }
    files.sort();
    let mut sources = SourceMap::default();
    for file in files {
        let text = std::fs::read_to_string(&file).ok()?;
        sources.add(file.display().to_string(), text, false)?;
    }
    let program = fabius_lang::compile(&sources).program?;
    let at = program.tests.iter().position(|each| each.name == test)?;
    Vm::new(Arc::new(program), TestId(at as u32), Options::default()).ok()
}

/// An explorer without a state worth the name: it takes the choices in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct InOrder {
    passed: u32,
}

impl Explorer for InOrder {
    fn begin(&mut self, _enabled: &[ActorId], _fingerprint: u64) {}

    fn next(&self, _choices: &[Choice]) -> usize {
        self.passed as usize
    }

    fn delay(&mut self, _choices: &[Choice]) {
        self.passed += 1;
    }

    fn step(&mut self, _taken: &Taken<'_>) {
        self.passed = 0;
    }
}
