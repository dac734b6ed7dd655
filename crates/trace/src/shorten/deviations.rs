//! Leaving out deviations: the run is told as the explorer's natural run and where it departs from it.
//!
//! A deviation is remembered by what would have been natural: "B, when A was about to make its fifth move". So it is
//! found again in a run in which much else has changed. An attempt keeps some deviations and is natural in between.

use std::collections::{HashMap, VecDeque};

use fabius_explore::Explorer;
use fabius_model::{ActorId, Choice, Program};

use super::attempt::{Best, Progress, Spent};

/// What is natural at some place: an actor's n-th move, or its n-th choice of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Moment {
    actor: Option<ActorId>,
    is_data: bool,
    count: u32,
}

/// Counts moves and choices of data.
#[derive(Clone, Debug, Default)]
struct Clock {
    counts: HashMap<(Option<ActorId>, bool), u32>,
    last: Option<ActorId>,
}

impl Clock {
    fn moment(&self, natural: Choice) -> Moment {
        let (actor, is_data) = match natural {
            Choice::Schedule(actor) => (Some(actor), false),
            Choice::Data(_) => (self.last, true),
        };
        Moment { actor, is_data, count: self.counts.get(&(actor, is_data)).copied().unwrap_or(0) }
    }

    fn pass(&mut self, taken: Choice) {
        if let Choice::Schedule(actor) = taken {
            self.last = Some(actor);
        }
        let is_data = matches!(taken, Choice::Data(_));
        *self.counts.entry((self.last, is_data)).or_default() += 1;
    }
}

/// A departure from the natural run.
#[derive(Clone, Copy, Debug)]
struct Deviation {
    place: usize,
    moment: Moment,
    taken: Choice,
}

/// Leaves out deviations: many at once first, down to a `parts`-th of them at once.
pub(super) fn leave_out_deviations<P: Program, E: Explorer>(
    best: &mut Best<'_, P, E>,
    parts: usize,
) -> Result<(), Spent> {
    let mut current = deviations(best);
    let least = current.len().div_ceil(parts).max(1);
    let mut at_once = current.len();
    while !current.is_empty() {
        let mut has_helped = false;
        let mut end = current.len();
        while end > 0 {
            let mut begin = end.saturating_sub(at_once);
            if try_without(best, &current, begin..end)? {
                has_helped = true;
                current = deviations(best);
                begin = begin.min(current.len());
            }
            end = begin;
        }
        if at_once <= least && !has_helped {
            return Ok(());
        }
        at_once = at_once.div_ceil(2).max(least);
    }
    Ok(())
}

/// The deviations of the best run; none if there is no explorer.
fn deviations<P: Program, E: Explorer>(best: &Best<'_, P, E>) -> Vec<Deviation> {
    let mut clock = Clock::default();
    let mut deviations = Vec::new();
    for (place, taken) in best.choices().iter().enumerate() {
        if let (Some(cursor), 1..) = (&best.places()[place].cursor, best.places()[place].delays) {
            let offered = best.offered_at(place);
            if let Some(natural) = offered.get(cursor.next(&offered)) {
                deviations.push(Deviation { place, moment: clock.moment(*natural), taken: *taken });
            }
        }
        clock.pass(*taken);
    }
    deviations
}

/// Tries the natural run with all deviations but those in the range.
fn try_without<P: Program, E: Explorer>(
    best: &mut Best<'_, P, E>,
    all: &[Deviation],
    left_out: std::ops::Range<usize>,
) -> Result<bool, Spent> {
    let from = all[left_out.start].place;
    let mut kept: HashMap<Moment, VecDeque<Choice>> = HashMap::new();
    for deviation in &all[left_out.end..] {
        kept.entry(deviation.moment).or_default().push_back(deviation.taken);
    }
    let mut clock = Clock::default();
    best.choices()[..from].iter().for_each(|choice| clock.pass(*choice));
    let mut attempt = best.attempt_from(from);
    let mut is_first = true;
    loop {
        let pick = |natural: Choice, offered: &[Choice]| {
            let wanted = match kept.get_mut(&clock.moment(natural)) {
                Some(wanted) if !is_first => wanted.pop_front(),
                _ => None,
            };
            wanted.filter(|wanted| offered.contains(wanted)).unwrap_or(natural)
        };
        let progress = best.go_on(&mut attempt, pick)?;
        is_first = false;
        match progress {
            Progress::Going => {}
            Progress::Reached => return Ok(best.accept_if_better(attempt)),
            Progress::Missed => return Ok(false),
        }
        if let Some(taken) = attempt.choices.last() {
            clock.pass(*taken);
        }
    }
}
