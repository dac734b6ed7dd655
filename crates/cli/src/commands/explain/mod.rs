//! `fabius explain`: what the codes of diagnostics mean.

mod texts;

use fabius_lang::source::Code;

use crate::Exit;
use crate::arguments::ExplainOptions;
use crate::near::nearest;
use crate::output;

pub(crate) fn run(options: &ExplainOptions) -> Exit {
    let Some(typed) = &options.code else { return output::print(&list()) };
    // People paste what they see: `error[unknown-event]`.
    let wanted = typed.split('[').next_back().unwrap_or(typed).trim_end_matches([']', ':']);
    match Code::ALL.iter().find(|code| code.text() == wanted) {
        Some(code) => output::print(&at_length(*code)),
        None => output::complain(&unknown(wanted)),
    }
}

/// The code and its meaning, and below it the rule with examples.
fn at_length(code: Code) -> String {
    let head = format!("{}[{}]: {}\n", code.severity().name(), code.text(), code.meaning());
    match texts::TEXTS.iter().find(|(text, _)| *text == code.text()) {
        Some((_, text)) => format!("{head}\n{text}"),
        None => head,
    }
}

fn unknown(wanted: &str) -> String {
    let hint = match nearest(wanted, Code::ALL.iter().map(|code| code.text())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`fabius explain` lists all".to_owned(),
    };
    format!("there is no code `{wanted}`; {hint}")
}

fn list() -> String {
    let width = Code::ALL.iter().map(|code| code.text().len()).max().unwrap_or(0);
    let line =
        |code: &Code| format!("{:7}  {:width$}  {}\n", code.severity().name(), code.text(), code.meaning());
    Code::ALL.iter().map(line).collect()
}
