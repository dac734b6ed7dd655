//! Options that were given in vain: the chosen search does not use them.

use super::search::value_name;
use crate::arguments::{CheckOptions, Search};

/// The searches that use an option; options that all of them use are not listed.
const USES: [(&str, &[Search]); 14] = [
    ("explorer", &[Search::Auto, Search::Ses, Search::Ss]),
    ("strict", &[Search::Auto, Search::Ses, Search::Pb]),
    ("cost", &[Search::Auto, Search::Ses]),
    ("data-choices", &[Search::Auto, Search::Ses]),
    ("depth", &[Search::Pct, Search::Fairpct]),
    ("increment", &[Search::Irs, Search::Depth]),
    ("delays", &[Search::Auto, Search::Ses, Search::Ss, Search::Pb]),
    ("cache", &[Search::Auto, Search::Ses, Search::Pb]),
    ("store", &[Search::Dfs]),
    ("cache-full", &[Search::Auto, Search::Ses, Search::Pb]),
    ("states", &[Search::Auto, Search::Ses, Search::Pb, Search::Depth, Search::Bfs, Search::Dfs]),
    (
        "jobs",
        &[
            Search::Auto,
            Search::Ses,
            Search::Ss,
            Search::Pb,
            Search::Dfs,
            Search::Random,
            Search::Irs,
            Search::Pct,
            Search::Fairpct,
            Search::Pos,
        ],
    ),
    ("schedules", RUNS),
    ("max-steps", RUNS),
];

/// Those that look at runs, at least in a part of their time.
const RUNS: &[Search] =
    &[Search::Auto, Search::Ss, Search::Random, Search::Irs, Search::Pct, Search::Fairpct, Search::Pos];

/// A sentence for each option of the command line that has no effect.
pub(super) fn warnings(options: &CheckOptions) -> Vec<String> {
    // One thread is what the others have anyway.
    let is_harmless = |option: &str| option == "jobs" && options.jobs == Some(1);
    let is_given = |option: &str| options.given.iter().any(|given| given == option) && !is_harmless(option);
    let mut warnings = Vec::new();
    for (option, searches) in USES {
        if is_given(option) && !searches.contains(&options.search) {
            warnings.push(format!(
                "--{option} has no effect with --search {}; it is for {}",
                value_name(&options.search),
                listed(searches)
            ));
        } else if option == "cache-full" && is_given(option) && options.cache.is_none() {
            warnings.push("--cache-full has no effect without --cache".into());
        }
    }
    if is_given("checkpoint-every") && options.checkpoint_folder().is_none() {
        warnings.push("--checkpoint-every has no effect without --checkpoint or --resume".into());
    }
    if is_given("seal-as") && options.seals.is_empty() {
        warnings.push("--seal-as has no effect without --seal".into());
    }
    warnings
}

/// `ses, ss and pb`.
fn listed(searches: &[Search]) -> String {
    let names: Vec<String> = searches.iter().map(value_name).collect();
    match names.as_slice() {
        [several @ .., last] if !several.is_empty() => format!("{} and {last}", several.join(", ")),
        names => names.concat(),
    }
}
