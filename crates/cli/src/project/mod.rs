//! Projects: from paths on the command line to the sources of one program.
//!
//! A path is a `.pproj` file, a folder or a `.p` file. As in P, all files form one flat namespace, a `PFile` names a file
//! or a folder that is searched with all its subfolders, and the tests of included projects are not run. Beyond P:
//! - a folder without project file is searched with all its subfolders (P: one level deep);
//! - an included project is looked for beside the project that includes it, then beside the one on the command line
//!   (P: in the current folder, which usually is the latter);
//! - what P passes over in silence (a `PFile` that does not exist, an element it does not know) is reported.
//!
//! Files and folders whose names begin with a dot are passed over, as in P. Each file is taken once, whatever
//! number of ways leads to it. The order of files is that of the project file, by path within a folder: it depends
//! on nothing else.

mod include;
mod load;
mod paths;
mod pproj;
mod read;
mod scan;
#[cfg(test)]
mod tests;
mod unlisted;

use fabius_lang::source::{Diagnostic, SourceMap};

pub(crate) use load::load;
pub(crate) use paths::near;
pub(crate) use unlisted::add_hints;

/// The sources of one program, and what was wrong with getting them.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) name: String,
    pub(crate) sources: SourceMap,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether the text of every file that belongs to the project is among the sources.
    pub(crate) is_complete: bool,
}
