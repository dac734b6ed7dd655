//! Transition systems with named choices: the one interface between programs and searches.
//!
//! A *program* is a set of states; from each state leads an ordered list of *choices*, and taking one gives the next
//! state or a bug. Searches know nothing else. What a step did, as far as a scheduling strategy may care, is told in
//! [`Effect`]s; what it did in words for people, in [`Happening`]s.

#![warn(missing_docs)]

pub mod conformance;
mod durable;
mod happening;
mod packed;
mod program;
pub mod toys;
mod vocabulary;

pub use conformance::{check_agreement, check_conformance, check_durability, check_sketches};
pub use durable::{Durable, wire};
pub use happening::{Happening, Narrate};
pub use packed::{Edit, Ending, Offer, Packed, Sketch, Sketches, Tale, Things, Touched};
pub use program::{ActorId, Choice, Effect, Outcome, Program};
pub use vocabulary::{Name, Vocabulary};
