//! What the shell says of templates: lint, diff, and the refusal of what cannot be published.

use std::path::Path;
use std::process::Output;

use serde_json::Value;
use serde_json::json;

use super::ferry;
use crate::support::child::program;
use crate::support::server::has;

/// The program, run in a folder.
pub fn shell(arguments: &[&str], folder: &Path) -> Output {
    program(arguments)
        .current_dir(folder)
        .output()
        .expect("the program runs")
}

/// What it wrote on standard output.
pub fn answered(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_shell_says_the_same_with_its_exit_codes_z040_z105() {
    let folder = tempfile::tempdir().expect("a folder");
    let write =
        |name: &str, document: &Value| std::fs::write(folder.path().join(name), document.to_string()).expect("written");
    write("old.json", &ferry("ferry_v1", "1.0.0", &["inner", "outer", "suite"]));
    write("new.json", &ferry("ferry_v1_1", "1.1.0", &["inner", "outer"]));
    let mut poor = ferry("ferry_v3", "3.0.0", &["inner", "outer"]);
    poor["keys"][0]["semantic_description"] = json!("The harbour.");
    write("poor.json", &poor);
    write("defective.json", &json!({"schema_id": "x", "scenario": "y"}));

    let well = shell(&["lint", "old.json"], folder.path());
    assert_eq!(well.status.code(), Some(0), "{}", answered(&well));
    assert!(answered(&well).contains("ferry_v1 scores 100 of 100"));
    let poor = shell(&["lint", "old.json", "poor.json", "--json"], folder.path());
    assert_eq!(poor.status.code(), Some(0), "a finding is no fault");
    let told: Value = serde_json::from_str(&answered(&poor)).expect("JSON");
    has(&told, json!({"files/0/score": 100, "files/1/score": 50}));
    assert_eq!(
        shell(&["lint", "poor.json", "--min-score", "50"], folder.path())
            .status
            .code(),
        Some(0)
    );
    assert_eq!(
        shell(&["lint", "poor.json", "--min-score", "51"], folder.path())
            .status
            .code(),
        Some(1)
    );
    let defective = shell(&["lint", "defective.json"], folder.path());
    assert_eq!(defective.status.code(), Some(1));
    assert!(answered(&defective).contains("Z-032"), "{}", answered(&defective));
    assert_eq!(shell(&["lint", "nowhere.json"], folder.path()).status.code(), Some(2));

    let broken = shell(&["diff", "old.json", "new.json"], folder.path());
    assert_eq!(broken.status.code(), Some(1));
    let said = answered(&broken);
    assert!(said.contains("full_transitive is broken by 1 of 2 changes"), "{said}");
    assert!(
        said.contains("backward: right by ferry_v1, refused by ferry_v1_1"),
        "{said}"
    );
    let forward = shell(
        &["diff", "old.json", "new.json", "--mode", "forward", "--json"],
        folder.path(),
    );
    assert_eq!(forward.status.code(), Some(0));
    let told: Value = serde_json::from_str(&answered(&forward)).expect("JSON");
    assert_eq!((&told["compatible"], &told["mode"]), (&json!(true), &json!("forward")));
    assert_eq!(
        shell(&["diff", "old.json", "new.json", "--mode", "half"], folder.path())
            .status
            .code(),
        Some(2)
    );
    assert_eq!(
        shell(&["diff", "old.json", "nowhere.json"], folder.path())
            .status
            .code(),
        Some(2)
    );
    assert_eq!(
        shell(&["diff", "old.json", "defective.json"], folder.path())
            .status
            .code(),
        Some(1)
    );
}
