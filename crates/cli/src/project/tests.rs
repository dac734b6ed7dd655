//! Which files a project has, in which order, and whose they are.

use std::path::{Path, PathBuf};
use std::{env, fs, process};

use fabius_lang::source::{Code, FileKind};

use super::{Project, load};

/// A folder that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str, files: &[(&str, &str)]) -> Self {
        let path = env::temp_dir().join(format!("fabius-{}-{test}", process::id()));
        let folder = Self(path);
        fs::create_dir_all(&folder.0).expect("the folder can be made");
        for (path, text) in files {
            folder.write(path, text.as_bytes());
        }
        folder
    }

    fn write(&self, path: &str, content: &[u8]) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().expect("it has a folder")).expect("the folder can be made");
        fs::write(path, content).expect("the file can be written");
    }

    fn load(&self, paths: &[&str]) -> Project {
        let paths: Vec<PathBuf> = paths.iter().map(|path| self.0.join(path)).collect();
        load(&paths, &self.0)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The paths of the sources; those of included projects in parentheses.
fn files(project: &Project) -> Vec<String> {
    let shown = |path: &str, included| if included { format!("({path})") } else { path.to_owned() };
    project.sources.program_files().map(|file| shown(&file.path, file.included)).collect()
}

fn codes(project: &Project) -> Vec<&'static str> {
    project.diagnostics.iter().map(|diagnostic| diagnostic.code.text()).collect()
}

#[test]
fn files_come_in_the_order_of_the_project_and_by_path_within_a_folder() {
    let project = "<Project><ProjectName> Bank </ProjectName>
        <InputFiles><PFile>./PTst/</PFile><PFile>.\\PSrc\\Server.p</PFile></InputFiles>
        <InputFiles><PFile>PSrc</PFile></InputFiles>
        <OutputDir>./PGenerated/</OutputDir><Target>PEx PObserve</Target><pobserve-package>x.y</pobserve-package></Project>";
    let folder = Folder::new(
        "order",
        &[
            ("Bank.pproj", project),
            ("PTst/b.p", ""),
            ("PTst/a/z.p", ""),
            ("PTst/a.P", ""),
            ("PTst/readme.txt", ""),
            ("PTst/.git/hidden.p", ""),
            ("PTst/Foreign.cs", ""),
            ("PSrc/Client.p", ""),
            ("PSrc/Server.p", ""),
            ("Unnamed.p", ""),
        ],
    );
    let project = folder.load(&["Bank.pproj"]);
    assert_eq!(codes(&project), [""; 0]);
    assert_eq!(project.name, "Bank");
    assert!(project.is_complete);
    assert_eq!(files(&project), ["PTst/a/z.p", "PTst/a.P", "PTst/b.p", "PSrc/Server.p", "PSrc/Client.p"]);
}

#[test]
fn files_of_included_projects_are_marked_and_taken_once() {
    let include = |inputs: &str, includes: &[&str]| {
        let includes: String =
            includes.iter().map(|path| format!("<IncludeProject>{path}</IncludeProject>")).collect();
        format!("<Project><InputFiles><PFile>{inputs}</PFile></InputFiles>{includes}</Project>")
    };
    let folder = Folder::new(
        "included",
        &[
            ("Bank/Bank.pproj", &include("PSrc", &["../Timer/Timer.pproj", "../Log/Log.pproj"])),
            ("Bank/PSrc/Server.p", ""),
            ("Timer/Timer.pproj", &include("PSrc", &["../Log/Log.pproj"])),
            ("Timer/PSrc/Timer.p", ""),
            ("Log/Log.pproj", &include("./", &["../Bank/Bank.pproj"])),
            ("Log/Log.p", ""),
        ],
    );
    let project = folder.load(&["Bank"]);
    assert_eq!(files(&project), ["Bank/PSrc/Server.p", "(Timer/PSrc/Timer.p)", "(Log/Log.p)"]);
    assert_eq!(codes(&project), ["circular-include"]);
    assert_eq!(project.name, "Bank");
    assert!(project.is_complete);
    let others = project.sources.files().iter().filter(|file| file.kind == FileKind::Other).count();
    assert_eq!(others, 3, "each project file once");
}

#[test]
fn a_project_inside_the_root_keeps_its_files_and_one_beside_it_does_not() {
    let root = |include: &str| {
        let include = format!("<IncludeProject>{include}</IncludeProject>");
        format!("<Project><InputFiles><PFile>.</PFile></InputFiles>{include}</Project>")
    };
    let whole = "<Project><InputFiles><PFile>.</PFile></InputFiles></Project>";
    let inside = Folder::new(
        "inside",
        &[
            ("Bank.pproj", &root("Timer/Timer.pproj")),
            ("Bank.p", ""),
            ("Timer/Timer.pproj", whole),
            ("Timer/Timer.p", ""),
        ],
    );
    assert_eq!(files(&inside.load(&["Bank.pproj"])), ["Bank.p", "(Timer/Timer.p)"]);
    let beside = Folder::new(
        "beside",
        &[("Bank.pproj", &root("Timer.pproj")), ("Bank.p", ""), ("Timer.pproj", whole)],
    );
    assert_eq!(files(&beside.load(&["Bank.pproj"])), ["Bank.p"]);
}

