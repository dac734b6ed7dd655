//! What the comparison rests on: counts that are known, reports that are understood, disagreements that are noticed.

use std::time::Duration;

use fabius_store::{Exact, Fingerprints64};

use crate::child::Cost;
use crate::counts::Counts;
use crate::measurement::{Group, Measurement};
use crate::models::Compact;
use crate::models::paxos::Paxos;
use crate::models::two_phase_commit::TwoPhaseCommit;
use crate::stateright::{self, OnStateright};
use crate::{engine, fabius, instructions, spin};

#[test]
fn two_phase_commit_has_the_known_states_on_both_engines() {
    let known = Some(Counts { states: 8_832, transitions: 58_145 });
    let compact = TwoPhaseCommit { participants: 5 };
    let own = stateright::two_phase_commit::TwoPhaseCommit { participants: 5 };
    assert_eq!(engine::explore(compact, &Exact::new(), 1), known);
    assert_eq!(engine::explore(compact, &Fingerprints64::new(), 2), known);
    assert_eq!(stateright::explore(OnStateright(compact), 1), known);
    assert_eq!(stateright::explore(own, 2), known);
}

#[test]
fn paxos_has_the_known_states_on_both_engines() {
    let known = Some(Counts { states: 16_668, transitions: 32_970 });
    let compact = Paxos { clients: 2 };
    assert_eq!(engine::explore(compact, &Exact::new(), 1), known);
    assert_eq!(engine::explore(compact, &Fingerprints64::new(), 2), known);
    assert_eq!(stateright::explore(OnStateright(compact), 1), known);
    assert_eq!(stateright::explore(stateright::paxos::model(2), 2), known);
}

/// A counter that must not come to three, which it does.
#[derive(Clone)]
struct Wrong;

impl Compact for Wrong {
    type State = u8;

    fn initial(&self) -> u8 {
        0
    }

    fn actions(&self, state: &u8, add: &mut impl FnMut(u8)) {
        if *state < 5 {
            add(0);
        }
    }

    fn step(&self, state: &u8, _: u8) -> u8 {
        state + 1
    }

    fn holds(&self, state: &u8) -> bool {
        *state != 3
    }

    fn words(state: &u8, add: &mut impl FnMut(u64)) {
        add(u64::from(*state));
    }

    fn fingerprint(state: &u8) -> u128 {
        u128::from(*state)
    }
}

#[test]
fn a_model_whose_invariant_fails_has_no_counts() {
    assert_eq!(engine::explore(Wrong, &Exact::new(), 1), None);
    assert_eq!(stateright::explore(OnStateright(Wrong), 1), None);
}

#[test]
fn nobody_may_commit_when_another_has_aborted() {
    let model = TwoPhaseCommit { participants: 2 };
    // Two bits each: 2 is committed, 3 aborted, 1 prepared.
    assert!(!model.holds(&0b11_10));
    assert!(model.holds(&0b10_10) && model.holds(&0b11_11) && model.holds(&0b10_01));
}

#[test]
fn tools_that_disagree_about_a_graph_are_an_error() {
    let cost = Cost { elapsed: Duration::from_secs(1), cpu: Duration::from_secs(1), peak_bytes: 1 };
    let measurement = |tool: &str, states| Measurement {
        tool: tool.to_owned(),
        threads: 1,
        counts: Counts { states, transitions: 10 },
        cost,
    };
    let mut group = Group::new("a graph");
    assert!(group.add(measurement("one", 5)).is_ok());
    assert!(group.add(measurement("other", 5)).is_ok());
    let why = group.add(measurement("third", 6)).expect_err("6 is not 5");
    assert!(why.contains("a graph") && why.contains("third"), "{why}");
}

const SPIN_REPORT: &str = "State-vector 72 byte, depth reached 32, errors: 0
       61 states, stored
       46 states, matched
      107 transitions (= stored+matched)
       23 atomic steps
";

#[test]
fn a_report_of_spin_counts_the_initial_state_as_a_transition() {
    assert_eq!(spin::counts(SPIN_REPORT), Ok(Counts { states: 61, transitions: 106 }));
}

#[test]
fn a_report_of_spin_with_errors_or_an_incomplete_search_gives_no_counts() {
    assert!(spin::counts(&SPIN_REPORT.replace("errors: 0", "errors: 1")).is_err());
    assert!(spin::counts(&format!("Warning: Search not completed\n{SPIN_REPORT}")).is_err());
    assert!(spin::counts(&format!("error: max search depth too small\n{SPIN_REPORT}")).is_err());
}

#[test]
fn a_result_of_fabius_counts_only_if_all_states_were_visited_without_a_bug() {
    let result = |verdict: &str, guarantee: &str| {
        let test = format!(r#""verdict": "{verdict}", "guarantee": "61 states{guarantee}""#);
        format!(r#"{{"tests": [{{{test}, "states": 61, "transitions": 106}}]}}"#)
    };
    let all = ", every schedule and choice";
    let counts = Ok(Counts { states: 61, transitions: 106 });
    assert_eq!(fabius::counts(&result("verified", all)), counts);
    // States may have been missed, but then the counts differ from those of others.
    assert_eq!(
        fabius::counts(&result("no-bug", &format!("{all}; it is unlikely that one was missed"))),
        counts
    );
    assert!(fabius::counts(&result("no-bug", " visited")).is_err());
    assert!(fabius::counts(&result("bug", all)).is_err());
}

#[test]
fn the_sum_is_found_in_a_report_of_callgrind() {
    assert_eq!(
        instructions::collected("==1== Events    : Ir\n==1== Collected : 34402296\n"),
        Some(34_402_296)
    );
    assert_eq!(instructions::collected("==1== nothing\n"), None);
}
