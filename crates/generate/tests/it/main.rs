//! What holds for every program, tried on random ones.
//!
//! `FABIUS_PROGRAMS` is how many to try, in percent of the usual numbers; `FABIUS_SEED` is the first seed.

mod conformance;
mod explorers;
mod granularity;
mod lockstep;
mod memory;
mod oracle;
mod programs;
mod searches;
mod support;
