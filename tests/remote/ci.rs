//! The step of a workflow and the hooks before a commit, run as their hosts run them.

use std::path::Path;
use std::process::Command;
use std::process::Output;

use serde_json::json;

use super::flight;
use super::write;
use crate::support::server::Server;

/// A command in a folder, with the program first on the PATH.
fn run(folder: &Path, words: &[&str], environment: &[(&str, &str)]) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_otherwise"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().expect("a folder").display());
    let (first, rest) = words.split_first().expect("a command");
    let mut command = Command::new(first);
    command
        .args(rest)
        .current_dir(folder)
        .env("PATH", path)
        .env_remove("OTHERWISE_CONFIG");
    command.envs(environment.iter().copied()).output().expect("it runs")
}

fn git(folder: &Path, line: &str) -> String {
    let identity = [
        ("GIT_AUTHOR_NAME", "ada"),
        ("GIT_AUTHOR_EMAIL", "ada@example.org"),
        ("GIT_COMMITTER_NAME", "ada"),
        ("GIT_COMMITTER_EMAIL", "ada@example.org"),
    ];
    let words: Vec<&str> = ["git"].into_iter().chain(line.split(' ')).collect();
    let output = run(folder, &words, &identity);
    assert!(output.status.success(), "git {line}: {output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn a_workflow_checks_the_files_that_changed_and_annotates_them() {
    let server = Server::with(&[("v1.json", flight("flight_booking_v1", "1.0.0"))]);
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::create_dir(folder.join("schemas")).expect("a folder");
    let mut broken = flight("flight_booking_v1_1", "1.1.0");
    broken["keys"][0]["key_type"] = json!("integer");
    git(folder, "init --quiet");
    write(folder, "schemas/old.json", &broken);
    write(folder, "schemas/v1.json", &flight("flight_booking_v1", "1.0.0"));
    git(folder, "add .");
    git(folder, "commit --quiet --message first");
    let since = git(folder, "rev-parse HEAD");

    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/ci/check.sh");
    let check = |since: &str| {
        let environment = [
            ("URL", server.base()),
            ("KEY", ""),
            ("FILES", "schemas/*.json"),
            ("SINCE", since),
        ];
        let output = run(folder, &[script], &environment);
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    };
    assert_eq!(check(&since), (Some(0), "no schema file changed\n".to_owned()));
    write(folder, "schemas/new file.json", &broken);
    git(folder, "add .");
    let (code, said) = check(&since);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("::error file=schemas/new file.json,line="), "{said}");
    assert!(!said.contains("old.json"), "what did not change is not checked: {said}");
    let (code, said) = check("0000000000000000000000000000000000000000");
    assert!(code == Some(1) && said.contains("file=schemas/old.json"), "{said}");

    // The action runs that script, with its inputs as the script reads them.
    let action = include_str!("../../deploy/ci/action.yml");
    for read in [
        "URL: ${{ inputs.url }}",
        "KEY: ${{ inputs.key }}",
        "FILES: ${{ inputs.files }}",
        "SINCE: ",
        "/check.sh\"",
    ] {
        assert!(action.contains(read), "{read}");
    }
}

#[test]
fn the_hooks_before_a_commit_judge_the_files_that_they_are_given() {
    let server = Server::with(&[("v1.json", flight("flight_booking_v1", "1.0.0"))]);
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "well.json", &flight("flight_booking_v1_1", "1.1.0"));
    write(
        folder.path(),
        "defective.json",
        &json!({"schema_id": "x_v1", "scenario": "x"}),
    );
    let hooks = include_str!("../../.pre-commit-hooks.yaml");
    let entries: Vec<&str> = hooks
        .lines()
        .filter_map(|line| line.trim().strip_prefix("entry: "))
        .collect();
    assert_eq!(entries, ["otherwise lint", "otherwise check"]);
    for entry in entries {
        let words: Vec<&str> = entry.split(' ').collect();
        let arguments: &[&str] = if entry.ends_with("check") {
            &["--url", server.base()]
        } else {
            &[]
        };
        for (file, code) in [("well.json", 0), ("defective.json", 1)] {
            let output = run(folder.path(), &[&words, arguments, &[file]].concat(), &[]);
            assert_eq!(output.status.code(), Some(code), "{entry} {file}: {output:?}");
        }
    }
}
