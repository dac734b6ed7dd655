//! How much memory the process may have, so that a search ends before the system ends it.
//!
//! What counts is the resident size of the process. Every few milliseconds the system is asked for it, the more often the less
//! is left, and what tables will take at once when they grow is added if that is near; hence a limit is not overstepped by the
//! growth of a table. First moves are no longer remembered, which costs time and nothing else; then the search ends.
//!
//! Where the address space of the process is limited (`ulimit -v`), the system refuses memory instead of ending the process, and
//! most allocations cannot go on without. So the search ends before that, too.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use crate::allocator;

/// How often the system is asked, in milliseconds: at least, and at most.
const LONGEST: u64 = 20;
const SHORTEST: u64 = 1;
/// Between two questions no more than one in so many parts of what is left is to be taken, if that can be foreseen.
const PART: u64 = 8;
/// When a search begins with one in so many parts of the limit, what searches before it have freed is given back.
const LITTLE: u64 = 4;
/// A table moves to a new range of addresses when it grows by a quarter, and then has both for a moment.
const ADDRESSES: u64 = 5;
/// What is left free of a limited address space: stacks of threads, and what the allocator asks for at once.
const SPARE_ADDRESSES: u64 = 64 << 20;

/// What a thread takes of a limited address space: its stack, and what the allocator gets for it at once.
const ADDRESSES_OF_THREAD: u64 = 40 << 20;

/// What a thread takes of memory for what it does, whatever it searches.
const OF_THREAD: u64 = 2 << 20;

/// What the process must be able to have beside what it has before a search.
const ROOM: u64 = 16 << 20;

/// What a search may take once it was told to end: its threads finish what they are at, and what it leaves is put in order.
/// Of a small limit that is one in so many parts.
const END: u64 = 8 << 20;
const END_PART: u64 = 16;

/// The part of memory that is left, if some is to be: one in so many.
const LEFT: u64 = 4;

/// What of a limit in bytes is left, where some is, by searches that know that something comes after them.
pub(super) fn left(given: Option<u64>) -> Option<u64> {
    allowed(given).map(|limit| limit / LEFT)
}

/// Why no search can be made within a limit in bytes: beside what the process has already, there must be some room.
pub(super) fn too_little(given: Option<u64>) -> Option<String> {
    let (status, limit) = (Status::of_process()?, allowed(given)?);
    let megabytes = |bytes: u64| bytes.div_ceil(1 << 20);
    let told = |bytes: u64| match bytes >> 20 {
        0 => format!("{} KiB", bytes >> 10),
        megabytes => format!("{megabytes} MiB"),
    };
    let least = |bytes: u64| megabytes(bytes).next_multiple_of(8);
    if address_space().is_some_and(|end| status.addresses + SPARE_ADDRESSES >= end) {
        return Some(format!(
            "the address space of the process is limited to {} MiB, which is too little: it has {} MiB before any search, \
             and a search needs {} MiB or more (`ulimit -v` sets the limit)",
            megabytes(address_space()?),
            megabytes(status.addresses),
            least(status.addresses + SPARE_ADDRESSES + ROOM)
        ));
    }
    (status.resident + ROOM > limit).then(|| {
        let what = if given == Some(limit) { "--memory" } else { "the memory that the process may have" };
        format!(
            "{what}: {} is too little: the process has {} MiB before any search, and {}M is the least that makes sense",
            told(limit),
            megabytes(status.resident),
            least(status.resident + ROOM)
        )
    })
}

/// Why a search that takes so many bytes to begin with cannot be gone on with.
pub(super) fn too_little_for(given: Option<u64>, bytes: u64) -> Option<String> {
    let limit = allowed(given).filter(|limit| bytes > *limit)?;
    Some(format!(
        "{} MiB do not fit into the {} MiB that the process may have (--memory gives it more)",
        bytes >> 20,
        limit >> 20
    ))
}

/// How many threads there is room for within a limit in bytes, and in the address space, beside as much that is left to the search.
pub(super) fn most_threads(given: Option<u64>) -> usize {
    let Some(status) = Status::of_process() else { return usize::MAX };
    let room = |limit: Option<u64>, taken: u64, of_thread: u64| {
        limit.map_or(u64::MAX, |limit| limit.saturating_sub(taken) / 2 / of_thread)
    };
    let in_memory = room(allowed(given), status.resident, OF_THREAD);
    let in_addresses = room(address_space(), status.addresses + SPARE_ADDRESSES, ADDRESSES_OF_THREAD);
    usize::try_from(in_memory.min(in_addresses)).unwrap_or(usize::MAX).max(1)
}

/// What a search can say and do about its memory.
pub(super) struct Appetite<'a> {
    /// How many bytes it will take at once, soon.
    pub(super) growth_ahead: &'a (dyn Fn() -> usize + Sync),
    /// Makes it save memory, at the cost of time.
    pub(super) economise: Option<&'a (dyn Fn() + Sync)>,
}

impl Appetite<'_> {
    /// That of a search of which nothing is known.
    pub(super) const UNKNOWN: Self = Self { growth_ahead: &|| 0, economise: None };
}

/// The memory of this process, against what it may have. Where the system does not tell, it is never short.
pub(super) struct Memory<'a> {
    appetite: Appetite<'a>,
    /// What the search has told last of what it will take at once.
    told_ahead: AtomicUsize,
    start: Instant,
    /// When the system is to be asked next, in milliseconds from the start, and how long after the last time that is.
    next: AtomicU64,
    interval: AtomicU64,
    /// What the process had when the system was asked last.
    resident: AtomicU64,
    /// In bytes.
    limit: Option<u64>,
    /// That of the address space.
    addresses: Option<u64>,
    is_saving: AtomicBool,
    was_short: AtomicBool,
}

