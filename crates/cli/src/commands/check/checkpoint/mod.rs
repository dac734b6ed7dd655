//! Checkpoints: a search in a file, from which another process goes on.
//!
//! Each test has files of its own in the folder, `TEST.NUMBER.checkpoint`, the newest with the greatest number. One is written
//! under another name, made durable, renamed, and the folder is made durable; only then older ones go, and even then the one
//! before it stays. So whatever happens at whatever moment, there is a whole file that is no older than the last checkpoint
//! but one; and since nothing is believed without its checksums (`blocks.rs`), what is not whole is left out. A
//! checkpoint that cannot be written is no reason to end a search: the old ones stay.
//!
//! A test that has come to its own end, and not to a limit, leaves one small file, without the visited set: whoever resumes
//! does not search again, and comes to the same verdict.

mod blocks;
mod disk;
#[cfg(test)]
mod faults;
mod identity;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fabius_lang::source::separated;
use fabius_vm::Limits;
use serde::{Deserialize, Serialize};

use self::blocks::{BlockReader, BlockWriter};
pub(super) use self::disk::{Disk, RealDisk};
use self::identity::Identity;
use crate::arguments::CheckOptions;
use crate::files;

/// The time between two checkpoints unless it is given; longer if they would take more than a tenth of all time.
const EVERY: Duration = Duration::from_secs(60);
const LEAST_SHARE: u32 = 10;

const ENDING: &str = ".checkpoint";
/// Of files that are being written.
const PARTIAL: &str = ".partial";

/// The first block of a file.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    #[serde(flatten)]
    identity: Identity,
    /// Whether the search came to its own end.
    is_finished: bool,
    states: u64,
}

/// What every header has, whatever the version.
#[derive(Deserialize)]
struct Version {
    version: String,
}

/// The checkpoints of one test.
pub(super) struct Checkpoints<'a> {
    disk: &'a dyn Disk,
    folder: PathBuf,
    identity: Identity,
    /// How long to wait, if that was given.
    every: Option<Duration>,
    /// Told once that one could not be written.
    warn: &'a (dyn Fn(&str) + Sync),
    start: Instant,
    /// When the next one is due, in milliseconds after the start.
    due: AtomicU64,
    files: Mutex<Files>,
    /// Whether there should be something to go on from.
    is_resuming: bool,
    resumed: Option<Resumed>,
    /// Files that could not be gone on from, and why.
    damaged: Vec<String>,
}

/// What is in the folder, and what it took to write it.
#[derive(Debug, Default)]
struct Files {
    next: u64,
    /// Whole ones, oldest first.
    whole: Vec<u64>,
    /// Those of no use, which go as soon as there is a new one.
    useless: Vec<u64>,
    cost: Cost,
}

/// What checkpoints took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Cost {
    /// How many were written.
    pub(super) count: u64,
    /// How many could not be written.
    pub(super) failed: u64,
    pub(super) seconds: f64,
    /// All bytes of all of them.
    pub(super) bytes: u64,
}

/// What a search goes on from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Resumed {
    pub(super) file: PathBuf,
    pub(super) states: u64,
    /// Whether nothing was left to do.
    pub(super) is_finished: bool,
}

/// A folder for this process alone, until this is dropped or the process ends.
pub(super) struct Claim {
    _lock: File,
}

/// Prepares the folder that the options name, if they do.
pub(super) fn claim(options: &CheckOptions) -> Result<Option<Claim>, String> {
    let Some(folder) = options.checkpoint_folder() else { return Ok(None) };
    let shown = folder.display();
    if options.resume.is_some() && !folder.is_dir() {
        return Err(format!("there is no folder `{shown}` to resume from"));
    }
    let path = folder.join("lock");
    let lock = fs::create_dir_all(folder).and_then(|()| File::create(&path));
    let lock = lock.map_err(|error| files::cannot_write(&path, &error))?;
    match lock.try_lock() {
        Err(fs::TryLockError::WouldBlock) => Err(format!("another fabius writes checkpoints to `{shown}`")),
        // Where files cannot be locked, nobody else is kept away.
        _ => Ok(Some(Claim { _lock: lock })),
    }
}

