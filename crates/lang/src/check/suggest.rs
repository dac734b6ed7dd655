//! "Did you mean": the declared name nearest to a misspelt one.

use super::Checker;
use crate::names::Name;
use crate::source::Diagnostic;

/// Longer names are not compared: nobody misspells them by hand, and the time grows with the square of the length.
const LONGEST: usize = 200;

/// How many comparisons of names one compilation may spend on suggestions. Past that there are none: a project with so
/// many unknown names does not lack the right spelling.
pub(super) const BUDGET: usize = 300_000;

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
        if self.diagnostics.is_full() {
            return diagnostic;
        }
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
        .filter_map(|candidate| {
            Some((distance(wrong.as_bytes(), candidate.as_bytes(), limit as u16)?, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// Edit distance with transpositions, if it is at most `limit`; letters that differ in case only count as equal.
/// Neither word is longer than `LONGEST` by more than a third.
fn distance(a: &[u8], b: &[u8], limit: u16) -> Option<u16> {
    let mut rows = [[0_u16; LONGEST * 4 / 3 + 1]; 3];
    let [before, above, row] = &mut rows;
    let (mut before, mut above, mut row) = (before, above, row);
    (0..=b.len()).for_each(|j| above[j] = j as u16);
    for i in 1..=a.len() {
        row[0] = i as u16;
        for j in 1..=b.len() {
            let is_same = a[i - 1].eq_ignore_ascii_case(&b[j - 1]);
            row[j] = (above[j - 1] + u16::from(!is_same)).min(above[j] + 1).min(row[j - 1] + 1);
            let is_swapped = i > 1
                && j > 1
                && a[i - 1].eq_ignore_ascii_case(&b[j - 2])
                && a[i - 2].eq_ignore_ascii_case(&b[j - 1]);
            if is_swapped {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        // Rows never get smaller than the smaller of the two before them.
        if row[..=b.len()].iter().chain(&above[..=b.len()]).all(|distance| *distance > limit) {
            return None;
        }
        (before, above, row) = (above, row, before);
    }
    Some(above[b.len()]).filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn distance_counts_edits_and_transpositions() {
        let distance = |a: &str, b: &str, limit| distance(a.as_bytes(), b.as_bytes(), limit);
        assert_eq!(distance("eCommited", "eCommitted", 3), Some(1));
        assert_eq!(distance("eping", "ePing", 1), Some(0));
        assert_eq!(distance("ePign", "ePing", 1), Some(1));
        assert_eq!(distance("", "abc", 3), Some(3));
        assert_eq!(distance("", "abc", 2), None);
        assert_eq!(distance("kitten", "sitting", 2), None);
        assert_eq!(distance("kitten", "sitting", 3), Some(3));
        assert_eq!(distance("ab", "ba", 1), Some(1));
        let long = "x".repeat(super::LONGEST);
        assert_eq!(distance(&long, &format!("{long}{}", "y".repeat(super::LONGEST / 3)), 99), Some(66));
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
