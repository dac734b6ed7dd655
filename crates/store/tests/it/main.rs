//! What must hold for every set of visited states.

mod agreement;
mod bounds;
mod files;
mod states;
mod threads;