#[test]
fn an_include_may_be_relative_to_the_project_on_the_command_line() {
    let root = "<Project><IncludeProject>lib/Timer/Timer.pproj</IncludeProject></Project>";
    let timer = "<Project><IncludeProject>lib/Log/Log.pproj</IncludeProject></Project>";
    let log = "<Project><InputFiles><PFile>Log.p</PFile></InputFiles></Project>";
    let folder = Folder::new(
        "relative",
        &[
            ("Bank.pproj", root),
            ("lib/Timer/Timer.pproj", timer),
            ("lib/Log/Log.pproj", log),
            ("lib/Log/Log.p", ""),
        ],
    );
    let project = folder.load(&["Bank.pproj"]);
    assert_eq!((files(&project), codes(&project)), (vec!["(lib/Log/Log.p)".to_owned()], vec![]));
}

#[test]
fn a_folder_without_project_file_is_searched_to_any_depth() {
    let folder = Folder::new(
        "bare",
        &[("a.p", ""), ("one/b.p", ""), ("one/two/three/c.p", ""), ("one/x.pproj", "<a/>")],
    );
    let project = folder.load(&["."]);
    assert_eq!(files(&project), ["a.p", "one/b.p", "one/two/three/c.p"]);
    assert!(project.name.ends_with("-bare"), "{}", project.name);
    assert_eq!(files(&folder.load(&["one/two", "a.p", "./one/../a.p"])), ["one/two/three/c.p", "a.p"]);
}

#[test]
fn byte_order_marks_do_not_count_and_utf16_is_read() {
    let folder = Folder::new("marks", &[("utf8.p", "\u{feff}event é;")]);
    folder.write(
        "Bank.pproj",
        "\u{feff}<Project><InputFiles><PFile>.</PFile></InputFiles></Project>".as_bytes(),
    );
    let units = || "event é;".encode_utf16();
    folder.write(
        "utf16be.p",
        &[&b"\xfe\xff"[..], &units().flat_map(u16::to_be_bytes).collect::<Vec<_>>()].concat(),
    );
    folder.write(
        "utf16le.p",
        &[&b"\xff\xfe"[..], &units().flat_map(u16::to_le_bytes).collect::<Vec<_>>()].concat(),
    );
    let project = folder.load(&["."]);
    assert_eq!(codes(&project), [""; 0]);
    assert_eq!(project.sources.program_files().count(), 3);
    for file in project.sources.program_files() {
        assert_eq!(file.text, "event é;", "{}", file.path);
    }
}

#[test]
fn damaged_text_is_still_checked_but_binary_files_are_not() {
    let folder = Folder::new("damaged", &[]);
    folder.write("binary.p", b"\0\xff");
    folder.write("dense.p", b"a\xe9b\xe9");
    folder.write("latin.p", b"// \xe9\nevent e;");
    folder.write("odd.p", b"\xff\xfee\0v");
    folder.write("surrogate.p", b"\xff\xfee\0\0\xd8e\0");
    let project = folder.load(&["."]);
    assert_eq!(files(&project), ["latin.p", "odd.p", "surrogate.p"]);
    assert!(!project.is_complete, "nobody knows what the binary file would declare");
    let places = project.diagnostics.iter().map(|diagnostic| {
        assert_eq!(diagnostic.code, Code::InvalidUtf8);
        let place = project.sources.location(diagnostic.span).expect("it has a place");
        (place.path, place.line, place.column)
    });
    let expected =
        [("binary.p", 1, 2), ("dense.p", 1, 2), ("latin.p", 1, 4), ("odd.p", 1, 2), ("surrogate.p", 1, 2)];
    assert!(places.eq(expected.map(|(path, line, column)| (path.to_owned(), line, column))));
}

#[cfg(unix)]
#[test]
fn links_that_lead_in_circles_end_and_files_with_two_names_are_taken_once() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("links", &[("a/a.p", ""), ("b/b.p", "")]);
    symlink("..", folder.0.join("a/up")).expect("links can be made");
    symlink("a.p", folder.0.join("a/again.p")).expect("links can be made");
    symlink("b", folder.0.join("a2")).expect("links can be made");
    let project = folder.load(&["."]);
    assert_eq!((files(&project), codes(&project)), (vec!["a/a.p".to_owned(), "a2/b.p".to_owned()], vec![]));
}

#[test]
fn the_example_of_the_readme_is_a_complete_project() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/client-server");
    let project = load(&[example], Path::new(env!("CARGO_MANIFEST_DIR")));
    assert_eq!(codes(&project), [""; 0]);
    assert_eq!(project.name, "ClientServer");
    assert_eq!(files(&project).len(), 8, "{:?}", files(&project));
}

#[test]
fn shown_paths_are_relative_and_without_detours() {
    let here = Path::new("/home/me");
    let shown = |path: &str| super::paths::shown(Path::new(path), here);
    assert_eq!(shown("/home/me/Bank/./x.p"), "Bank/x.p");
    assert_eq!(shown("./Bank/../Timer/x.p"), "Timer/x.p");
    assert_eq!(shown("../../x.p"), "../../x.p");
    assert_eq!(shown("/elsewhere/x.p"), "/elsewhere/x.p");
    assert_eq!(shown("/home/me"), ".");
}
