//! Speed and size of the sets on three workloads, on one and two threads.
//!
//! `cargo bench -p fabius-store --bench sets [-- MILLIONS [WORKLOAD [SET]]]`. Inserts per second count offered states, new or
//! known, and the processor time of the thread that has used most of it, without making up the states: others may use the
//! machine. It still swings with the caches; compare figures of one run.
//!
//! `random` offers random fingerprints once. `ring` is a search through a ring of 8 machines with few local states, `clients`
//! one through a server with 6 clients and about 56,000 different contents of its queue; both are real graphs, in which a
//! step changes two or three words and every state is met several times.

use std::time::Duration;

use fabius_store::{Batch, Bitstate, Bounded, Exact, Fingerprints64, Fingerprints128, VisitedSet, WhenFull};

const BATCH: usize = 128;
/// Words of a state of `ring` and `clients`.
const WIDTH: usize = 11;

type State = [u32; WIDTH];
type Successors = fn(&State, &mut dyn FnMut(&State));
type MakeSet = fn(usize) -> Box<dyn VisitedSet>;

const SETS: [(&str, MakeSet); 6] = [
    ("exact", |_| Box::new(Exact::new())),
    ("64 bits", |_| Box::new(Fingerprints64::new())),
    ("128 bits", |_| Box::new(Fingerprints128::new())),
    ("bounded keep", |states| Box::new(Bounded::new(states * 4, WhenFull::Keep))),
    ("bounded replace", |states| Box::new(Bounded::new(states * 4, WhenFull::Replace))),
    ("bitstate", |states| Box::new(Bitstate::new(states * 4, 3).expect("there is memory"))),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let millions: f64 = arguments.first().and_then(|number| number.parse().ok()).unwrap_or(10.0);
    let states = (millions * 1e6) as usize;
    let is_chosen = |place: usize, name: &str| arguments.get(place).is_none_or(|part| name.contains(part));
    println!("workload  set              threads    states   offered  M inserts/s  bytes/state");
    for (set, make) in SETS {
        if is_chosen(1, "random") && is_chosen(2, set) && set != "exact" {
            show("random", set, 1, &run(&*make(states), 1, &|set, _| offer_random(set, states, 0)));
            if set == "64 bits" {
                show(
                    "random",
                    set,
                    2,
                    &run(&*make(states), 2, &|set, thread| {
                        offer_random(set, states / 2, (thread as u64) << 40)
                    }),
                );
            }
        }
    }
    let ring: Successors =
        if states > 12_000_000 { ring_successors::<5, 13> } else { ring_successors::<3, 11> };
    for (workload, successors) in [("ring", ring), ("clients", client_successors)] {
        for (set, make) in SETS.iter().take(3) {
            for threads in [1, 2] {
                if is_chosen(1, workload)
                    && is_chosen(2, set)
                    && (*set != "128 bits" || (threads, workload) == (1, "ring"))
                {
                    let roots = first_states(successors, 2000);
                    let work = |set: &dyn VisitedSet, thread| {
                        let own = roots.iter().skip(thread).step_by(threads).copied().collect();
                        search(set, successors, own, states as u64)
                    };
                    show(workload, set, threads, &run(&*make(states), threads, &work));
                }
            }
        }
    }
}

/// What was measured.
struct Figures {
    states: u64,
    offered: u64,
    /// The longest that any thread has spent in the set.
    time: Duration,
    bytes: usize,
}

fn show(workload: &str, set: &str, threads: usize, figures: &Figures) {
    println!(
        "{workload:<9} {set:<16} {threads:>7} {:>9} {:>9} {:>12.1} {:>12.1}",
        figures.states,
        figures.offered,
        figures.offered as f64 / figures.time.as_secs_f64() / 1e6,
        figures.bytes as f64 / figures.states as f64,
    );
}

/// Lets threads work on a set; each says how much it has offered, and in what time.
fn run(
    set: &dyn VisitedSet,
    threads: usize,
    work: &(dyn Fn(&dyn VisitedSet, usize) -> (u64, Duration) + Sync),
) -> Figures {
    let results: Vec<(u64, Duration)> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|thread| scope.spawn(move || work(set, thread))).collect();
        handles.into_iter().map(|handle| handle.join().expect("a thread has failed")).collect()
    });
    Figures {
        states: set.len(),
        offered: results.iter().map(|&(offered, _)| offered).sum(),
        time: results.iter().map(|&(_, time)| time).max().unwrap_or_default(),
        bytes: set.bytes(),
    }
}

