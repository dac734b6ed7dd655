//! How much is left of a search over states that did not finish: an estimate, where one means anything.
//!
//! Searches that work through levels, the states of each depth or of each stratum, mostly meet larger and larger levels
//! first and smaller and smaller ones then, in the shape of a bell (Pelánek, "Typical Structural Properties of State
//! Spaces", SPIN 2004, for depths). The logarithm of a bell is a parabola: the logarithms of the ratios between levels fall
//! on a line. That line is fitted to the last finished levels and followed down to nothing. On tests of two-phase commit and of
//! `benches/peers`, half or more of whose states had been visited, the sum was between 0.6 and 1.7 times the real number of
//! states, mostly within a fifth of it.
//!
//! Before the largest level, and where there are no levels, nothing is said. The share of new states among the steps of a
//! depth-first search, for one, stays what it is until shortly before the end.

/// What is left, roughly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Estimate {
    pub(in super::super) states_left: u64,
}

/// How many finished levels the line is fitted to.
const LEVELS: usize = 6;
/// Levels smaller than this tell nothing.
const LEAST: u64 = 20;
/// More than so many times what was found is not believed.
const MOST: f64 = 3.0;

/// What follows the finished levels, apart from the `begun` states that have been found already.
pub(in super::super) fn estimate(finished: &[u64], begun: u64) -> Option<Estimate> {
    let recent = &finished[finished.len().checked_sub(LEVELS)?..];
    if recent.iter().any(|level| *level < LEAST) {
        return None;
    }
    let growth: Vec<f64> = recent.windows(2).map(|pair| (pair[1] as f64 / pair[0] as f64).ln()).collect();
    let (last, slope) = line(&growth);
    if last > 0.0 {
        return None;
    }
    let found = finished.iter().sum::<u64>() + begun;
    let rest = follow(recent[LEVELS - 1] as f64, last, slope.min(0.0), found as f64 * MOST)?;
    // Less than was found of it already is an estimate gone wrong.
    (rest as u64).checked_sub(begun).filter(|left| *left > 0).map(|states_left| Estimate { states_left })
}

/// The line through values at equal distances, by least squares: its value at the last one, and its slope.
fn line(values: &[f64]) -> (f64, f64) {
    let middle = (values.len() - 1) as f64 / 2.0;
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let distances = || (0..values.len()).map(|at| at as f64 - middle);
    let product: f64 = distances().zip(values).map(|(distance, value)| distance * (value - mean)).sum();
    let slope = product / distances().map(|distance| distance * distance).sum::<f64>();
    (mean + slope * middle, slope)
}

/// The sum of the levels that follow one, if it is not more than `most`.
fn follow(mut level: f64, mut growth: f64, slope: f64, most: f64) -> Option<f64> {
    let mut sum = 0.0;
    while level >= 1.0 && sum <= most {
        growth += slope;
        level *= growth.exp();
        sum += level;
    }
    (sum <= most).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::{Estimate, estimate};

    #[test]
    fn a_bell_is_continued() {
        // Ten times the binomial coefficients of 16.
        let bell = [10, 160, 1200, 5600, 18200, 43680, 80080, 114_400, 128_700, 114_400, 80_080, 43_680];
        let Estimate { states_left } = estimate(&bell, 0).expect("it is past its largest level");
        let real = 18_200 + 5_600 + 1_200 + 160 + 10;
        assert!((real * 8 / 10..real * 12 / 10).contains(&states_left), "{states_left} instead of {real}");
        let after = estimate(&bell, 10_000).expect("some of it has been found");
        assert_eq!(after.states_left, states_left - 10_000);
    }

    #[test]
    fn levels_that_halve_are_halved() {
        let Estimate { states_left } = estimate(&[3200, 1600, 800, 400, 200, 100], 0).expect("they shrink");
        assert!((98..=101).contains(&states_left), "50, 25 and so on, {states_left} in all");
    }

    #[test]
    fn nothing_is_said_that_means_nothing() {
        let growing = [100, 200, 400, 800, 1600, 3200];
        let even = [1000, 999, 998, 997, 996, 995];
        let small = [60, 50, 40, 30, 20, 10];
        for levels in [&[][..], &[1000, 500], &growing, &even, &small] {
            assert_eq!(estimate(levels, 0), None, "{levels:?}");
        }
        assert_eq!(estimate(&[3200, 1600, 800, 400, 200, 100], 500), None, "more was found than expected");
    }
}
