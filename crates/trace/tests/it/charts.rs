use fabius_trace::{BugSummary, ChartOptions, Run, chart, log};

use crate::goldens::assert_golden;
use crate::runs::{ring, two_phase_commit};

fn options(width: usize) -> ChartOptions {
    ChartOptions { width, max_rows: None, unicode: true }
}

fn assert_fits(chart: &str, width: usize) {
    for line in chart.lines() {
        assert!(line.chars().count() <= width, "longer than {width}: {line}");
    }
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
