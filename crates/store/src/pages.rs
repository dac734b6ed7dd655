//! Zeroed arrays of atomic words that can grow, on huge pages where the system has them and they are of use.
//!
//! A visited set jumps through its memory at random; with pages of 4 KiB most jumps also miss the processor's page
//! tables, which about doubles their cost. Large arrays are therefore mapped in whole, aligned pages of 2 MiB. They grow
//! by moving these pages to a larger range of addresses (`mremap`): nothing is copied, and there is no moment at which
//! the old and the new array both take memory. Small arrays, and all of them on systems other than Linux, come from
//! the allocator and grow by copying.
//!
//! An array that is filled in order, and seldom read, does without huge pages: small ones have mostly been in use before,
//! and the system has them at hand; whole huge ones often come from memory that a virtual machine's host must find first,
//! which took up to a third of a second for 100 MB.
//!
//! Invariant: `start` points to `len` initialised words for as long as the array lives, and they are used as atomics
//! only; the block they lie in is owned by this array alone.
#![allow(unsafe_code)]

use std::alloc::Layout;
use std::fmt;
use std::mem::MaybeUninit;
use std::ops::{Deref, Range};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

const WORD: usize = size_of::<AtomicU64>();
/// Small arrays begin with a cache line.
const LINE_BYTES: usize = 64;
const HUGE_PAGE: usize = 2 << 20;
/// The smallest that systems have; where theirs are larger, nothing is provided.
const PAGE: usize = 4096;
/// From this size on an array has whole huge pages.
const LARGE: usize = 1 << 20;

/// An array of atomic words. It holds at least as many as were asked for.
pub struct Pages {
    start: NonNull<AtomicU64>,
    len: usize,
    filling: Filling,
}

/// How an array is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filling {
    AtRandom,
    InOrder,
}

// SAFETY: the array owns its memory, which is reached through atomics only.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

impl Pages {
    /// An array of zeros, unless the system refuses the memory.
    pub(crate) fn zeroed(len: usize) -> Option<Self> {
        Self::new(len, Filling::AtRandom)
    }

    /// The same for one that is filled in order.
    pub(crate) fn zeroed_in_order(len: usize) -> Option<Self> {
        Self::new(len, Filling::InOrder)
    }

    fn new(len: usize, filling: Filling) -> Option<Self> {
        let len = Self::rounded(len)?;
        let start = match len * WORD {
            0 => NonNull::dangling(),
            bytes if is_mapped(bytes) => mapping::map(bytes, filling)?.cast(),
            bytes => {
                // SAFETY: the size is not zero.
                NonNull::new(unsafe { std::alloc::alloc_zeroed(layout(bytes)?) })?.cast()
            }
        };
        Some(Self { start, len, filling })
    }

    /// Has the system provide the memory of these words, which are about to be written: see `provide`.
    pub(crate) fn provide(&self, words: Range<usize>) {
        if let Some(words) = self.get(words) {
            provide_range(words.as_ptr_range());
        }
    }

    /// An array of zeros whose memory the system has provided.
    pub fn provided(len: usize) -> Option<Self> {
        let pages = Self::new(len, Filling::InOrder)?;
        pages.provide(0..pages.len);
        Some(pages)
    }

    /// How many words an array really has of which `len` were asked for.
    pub(crate) fn rounded(len: usize) -> Option<usize> {
        let lines = len.checked_mul(WORD)?.checked_next_multiple_of(LINE_BYTES)?;
        let bytes = if is_mapped(lines) { lines.checked_next_multiple_of(HUGE_PAGE)? } else { lines };
        (bytes <= isize::MAX as usize).then_some(bytes / WORD)
    }

    /// The greatest length that takes no more than so many bytes.
    pub(crate) fn length_within(bytes: usize) -> usize {
        let whole = match bytes {
            _ if !is_mapped(bytes) => bytes / LINE_BYTES * LINE_BYTES,
            HUGE_PAGE.. => bytes / HUGE_PAGE * HUGE_PAGE,
            _ => LARGE - LINE_BYTES,
        };
        whole / WORD
    }

    /// Makes it longer; the new words are zeros. `false`: the system refused, and nothing has changed.
    pub(crate) fn grow(&mut self, len: usize) -> bool {
        let Some(len) = Self::rounded(len).filter(|&len| len > self.len) else { return false };
        let (old, new) = (self.len * WORD, len * WORD);
        if is_mapped(old) {
            let Some(start) = mapping::grow(self.start.cast(), old, new, self.filling) else { return false };
            *self.forget_block() = Self { start: start.cast(), len, filling: self.filling };
            return true;
        }
        let Some(longer) = Self::new(len, self.filling) else { return false };
        // SAFETY: both blocks are valid for the old length, which is the shorter, and belong to different arrays.
        unsafe { self.start.copy_to_nonoverlapping(longer.start, self.len) };
        *self = longer;
        true
    }

    /// Makes this array empty without giving back its block, which has moved.
    fn forget_block(&mut self) -> &mut Self {
        self.len = 0;
        self
    }

    /// All memory that it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.len * WORD
    }

    /// Asks the processor to fetch the cache line of this word.
    #[inline]
    pub(crate) fn prefetch(&self, index: usize) {
        prefetch(self.start.as_ptr().addr().wrapping_add(index * WORD));
    }

    /// The same for a word that will be written: no other processor keeps the line.
    #[inline]
    pub(crate) fn prefetch_to_write(&self, index: usize) {
        prefetch_to_write(self.start.as_ptr().addr().wrapping_add(index * WORD));
    }
}

