//! Covering arrays: few combinations of values, in which all combinations of N values occur that occur at all.
//!
//! The choice is greedy and P's own: always the combination with the most N-tuples of values that are not covered yet;
//! among equally good ones, the first. What a combination gains only shrinks while others are picked, so a gain that was
//! computed earlier is a bound: the best of the bounds, if it still holds, is the best of all. Hence most combinations
//! are looked at a few times, not once for each pick.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The tuples of values that must be covered, and whether they are.
pub(super) struct Covering {
    /// How many values each parameter has.
    sizes: Vec<usize>,
    /// The sets of parameters whose values are combined, each with the number of its first tuple.
    subsets: Vec<(Vec<usize>, usize)>,
    is_covered: Vec<bool>,
}

impl Covering {
    pub(super) fn new(sizes: Vec<usize>, strength: usize) -> Self {
        let mut count = 0;
        let number = |subset: Vec<usize>| {
            let first = count;
            count += subset.iter().map(|at| sizes[*at]).product::<usize>();
            (subset, first)
        };
        let subsets = subsets(sizes.len(), strength).into_iter().map(number).collect();
        Self { sizes, subsets, is_covered: vec![false; count] }
    }

    /// Picks combinations by their numbers, in which the first parameter varies fastest.
    pub(super) fn pick(mut self, combinations: &[usize]) -> Vec<usize> {
        let bound = self.subsets.len();
        let mut bounds: BinaryHeap<(usize, Reverse<usize>)> =
            (0..combinations.len()).map(|at| (bound, Reverse(at))).collect();
        let mut picked = Vec::new();
        let mut positions = vec![0; self.sizes.len()];
        while let Some((bound, Reverse(at))) = bounds.pop() {
            self.decode(combinations[at], &mut positions);
            let gain = self.tuples(&positions).filter(|tuple| !self.is_covered[*tuple]).count();
            if gain < bound {
                bounds.extend((gain > 0).then_some((gain, Reverse(at))));
                continue;
            }
            let tuples: Vec<usize> = self.tuples(&positions).collect();
            tuples.into_iter().for_each(|tuple| self.is_covered[tuple] = true);
            picked.push(combinations[at]);
        }
        picked
    }

    fn decode(&self, mut number: usize, positions: &mut [usize]) {
        for (position, size) in positions.iter_mut().zip(&self.sizes) {
            *position = number % size;
            number /= size;
        }
    }

    /// The numbers of the tuples that occur in a combination.
    fn tuples<'a>(&'a self, positions: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
        self.subsets.iter().map(|(subset, first)| {
            first + subset.iter().fold(0, |number, at| number * self.sizes[*at] + positions[*at])
        })
    }
}

/// All sets of `size` positions below `width`, in lexicographic order.
fn subsets(width: usize, size: usize) -> Vec<Vec<usize>> {
    let mut result = vec![Vec::new()];
    for _ in 0..size {
        let extend = |subset: Vec<usize>| {
            let from = subset.last().map_or(0, |last| last + 1);
            (from..width).map(move |at| [subset.as_slice(), &[at]].concat())
        };
        result = result.into_iter().flat_map(extend).collect();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::{Covering, subsets};
    use std::collections::BTreeSet;

    type Tuple = (Vec<usize>, Vec<usize>);

    fn positions(sizes: &[usize], mut number: usize) -> Vec<usize> {
        let position = |size: &usize| {
            let position = number % size;
            number /= size;
            position
        };
        sizes.iter().map(position).collect()
    }

    fn tuples(sizes: &[usize], strength: usize, number: usize) -> BTreeSet<Tuple> {
        let positions = positions(sizes, number);
        let select = |subset: Vec<usize>| {
            let values = subset.iter().map(|at| positions[*at]).collect();
            (subset, values)
        };
        subsets(sizes.len(), strength).into_iter().map(select).collect()
    }

    /// The definition, literally: in each round, look at everything.
    fn naive(sizes: &[usize], strength: usize, combinations: &[usize]) -> Vec<usize> {
        let mut covered: BTreeSet<Tuple> = BTreeSet::new();
        let mut picked = Vec::new();
        loop {
            let gain = |number: &usize| tuples(sizes, strength, *number).difference(&covered).count();
            // Of equal ones the first: `max_by_key` takes the last, so go backward.
            let best =
                combinations.iter().rev().max_by_key(|number| gain(number)).filter(|number| gain(number) > 0);
            let Some(best) = best else { return picked };
            covered.extend(tuples(sizes, strength, *best));
            picked.push(*best);
        }
    }

    #[test]
    fn subsets_are_the_binomial_number() {
        assert_eq!(subsets(4, 2).len(), 6);
        assert_eq!(subsets(3, 3), vec![vec![0, 1, 2]]);
    }

    #[test]
    fn the_picks_are_those_of_the_definition() {
        for (sizes, strength) in [
            (vec![3, 3, 3, 3], 2),
            (vec![2, 3, 4], 2),
            (vec![4, 2, 2, 3], 3),
            (vec![2, 2, 2, 2, 2], 2),
            (vec![5, 4], 1),
            (vec![3], 1),
        ] {
            let all: Vec<usize> = (0..sizes.iter().product()).collect();
            let some: Vec<usize> = all.iter().copied().filter(|number| number % 3 != 1).collect();
            for combinations in [all, some] {
                let picked = Covering::new(sizes.clone(), strength).pick(&combinations);
                assert_eq!(picked, naive(&sizes, strength, &combinations), "{sizes:?} {strength}");
            }
        }
    }

    #[test]
    fn pairwise_needs_fewer_tests_than_there_are_combinations() {
        let all: Vec<usize> = (0..81).collect();
        let picked = Covering::new(vec![3, 3, 3, 3], 2).pick(&all);
        assert!(picked.len() < 20, "{} tests for 81 combinations", picked.len());
    }
}
