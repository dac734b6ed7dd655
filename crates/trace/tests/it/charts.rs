use fabius_trace::{
    BugSummary, ChartOptions, Choice, Deviation, Explanation, Happening, Machine, Run, chart, log,
};

use crate::goldens::assert_golden;
use crate::runs::{Story, enters, ring, two_phase_commit};

fn options(width: usize) -> ChartOptions {
    ChartOptions { width, max_rows: None, unicode: true }
}

fn assert_fits(chart: &str, width: usize) {
    for line in chart.lines() {
        assert!(line.chars().count() <= width, "longer than {width}: {line}");
    }
}

/// Participant(5) was asked before Participant(4), and its vote was true.
fn explanation(run: &Run) -> Explanation {
    let natural = |number: usize| Choice::Schedule(run.machines[number - 1].clone());
    let deviations = vec![
        Deviation { step: 3, delays: 1, natural: natural(4) },
        Deviation { step: 6, delays: 2, natural: natural(4) },
    ];
    Explanation { explorer: "rtc".to_owned(), delays: 3, deviations }
}

#[test]
fn deviations_are_marked_beside_the_step_or_above_it() {
    let (run, bug) = two_phase_commit();
    let explanation = explanation(&run);
    let wide = chart(&run, Some(&explanation), Some(&bug), &options(140));
    assert_fits(&wide, 140);
    let narrow = chart(&run, Some(&explanation), Some(&bug), &options(80));
    assert_fits(&narrow, 80);
    let log = log(&run, Some(&explanation), Some(&bug));
    assert_golden("deviations.txt", &format!("{wide}\n{narrow}\n{log}\n{explanation}\n"));
}

#[test]
fn a_deviation_of_data_says_what_was_chosen() {
    for (value, told) in [
        (Some("True"), "`$` gave True"),
        (Some("3"), "`choose` gave 3"),
        (None, "`choose` gave alternative 1"),
    ] {
        let mut story = Story::begin("Main");
        story.step(1, vec![Happening::Chose { value: value.unwrap_or("x").to_owned() }]);
        let mut run = story.into_run();
        run.choices[0] = Choice::Data { alternative: 1, value: value.map(str::to_owned) };
        let natural = Choice::Data { alternative: 0, value: None };
        let deviations = vec![Deviation { step: 1, delays: 1, natural }];
        let explanation = Explanation { explorer: "rtc".to_owned(), delays: 1, deviations };
        let log = log(&run, Some(&explanation), None);
        assert!(log.contains(&format!("▲           {told}\n")), "{log}");
        assert!(chart(&run, Some(&explanation), None, &options(80)).contains(told));
    }
}

#[test]
fn an_explanation_counts_deviations_and_says_if_they_cost_more() {
    let (run, _) = two_phase_commit();
    let mut explanation = explanation(&run);
    assert_eq!(explanation.to_string(), "the natural run of rtc, with 2 deviations (3 delays)");
    explanation.deviations.truncate(1);
    explanation.delays = 1;
    assert_eq!(explanation.to_string(), "the natural run of rtc, with 1 deviation");
    let natural = Explanation { delays: 0, deviations: Vec::new(), ..explanation };
    assert_eq!(natural.to_string(), "the natural run of rtc");
}

#[test]
fn a_deadlock_is_drawn_at_the_machine_that_waits() {
    let mut story = Story::begin("Main");
    let created = vec![story.creates("Client"), story.creates("Client"), story.creates("Server")];
    story.step(1, created);
    story.step(3, vec![Happening::Waiting { events: vec!["eDone".to_owned()] }]);
    story.step(2, vec![enters(None, "Idle")]);
    story.step(4, vec![enters(None, "Idle")]);
    let bug = BugSummary {
        kind: "deadlock".to_owned(),
        message: "nothing can move".to_owned(),
        machine: Some("Client".to_owned()),
        ..BugSummary::default()
    };
    let chart = chart(&story.into_run(), None, Some(&bug), &options(80));
    let head = chart.lines().next().unwrap();
    let column = head.split_once("Client(3)").unwrap().0.chars().count() + "Client(3)".len() / 2;
    let last = chart.lines().last().unwrap();
    assert_eq!(last.chars().nth(column), Some('✗'), "{chart}");
}

#[test]
fn a_log_has_a_line_per_happening() {
    let (run, bug) = two_phase_commit();
    assert_golden("log.txt", &log(&run, None, Some(&bug)));
}

#[test]
fn a_wide_chart_shows_everything() {
    let (run, bug) = two_phase_commit();
    let chart = chart(&run, None, Some(&bug), &options(120));
    assert_fits(&chart, 120);
    assert_golden("chart-120.txt", &chart);
}

#[test]
fn a_chart_of_eighty_columns_folds_what_does_not_fit() {
    let (run, bug) = two_phase_commit();
    let chart = chart(&run, None, Some(&bug), &options(80));
    assert_fits(&chart, 80);
    assert_golden("chart-80.txt", &chart);
}

#[test]
fn a_narrow_chart_keeps_the_machines_nearest_to_the_bug() {
    let (run, bug) = two_phase_commit();
    let chart = chart(&run, None, Some(&bug), &options(46));
    assert_fits(&chart, 46);
    assert_golden("chart-46.txt", &chart);
}

/// Two machines whose types begin alike.
fn alike() -> Run {
    let mut story = Story::begin("MultipleClientsDriver");
    let created = vec![
        story.creates("CoordinatorOfThePrimarySite"),
        story.creates("CoordinatorOfTheBackupSite"),
        story.creates("CoordinatorOfTheBackupSite"),
    ];
    story.step(1, created);
    for number in 2..=4 {
        story.step(number, vec![enters(None, "Idle")]);
    }
    story.into_run()
}

