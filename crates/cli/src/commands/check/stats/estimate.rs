//! How much is left of a search over states that did not finish: an estimate, where one means anything.
//!
//! Searches that work through levels, the states of each depth or of each stratum, mostly meet ever larger levels first and
//! ever smaller ones then (Pelánek, "Typical Structural Properties of State Spaces", SPIN 2004, for depths). Past the
//! largest level, what is left is taken for a geometric series with the ratio of the last levels. Before it, and where
//! there are no levels, nothing is said: any number would be a guess.

/// What is left, roughly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) struct Estimate {
    pub(in super::super) states_left: u64,
    /// How large each level is expected to be, compared with the one before.
    pub(in super::super) ratio: f64,
}

/// How many finished levels the ratio is taken from.
const LEVELS: usize = 3;
/// Levels smaller than this tell nothing.
const LEAST: u64 = 100;
/// Above this, a small error of the ratio would be a large one of the sum.
const MOST_RATIO: f64 = 0.95;

/// What follows the finished levels, of which `begun` states have been found already.
pub(in super::super) fn estimate(finished: &[u64], begun: u64) -> Option<Estimate> {
    let recent = &finished[finished.len().checked_sub(LEVELS)?..];
    let (first, last) = (*recent.first()?, *recent.last()?);
    if first < LEAST || !recent.is_sorted_by(|before, after| before > after) {
        return None;
    }
    let ratio = (last as f64 / first as f64).powf(1.0 / (LEVELS - 1) as f64);
    if ratio > MOST_RATIO {
        return None;
    }
    let rest = last as f64 * ratio / (1.0 - ratio);
    Some(Estimate { states_left: (rest as u64).saturating_sub(begun), ratio })
}

#[cfg(test)]
mod tests {
    use super::estimate;

    #[test]
    fn shrinking_levels_are_continued() {
        let left = estimate(&[1, 50, 900, 1600, 800, 400], 100).expect("the levels shrink");
        assert_eq!((left.states_left, left.ratio), (300, 0.5), "200, 100, 50 and so on, 100 of them found");
        let more = estimate(&[400, 200, 100], 150).expect("the levels shrink");
        assert_eq!(more.states_left, 0, "more were found than expected");
    }

    #[test]
    fn nothing_is_said_that_means_nothing() {
        for levels in [
            &[][..],
            &[5],
            &[1000, 500],
            &[100, 200, 400],
            &[900, 800, 850],
            &[1000, 999, 998],
            &[40, 20, 10],
        ] {
            assert_eq!(estimate(levels, 0), None, "{levels:?}");
        }
    }
}