impl<'a> Checkpoints<'a> {
    /// The checkpoints of a test of the program with this hash. The error says why it must not be run.
    pub(super) fn new(
        disk: &'a dyn Disk,
        options: &CheckOptions,
        (program, test): (String, &str),
        limits: &Limits,
        warn: &'a (dyn Fn(&str) + Sync),
    ) -> Result<Self, String> {
        let every = options.checkpoint_every.map(Duration::from_secs_f64);
        let mut checkpoints = Self {
            disk,
            folder: options.checkpoint_folder().unwrap_or(Path::new("")).to_owned(),
            identity: Identity::new(options, program, test, limits),
            every,
            warn,
            start: Instant::now(),
            due: AtomicU64::new(every.unwrap_or(EVERY).as_millis() as u64),
            files: Mutex::default(),
            is_resuming: options.resume.is_some(),
            resumed: None,
            damaged: Vec::new(),
        };
        checkpoints.look(options.resume.is_some())?;
        Ok(checkpoints)
    }

    /// Looks at what is in the folder, and decides what to go on from.
    fn look(&mut self, is_resuming: bool) -> Result<(), String> {
        let cannot_read = |path: &Path, error: &io::Error| files::cannot_read(path, "checkpoint", error);
        let names = self.disk.list(&self.folder).map_err(|error| cannot_read(&self.folder, &error))?;
        let partial = names.iter().filter(|name| self.number(name, PARTIAL).is_some());
        // What cannot be removed takes room, and does no other harm.
        partial.for_each(|name| _ = self.disk.remove(&self.folder.join(name)));
        let mut numbers: Vec<u64> = names.iter().filter_map(|name| self.number(name, ENDING)).collect();
        numbers.sort_unstable_by(|one, other| other.cmp(one));
        let mut files = Files { next: numbers.first().map_or(1, |newest| newest + 1), ..Files::default() };
        for number in numbers {
            let path = self.path(number, ENDING);
            // Those before the one to go on from are only there in case it gets lost.
            match self.examine(&path, is_resuming && self.resumed.is_none()) {
                Err(Problem::Unreadable(error)) => return Err(cannot_read(&path, &error)),
                Err(Problem::Foreign(difference)) => {
                    return Err(format!("the checkpoint `{}` {difference}", path.display()));
                }
                Err(Problem::Damaged(why)) => {
                    self.damaged.push(format!("the checkpoint `{}` is damaged ({why})", path.display()));
                    files.useless.push(number);
                }
                Ok(header) if is_resuming => {
                    files.whole.insert(0, number);
                    let Header { states, is_finished, .. } = header;
                    self.resumed.get_or_insert(Resumed { file: path, states, is_finished });
                }
                Ok(header) if !header.is_finished => {
                    return Err(format!(
                        "`{}` has a checkpoint of a search that has not ended: --resume goes on from it; remove it to \
                         begin again",
                        self.folder.display()
                    ));
                }
                Ok(_) => files.useless.push(number),
            }
        }
        *self.files.get_mut().unwrap_or_else(PoisonError::into_inner) = files;
        Ok(())
    }

    /// The header of a file; `whole`: after it was made sure that nothing of the file is missing.
    fn examine(&self, path: &Path, whole: bool) -> Result<Header, Problem> {
        let file = self.disk.open(path).map_err(Problem::Unreadable)?;
        let (reader, text) = BlockReader::new(file)?;
        let unknown = |_| Problem::Damaged("its header is unknown".into());
        // The headers of other versions may say other things.
        let Version { version } = serde_json::from_slice(&text).map_err(unknown)?;
        if let Some(difference) = self.identity.differs_in_version(&version) {
            return Err(Problem::Foreign(difference));
        }
        let header: Header = serde_json::from_slice(&text).map_err(unknown)?;
        if whole {
            reader.verify()?;
            self.identity
                .differs_from(&header.identity)
                .map_or(Ok(()), |what| Err(Problem::Foreign(what)))?;
        }
        Ok(header)
    }

    /// The number of a file of this test.
    fn number(&self, name: &str, ending: &str) -> Option<u64> {
        let (test, number) = name.strip_suffix(ending)?.rsplit_once('.')?;
        if test == self.identity.test { number.parse().ok() } else { None }
    }

    fn path(&self, number: u64, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{number}{ending}", self.identity.test))
    }

    /// What to go on from.
    pub(super) fn resumed(&self) -> Option<&Resumed> {
        self.resumed.as_ref()
    }

