//! Stats.
use crate::support::{compile, seeds, tests, text, vm};
use fabius_search::exhaustive::breadth_first::{self, Limits, Order};
use fabius_search::{Callbacks, StopReason};
use fabius_vm::Granularity;
use std::collections::BTreeMap;

#[test]
fn stats() {
    let mut sizes = Vec::new();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let (mut clean, mut capped, mut n) = (0, 0, 0);
    for seed in seeds(300) {
        let program = compile(&text(seed)).unwrap();
        for test in tests(&program) {
            n += 1;
            let mut counts = Vec::new();
            for g in [Granularity::Coarse, Granularity::Reference] {
                let vm = vm(&program, test, g);
                let limits = Limits { states: 20_000, bugs: usize::MAX, ..Limits::default() };
                let report =
                    breadth_first::run(&vm, Order::BreadthFirst, &limits, &Callbacks::default(), &mut |_| {});
                counts.push(report.states);
                if g == Granularity::Reference {
                    if report.stop == StopReason::StateLimit {
                        capped += 1;
                    }
                    if report.bugs.is_empty() {
                        clean += 1;
                    }
                    let mut k: Vec<_> = report.bugs.iter().map(|b| b.bug.kind.code().to_owned()).collect();
                    k.sort();
                    k.dedup();
                    if report.states <= 6 {
                        println!("tiny {seed} {} {k:?}", report.states);
                    }
                    for k in k {
                        *kinds.entry(k).or_default() += 1;
                    }
                }
            }
            sizes.push(counts[1]);
            if counts[1] > 10000 {
                println!("seed {seed}: {counts:?}");
            }
        }
    }
    sizes.sort();
    println!("{n} tests, clean {clean}, capped {capped}");
    for p in [0, 10, 25, 50, 75, 80, 85, 90, 95, 99] {
        print!("{p}%: {}  ", sizes[sizes.len() * p / 100]);
    }
    println!("\n{kinds:?}");
}
