//! What holds for every program, tried on random ones.

mod granularity;
mod lockstep;
mod oracle;
mod programs;
mod support;
