//! Pearson's test of whether counts fit a distribution.
//!
//! Seeds are fixed, so a test passes always or never. The threshold is that which a right implementation exceeds for one
//! seed in a thousand.

/// Panics unless the counts are what one expects of these probabilities.
#[track_caller]
pub(crate) fn assert_fits(counts: &[u64], probabilities: &[f64]) {
    assert_eq!(counts.len(), probabilities.len());
    let statistic = statistic(counts, probabilities);
    let threshold = threshold(counts.len() - 1);
    assert!(
        statistic <= threshold,
        "chi-square {statistic:.1} exceeds {threshold:.1}: counts {counts:?} do not fit {probabilities:?}"
    );
}

/// Panics unless the counts are what one expects when all are equally likely.
#[track_caller]
pub(crate) fn assert_uniform(counts: &[u64]) {
    assert_fits(counts, &vec![1.0 / counts.len() as f64; counts.len()]);
}

fn statistic(counts: &[u64], probabilities: &[f64]) -> f64 {
    let total: u64 = counts.iter().sum();
    let terms = counts.iter().zip(probabilities).map(|(&count, probability)| {
        let expected = total as f64 * probability;
        assert!(expected >= 5.0, "the test needs more runs: only {expected} of a kind expected");
        (count as f64 - expected).powi(2) / expected
    });
    terms.sum()
}

/// The 99.9 % quantile, by the approximation of Wilson and Hilferty.
fn threshold(degrees_of_freedom: usize) -> f64 {
    let degrees = degrees_of_freedom as f64;
    let spread = 2.0 / (9.0 * degrees);
    degrees * (1.0 - spread + 3.0902 * spread.sqrt()).powi(3)
}

#[test]
fn the_threshold_is_that_of_the_tables() {
    // From printed tables, 0.001 upper tail; the approximation is within 5 %.
    for (degrees, tabled) in [(1, 10.828), (2, 13.816), (5, 20.515), (10, 29.588), (30, 59.703)] {
        assert!((threshold(degrees) - tabled).abs() / tabled < 0.05, "{degrees}: {}", threshold(degrees));
    }
}

#[test]
#[should_panic(expected = "do not fit")]
fn a_bias_of_two_percent_is_noticed_in_a_hundred_thousand_draws() {
    assert_uniform(&[51_000, 49_000]);
}
