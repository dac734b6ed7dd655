//! Everything that can be wrong with a project before its first line is parsed, each with its message.

use std::fs;

use fabius_lang::source::Code;

use crate::scratch::{PROGRAM, Scratch, WHOLE_FOLDER, golden_folder};

fn project(content: &str) -> String {
    format!("<Project>\n<ProjectName>Bank</ProjectName>\n{content}\n</Project>\n")
}

fn input(path: &str) -> String {
    format!("<InputFiles><PFile>{path}</PFile></InputFiles>\n")
}

#[test]
fn a_path_that_does_not_exist_is_reported_with_the_near_one() {
    Scratch::new("no_such_path").file("server.p", PROGRAM).check("compile Server.p nowhere");
}

#[test]
fn a_spec_in_a_folder_that_is_not_listed_is_found_there() {
    let listed = "<InputFiles>\n  <PFile>./PSrc/</PFile>\n  <PFile>./PTst/</PFile>\n</InputFiles>";
    Scratch::new("unlisted_folder")
        .file("Bank.pproj", project(listed))
        .file("PSrc/Server.p", "event eAsk;\nmachine Main { start state Init { entry { send this, eAsk; } ignore eAsk; } }\n")
        .file("PSpec/Safety.p", "// A spec.\nspec Safe observes eAsk { start state Watching { ignore eAsk; } }\n")
        .file("PTst/Tests.p", "test tcSafe [main=Main]: assert Safe in { Main };\ntest tcNone [main=Main]: assert Sure in { Main };\n")
        .check("compile");
}

