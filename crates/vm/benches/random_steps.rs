//! How many steps per second random scheduling makes on one core, and how much memory it holds.
//!
//! `cargo bench -p fabius-vm` prints a line for the `Walker`, which random search uses, and others for a `Vm`, which
//! interns and remembers. Machines differ; compare lines of one run. `ONLY` names one line, `SECONDS_EACH` says how long
//! each is measured, and `RUNS` after how many runs it ends, for tools that count instructions.

use fabius_lang::ids::TestId;
use fabius_lang::source::SourceMap;
use fabius_model::{Outcome, Program};
use fabius_vm::{Granularity, Limits, Options, Vm};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// As in the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const STEPS_PER_RUN: usize = 10_000;
const MEMORY: usize = 64 << 20;

fn main() {
    let source = include_str!("two_phase_commit.p");
    let seconds = std::env::var("SECONDS_EACH").ok().and_then(|text| text.parse().ok()).unwrap_or(5);
    let forgetful = Limits { remembered: 0, ..Limits::default() };
    let only = std::env::var("ONLY").unwrap_or_default();
    let duration = Duration::from_secs(seconds);
    for (name, granularity, limits) in [
        ("coarse", Granularity::Coarse, Limits::default()),
        ("reference", Granularity::Reference, Limits::default()),
        ("coarse, nothing remembered", Granularity::Coarse, forgetful),
    ] {
        let mut vm = link(source, Options { granularity, limits, ..Options::default() });
        let is_wanted = |name: &str| only.is_empty() || only == name;
        let walking = format!("{name}, walking");
        if limits.remembered > 0 && is_wanted(&walking) {
            measure(&walking, &mut vm.walker(), duration);
        }
        if is_wanted(name) {
            measure(name, &mut vm, duration);
        }
    }
}

fn link(source: &str, options: Options) -> Vm {
    let mut sources = SourceMap::default();
    sources.add("two_phase_commit.p", source, false).expect("the text is short");
    let compilation = fabius_lang::compile(&sources);
    let program = compilation.program.unwrap_or_else(|| panic!("{:?}", compilation.diagnostics));
    Vm::new(Arc::new(program), TestId(0), options).expect("the test links")
}

fn measure<P: Program>(name: &str, vm: &mut P, duration: Duration) {
    let (started, started_on_cpu) = (Instant::now(), cpu_time());
    let most_runs = std::env::var("RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(u64::MAX);
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let (mut runs, mut steps, mut peak, mut forgotten) = (0_u64, 0_u64, 0, 0);
    let (mut choices, mut effects) = (Vec::new(), Vec::new());
    while started.elapsed() < duration && runs < most_runs {
        peak = peak.max(vm.memory());
        if vm.memory() > MEMORY {
            vm.forget();
            forgotten += 1;
        }
        runs += 1;
        let Outcome::State(mut state) = vm.initial() else { panic!("the program starts") };
        for _ in 0..STEPS_PER_RUN {
            vm.choices(&state, &mut choices);
            if choices.is_empty() {
                assert_eq!(vm.end(&state), None);
                break;
            }
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let choice = choices[(((random >> 32) * choices.len() as u64) >> 32) as usize];
            effects.clear();
            vm.proceed(&mut state, choice, &mut effects).expect("the program has no bugs");
            steps += 1;
        }
    }
    // Other work on this computer must not count.
    let time = match (started_on_cpu, cpu_time()) {
        (Some(before), Some(after)) => after - before,
        _ => started.elapsed(),
    };
    let rate = steps as f64 / time.as_secs_f64() / 1e6;
    let peak = peak as f64 / f64::from(1 << 20);
    println!(
        "two-phase commit, {name}: {rate:.2} M steps per second and core, {runs} runs, {steps} steps, {peak:.0} MiB at most, {forgotten} times forgotten"
    );
}

/// The processor time of this thread, where the system tells it.
fn cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