impl<'a> Memory<'a> {
    /// With a limit in bytes; half of what the machine has unless given. A part of that, if some is to be left.
    pub(super) fn new(given: Option<u64>, appetite: Appetite<'a>, leaves_some: bool) -> Self {
        let limit = allowed(given).map(|limit| if leaves_some { limit - limit / LEFT } else { limit });
        let limit = limit.map(|limit| limit - END.min(limit / END_PART));
        if limit.zip(resident()).is_some_and(|(limit, resident)| resident >= limit / LITTLE) {
            allocator::give_back();
        }
        Self {
            appetite,
            told_ahead: AtomicUsize::new(0),
            start: Instant::now(),
            next: AtomicU64::new(LONGEST),
            interval: AtomicU64::new(LONGEST),
            // What a search takes to begin with does not tell how fast it grows.
            resident: AtomicU64::new(u64::MAX),
            limit,
            addresses: address_space(),
            is_saving: AtomicBool::new(false),
            was_short: AtomicBool::new(false),
        }
    }

    /// Notes how many bytes the search will take at once, soon, beside what is known from elsewhere.
    pub(super) fn expect(&self, growth_ahead: usize) {
        self.told_ahead.store(growth_ahead, Ordering::Relaxed);
    }

    /// Whether the process has come near what it may have.
    pub(super) fn is_short(&self) -> bool {
        let now = self.start.elapsed().as_millis() as u64;
        let next = self.next.load(Ordering::Relaxed);
        // Of several threads one asks.
        if now >= next
            && self.next.compare_exchange(next, now + LONGEST, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        {
            self.ask();
            self.next.store(now + self.interval.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        self.was_short()
    }

    fn ask(&self) {
        let Some(status) = Status::of_process() else { return };
        let ahead = ((self.appetite.growth_ahead)() + self.told_ahead.load(Ordering::Relaxed)) as u64;
        // Until the next answer as much will come as since the last one.
        let grown = status.resident.saturating_sub(self.resident.swap(status.resident, Ordering::Relaxed));
        let needed = status.resident + ahead + grown;
        if let Some(limit) = self.limit {
            let room = limit.saturating_sub(needed);
            let interval = self.interval.load(Ordering::Relaxed) * room / (PART * grown).max(1);
            self.interval.store(interval.clamp(SHORTEST, LONGEST), Ordering::Relaxed);
        }
        if let (Some(limit), Some(economise)) = (self.limit, self.appetite.economise)
            && needed >= limit / 8 * 7
            && !self.is_saving.swap(true, Ordering::Relaxed)
        {
            economise();
        }
        let addresses = status.addresses + ahead * ADDRESSES + SPARE_ADDRESSES;
        if self.limit.is_some_and(|limit| needed >= limit)
            || self.addresses.is_some_and(|end| addresses >= end)
        {
            self.was_short.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn was_short(&self) -> bool {
        self.was_short.load(Ordering::Relaxed)
    }

    /// Whether the search was made to save memory.
    pub(super) fn is_saving(&self) -> bool {
        self.is_saving.load(Ordering::Relaxed)
    }
}

/// What the system says of the process, in bytes.
struct Status {
    resident: u64,
    addresses: u64,
}

impl Status {
    fn of_process() -> Option<Self> {
        let text = fs::read_to_string("/proc/self/status").ok()?;
        Some(Self { resident: bytes(&text, "VmRSS:")?, addresses: bytes(&text, "VmSize:")? })
    }
}

/// What the process has at the moment, in bytes.
pub(super) fn resident() -> Option<u64> {
    Status::of_process().map(|status| status.resident)
}

/// The most that the process has ever had, in bytes.
pub(super) fn peak() -> Option<u64> {
    bytes(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// What the process may have: what was given, or else half of what the machine has; no more than what its group of processes
/// may have, with some room for what is not its own, nor than the addresses it may have.
pub(super) fn allowed(given: Option<u64>) -> Option<u64> {
    let wanted = given.or_else(|| of_machine().map(|kilobytes| kilobytes * 512));
    let group = of_group().map(|bytes| bytes / 10 * 9);
    wanted.into_iter().chain(group).chain(address_space()).min()
}

/// What the process may have, in bytes; a gigabyte where nobody knows.
pub(super) fn limit(given: Option<u64>) -> usize {
    usize::try_from(allowed(given).unwrap_or(1 << 30)).unwrap_or(usize::MAX)
}

/// What the machine has, in kilobytes.
pub(crate) fn of_machine() -> Option<u64> {
    bytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:").map(|bytes| bytes >> 10)
}

/// What the control groups of the process may have, in bytes. A container sees its own at the top, whatever the path.
fn of_group() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let files = groups.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            "memory" => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            _ => return Vec::new(),
        };
        let folder = Path::new(root).join(path.trim_start_matches('/'));
        let within = folder.ancestors().filter(|folder| folder.starts_with(root));
        within.map(|folder| folder.join(file)).collect()
    });
    files.filter_map(|file: PathBuf| fs::read_to_string(file).ok()?.trim().parse().ok()).min()
}

/// How many bytes of addresses the process may have, if that is limited.
fn address_space() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// A number of kilobytes in a text of the system, in bytes.
fn bytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}
