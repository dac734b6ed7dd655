//! The near name that may have been meant.

/// How alike two names must be, from 0 to 1, for one to be offered in place of the other.
const LIKENESS: f64 = 0.85;

/// How long a name must be for one slip of the finger to make no other word of it.
const LONG_ENOUGH: usize = 3;

/// The candidate most like a name, letter case aside, if any is like it at all. Of equals, the first.
pub(crate) fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut best = None;
    let mut likeness = LIKENESS;
    let mut slip = None;
    for candidate in candidates {
        let lower = candidate.to_lowercase();
        let this = strsim::jaro_winkler(&wanted, &lower);
        if this > likeness {
            (best, likeness) = (Some(candidate), this);
        }
        // In a short name one letter, or two that changed places, make a great difference.
        if wanted.len() >= LONG_ENOUGH && slip.is_none() && strsim::osa_distance(&wanted, &lower) == 1 {
            slip = Some(candidate);
        }
    }
    best.or(slip)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_of_the_finger_is_seen_in_short_names_too() {
        let searches = ["auto", "ses", "ss", "pb", "bfs", "dfs"];
        for (wanted, found) in
            [("dsf", "dfs"), ("DFS", "dfs"), ("bsf", "bfs"), ("atuo", "auto"), ("sess", "ses")]
        {
            assert_eq!(nearest(wanted, searches), Some(found), "{wanted}");
        }
        for unlike in ["x", "pp", "xyz", "breadth"] {
            assert_eq!(nearest(unlike, searches), None, "{unlike}");
        }
    }
}