#[test]
fn an_input_that_does_not_exist_is_reported_in_the_project_file() {
    let both = "<InputFiles>\n  <PFile>./Psrc/</PFile>\n  <PFile>\n    Client.p\n  </PFile>\n</InputFiles>";
    Scratch::new("no_such_input")
        .file("Bank.pproj", project(both))
        .file("PSrc/Server.p", PROGRAM)
        .check("compile");
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_reported_whatever_names_it() {
    use std::os::unix::fs::symlink;
    let scratch = Scratch::new("unreadable_file")
        .file("Bank.pproj", project(&(input("PSrc") + &input("loop.p"))))
        .file("PSrc/Server.p", PROGRAM);
    symlink("loop.p", scratch.folder.join("loop.p")).expect("links can be made");
    symlink("nowhere.p", scratch.folder.join("PSrc/broken.p")).expect("links can be made");
    symlink("/dev/null", scratch.folder.join("PSrc/device.p")).expect("links can be made");
    scratch.check("compile");
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_is_unreadable() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("no_permission").file("secret.p", PROGRAM);
    let path = scratch.folder.join("secret.p");
    fs::set_permissions(&path, PermissionsExt::from_mode(0o000)).expect("permissions can be taken");
    if fs::File::open(&path).is_ok() {
        // Root reads everything; `what_cannot_be_read_is_reported_whatever_names_it` has what even root cannot.
        return;
    }
    let output = scratch.run(&["compile"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message.contains("error[unreadable-file]: cannot read `secret.p`: permission denied"),
        "{message}"
    );
}

#[test]
fn a_file_that_is_not_source_is_not_taken_for_one() {
    Scratch::new("not_a_source").file("notes.txt", "hello").check("compile notes.txt");
}

#[test]
fn the_first_byte_that_is_not_utf8_is_located() {
    Scratch::new("invalid_utf8")
        .file("a.p", b"// fine\n/* caf\xe9, caf\xe9 */\nmachine Main { start state Init { } }\n")
        .file("b.p", b"\x7fELF\0\0\xff\xff")
        .check("compile");
}

#[test]
fn a_file_of_five_gigabytes_is_refused_before_it_is_read() {
    let scratch = Scratch::new("project_too_large").file("large.p", "");
    let file = fs::File::options().write(true).open(scratch.folder.join("large.p")).expect("it is there");
    // The file has a hole: it takes no room on the disk.
    if file.set_len(5 << 30).is_ok() {
        scratch.check("compile");
    }
    fs::remove_file(scratch.folder.join("large.p")).expect("it is there");
}

#[test]
fn malformed_xml_is_located() {
    Scratch::new("invalid_project_file")
        .file(
            "Bank.pproj",
            "<Project>\n  <InputFiles>\n    <PFile>a.p</Pfile>\n  </InputFiles>\n</Project>\n",
        )
        .check("compile");
    Scratch::new("unclosed_project_file").file("Bank.pproj", "<Project>\n  <InputFiles>\n").check("compile");
    Scratch::new("empty_project_file").file("Bank.pproj", "").check("compile");
    Scratch::new("other_xml")
        .file("Bank.pproj", "<?xml version='1.0'?>\n<html><body/></html>\n")
        .check("compile");
}

#[test]
fn deeply_nested_xml_does_not_exhaust_the_stack() {
    let deep = "<a>".repeat(100_000) + &"</a>".repeat(100_000);
    let scratch = Scratch::new("deep_xml").file("Bank.pproj", project(&deep));
    assert_eq!(scratch.run(&["compile"]).status.code(), Some(2));
}

#[test]
fn a_missing_include_names_the_path_tried() {
    let include = "<IncludeProject>../Common/Timer/Timer.pproj</IncludeProject>";
    Scratch::new("missing_include")
        .file("Bank/Bank.pproj", project(&(input(".") + include)))
        .file("Bank/Server.p", PROGRAM)
        .file("Bank/Common/Timer/Timer.pproj", WHOLE_FOLDER)
        .check("compile Bank");
}

#[test]
fn a_missing_include_of_an_include_names_both_paths_tried() {
    let library = project("<IncludeProject>..\\Clock\\Clock.pproj</IncludeProject>");
    Scratch::new("missing_nested_include")
        .file(
            "Bank/Bank.pproj",
            project(&(input(".") + "<IncludeProject>lib/Timer/Timer.pproj</IncludeProject>")),
        )
        .file("Bank/Server.p", PROGRAM)
        .file("Bank/lib/Timer/Timer.pproj", library)
        .check("compile Bank/Bank.pproj");
}

#[test]
fn an_include_that_is_a_folder_cannot_be_read() {
    let include = "<IncludeProject>Timer</IncludeProject>";
    Scratch::new("included_folder")
        .file("Bank.pproj", project(&(input("Server.p") + include)))
        .file("Server.p", PROGRAM)
        .file("Timer/Timer.pproj", WHOLE_FOLDER)
        .check("compile");
}

#[test]
fn circles_of_includes_are_warned_of_once() {
    let including = |path: &str| project(&format!("<IncludeProject>{path}</IncludeProject>"));
    Scratch::new("circular_include")
        .file("Bank.pproj", project(&(input("Server.p") + "<IncludeProject>a/A.pproj</IncludeProject>")))
        .file("Server.p", PROGRAM)
        .file("a/A.pproj", including("../b/B.pproj"))
        .file("b/B.pproj", including("../a/../Bank.pproj"))
        .check("compile . nowhere");
    Scratch::new("self_include")
        .file("Bank.pproj", project(&(input("Server.p") + "<IncludeProject>Bank.pproj</IncludeProject>")))
        .file("Server.p", PROGRAM)
        .check("compile . nowhere");
}

#[test]
fn several_projects_in_a_folder_are_listed() {
    Scratch::new("ambiguous_project")
        .file("Bank/Bank.pproj", WHOLE_FOLDER)
        .file("Bank/Tests.pproj", WHOLE_FOLDER)
        .file("Bank/Server.p", PROGRAM)
        .check("compile Bank");
    Scratch::new("projects_below")
        .file("Bank/Bank.pproj", WHOLE_FOLDER)
        .file("Bank/PSrc/Server.p", PROGRAM)
        .file("Clock/Clock.pproj", WHOLE_FOLDER)
        .check("compile");
    Scratch::new("projects_and_folders_below")
        .file("all/Bank/Bank.pproj", WHOLE_FOLDER)
        .file("all/Bank/PSrc/Server.p", PROGRAM)
        .file("all/chain/Chain.p", PROGRAM)
        .file("all/strategies/random.rhai", "")
        .check("check all");
}

#[test]
fn an_empty_project_says_where_it_looked() {
    let folders = "<InputFiles>\n<PFile>PSrc</PFile>\n<PFile>PTst</PFile>\n</InputFiles>";
    Scratch::new("empty_project")
        .file("Bank.pproj", project(folders))
        .file("PSrc/Server.java", "")
        .file("PTst/.hidden.p", "")
        .check("compile");
    Scratch::new("empty_folder").file("Bank/notes.txt", "").check("compile Bank");
    Scratch::new("project_without_inputs").file("Bank.pproj", "<Project/>").check("compile");
}

#[test]
fn what_a_project_file_says_in_vain_is_reported() {
    let vain = "<Target>CSharp, pchecker</Target>\n<InputFile>a.p</InputFile>\n<PFile>b.p</PFile>\n<Version>1</Version>";
    Scratch::new("ignored_entry")
        .file("Bank.pproj", project(&(input("Server.p") + &input("notes.txt") + &input("Foreign.cs") + vain)))
        .file("Server.p", PROGRAM)
        .file("notes.txt", "")
        .file("Foreign.cs", "")
        .check("compile . nowhere");
}

#[test]
fn every_code_of_projects_has_a_golden() {
    let goldens: String = fs::read_dir(golden_folder())
        .expect("there are goldens")
        .map(|golden| fs::read_to_string(golden.expect("it is there").path()).expect("goldens are text"))
        .collect();
    let of_projects = Code::ALL.iter().take_while(|code| **code != Code::InvalidCharacter);
    let missing: Vec<&str> = of_projects
        .map(|code| code.text())
        .filter(|code| !goldens.contains(&format!("[{code}]: ")))
        .collect();
    assert!(missing.is_empty(), "no test shows {missing:?}");
}
