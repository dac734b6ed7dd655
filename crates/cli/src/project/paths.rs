//! Paths: as project files write them, as people read them, and which near one may have been meant.

use std::path::{Component, Path, PathBuf};

use crate::near::nearest;

/// A path from a project file, seen from the folder it is relative to. Projects written on Windows have backslashes.
pub(super) fn resolve(folder: &Path, text: &str) -> PathBuf {
    let literal = folder.join(text);
    if text.contains('\\') && !literal.exists() {
        return folder.join(text.replace('\\', "/"));
    }
    literal
}

/// The folder that a file's path names; `.` for a bare file name.
pub(super) fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

pub(super) fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

/// A path to show: relative to the current folder if it lies in it, without detours.
pub(super) fn shown(path: &Path, current: &Path) -> String {
    let relative = path.strip_prefix(current).unwrap_or(path);
    let tidy = without_detours(relative);
    // `a/..` is a detour only if `a` is no symbolic link.
    let is_same = || match (tidy.canonicalize(), path.canonicalize()) {
        (Ok(tidy), Ok(path)) => tidy == path,
        _ => true,
    };
    let has_parents = relative.components().any(|part| part == Component::ParentDir);
    let best = if has_parents && !is_same() { relative } else { &tidy };
    if best.as_os_str().is_empty() { ".".to_owned() } else { best.to_string_lossy().into_owned() }
}

fn without_detours(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if ends_with_name(&tidy) => {
                tidy.pop();
            }
            _ => tidy.push(part),
        }
    }
    tidy
}

fn ends_with_name(path: &Path) -> bool {
    matches!(path.components().next_back(), Some(Component::Normal(_)))
}

/// An existing neighbour of a path that does not exist, if one is called much the same.
pub(crate) fn near(missing: &Path) -> Option<PathBuf> {
    let wanted = missing.file_name()?.to_string_lossy();
    let neighbours = folder_of(missing).read_dir().ok()?.flatten().map(|entry| entry.file_name());
    let mut names: Vec<String> = neighbours
        .filter(|name| Path::new(name).extension() == missing.extension())
        .filter_map(|name| name.into_string().ok())
        .collect();
    names.sort();
    let name = nearest(&wanted, names.iter().map(String::as_str))?;
    Some(missing.with_file_name(name))
}
