//! The allocator, and the memory that it keeps for later.
#![allow(unsafe_code)]

// Searches allocate a state per step, on all threads; most systems' allocators are much slower at that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Gives the system back what is free. By itself the allocator does so a second after it was freed; memory that a search has
/// left behind would count against the next one until then.
pub(crate) fn give_back() {
    // SAFETY: any thread may ask for that at any time.
    unsafe { libmimalloc_sys::mi_collect(true) };
}
