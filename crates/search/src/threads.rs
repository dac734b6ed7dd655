//! The threads of a search. One that the system does not start is done without: no result depends on how many there are.

use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Starts a thread, if the system has one more.
pub(crate) fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, T>> {
    Builder::new().spawn_scoped(scope, work).ok()
}
