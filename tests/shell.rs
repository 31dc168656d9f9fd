//! What shells and programs rely on: completions that a shell loads, one shape of answers, and the same exit codes with it.

use std::process::Command;
use std::process::Output;

use serde_json::Value;
use serde_json::json;

use crate::support::child::program;

fn run(arguments: &[&str]) -> Output {
    program(arguments).output().expect("the program runs")
}

#[test]
fn bash_loads_the_completions_and_completes_a_command_and_an_option() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("otherwise.bash");
    let written = run(&["completions", "bash"]);
    assert_eq!(written.status.code(), Some(0));
    std::fs::write(&script, &written.stdout).expect("written");
    let checked = Command::new("bash").arg("-n").arg(&script).output().expect("bash runs");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    let completed = |words: &str, index: usize| {
        let ask = format!(
            "source '{}'; COMP_WORDS=({words}); COMP_CWORD={index}; _otherwise otherwise \"${{COMP_WORDS[{index}]}}\" \
             otherwise; echo \"${{COMPREPLY[*]}}\"",
            script.display()
        );
        let said = Command::new("bash").args(["-c", &ask]).output().expect("bash runs");
        String::from_utf8_lossy(&said.stdout).trim().to_owned()
    };
    assert_eq!(completed("otherwise ver", 1), "verify");
    assert_eq!(completed("otherwise demo --see", 2), "--seed");
    assert_eq!(completed("otherwise completions fi", 2), "fish");
    assert_eq!(run(&["completions", "csh"]).status.code(), Some(2));
}

#[test]
fn every_answer_to_a_program_has_one_shape_and_the_exit_code_of_the_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let schemas = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas");
    let flight = format!("{schemas}/flight_booking_v1.json");
    let hotel = format!("{schemas}/hotel_booking_v1.json");
    let broken = here.join("broken.json").display().to_string();
    std::fs::write(&broken, r#"{"schema_id": "a_v1"}"#).expect("written");
    let texts = here.join("texts.jsonl").display().to_string();
    std::fs::write(&texts, "{\"text\": \"a window seat\"}\n").expect("written");
    let empty = here.join("empty").display().to_string();
    std::fs::create_dir(&empty).expect("a folder");
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/models");
    for (arguments, command, ending, code, member) in [
        (&["lint", &flight, "--min-score", "0"][..], "lint", "well", 0, "files"),
        (&["lint", &broken], "lint", "findings", 1, "files"),
        (&["lint", "/no/such/file"], "lint", "usage", 2, "error"),
        (&["diff", &flight, &flight], "diff", "well", 0, "changes"),
        (
            &["diff", &flight, &hotel, "--mode", "full"],
            "diff",
            "findings",
            1,
            "changes",
        ),
        (&["diff", &flight, &broken], "diff", "findings", 1, "error"),
        (&["diff", &flight, "/no/such/file"], "diff", "usage", 2, "error"),
        (
            &["diff", &flight, &flight, "--mode", "sideways"],
            "otherwise",
            "usage",
            2,
            "error",
        ),
        (&["verify", "--data", &empty], "verify", "fault", 3, "error"),
        (
            &["replay", "--texts", &texts, "--models", models],
            "replay",
            "well",
            0,
            "report",
        ),
        (
            &["replay", "--texts", &texts, "--models", &empty],
            "replay",
            "fault",
            3,
            "error",
        ),
        (&["demo", "--keep", &broken], "demo", "usage", 2, "error"),
        (&["demo", "--models", &empty], "demo", "fault", 3, "error"),
    ] {
        let words = run(arguments);
        assert_eq!(words.status.code(), Some(code), "{arguments:?}: {words:?}");
        let mut asked = arguments.to_vec();
        asked.push("--json");
        let told = run(&asked);
        assert_eq!(told.status.code(), Some(code), "{asked:?}: {told:?}");
        let document: Value = serde_json::from_slice(&told.stdout).expect("one document");
        let common = json!([document["command"], document["ending"], document["exit_code"]]);
        assert_eq!(common, json!([command, ending, code]), "{document}");
        assert!(!document[member].is_null(), "{member}: {document}");
        assert_eq!(
            document["error"].is_null(),
            told.stderr.is_empty() || member != "error",
            "{told:?}"
        );
    }
}
