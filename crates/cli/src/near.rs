//! The near name that may have been meant.

/// How alike two names must be, from 0 to 1, for one to be offered in place of the other.
const LIKENESS: f64 = 0.85;

/// The candidate most like a name, letter case aside, if any is like it at all. Of equals, the first.
pub(crate) fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut best = None;
    let mut likeness = LIKENESS;
    for candidate in candidates {
        let this = strsim::jaro_winkler(&wanted, &candidate.to_lowercase());
        if this > likeness {
            (best, likeness) = (Some(candidate), this);
        }
    }
    best
}
