//! Foreign functions by script, from outside: small programs and the scripts that complete them.

mod conversions;
mod determinism;
mod errors;
mod explorer;
mod limits;
mod names;
mod support;
