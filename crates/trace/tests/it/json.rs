use std::collections::BTreeMap;

use fabius_explore::Rng;
use fabius_trace::{Choice, Happening, Machine, ReadError, Trace, VERSION};
use serde_json::Value;

use crate::goldens::assert_golden;
use crate::runs::two_phase_commit;

fn trace() -> Trace {
    let (mut run, bug) = two_phase_commit();
    run.choices[6] = Choice::Data { alternative: 1, value: Some("true".to_owned()) };
    let original = Some(run.without_steps());
    Trace {
        version: VERSION,
        program: "0f3a".to_owned(),
        test: "tcTwoParticipants".to_owned(),
        search: "random".to_owned(),
        seed: u64::MAX,
        options: BTreeMap::from([("max-steps".to_owned(), "10000".to_owned())]),
        bug,
        explanation: None,
        run,
        original,
    }
}

/// The trace with one value changed, as text.
fn changed(pointer: &str, change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut value: Value = serde_json::from_str(&trace().to_json()).unwrap();
    change(value.pointer_mut(pointer).unwrap_or_else(|| panic!("there is no {pointer}")));
    value.to_string().into_bytes()
}

#[track_caller]
fn assert_refused(bytes: &[u8], message: &str) {
    let error = Trace::from_json(bytes).expect_err("it should be refused").to_string();
    assert!(error.contains(message), "{error}");
}

#[test]
fn the_format_is_as_documented() {
    assert_golden("trace.json", &trace().to_json());
}

#[test]
fn the_documented_example_is_a_trace_as_it_would_be_written() {
    let page = include_str!("../../../../docs/trace-format.md");
    let (_, example) = page.split_once("## An example").unwrap();
    let indented = example.lines().filter_map(|line| line.strip_prefix("    "));
    let text: String = indented.flat_map(|line| [line, "\n"]).collect();
    assert_eq!(Trace::from_json(text.as_bytes()).unwrap().to_json(), text);
}

#[test]
fn what_is_written_can_be_read() {
    let trace = trace();
    assert_eq!(Trace::from_json(trace.to_json().as_bytes()), Ok(trace.clone()));
    let without_original = Trace { original: None, ..trace };
    assert_eq!(Trace::from_json(without_original.to_json().as_bytes()), Ok(without_original));
}

#[test]
fn unknown_fields_and_happenings_are_ignored() {
    let bytes = changed("", |trace| {
        trace["a-new-field"] = Value::from(vec![1, 2]);
        trace["run"]["another"] = Value::Null;
        trace["run"]["steps"][0]["happenings"][0] =
            serde_json::json!({"kind": "teleported", "to": "nowhere"});
    });
    let read = Trace::from_json(&bytes).unwrap();
    assert_eq!(read.run.steps[0].happenings[0], Happening::Other);
    assert_eq!(read.run.choices, trace().run.choices);
}

#[test]
fn what_may_be_left_out_is_empty() {
    let bytes = changed("", |trace| {
        for field in ["options", "original"] {
            trace.as_object_mut().unwrap().remove(field);
        }
        for field in ["start", "steps"] {
            trace["run"].as_object_mut().unwrap().remove(field);
        }
    });
    let read = Trace::from_json(&bytes).unwrap();
    assert!(read.options.is_empty() && read.run.steps.is_empty() && read.original.is_none());
}

#[test]
fn a_missing_part_is_named() {
    for field in ["program", "test", "search", "seed", "bug", "run"] {
        let bytes = changed("", |trace| {
            trace.as_object_mut().unwrap().remove(field);
        });
        assert_refused(&bytes, &format!("missing field `{field}`"));
    }
    for (pointer, field) in [("/run", "choices"), ("/run", "machines"), ("/bug", "kind"), ("/bug", "message")]
    {
        let bytes = changed(pointer, |part| {
            part.as_object_mut().unwrap().remove(field);
        });
        assert_refused(&bytes, &format!("missing field `{field}`"));
    }
}

