//! The depth-first search: on all cores, in any visited set, with checkpoints.
//!
//! It begins with the virtual machine that remembers moves. Where that turns out to be of no use, it begins anew and walks
//! (`novelty.rs`). It never walks where states of that machine are needed for more than the search itself: in checkpoints,
//! for `--stats`, and where a spec may stay hot.

use std::time::Instant;
use std::{fs, io};

use fabius_lang::source::{counted, separated};
use fabius_search::StopReason;
use fabius_search::exhaustive::depth_first::{Keeping, Left, Limits, Report, Snapshot, run, run_kept};
use fabius_store::{Exact, VisitedSet};
use fabius_vm::Vm;

use super::super::checkpoint::{Checkpoints, Cost};
use super::super::memory::{self, Appetite, Memory};
use super::super::stats::Over;
use super::super::watch::Checked;
use super::hot::{Hot, HotStates};
use super::novelty::{Anew, Novelty};
use super::states::visited;
use super::visited::{novel_set, visited_set};
use super::{Conclusion, Kept, Searching, StoreUse, value_name};
use crate::arguments::StoreName;
use crate::files;
use crate::program::FoundBug;

/// What a search begins with.
struct Beginning<'a, P: Checked> {
    kind: StoreName,
    set: Box<dyn VisitedSet>,
    hot: Hot<'a>,
    left: Option<Left<P>>,
}

impl Searching<'_> {
    pub(super) fn depth_first<P: Checked>(&self, program: &P) -> Conclusion {
        let beginning = match self.checkpoints.map(|checkpoints| self.take_up(program, checkpoints)) {
            None | Some(Ok(None)) => {
                let (kind, set) = visited_set(self.options);
                Beginning { kind, set, hot: self.hot(), left: None }
            }
            Some(Ok(Some(beginning))) => beginning,
            Some(Err(message)) => return Conclusion { refusal: Some(message), ..Conclusion::default() },
        };
        let Beginning { kind, set, hot, left } = beginning;
        let growth_ahead = || program.growth_ahead() + set.growth_ahead();
        let economise = || program.economise();
        let appetite = Appetite { growth_ahead: &growth_ahead, economise: Some(&economise) };
        let memory = Memory::new(self.options.memory, appetite, false);
        let start = Instant::now();
        let anew = if self.may_walk(program.vm()) { Anew::Always } else { Anew::Never };
        let novelty = Novelty::new(anew);
        let (report, stopped) = self.search(program, &*set, &hot, left, &memory, &novelty);
        if novelty.is_lasting() && report.stop == StopReason::Asked && stopped.is_none() {
            drop(set);
            return self.walk(program, start);
        }
        let mut guarantee = guarantee(&report, stopped);
        if memory.is_saving() {
            guarantee.push_str("; near the memory limit moves were no longer remembered");
        }
        // Finding out how full a set is may take a while.
        let store = self.recorder.map(|_| StoreUse {
            kind: value_name(&kind),
            bytes: set.bytes() as u64,
            load: set.load(),
        });
        // What is left to judge needs memory of its own.
        drop(set);
        let (stop, bound_met) = (report.stop, report.bound_met.clone());
        let checkpoints = self.checkpoints.map(kept);
        let conclusion = Conclusion { store, checkpoints, ..conclusion(report, guarantee) };
        let mut conclusion = self.judge(program, conclusion, stop, bound_met.as_ref(), &hot.into_states());
        if let Some(kept) = &conclusion.checkpoints {
            conclusion.guarantee.push_str(&told(kept, stop));
        }
        conclusion
    }

    fn limits(&self) -> Limits {
        Limits {
            states: self.options.states.unwrap_or(u64::MAX),
            bugs: self.options.bugs.into(),
            jobs: self.jobs(),
            ..Limits::default()
        }
    }

    /// Whether nothing but the search itself needs the states of the virtual machine.
    pub(super) fn may_walk(&self, vm: &Vm) -> bool {
        self.checkpoints.is_none() && self.recorder.is_none() && !vm.can_be_hot()
    }

    /// The search from its beginning, with a program that remembers no moves, in the time that is left.
    fn walk<P: Checked>(&self, program: &P, start: Instant) -> Conclusion {
        self.ends.clear();
        let set = novel_set(self.options);
        let walked = program.walked();
        let growth_ahead = || set.growth_ahead();
        let appetite = Appetite { growth_ahead: &growth_ahead, economise: None };
        let memory = Memory::new(self.options.memory, appetite, false);
        let time = self.time().map(|time| time.saturating_sub(start.elapsed()));
        let (report, stopped) = self.with_memory(Over::States, time, &memory, |callbacks| {
            run(&walked, &*set, &self.limits(), callbacks, &|_| {})
        });
        drop(set);
        let (stop, bound_met) = (report.stop, report.bound_met.clone());
        let guarantee = guarantee(&report, stopped);
        self.judge(program, conclusion(report, guarantee), stop, bound_met.as_ref(), &HotStates::default())
    }

    fn search<P: Checked>(
        &self,
        program: &P,
        set: &dyn VisitedSet,
        hot: &Hot<'_>,
        left: Option<Left<P>>,
        memory: &Memory<'_>,
        novelty: &Novelty,
    ) -> (Report<FoundBug>, Option<&'static str>) {
        let limits = self.limits();
        let visit = |state: &P::State| hot.keep(program, state);
        self.with_memory(Over::States, self.time(), memory, |callbacks| {
            let Some(checkpoints) = self.checkpoints else {
                return novelty.watch(program.vm(), callbacks, |callbacks| {
                    run(program, set, &limits, callbacks, &visit)
                });
            };
            let keep = |snapshot: &Snapshot<'_, P>| {
                let is_finished = snapshot.is_finished();
                checkpoints.keep(snapshot.states, is_finished, |to| {
                    program.save(to)?;
                    snapshot.write_to(to)?;
                    hot.write_to(to)?;
                    if is_finished { Ok(()) } else { set.write_to(to) }
                });
            };
            let keeping = Keeping { is_due: &|| checkpoints.is_due(), keep: &keep };
            run_kept(program, set, &limits, callbacks, &visit, left, &keeping)
        })
    }

    /// Takes up the search that a checkpoint holds, if there is one. The error says why that cannot be done.
    fn take_up<P: Checked>(
        &self,
        program: &P,
        checkpoints: &Checkpoints<'_>,
    ) -> Result<Option<Beginning<'_, P>>, String> {
        let (Some(resumed), Some(content)) = (checkpoints.resumed(), checkpoints.content()) else {
            return Ok(None);
        };
        // In memory it takes more than in the file.
        let size = fs::metadata(&resumed.file).map_or(0, |file| file.len());
        if let Some(message) = memory::too_little_for(self.options.memory, size) {
            return Err(format!("the checkpoint `{}`: {message}", resumed.file.display()));
        }
        let take_up = || -> io::Result<Beginning<'_, P>> {
            let mut from = content?;
            program.restore(&mut from)?;
            let left = Left::read_from(program, &mut from)?;
            let mut hot = self.hot();
            hot.read_from(program.vm(), &mut from)?;
            let set =
                if resumed.is_finished { Box::new(Exact::new()) } else { fabius_store::read(&mut from)? };
            Ok(Beginning { kind: self.options.store, set, hot, left: Some(left) })
        };
        take_up().map(Some).map_err(|error| files::cannot_read(&resumed.file, "checkpoint", &error))
    }
}

