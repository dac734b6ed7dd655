//! The front end against input that no person would write, and against damaged programs.

#[path = "../shared/fixture.rs"]
mod fixture;
#[path = "../shared/laws.rs"]
mod laws;

mod depth;
mod scale;