#[test]
fn what_is_not_a_trace_is_refused_with_the_reason() {
    assert_refused(b"", "not JSON");
    assert_refused(b"{\"version\": 1", "not JSON");
    assert_refused(b"\xff\xfe", "not JSON");
    assert_refused(b"[]", "not a complete trace");
    assert_refused(b"{}", "there is no `version`");
    assert_refused(b"{\"version\": 99}", "format version 99; this program reads version 1");
    assert_refused(b"{\"version\": \"one\"}", "invalid type");
    let deep = "[".repeat(100_000);
    assert_refused(deep.as_bytes(), "not");
}

#[test]
fn a_wrong_part_is_refused_with_the_reason() {
    let set = |pointer, value: Value| changed(pointer, |part| *part = value);
    assert_refused(&set("/run/choices/0", serde_json::json!({})), "must have `machine` or `data`");
    let both = serde_json::json!({"machine": "Client(3)", "data": 1});
    assert_refused(&set("/run/choices/0", both), "and not both");
    assert_refused(&set("/run/choices/0/machine", "Server".into()), "`Server` is not the name of a machine");
    assert_refused(&set("/run/choices/0/machine", "Server(0)".into()), "not the name of a machine");
    assert_refused(&set("/run/choices/0/machine", "Server(9)".into()), "`Server(9)` is not in the list");
    assert_refused(&set("/run/machines/1", "Coordinator(7)".into()), "`Coordinator(7)` is number 2");
    assert_refused(&set("/original/machines/1", "Coordinator(7)".into()), "in `original`");
    assert_refused(&set("/seed", "many".into()), "invalid type");
    let bytes = changed("/run/steps", |steps| {
        steps.as_array_mut().unwrap().pop();
    });
    assert_refused(&bytes, "there are 14 choices, but 13 steps");
}

#[test]
fn an_explanation_must_fit_the_run() {
    let explained = |deviations: Value| {
        changed("", |trace| {
            trace["explanation"] =
                serde_json::json!({"explorer": "rtc", "delays": 1, "deviations": deviations});
        })
    };
    let deviation = |step: u32, machine: &str| serde_json::json!({"step": step, "delays": 1, "natural": {"machine": machine}});
    let client = trace().run.machines[2].to_string();
    let read = Trace::from_json(&explained(serde_json::json!([deviation(3, &client)]))).unwrap();
    assert_eq!(read.explanation.unwrap().deviations[0].step, 3);
    for (deviations, reason) in [
        (vec![deviation(0, &client)], "no deviation at step 0 after one at step 0"),
        (vec![deviation(99, &client)], "no deviation at step 99"),
        (vec![deviation(3, &client), deviation(3, &client)], "no deviation at step 3 after one at step 3"),
        (vec![deviation(3, "Nobody(77)")], "`Nobody(77)` is not in the list of machines"),
    ] {
        assert_refused(&explained(Value::from(deviations)), reason);
    }
}

#[test]
fn no_damage_makes_it_panic() {
    let text = trace().to_json().trim_end().as_bytes().to_vec();
    for end in (0..text.len()).step_by(7) {
        assert!(Trace::from_json(&text[..end]).is_err());
    }
    let mut rng = Rng::from_seed(8);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..3000 {
        let mut damaged = text.clone();
        for _ in 0..1 + rng.position(3) {
            let place = rng.position(damaged.len());
            damaged[place] = rng.below(256) as u8;
        }
        match Trace::from_json(&damaged) {
            Ok(_) => read += 1,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!(read > 0 && refused > 0);
}

#[test]
fn names_of_machines_are_read_as_written() {
    for name in ["Server", "a b", "Pair(x)", ""] {
        let machine = Machine { name: name.to_owned(), number: 12 };
        assert_eq!(machine.to_string().parse(), Ok(machine));
    }
    for wrong in ["", "Server", "Server()", "Server(-1)", "Server(3) ", "Server(99999999999)"] {
        assert!(wrong.parse::<Machine>().is_err(), "{wrong}");
    }
    assert!(matches!(Trace::from_json(b"{}"), Err(ReadError::NotATrace)));
}