/// States that were missed with this probability and more are told as missed.
const PROBABLE: f64 = 0.5;

/// What was covered.
fn guarantee(report: &Report<FoundBug>, stopped: Option<&'static str>) -> String {
    let mut guarantee = match report.stop {
        StopReason::Exhausted if report.omission >= PROBABLE => {
            format!("{} visited", counted(report.states, "state"))
        }
        stop => visited(report.states, stop, report.bound_met.as_ref(), stopped),
    };
    guarantee.push_str(&overlooked(report.omission, report.stop));
    guarantee
}

fn conclusion(report: Report<FoundBug>, guarantee: String) -> Conclusion {
    Conclusion {
        guarantee,
        omission: report.omission,
        steps: report.transitions,
        states: Some(report.states),
        transitions: Some(report.transitions),
        depth: report.depth,
        bugs: report.bugs,
        ..Conclusion::default()
    }
}

fn kept(checkpoints: &Checkpoints<'_>) -> Kept {
    Kept { cost: checkpoints.cost(), resumed: checkpoints.resumed().cloned(), notes: checkpoints.notes() }
}

/// What people are told of checkpoints.
fn told(kept: &Kept, stop: StopReason) -> String {
    let Kept { cost: Cost { count, failed, seconds, bytes }, resumed, .. } = kept;
    let mut told = match resumed {
        None => String::new(),
        Some(resumed) if resumed.is_finished => "; taken from a checkpoint, where it had ended".into(),
        Some(resumed) => format!("; resumed at {}", counted(resumed.states, "state")),
    };
    if *count > 0 {
        let checkpoints = counted(*count, "checkpoint");
        let megabytes = separated(bytes.div_ceil(1 << 20));
        told.push_str(&format!("; {checkpoints} took {seconds:.1} s and {megabytes} MiB"));
    }
    if *failed > 0 {
        told.push_str(&format!("; {} could not be written", counted(*failed, "checkpoint")));
    }
    if stop == StopReason::SetFull {
        told.push_str("; the last checkpoint is from before that");
    }
    told
}

/// That states may have been taken for others, and how probable it is.
fn overlooked(omission: f64, stop: StopReason) -> String {
    match omission {
        0.0 => String::new(),
        certain if certain >= PROBABLE => {
            "; states were probably missed (give --memory more, or use --store exact)".into()
        }
        rare if stop == StopReason::Exhausted => {
            format!("; the probability that a state was missed is at most {rare:.1e}")
        }
        rare => format!("; the probability that one of them was taken for another is at most {rare:.1e}"),
    }
}
