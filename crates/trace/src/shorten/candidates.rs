//! The changes that are tried, in the order in which they are tried.

use std::ops::Range;

use fabius_explore::Explorer;
use fabius_model::{Choice, Program};

use super::attempt::{Best, Spent};
use super::deviations::leave_out_deviations;

/// In how many parts a run is divided at first, so that a long run is short before anything dear is tried.
const COARSE_PARTS: [usize; 2] = [16, 256];

/// Tries all changes until none helps, or the budget is used up.
pub(super) fn improve<P: Program, E: Explorer>(best: &mut Best<'_, P, E>) -> Result<(), Spent> {
    for parts in COARSE_PARTS {
        best.cut_loops()?;
        leave_out_deviations(best, parts)?;
        leave_out_machines(best)?;
        leave_out(best, stretches, parts)?;
        leave_out(best, single_steps, parts)?;
    }
    loop {
        let before = best.measure();
        best.cut_loops()?;
        leave_out_deviations(best, usize::MAX)?;
        leave_out_machines(best)?;
        leave_out(best, stretches, usize::MAX)?;
        join_stretches(best)?;
        leave_out(best, single_steps, usize::MAX)?;
        shrink_data(best)?;
        if best.measure() == before {
            leave_out_windows(best)?;
        }
        if best.measure() == before {
            return Ok(());
        }
    }
}

/// Leaves out all that one machine does, for each machine.
fn leave_out_machines<P: Program, E: Explorer>(best: &mut Best<'_, P, E>) -> Result<(), Spent> {
    let mut machines: Vec<Choice> = Vec::new();
    for choice in best.choices() {
        if matches!(choice, Choice::Schedule(_)) && !machines.contains(choice) {
            machines.push(*choice);
        }
    }
    for machine in machines.into_iter().rev() {
        let choices = best.choices();
        let others = split(choices, |_, _| true).into_iter().filter(|part| choices[part.start] != machine);
        let others: Vec<Choice> = others.flat_map(|part| choices[part].to_vec()).collect();
        let length = choices.len();
        if others.len() < length {
            best.try_replacing(0, length, &others)?;
        }
    }
    Ok(())
}

/// Leaves out stretches that follow one another, wherever they begin and however many they are: what several machines do
/// together, for instance one exchange of messages, goes only as a whole. The dearest change, hence the last.
fn leave_out_windows<P: Program, E: Explorer>(best: &mut Best<'_, P, E>) -> Result<(), Spent> {
    let mut parts = stretches(best.choices());
    let mut size = parts.len().saturating_sub(1);
    while size > 1 {
        let mut end = parts.len();
        while end >= size {
            if best.try_replacing(parts[end - size].start, parts[end - 1].end, &[])? {
                parts = stretches(best.choices());
                end = end.min(parts.len() + 1);
                size = size.min(parts.len());
                if size < 2 {
                    return Ok(());
                }
            }
            end -= 1;
        }
        size -= 1;
    }
    Ok(())
}

/// Leaves out parts of the run: half of them at once, then quarters, and so on down to single parts, or to so many at once
/// that there are `most` of them.
///
/// Goes from the end to the beginning, so that what comes before a change stays as it is, and executed states are used
/// again.
fn leave_out<P: Program, E: Explorer>(
    best: &mut Best<'_, P, E>,
    parts: fn(&[Choice]) -> Vec<Range<usize>>,
    most: usize,
) -> Result<(), Spent> {
    let mut current = parts(best.choices());
    let least = current.len().div_ceil(most).max(1);
    let mut at_once = current.len().div_ceil(2).max(1);
    loop {
        let mut has_helped = false;
        let mut end = current.len();
        while end > 0 {
            let mut begin = end.saturating_sub(at_once);
            if best.try_replacing(current[begin].start, current[end - 1].end, &[])? {
                has_helped = true;
                current = parts(best.choices());
                begin = begin.min(current.len());
            }
            end = begin;
        }
        if at_once <= least && !has_helped {
            return Ok(());
        }
        at_once = at_once.div_ceil(2).max(least);
    }
}

/// Joins stretches of one machine, so that it is interrupted less often.
fn join_stretches<P: Program, E: Explorer>(best: &mut Best<'_, P, E>) -> Result<(), Spent> {
    let mut first = 0;
    loop {
        let parts = stretches(best.choices());
        if first >= parts.len() {
            return Ok(());
        }
        if !join_with_next(best, &parts, first)? {
            first += 1;
        }
    }
}

/// Tries to join a stretch with the next one of the same machine.
fn join_with_next<P: Program, E: Explorer>(
    best: &mut Best<'_, P, E>,
    parts: &[Range<usize>],
    first: usize,
) -> Result<bool, Spent> {
    let choices = best.choices();
    let machine = choices[parts[first].start];
    let next = (first + 1..parts.len()).find(|next| choices[parts[*next].start] == machine);
    let Some(next) = next else { return Ok(false) };
    let (early, late) = (parts[first].clone(), parts[next].clone());
    let between = early.end..late.start;
    let forward = [&choices[late.clone()], &choices[between.clone()]].concat();
    let back = [&choices[between], &choices[early.clone()]].concat();
    Ok(best.try_replacing(early.end, late.end, &forward)?
        || best.try_replacing(early.start, late.start, &back)?)
}

/// Makes data choices smaller: to 0, by half, by one.
fn shrink_data<P: Program, E: Explorer>(best: &mut Best<'_, P, E>) -> Result<(), Spent> {
    let mut place = 0;
    while place < best.choices().len() {
        if !shrink_data_at(best, place)? {
            place += 1;
        }
    }
    Ok(())
}

fn shrink_data_at<P: Program, E: Explorer>(best: &mut Best<'_, P, E>, place: usize) -> Result<bool, Spent> {
    let Choice::Data(value) = best.choices()[place] else { return Ok(false) };
    let mut smaller = vec![0, value / 2, value.saturating_sub(1)];
    smaller.dedup();
    for smaller in smaller.into_iter().filter(|smaller| *smaller < value) {
        if best.try_replacing(place, place + 1, &[Choice::Data(smaller)])? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The maximal parts in which one machine moves alone, with the data choices in it.
fn stretches(choices: &[Choice]) -> Vec<Range<usize>> {
    split(choices, |last, next| last != Some(next))
}

/// The single steps of machines, each with the data choices after it.
fn single_steps(choices: &[Choice]) -> Vec<Range<usize>> {
    split(choices, |_, _| true)
}

/// Parts that begin at the first choice and at each schedule choice for which `begins(the last one, it)` holds.
fn split(choices: &[Choice], begins: fn(Option<Choice>, Choice) -> bool) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut last = None;
    for (place, choice) in choices.iter().enumerate() {
        let is_schedule = matches!(choice, Choice::Schedule(_));
        if parts.is_empty() || (is_schedule && begins(last, *choice)) {
            parts.push(place..place);
        }
        if is_schedule {
            last = Some(*choice);
        }
        if let Some(part) = parts.last_mut() {
            part.end = place + 1;
        }
    }
    parts
}