/// Asks the processor to fetch the cache line at an address, which need not be anybody's.
#[inline]
pub(crate) fn prefetch(address: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that the program could see, and does nothing where there is no memory.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::without_provenance(address)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Asks the processor to fetch the cache lines of a value that will be needed soon.
#[inline]
pub fn expect<T>(value: &T) {
    let start = std::ptr::from_ref(value).addr();
    // It may lie in two lines.
    prefetch(start);
    prefetch(start.wrapping_add(size_of::<T>().saturating_sub(1)));
}

/// The same for memory that will be written soon.
#[inline]
pub fn expect_to_write<T>(place: &mut MaybeUninit<T>) {
    let start = std::ptr::from_ref(place).addr();
    for line in (0..size_of::<T>()).step_by(LINE_BYTES) {
        prefetch_to_write(start.wrapping_add(line));
    }
    prefetch_to_write(start.wrapping_add(size_of::<T>().saturating_sub(1)));
}

/// The same for a line that will be written.
#[inline]
fn prefetch_to_write(address: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as for `prefetch`; processors that do not know the instruction do nothing.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(target_arch = "x86_64"))]
    prefetch(address);
}

/// Has the system provide the memory of an array that is about to be filled, all at once: that takes it a fraction of what page
/// after page does.
pub fn provide<T>(room: &mut [MaybeUninit<T>]) {
    provide_range(room.as_ptr_range());
}

/// The whole pages of a range of addresses. What is there stays as it is.
fn provide_range<T>(range: Range<*const T>) {
    let start = range.start.addr().next_multiple_of(PAGE);
    let end = range.end.addr() / PAGE * PAGE;
    if start < end {
        mapping::provide(start, end - start);
    }
}

impl Deref for Pages {
    type Target = [AtomicU64];

    #[inline]
    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: `start` points to `len` initialised atomics (for 0, it dangles and is aligned).
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        match self.len * WORD {
            0 => {}
            bytes if is_mapped(bytes) => mapping::unmap(self.start.cast(), bytes),
            bytes => {
                if let Some(layout) = layout(bytes) {
                    // SAFETY: the block was allocated with this layout in `new` and is given back once.
                    unsafe { std::alloc::dealloc(self.start.as_ptr().cast(), layout) };
                }
            }
        }
    }
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pages({} words)", self.len)
    }
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes, LINE_BYTES).ok()
}

/// Whether an array of this size, in whole lines, is mapped.
fn is_mapped(bytes: usize) -> bool {
    cfg!(target_os = "linux") && bytes >= LARGE
}

#[cfg(target_os = "linux")]
mod mapping {
    //! Aligned ranges of huge pages, from the system itself. All sizes are multiples of `HUGE_PAGE`.

    use std::ptr::{self, NonNull, null_mut};

    use super::{Filling, HUGE_PAGE};

    pub(super) fn map(bytes: usize, filling: Filling) -> Option<NonNull<u8>> {
        let size = bytes.checked_add(HUGE_PAGE)?;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address of the system's choice touches nothing that exists.
        let start = unsafe { libc::mmap(null_mut(), size, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let start = NonNull::new(start.cast::<u8>())?;
        let before = start.as_ptr().align_offset(HUGE_PAGE);
        // SAFETY: `before` is at most one huge page, by which the mapping is longer than `bytes`.
        let aligned = unsafe { start.add(before) };
        unmap(start, before);
        // SAFETY: the end of what is needed lies within the mapping, as above.
        unmap(unsafe { aligned.add(bytes) }, HUGE_PAGE - before);
        if filling == Filling::AtRandom {
            // SAFETY: advice about a range that was just mapped. It may be refused: then the pages are small ones.
            unsafe { libc::madvise(aligned.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
        }
        Some(aligned)
    }

    pub(super) fn provide(start: usize, bytes: usize) {
        // SAFETY: no memory changes by that which the program could see. It may be refused: then pages come one after the
        // other.
        unsafe { libc::madvise(ptr::without_provenance_mut(start), bytes, libc::MADV_POPULATE_WRITE) };
    }

    /// Moves a mapping to a longer one. The caller owns it, and has no references into it.
    pub(super) fn grow(
        old: NonNull<u8>,
        old_bytes: usize,
        new_bytes: usize,
        filling: Filling,
    ) -> Option<NonNull<u8>> {
        let new = map(new_bytes, filling)?;
        let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        // SAFETY: both ranges are ours, do not overlap, and the new one is the longer; nobody refers to the old one
        // (`Pages::grow` has it exclusively).
        let moved = unsafe { libc::mremap(old.as_ptr().cast(), old_bytes, old_bytes, flags, new.as_ptr()) };
        if moved == libc::MAP_FAILED {
            unmap(new, new_bytes);
            return None;
        }
        Some(new)
    }

    pub(super) fn unmap(start: NonNull<u8>, bytes: usize) {
        if bytes > 0 {
            // SAFETY: the callers own this range and no longer refer to it.
            unsafe { libc::munmap(start.as_ptr().cast(), bytes) };
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod mapping {
    //! Nothing is ever mapped here: see `is_mapped`.

    use std::ptr::NonNull;

    use super::Filling;

    pub(super) fn map(_: usize, _: Filling) -> Option<NonNull<u8>> {
        None
    }

    pub(super) fn grow(_: NonNull<u8>, _: usize, _: usize, _: Filling) -> Option<NonNull<u8>> {
        None
    }

    pub(super) fn provide(_: usize, _: usize) {}

    pub(super) fn unmap(_: NonNull<u8>, _: usize) {}
}
