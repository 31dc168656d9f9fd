//! The step of a workflow and the hooks before a commit, run as their hosts run them.

use std::path::Path;
use std::process::Command;
use std::process::Output;

use regex::Regex;
use serde_json::Value;
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

/// What a file in YAML says, by the reader that the hosts of workflows and hooks use too; nothing where Python has none.
fn yaml(file: &str) -> Option<Value> {
    let read = "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)";
    let path = format!("{}/{file}", env!("CARGO_MANIFEST_DIR"));
    let output = Command::new("python3").args(["-c", read, &path]).output().ok()?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() && complaint.contains("No module named 'yaml'") {
        eprintln!("left out: {file} is not read, since this Python has no module yaml");
        return None;
    }
    assert!(output.status.success(), "{file}: {complaint}");
    Some(serde_json::from_slice(&output.stdout).expect("JSON"))
}

/// A workflow that uses the action with these inputs, on a push since a commit.
struct Workflow<'a> {
    action: &'a Value,
    folder: &'a Path,
    inputs: &'a [(&'a str, &'a str)],
    since: &'a str,
}

impl Workflow<'_> {
    /// An expression as the runner reads it.
    fn expression(&self, text: &str) -> String {
        let Some(inner) = text.strip_prefix("${{ ").and_then(|text| text.strip_suffix(" }}")) else {
            return text.to_owned();
        };
        if inner == "github.event.pull_request.base.sha || github.event.before" {
            return self.since.to_owned();
        }
        let name = inner.strip_prefix("inputs.").unwrap_or_else(|| panic!("{inner}"));
        let input = &self.action["inputs"][name];
        assert!(input.is_object(), "the action has no input {name}");
        let given = self.inputs.iter().find(|(own, _)| *own == name);
        match given {
            Some((_, value)) => (*value).to_owned(),
            None => input["default"]
                .as_str()
                .expect("what is not required has a default")
                .to_owned(),
        }
    }

    /// Runs the steps as a runner does, up to the first that fails; its exit code and all that was said.
    fn run(&self) -> (Option<i32>, String) {
        assert_eq!(self.action["runs"]["using"], "composite");
        let script = self.folder.join("step.sh");
        let mut said = String::new();
        for step in self.action["runs"]["steps"].as_array().expect("steps") {
            assert_eq!(step["shell"], "bash");
            std::fs::write(&script, step["run"].as_str().expect("a script")).expect("written");
            let environment = step["env"].as_object().expect("an environment").iter();
            let environment: Vec<(String, String)> = environment
                .map(|(name, value)| (name.clone(), self.expression(value.as_str().expect("a text"))))
                .chain([(
                    "GITHUB_ACTION_PATH".to_owned(),
                    concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/ci").to_owned(),
                )])
                .collect();
            let environment: Vec<(&str, &str)> = environment
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            let words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "step.sh"];
            let output = run(self.folder, &words, &environment);
            said.push_str(&String::from_utf8_lossy(&output.stdout));
            said.push_str(&String::from_utf8_lossy(&output.stderr));
            if !output.status.success() {
                return (output.status.code(), said);
            }
        }
        (Some(0), said)
    }
}

#[test]
fn a_workflow_checks_the_files_that_changed_and_annotates_them() {
    let Some(action) = yaml("deploy/ci/action.yml") else {
        return;
    };
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

    let check = |since: &str, more: &[(&str, &str)]| {
        let inputs = [&[("url", server.base())], more].concat();
        let (action, inputs) = (&action, inputs.as_slice());
        let workflow = Workflow {
            action,
            folder,
            inputs,
            since,
        };
        workflow.run()
    };
    assert_eq!(check(&since, &[]), (Some(0), "no schema file changed\n".to_owned()));
    write(folder, "schemas/new file.json", &broken);
    git(folder, "add schemas");
    let (code, said) = check(&since, &[]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("::error file=schemas/new file.json,line="), "{said}");
    assert!(!said.contains("old.json"), "what did not change is not checked: {said}");
    let (code, said) = check("0000000000000000000000000000000000000000", &[]);
    assert!(code == Some(1) && said.contains("file=schemas/old.json"), "{said}");

    // A new major version breaks who uses the one in force, and may where the workflow says so.
    broken["schema_id"] = json!("flight_booking_v2");
    broken["version"] = json!("2.0.0");
    write(folder, "schemas/new file.json", &broken);
    git(folder, "add schemas");
    let (code, said) = check(&since, &[("files", "schemas/new*")]);
    assert!(
        code == Some(1) && said.contains("title=Breaks who uses the version in force::"),
        "{said}"
    );
    let (code, said) = check(&since, &[("allow-breaks", "true")]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = check(&since, &[("key", "two words")]);
    assert_eq!(code, Some(2), "a key that is given is shown: {said}");
}

#[test]
fn the_hooks_before_a_commit_judge_the_files_that_they_are_given() {
    let Some(hooks) = yaml(".pre-commit-hooks.yaml") else {
        return;
    };
    let server = Server::with(&[("v1.json", flight("flight_booking_v1", "1.0.0"))]);
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "well.json", &flight("flight_booking_v1_1", "1.1.0"));
    write(
        folder.path(),
        "defective.json",
        &json!({"schema_id": "x_v1", "scenario": "x"}),
    );
    let hooks = hooks.as_array().expect("a list");
    assert_eq!(hooks.len(), 2);
    for hook in hooks {
        let text = |name: &str| hook[name].as_str().unwrap_or_else(|| panic!("{name}: {hook}"));
        assert!(
            text("id").starts_with("otherwise-") && text("language") == "system",
            "{hook}"
        );
        let taken = Regex::new(text("files")).expect("a pattern");
        assert!(taken.is_match("schemas/a.json") && taken.is_match("b/schemas/a.json") && !taken.is_match("a.json"));
        let words: Vec<&str> = text("entry").split(' ').collect();
        let arguments: &[&str] = match text("id") {
            "otherwise-check" => &["--url", server.base()],
            _ => &[],
        };
        for (file, code) in [("well.json", 0), ("defective.json", 1)] {
            let output = run(folder.path(), &[&words, arguments, &[file]].concat(), &[]);
            assert_eq!(output.status.code(), Some(code), "{words:?} {file}: {output:?}");
        }
    }
}
