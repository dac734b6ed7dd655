//! How many steps per second are made when every state is expanded once, and how much memory that takes.
//!
//! `cargo bench -p fabius-vm --bench all_states` prints a line per program of `benches/peers`: on rings local states repeat,
//! on ledgers nearly everything is met for the first time. Each is searched by a `Vm`, which remembers, and by a `Walker`,
//! which does not. Visited states are known by 64 bits, so that little is measured but the virtual machine. `ONLY` names
//! one line.

use fabius_lang::source::SourceMap;
use fabius_model::{Outcome, Packed, Sketch, Sketches};
use fabius_vm::{Options, Vm};
use hashbrown::HashTable;
use std::sync::Arc;
use std::time::Instant;

/// As in the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let ring = include_str!("../../../benches/peers/p/Lcr.p");
    let server = include_str!("../../../benches/peers/p/ClientServer.p");
    let ledger = include_str!("../../../benches/peers/p/Ledger.p");
    for (source, test) in [
        (ring, "tcLcr___nodes_8"),
        (server, "tcClientServer___clients_4__waiting_2"),
        (ledger, "tcLedger___hops_14__tokens_1"),
        (ledger, "tcLedger___hops_4__tokens_2"),
    ] {
        let vm = link(source, test);
        let walking = format!("{test}, walking");
        if only.is_empty() || only == test {
            measure(&vm, test);
        }
        if only.is_empty() || only == walking {
            measure(&vm.walker(), &walking);
        }
    }
}

fn measure<P: Packed>(program: &P, name: &str) {
    let started = Instant::now();
    let Outcome::State(initial) = program.initial() else { panic!("the program starts") };
    let mut visited: HashTable<u64> = HashTable::new();
    is_new(program.fingerprint(&initial) as u64, &mut visited);
    let mut waiting = vec![initial];
    let mut sketches = Sketches::default();
    let (mut states, mut steps) = (0_u64, 0_u64);
    while let Some(state) = waiting.pop() {
        states += 1;
        sketches.clear();
        program.sketch(&state, &mut sketches);
        steps += sketches.len() as u64;
        for index in 0..sketches.len() {
            let fingerprint = match sketches.get(index) {
                Sketch::Changed { fingerprint, .. } => fingerprint,
                Sketch::Made(Outcome::State(next)) => program.fingerprint(next),
                Sketch::Made(Outcome::Bug(bug)) => panic!("{bug:?}"),
            };
            if is_new(fingerprint as u64, &mut visited)
                && let Outcome::State(next) = sketches.take(index, program, &state)
            {
                waiting.push(next);
            }
        }
    }
    let rate = steps as f64 / started.elapsed().as_secs_f64() / 1e6;
    let bytes = program.memory() as f64 / states as f64;
    println!(
        "{name}: {rate:.2} M steps per second, {states} states, {steps} steps, {bytes:.0} bytes per state"
    );
}

fn is_new(key: u64, visited: &mut HashTable<u64>) -> bool {
    let is_known = visited.find(key, |other| *other == key).is_some();
    if !is_known {
        visited.insert_unique(key, key, |key| *key);
    }
    !is_known
}

fn link(source: &str, test: &str) -> Vm {
    let mut sources = SourceMap::default();
    sources.add("program.p", source, false).expect("the text is short");
    let program = fabius_lang::compile(&sources).program.expect("the program compiles");
    let id = program.tests.iter().position(|other| other.name == test).expect("the test exists");
    let id = fabius_lang::ids::TestId(id as u32);
    Vm::new(Arc::new(program), id, Options::default()).expect("the test links")
}
