//! What delaying explorers cost: stratified search against plain depth-first search over the same states in the same exact
//! set, and two threads against one. `--search dfs` does less than plain depth-first search: of steps that lead to one state in
//! any order it looks at one only. Strata need the one with the fewest delays, so that is shown for comparison only.
//! Figures are the best of several rounds, and ratios within one run of this benchmark. What one thread does is measured in
//! processor time, where the system tells it, because other work on this computer must not count; two threads against one by
//! the clock, so let nothing else run.
//!
//!     cargo bench -p fabius --bench strata      # ONLY=lcr-ring: those with this in their names
//!
//! `ONCE=depth-first` (or another search by the name that it has in the table) runs only that, once, or `TIMES=20` times: for
//! profilers.
//!
//! The aims: an explorer's own bookkeeping below 30 % of depth-first search; all strata in at most 1.5 times its time; two
//! threads at least 1.6 times as fast as one. What two searches that have nothing to do with each other gain from running
//! side by side tells how much a second thread can bring on this computer, where they share its memory; and what it takes to
//! hand a word to the other core and back tells how dear it is that they work on the same states. Cores that share a cache
//! take some 50 to 150 ns for that. Those that do not take three times as long, and gain less from each
//! other. Hosts of virtual machines move these from one to the other, so that is told for each program.
//! The last lines hold the aims against the times of all programs together.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
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

/// Tests with their programs: some of the corpus that take less than half a second, where a second thread can bring less; all that
/// have more than a million states and share no files with other programs; and rings of `benches/peers`.
const PROGRAMS: [(&str, &str); 12] = [
    ("corpus/two-phase-commit", "tcWithTimeouts"),
    ("corpus/chain-replication", "tcSizes___serverCount_4__failureCount_3"),
    ("corpus/german", "tcCoherence___caches_3__requestsEach_1"),
    ("corpus/multi-paxos", "tcHoles"),
    ("corpus/lcr-ring", "tcSynchronous___nodes_5"),
    ("corpus/or-set", "tcMoreOperations___replicas_3__clients_2__operationsEach_2"),
    ("corpus/multi-paxos", "tcReelection"),
    ("corpus/lcr-ring", "tcSleepy___nodes_5"),
    ("corpus/paxos", "tcTwoAttempts"),
    ("corpus/lann-ring", "tcLossLeLann___nodes_5__losses_1__rashTimeouts_0"),
    ("benches/peers/p/Lcr.p", "tcLcr___nodes_9"),
    ("benches/peers/p/Lcr.p", "tcLcr___nodes_10"),
];
const ROUNDS: usize = 5;
/// How many searches are compared.
const SEARCHES: usize = 8;
/// The system tells processor time in steps of some milliseconds: what is measured at once takes at least so long.
const LEAST: Duration = Duration::from_millis(150);

fn main() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut all = [Time::NONE; SEARCHES];
    for (program, test) in
        PROGRAMS.into_iter().filter(|(program, test)| format!("{program} {test}").contains(&only))
    {
        let Some(vm) = vm(program, test) else {
            println!("{program} has no test {test}");
            continue;
        };
        let searches: [(&str, &dyn Fn() -> u64); SEARCHES] = [
            ("depth-first", &|| depth_first(&vm, false)),
            ("`--search dfs`", &|| depth_first(&vm, true)),
            ("strata, in order", &|| stratified(&vm, &InOrder::default(), 1)),
            ("strata of rtc", &|| stratified(&vm, &RunToCompletion::new(), 1)),
            ("strata of rr", &|| stratified(&vm, &RoundRobin::new(), 1)),
            ("strata of random", &|| stratified(&vm, &RandomOrder::new(1), 1)),
            ("rtc with two threads", &|| stratified(&vm, &RunToCompletion::new(), 2)),
            ("two searches at a time", &|| side_by_side(&vm)),
        ];
        if let Ok(name) = std::env::var("ONCE") {
            let times = std::env::var("TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
            for (_, search) in searches.iter().filter(|(each, _)| *each == name) {
                (0..times).for_each(|_| println!("{}", search()));
            }
            continue;
        }
        let trip_before = round_trip();
        let (states, times) = best(&searches.map(|(_, search)| search));
        println!("{program} {test}: {states} states");
        let [before, after] = [trip_before, round_trip()].map(|trip| trip.as_secs_f64() * 1e9);
        println!("  a word goes to another core and back in {before:.0} ns, afterwards {after:.0} ns");
        let [depth_first, _, unguided, rtc, rr, random, two, both] = times;
        all.iter_mut().zip(times).for_each(|(sum, time)| sum.add(time));
        for ((name, _), time) in searches.into_iter().zip(times).take(6) {
            let ratio = time.busy.as_secs_f64() / depth_first.busy.as_secs_f64();
            println!("  {name:<22}  {:>8.1} ms  {ratio:>5.2} x depth-first", milliseconds(time.busy));
        }
        for (name, time) in [("rtc", rtc), ("rr", rr), ("random", random)] {
            let share =
                (time.busy.as_secs_f64() - unguided.busy.as_secs_f64()) / depth_first.busy.as_secs_f64();
            println!("  bookkeeping of {name:<7}  {:>7.0} % of depth-first", 100.0 * share);
        }
        let one = rtc.elapsed.as_secs_f64();
        println!(
            "  rtc with two threads    {:>8.1} ms by the clock, {:.2} times as fast as with one",
            milliseconds(two.elapsed),
            one / two.elapsed.as_secs_f64()
        );
        println!(
            "  two searches at a time  {:>8.1} ms by the clock, {:.2} times as fast as one after the other",
            milliseconds(both.elapsed),
            2.0 * one / both.elapsed.as_secs_f64()
        );
    }
    let [depth_first, _, _, rtc, _, _, two, _] = all;
    if rtc.busy > Duration::ZERO {
        let ratio = |one: Duration, other: Duration| one.as_secs_f64() / other.as_secs_f64();
        println!("all of these together");
        println!("  strata of rtc           {:.2} x depth-first", ratio(rtc.busy, depth_first.busy));
        println!(
            "  rtc with two threads    {:.2} times as fast as with one",
            ratio(rtc.elapsed, two.elapsed)
        );
    }
}

