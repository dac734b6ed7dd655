//! A disk in memory on which any operation can go wrong, and which remembers what would outlive the end of the process or
//! the loss of power.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use super::disk::{Disk, Output};

/// What goes wrong at one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It fails, and everything after it goes well.
    Fails,
    /// From it on the disk is full: nothing can be made or written.
    Full,
    /// A write takes only half of the bytes, and says so.
    Short,
    /// The process ends just before it.
    Death,
    /// The process ends while half of it is done.
    TornDeath,
}

/// What is found when somebody looks again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aftermath {
    /// Everything that was done: only the process has ended.
    Process,
    /// After the loss of power: what was made durable, and nothing else.
    PowerEarly,
    /// The same, but the system had written names earlier than it had to, and half of each content.
    PowerLate,
}

/// The disk.
#[derive(Clone, Default)]
pub(super) struct FaultyDisk(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    files: BTreeMap<PathBuf, Arc<Mutex<Content>>>,
    /// The names as they were when the folder was made durable.
    durable: BTreeMap<PathBuf, Arc<Mutex<Content>>>,
    operations: usize,
    fault: Option<(usize, Fault)>,
    is_dead: bool,
}

#[derive(Default)]
struct Content {
    bytes: Vec<u8>,
    /// How many of them are durable.
    durable: usize,
}

/// What is to become of an operation.
enum Fate {
    Done,
    Half,
}

impl FaultyDisk {
    /// Lets the operation of this number go wrong.
    pub(super) fn with_fault(at: usize, fault: Fault) -> Self {
        let disk = Self::default();
        disk.state().fault = Some((at, fault));
        disk
    }

    /// How many operations there were.
    pub(super) fn operations(&self) -> usize {
        self.state().operations
    }

    pub(super) fn is_dead(&self) -> bool {
        self.state().is_dead
    }

    /// What the next process finds.
    pub(super) fn after(&self, aftermath: Aftermath) -> Self {
        let state = self.state();
        let names = if aftermath == Aftermath::PowerEarly { &state.durable } else { &state.files };
        let survivors = names.iter().map(|(path, content)| {
            let content = content.lock().expect("nobody panics");
            let length = match aftermath {
                Aftermath::Process => content.bytes.len(),
                Aftermath::PowerEarly => content.durable,
                Aftermath::PowerLate => content.durable + (content.bytes.len() - content.durable) / 2,
            };
            let bytes = content.bytes[..length].to_vec();
            (path.clone(), Arc::new(Mutex::new(Content { durable: length, bytes })))
        });
        let files: BTreeMap<_, _> = survivors.collect();
        let state = State { durable: files.clone(), files, ..State::default() };
        Self(Arc::new(Mutex::new(state)))
    }

    /// The files there are.
    pub(super) fn names(&self) -> Vec<String> {
        self.list(Path::new("")).expect("it can be listed")
    }

    /// Changes what is in a file.
    pub(super) fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let state = self.state();
        let file = state.files.iter().find(|(path, _)| path.ends_with(name)).expect("the file is there");
        change(&mut file.1.lock().expect("nobody panics").bytes);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("nobody panics")
    }

    /// Counts an operation; decides what becomes of it.
    fn operate(&self, is_writing: bool) -> io::Result<Fate> {
        let mut state = self.state();
        let number = state.operations;
        state.operations += 1;
        if state.is_dead {
            return Err(ErrorKind::BrokenPipe.into());
        }
        match state.fault {
            Some((at, Fault::Fails)) if at == number => Err(ErrorKind::Other.into()),
            Some((at, Fault::Full)) if at <= number && is_writing => Err(ErrorKind::StorageFull.into()),
            Some((at, Fault::Short)) if at == number => Ok(Fate::Half),
            Some((at, Fault::TornDeath)) if at == number => {
                state.is_dead = true;
                Ok(Fate::Half)
            }
            Some((at, Fault::Death)) if at == number => {
                state.is_dead = true;
                Err(ErrorKind::BrokenPipe.into())
            }
            _ => Ok(Fate::Done),
        }
    }
}

impl Disk for FaultyDisk {
    fn list(&self, _: &Path) -> io::Result<Vec<String>> {
        let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(self.state().files.keys().filter_map(name).collect())
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Read>> {
        let state = self.state();
        let file = state.files.get(path).ok_or(ErrorKind::NotFound)?;
        let bytes = file.lock().expect("nobody panics").bytes.clone();
        Ok(Box::new(io::Cursor::new(bytes)))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Output>> {
        self.operate(true)?;
        let content = Arc::new(Mutex::new(Content::default()));
        self.state().files.insert(path.to_owned(), Arc::clone(&content));
        Ok(Box::new(FaultyFile { disk: self.clone(), content }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.operate(false)?;
        let mut state = self.state();
        let file = state.files.remove(from).ok_or(ErrorKind::NotFound)?;
        state.files.insert(to.to_owned(), file);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.operate(false)?;
        self.state().files.remove(path).map(drop).ok_or(ErrorKind::NotFound.into())
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        self.operate(false)?;
        let mut state = self.state();
        state.durable = state.files.clone();
        Ok(())
    }
}

struct FaultyFile {
    disk: FaultyDisk,
    content: Arc<Mutex<Content>>,
}

impl Write for FaultyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = match self.disk.operate(true)? {
            Fate::Done => bytes.len(),
            Fate::Half => bytes.len().div_ceil(2),
        };
        self.content.lock().expect("nobody panics").bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Output for FaultyFile {
    fn sync(&mut self) -> io::Result<()> {
        self.disk.operate(true)?;
        let mut content = self.content.lock().expect("nobody panics");
        content.durable = content.bytes.len();
        Ok(())
    }
}
