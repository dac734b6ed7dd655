//! What holds for every program, tried on random ones.

mod granularity;
mod programs;
mod support;