fn offer_random(set: &dyn VisitedSet, states: usize, first_seed: u64) -> (u64, Duration) {
    let mut seed = first_seed;
    let mut time = Duration::ZERO;
    let (mut batch, mut is_new) = (Batch::new(), Vec::new());
    for _ in 0..states / BATCH {
        batch.clear();
        for _ in 0..BATCH {
            seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            batch.push(u128::from(scramble(seed)) << 64 | u128::from(scramble(!seed)), &[]);
        }
        let start = processor_time();
        set.insert(&batch, &mut is_new);
        time += processor_time() - start;
    }
    ((states / BATCH * BATCH) as u64, time)
}

/// A depth-first search, a few states at a time, until the set has so many.
fn search(
    set: &dyn VisitedSet,
    successors: Successors,
    mut stack: Vec<State>,
    limit: u64,
) -> (u64, Duration) {
    let (mut offered, mut time) = (0, Duration::ZERO);
    let (mut batch, mut is_new, mut words, mut edits) = (Batch::new(), Vec::new(), Vec::new(), Vec::new());
    while set.len() < limit && !stack.is_empty() {
        batch.clear();
        while batch.len() < BATCH
            && let Some(state) = stack.pop()
        {
            let mixed = fingerprint(&state);
            batch.push_base(&state);
            successors(&state, &mut |next| {
                let changed = (0..).zip(next).zip(&state).filter(|((_, word), before)| word != before);
                edits.clear();
                edits.extend(changed.map(|((at, word), _)| (at, *word)));
                batch.push_edited(changed_fingerprint(mixed, &state, next), &edits);
            });
        }
        let start = processor_time();
        set.insert(&batch, &mut is_new);
        time += processor_time() - start;
        offered += batch.len() as u64;
        for index in (0..batch.len()).filter(|&index| is_new[index]) {
            batch.write_words(index, &mut words);
            stack.extend(words.first_chunk::<WIDTH>());
        }
    }
    (offered, time)
}

/// The first states of a breadth-first search, where threads begin.
fn first_states(successors: Successors, count: usize) -> Vec<State> {
    let set = Exact::new();
    let mut states = vec![[0; WIDTH]];
    let (mut batch, mut is_new, mut words) = (Batch::new(), Vec::new(), Vec::new());
    for next in 0..count {
        batch.clear();
        successors(&states[next], &mut |state| batch.push(0, state));
        set.insert(&batch, &mut is_new);
        for index in (0..batch.len()).filter(|&index| is_new[index]) {
            batch.write_words(index, &mut words);
            states.extend(words.first_chunk::<WIDTH>());
        }
    }
    states.split_off(count)
}

/// Eight machines in a ring, each of which has sent up to `MOST` messages to the next one and is at most `AHEAD` ahead
/// of the one before it. Word 2 + i tells what came from the machine before, and what was sent.
fn ring_successors<const AHEAD: u32, const MOST: u32>(state: &State, give: &mut dyn FnMut(&State)) {
    for machine in 0..8 {
        let (own, next) = (2 + machine, 2 + (machine + 1) % 8);
        let (received, sent) = (state[own] / (MOST + 1), state[own] % (MOST + 1));
        if sent < MOST && sent < received + AHEAD {
            let mut changed = *state;
            changed[own] += 1;
            changed[next] += MOST + 1;
            give(&changed);
        }
    }
}

/// Six clients (words 2 to 7) that send to a server (word 8), whose queue (word 9) holds up to six messages, as digits;
/// word 10 is a monitor's.
fn client_successors(state: &State, give: &mut dyn FnMut(&State)) {
    let queue = state[9];
    let length = (0..6).find(|&place| queue / 7u32.pow(place) == 0).unwrap_or(6);
    for client in 0..6 {
        if length < 6 {
            let mut changed = *state;
            changed[2 + client] += 2;
            changed[9] += 7u32.pow(length) * (client as u32 + 1);
            give(&changed);
        }
    }
    if length > 0 {
        let client = queue as usize % 7 + 1;
        let mut changed = *state;
        changed[client] = (changed[client] - 2) ^ 1;
        changed[8] = client as u32;
        changed[9] /= 7;
        changed[10] = (changed[10] + 1) % 5;
        give(&changed);
    }
}

fn fingerprint(state: &State) -> u128 {
    (0..WIDTH).fold(0, |sum, place| sum.wrapping_add(mixed(place, state[place])))
}

fn changed_fingerprint(mut sum: u128, old: &State, new: &State) -> u128 {
    for place in (0..WIDTH).filter(|&place| old[place] != new[place]) {
        sum = sum.wrapping_sub(mixed(place, old[place])).wrapping_add(mixed(place, new[place]));
    }
    sum
}

fn mixed(place: usize, word: u32) -> u128 {
    let content = (place as u64) << 32 | u64::from(word);
    u128::from(scramble(content + 1)) << 64 | u128::from(scramble(!content))
}

/// The time that this thread has run.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn scramble(mut number: u64) -> u64 {
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
