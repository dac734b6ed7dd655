//! The front end against input that no person would write, and against damaged programs.

#[expect(dead_code, reason = "the runner of fixtures uses the rest")]
#[path = "../shared/fixture.rs"]
mod fixture;
#[path = "../shared/laws.rs"]
mod laws;

mod depth;
mod mutations;
mod scale;
