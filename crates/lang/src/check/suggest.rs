//! "Did you mean": the declared name nearest to a misspelt one.

use super::Checker;
use crate::names::Name;
use crate::source::Diagnostic;

/// Longer names are not compared: nobody misspells them by hand, and the time grows with the square of the length.
const LONGEST: usize = 200;

/// How many comparisons of names one compilation may spend on suggestions. Past that there are none: a project with so
/// many unknown names does not lack the right spelling.
pub(super) const BUDGET: usize = 2_000_000;

impl Checker<'_> {
    /// Adds a note to `diagnostic` when one of `candidates` is close to `wrong`.
    pub(super) fn suggest(
        &self,
        diagnostic: Diagnostic,
        wrong: Name,
        candidates: impl Iterator<Item = Name>,
    ) -> Diagnostic {
        self.suggest_text(diagnostic, wrong, candidates.map(|name| self.text(name)))
    }

    /// As [`Checker::suggest`], with texts.
    pub(super) fn suggest_text<'c>(
        &self,
        diagnostic: Diagnostic,
        wrong: Name,
        candidates: impl Iterator<Item = &'c str>,
    ) -> Diagnostic {
        let left = self.suggestions.get();
        let candidates: Vec<&str> = candidates.take(left + 1).collect();
        // Whether there is a suggestion must not depend on the order of a table.
        if candidates.len() > left {
            return diagnostic;
        }
        self.suggestions.set(left - candidates.len());
        match nearest(self.text(wrong), candidates.into_iter()) {
            Some(name) => diagnostic.note(format!("did you mean `{name}`?")),
            None => diagnostic,
        }
    }
}

/// The candidate with the smallest edit distance, if it is small for the word's length; any two words of one or two
/// letters are near, so of those only the case may be wrong. Ties go to the name that comes first in the alphabet, so
/// that the answer does not depend on the order of a table.
fn nearest<'a>(wrong: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if wrong.len() > LONGEST {
        return None;
    }
    let limit = wrong.len() / 3;
    candidates
        .filter(|candidate| candidate.len().abs_diff(wrong.len()) <= limit && *candidate != wrong)
        .map(|candidate| (distance(wrong, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Edit distance with transpositions; letters that differ in case only count as equal.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<u8> = a.bytes().map(|byte| byte.to_ascii_lowercase()).collect();
    let b: Vec<u8> = b.bytes().map(|byte| byte.to_ascii_lowercase()).collect();
    let mut rows: [Vec<usize>; 3] = [vec![0; b.len() + 1], (0..=b.len()).collect(), vec![0; b.len() + 1]];
    for i in 1..=a.len() {
        rows[2][0] = i;
        for j in 1..=b.len() {
            let substitution = rows[1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = substitution.min(rows[1][j] + 1).min(rows[2][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[0][j - 2] + 1);
            }
            rows[2][j] = best;
        }
        rows.rotate_left(1);
    }
    rows[1][b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn distance_counts_edits_and_transpositions() {
        assert_eq!(distance("eCommited", "eCommitted"), 1);
        assert_eq!(distance("eping", "ePing"), 0);
        assert_eq!(distance("ePign", "ePing"), 1);
        assert_eq!(distance("", "abc"), 3);
    }

    #[test]
    fn only_near_names_are_suggested() {
        let names = ["eCommitted", "eAborted", "ePrepare"];
        assert_eq!(nearest("eCommited", names.into_iter()), Some("eCommitted"));
        assert_eq!(nearest("eTimeout", names.into_iter()), None);
        assert_eq!(nearest("z", ["x", "y"].into_iter()), None);
        assert_eq!(nearest("X", ["x", "y"].into_iter()), Some("x"));
    }
}