/// What a search took: on its thread's processor, and by the clock.
#[derive(Clone, Copy)]
struct Time {
    busy: Duration,
    elapsed: Duration,
}

impl Time {
    const NONE: Self = Self { busy: Duration::ZERO, elapsed: Duration::ZERO };

    fn add(&mut self, other: Self) {
        self.busy += other.busy;
        self.elapsed += other.elapsed;
    }
}

fn depth_first(vm: &Vm, sleeps: bool) -> u64 {
    let limits = depth_first::Limits { bugs: usize::MAX, sleeps, ..depth_first::Limits::default() };
    depth_first::run(&vm.fresh(), &Exact::new(), &limits, &Callbacks::default(), &|_| {}).states
}

fn stratified<E: Explorer>(vm: &Vm, explorer: &E, jobs: usize) -> u64 {
    let limits = Limits { jobs, bugs: usize::MAX, ..Limits::default() };
    stratified::run(&vm.fresh(), explorer, &limits, &Callbacks::default(), &|_| {}).0.states
}

/// Two searches of one thread each at the same time.
fn side_by_side(vm: &Vm) -> u64 {
    let search = || stratified(vm, &RunToCompletion::new(), 1);
    std::thread::scope(|scope| {
        let other = scope.spawn(search);
        search().max(other.join().expect("a search does not panic"))
    })
}

/// How long it takes to hand a word to another core and back.
fn round_trip() -> Duration {
    const TIMES: u32 = 200_000;
    let word = AtomicU32::new(0);
    // Who waits for an even number takes the first turn.
    let play = |first: u32| {
        for turn in 0..TIMES {
            while word.load(Ordering::Acquire) != 2 * turn + first {
                std::hint::spin_loop();
            }
            word.store(2 * turn + first + 1, Ordering::Release);
        }
    };
    let start = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| play(1));
        play(0);
    });
    start.elapsed() / TIMES
}

/// The states that all searches visit, and the best time of each in several rounds: in each round all take their turns, so
/// that a busy time of the computer meets all.
fn best<const N: usize>(searches: &[&dyn Fn() -> u64; N]) -> (u64, [Time; N]) {
    let never = Time { busy: Duration::MAX, elapsed: Duration::MAX };
    let (mut states, mut times) = (None, [never; N]);
    for _ in 0..ROUNDS {
        for (search, best) in searches.iter().zip(&mut times) {
            let (start, busy_before) = (Instant::now(), busy());
            let mut count = 0;
            while count == 0 || start.elapsed() < LEAST {
                let visited = search();
                assert_eq!(*states.get_or_insert(visited), visited, "all searches visit the same states");
                count += 1;
            }
            let elapsed = start.elapsed();
            let busy = busy_before.zip(busy()).map_or(elapsed, |(before, after)| after - before);
            best.busy = best.busy.min(busy / count);
            best.elapsed = best.elapsed.min(elapsed / count);
        }
    }
    (states.expect("there are rounds"), times)
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
            let entries = std::fs::read_dir(path.join(part)).into_iter().flatten();
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
