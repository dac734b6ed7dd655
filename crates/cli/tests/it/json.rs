//! The result for machines.

use serde_json::{Value, json};

use crate::scratch::{PROGRAM, Scratch};

fn result(scratch: &Scratch) -> Value {
    let output = scratch.run(&["compile", "--json", "-"]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "all is in the result");
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[test]
fn a_rejected_project_lists_its_diagnostics_with_their_places() {
    let scratch = Scratch::new("json_rejected")
        .file(
            "Bank.pproj",
            "<Project>\n<InputFiles>\n  <PFile>é</PFile></InputFiles> <IncludeProject>x/Sever.pproj</IncludeProject></Project>",
        )
        .file("é/Client.p", PROGRAM)
        .file("x/Server.pproj", "<Project/>");
    let expected = json!({
        "verdict": "rejected",
        "project": "Bank",
        "files": ["é/Client.p"],
        "machines": 0,
        "specs": 0,
        "scenarios": 0,
        "tests": [],
        "diagnostics": [{
            "file": "Bank.pproj",
            "line": 3,
            "column": 49,
            "end_line": 3,
            "end_column": 62,
            "code": "missing-include",
            "severity": "error",
            "message": "there is no project `x/Sever.pproj`",
            "note": "included here",
            "hint": "did you mean `x/Server.pproj`?",
            "related": [],
        }],
    });
    assert_eq!(result(&scratch), expected);
}

#[test]
fn a_diagnostic_without_place_has_null_in_its_stead() {
    let result = result(&Scratch::new("json_nowhere"));
    let diagnostic = &result["diagnostics"][0];
    assert_eq!(diagnostic["code"], "empty-project");
    for field in ["file", "line", "column", "end_line", "end_column"] {
        assert_eq!(diagnostic[field], Value::Null, "{field}");
    }
}

#[test]
fn a_json_file_comes_beside_the_messages() {
    let scratch = Scratch::new("json_file");
    let output = scratch.run(&["compile", "--json", "result.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("error[empty-project]"));
    let written = std::fs::read(scratch.folder.join("result.json")).expect("it was written");
    let written: Value = serde_json::from_slice(&written).expect("one JSON object");
    assert_eq!(written["verdict"], "rejected");
}
