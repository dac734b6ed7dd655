//! Which tests to run: exact names, or patterns with `*`.

use fabius_lang::ids::TestId;
use fabius_lang::ir::Program;
use fabius_lang::source::counted;

use crate::near;

/// The tests that any of the patterns names, in order of declaration; all if there is none.
pub(super) fn tests(program: &Program, patterns: &[String]) -> Result<Vec<TestId>, String> {
    for pattern in patterns {
        if !program.tests.iter().any(|test| matches(pattern, &test.name)) {
            return Err(unknown(program, pattern));
        }
    }
    let is_chosen = |name: &str| patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, name));
    let tests = program.tests.iter().enumerate();
    Ok(tests.filter(|(_, test)| is_chosen(&test.name)).map(|(at, _)| TestId(at as u32)).collect())
}

fn unknown(program: &Program, pattern: &str) -> String {
    if program.tests.is_empty() {
        return format!("there is no test `{pattern}`: the project has none");
    }
    let names = || program.tests.iter().map(|test| test.name.as_str());
    let own = format!("{pattern}___");
    let instances = names().filter(|name| name.starts_with(&own)).count();
    if instances > 0 {
        let is_alone = names().filter(|name| name.starts_with(pattern)).count() == instances;
        let all = if is_alone { pattern } else { &own };
        return format!(
            "`{pattern}` has parameters, and its {} are called after their values; --test '{all}*' names them all",
            counted(instances as u64, "test")
        );
    }
    match near::nearest(pattern, names()) {
        Some(name) => format!("there is no test `{pattern}`; did you mean `{name}`?"),
        None => format!("there is no test `{pattern}`; --list-tests shows what there is"),
    }
}

/// Whether a name fits a pattern, in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, name) in
            [("tc", "tc"), ("tc*", "tcOne"), ("*One", "tcOne"), ("t*O*e", "tcOne"), ("*", "")]
        {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("tc", "tcOne"), ("tc*x", "tcOne"), ("a*a", "a"), ("*One*Two", "OneTw")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
