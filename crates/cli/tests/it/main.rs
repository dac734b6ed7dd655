//! The command line from outside: the built `fabius`, run on projects made for each test.

mod bad_input;
mod check;
mod checkpoints;
mod claims;
mod command_line;
mod documents;
mod explain;
mod explorers;
mod json;
mod memory;
mod misuse;
mod projects;
mod replay;
mod scratch;
mod stats;