#[test]
fn a_name_that_is_cut_keeps_both_ends_and_stands_below_in_full() {
    let chart = chart(&alike(), None, None, &options(60));
    assert_fits(&chart, 60);
    assert_golden("chart-alike.txt", &chart);
}

#[test]
fn a_wide_terminal_has_room_for_long_names() {
    let chart = chart(&alike(), None, None, &options(180));
    let head = chart.lines().next().unwrap();
    for machine in &alike().machines {
        assert!(head.contains(&machine.to_string()), "{chart}");
    }
    assert!(!chart.contains("in full"), "{chart}");
}

#[test]
fn a_message_that_a_spec_sees_is_drawn_once() {
    let mut story = Story::begin("Main");
    let created = story.creates("Server");
    let sending = |number: u32| {
        let to = Machine { name: "Server".to_owned(), number };
        Happening::Sending { to, event: "eRequest".to_owned(), payload: None }
    };
    story.step(1, vec![created, sending(2)]);
    let sent = story.sends(2, "eRequest", None);
    story.step(1, vec![sent, sending(2)]);
    let run = story.into_run();
    let chart = chart(&run, None, None, &options(60));
    // The first is sent in the second step; the second is never put into the queue, for the run ends there.
    let arrows: Vec<&str> = chart.lines().filter(|line| line.contains("──eRequest")).collect();
    assert_eq!(arrows.len(), 2, "{chart}");
    assert!(!chart.contains('◇'), "{chart}");
    let log = log(&run, None, None);
    assert_eq!(log.matches("is about to send eRequest to Server(2)\n").count(), 2, "{log}");
    assert!(!log.contains("announces"), "{log}");
}

#[test]
fn a_chart_without_unicode_is_ascii() {
    let (run, bug) = two_phase_commit();
    let chart = chart(&run, None, Some(&bug), &ChartOptions { unicode: false, ..options(80) });
    assert!(chart.is_ascii());
    assert_fits(&chart, 80);
    assert_golden("chart-80-ascii.txt", &chart);
}

#[test]
fn a_long_run_is_cut_in_the_middle() {
    let run = ring(3, 50);
    let chart = chart(&run, None, None, &ChartOptions { max_rows: Some(20), ..options(80) });
    assert!(chart.lines().count() <= 21, "{chart}");
    assert_golden("chart-long.txt", &chart);
}

#[test]
fn steps_that_deviate_are_never_left_out() {
    let run = ring(3, 50);
    let deviation = |step: usize| Deviation {
        step,
        delays: 1,
        natural: Choice::Schedule(run.machines[step % run.machines.len()].clone()),
    };
    let (first, second) = (run.steps.len() / 2, run.steps.len() / 2 + 2);
    let deviations = vec![deviation(first), deviation(first + 1), deviation(second + 10)];
    let explanation = Explanation { explorer: "rtc".to_owned(), delays: 3, deviations };
    let chart = chart(&run, Some(&explanation), None, &ChartOptions { max_rows: Some(20), ..options(80) });
    assert_eq!(chart.matches('▲').count(), 3, "{chart}");
    assert_golden("chart-long-deviations.txt", &chart);
}

#[test]
fn steps_that_deviate_are_shown_also_in_the_column_of_the_others() {
    let run = ring(30, 2);
    let natural = Choice::Schedule(run.machines[0].clone());
    let steps = 1..=run.steps.len();
    let deviations = steps.map(|step| Deviation { step, delays: 1, natural: natural.clone() }).collect();
    let explanation = Explanation { explorer: "rtc".to_owned(), delays: 1, deviations };
    for width in [60, 80, 200] {
        let how = ChartOptions { max_rows: Some(30), ..options(width) };
        let chart = chart(&run, Some(&explanation), None, &how);
        assert_fits(&chart, width);
        assert_eq!(chart.matches('▲').count(), run.steps.len(), "{chart}");
    }
}

#[test]
fn many_machines_share_a_column() {
    let run = ring(30, 2);
    let chart = chart(&run, None, None, &ChartOptions { max_rows: Some(30), ..options(80) });
    assert_fits(&chart, 80);
    assert_golden("chart-many.txt", &chart);
}

#[test]
fn no_width_and_no_limit_makes_it_panic() {
    let (run, bug) = two_phase_commit();
    for width in 0..150 {
        for max_rows in [None, Some(0), Some(1), Some(2), Some(3), Some(7), Some(100)] {
            for unicode in [true, false] {
                let options = ChartOptions { width, max_rows, unicode };
                assert_fits(&chart(&run, None, Some(&bug), &options), width);
                assert_fits(&chart(&ring(4, 3), None, None, &options), width);
            }
        }
    }
}

#[test]
fn a_run_without_steps_has_an_empty_chart_and_log() {
    let bug = BugSummary { message: "at once".to_owned(), ..BugSummary::default() };
    assert_eq!(chart(&Run::default(), None, Some(&bug), &ChartOptions::default()), "");
    assert_eq!(log(&Run::default(), None, Some(&bug)), "  bug    at once\n");
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let (run, _) = two_phase_commit();
    let bug = BugSummary { message: "a\u{1b}[31mb\nc".to_owned(), ..BugSummary::default() };
    for text in [log(&run, None, Some(&bug)), chart(&run, None, Some(&bug), &ChartOptions::default())] {
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
        assert!(text.contains(r"a\u{1b}[31mb\nc"));
    }
}
