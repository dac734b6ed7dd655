//! Tests of traces: on hand-made runs, on toys whose shortest runs are known, and on thousands of random programs.

mod charts;
mod check;
mod goldens;
mod json;
mod mailboxes;
mod properties;
mod random_programs;
mod record;
mod replay;
mod runs;
mod shorten;
