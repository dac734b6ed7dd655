//! The operations on files that checkpoints need; tests have a disk on which each of them can fail.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

/// Where checkpoints are kept.
pub(in super::super) trait Disk: Sync {
    /// The names of all files in a folder.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read>>;
    fn create(&self, path: &Path) -> io::Result<Box<dyn Output>>;
    /// Gives a file another name, in place of a file that has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Makes sure that the names in a folder outlive the loss of power.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
}

/// A file that is being written.
pub(in super::super) trait Output: Write {
    /// Makes sure that what was written outlives the loss of power.
    fn sync(&mut self) -> io::Result<()>;
}

/// The disk of the machine.
pub(in super::super) struct RealDisk;

impl Disk for RealDisk {
    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        // What is no text is none of ours.
        let name = |entry: io::Result<fs::DirEntry>| Ok(entry?.file_name().into_string().ok());
        fs::read_dir(folder)?.map(name).filter_map(Result::transpose).collect()
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Read>> {
        Ok(Box::new(File::open(path)?))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Output>> {
        Ok(Box::new(File::create(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    #[cfg(unix)]
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }

    /// Folders cannot be opened here; the system sees to it.
    #[cfg(not(unix))]
    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }
}

impl Output for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}
