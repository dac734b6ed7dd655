//! P's run-time behaviour, one small program for each part of it.

mod choices;
mod coverage;
mod creation;
mod foreign;
mod hints;
mod limits;
mod modules;
mod monitors;
mod narration;
mod null_events;
mod queues;
mod receive;
mod storage;
mod support;
mod transitions;
mod values;