    /// What was written after the header of the file to go on from.
    pub(super) fn content(&self) -> Option<io::Result<impl Read>> {
        let resumed = self.resumed.as_ref()?;
        let file = self.disk.open(&resumed.file);
        Some(file.and_then(BlockReader::new).map(|(reader, _)| reader))
    }

    /// What became of files that could not be gone on from, or that there are none, in sentences.
    pub(super) fn notes(&self) -> Vec<String> {
        if self.is_resuming && self.resumed.is_none() && self.damaged.is_empty() {
            let folder = self.folder.display();
            return vec![format!(
                "`{folder}` has no checkpoint of this test; the search began from the start"
            )];
        }
        let next = match &self.resumed {
            Some(resumed) => {
                let states = separated(resumed.states);
                format!("the search went on from `{}`, at {states} states", resumed.file.display())
            }
            None => "no other was whole, and the search began from the start".into(),
        };
        self.damaged.iter().map(|damaged| format!("{damaged}; {next}")).collect()
    }

    pub(super) fn cost(&self) -> Cost {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).cost
    }

    /// Whether it is time for one.
    pub(super) fn is_due(&self) -> bool {
        self.start.elapsed().as_millis() as u64 >= self.due.load(Ordering::Relaxed)
    }

    /// Writes one, as `write` does it; none of a search that had ended before.
    pub(super) fn keep(
        &self,
        states: u64,
        is_finished: bool,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) {
        if self.resumed.as_ref().is_some_and(|resumed| resumed.is_finished) {
            return;
        }
        let begin = Instant::now();
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let number = files.next;
        files.next += 1;
        let header = Header { identity: self.identity.clone(), is_finished, states };
        match self.write_file(number, &header, write) {
            Ok(bytes) => {
                files.cost.count += 1;
                files.cost.bytes += bytes;
                self.tidy(&mut files, number, is_finished);
            }
            Err(error) => {
                // A part of it may be there, and takes room.
                let _ = self.disk.remove(&self.path(number, PARTIAL));
                if files.cost.failed == 0 {
                    let why = files::cannot_write(&self.path(number, ENDING), &error);
                    (self.warn)(&format!("{why}; the search goes on, and earlier checkpoints stay"));
                }
                files.cost.failed += 1;
                // It may have its name already, and yet get lost.
                files.useless.push(number);
            }
        }
        let took = begin.elapsed();
        files.cost.seconds += took.as_secs_f64();
        let wait = self.every.unwrap_or_else(|| EVERY.max(took * LEAST_SHARE));
        self.due.store((self.start.elapsed() + wait).as_millis() as u64, Ordering::Relaxed);
    }

    /// Writes a file and makes it durable; gives its length.
    fn write_file(
        &self,
        number: u64,
        header: &Header,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<u64> {
        let (partial, path) = (self.path(number, PARTIAL), self.path(number, ENDING));
        let header = serde_json::to_vec(header).expect("plain data has a JSON form");
        let mut writer = BlockWriter::new(self.disk.create(&partial)?, &header)?;
        write(&mut writer)?;
        let (mut file, bytes) = writer.finish()?;
        file.sync()?;
        drop(file);
        self.disk.rename(&partial, &path)?;
        self.disk.sync_folder(&self.folder)?;
        Ok(bytes)
    }

    /// Removes what is not needed any more, now that there is a new file.
    fn tidy(&self, files: &mut Files, new: u64, is_finished: bool) {
        files.whole.push(new);
        // Of a search that goes on, the one before stays as well.
        let stay = if is_finished { 1 } else { 2 };
        let old = files.whole.len().saturating_sub(stay);
        let gone: Vec<u64> = files.whole.drain(..old).chain(files.useless.drain(..)).collect();
        // One that cannot be removed takes room, and is older than the new one.
        gone.iter().for_each(|number| _ = self.disk.remove(&self.path(*number, ENDING)));
    }
}

/// Why a file is of no use.
enum Problem {
    /// It may be whole; nobody knows.
    Unreadable(io::Error),
    Damaged(String),
    /// It is of a search of another kind.
    Foreign(String),
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::UnexpectedEof => Self::Damaged("its end is missing".into()),
            ErrorKind::InvalidData => Self::Damaged(error.to_string()),
            _ => Self::Unreadable(error),
        }
    }
}
