//! What must hold for every trace: the checker accepts it, and another process finds the bug again.

use fabius_trace::Trace;
use fabius_vm::Vm;

use crate::program::Program;
use crate::scratch::Scratch;

pub(crate) fn check(vm: &Vm, program: &Program, trace: &Trace) -> Result<(), String> {
    fabius_trace::check(vm, trace, &|bug| program.summarise(bug))
        .map_err(|refusal| format!("the checker refuses the trace: {refusal}"))
}

pub(crate) fn in_new_process(scratch: &Scratch, trace: &str) -> Result<(), String> {
    let arguments = ["replay", trace, "--show", "nothing"].map(str::to_owned);
    let ended = scratch.run(&arguments);
    if ended.code == Some(1) && ended.output.starts_with("reproduced in ") {
        return Ok(());
    }
    Err(format!("the replay of {trace} ends with {:?}: {}{}", ended.code, ended.output, ended.errors))
}
