//! The README as somebody follows it: each of its commands is run, and what stands beneath it is what came.
//!
//! A block of shell with a block of output right beneath it is run in a folder that holds the repository's schemas, against a
//! service at a moment that is set. `UPDATE_DOCS=1` writes what came into the page.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use regex::Regex;
use schema::time::At;
use serde_json::Value;
use serde_json::json;

use crate::support::clock::VirtualClock;
use crate::support::server::Server;
use crate::support::server::under;
use crate::walk::shortened_to;

/// How wide an output may be before it is broken.
const WIDTH: usize = 120;
const TEXT_MAX: usize = 60;
const ITEMS_MAX: usize = 2;
const ADDRESS: &str = "http://127.0.0.1:8080";

/// Two blocks of a page: what is run, and where what it says stands.
struct Shown {
    command: String,
    output: std::ops::Range<usize>,
}

/// The blocks of shell that have an output right beneath them.
fn shown(page: &str) -> Vec<Shown> {
    let mut found = Vec::new();
    let mut command: Option<String> = None;
    let mut at = 0;
    let mut blocks = page.split_inclusive('\n').peekable();
    while let Some(line) = blocks.next() {
        at += line.len();
        let Some(kind) = line.strip_prefix("```") else {
            if !line.trim().is_empty() {
                command = None;
            }
            continue;
        };
        let begin = at;
        let text: String = std::iter::from_fn(|| blocks.next_if(|line| *line != "```\n")).collect();
        at += text.len() + blocks.next().map_or(0, str::len);
        match (kind.trim(), command.take()) {
            ("sh", _) => command = Some(text),
            ("", Some(command)) => found.push(Shown {
                command,
                output: begin..begin + text.len(),
            }),
            _ => {}
        }
    }
    found
}

/// A value on one line where it has room, else its members one after another on lines that are filled.
fn laid_out(value: &Value, indent: usize, out: &mut String) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (format!("\"{name}\":"), value))
            .collect(),
        Value::Array(items) => items.iter().map(|value| (String::new(), value)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    let line = value.to_string();
    if children.is_empty() || column(out) + line.chars().count() < WIDTH {
        out.push_str(&line);
        return;
    }
    let (open, close) = if value.is_array() { ('[', ']') } else { ('{', '}') };
    out.push(open);
    for (number, (name, value)) in children.iter().enumerate() {
        if number > 0 {
            out.push(',');
        }
        let room = WIDTH.saturating_sub(column(out) + name.chars().count());
        if number > 0 && value.to_string().chars().count() >= room {
            let _ = write!(out, "\n{}", " ".repeat(indent + 1));
        }
        out.push_str(name);
        laid_out(value, indent + 1, out);
    }
    out.push(close);
}

/// Characters on the last line so far.
fn column(out: &str) -> usize {
    out.rsplit('\n').next().unwrap_or_default().chars().count()
}

/// Digests tell a reader nothing: the first stands for all.
fn without_digests(value: &mut Value) {
    if let Some(digests) = value.get_mut("key_digests").and_then(Value::as_object_mut) {
        let first = digests.iter().next().map(|(name, _)| (name.clone(), json!("…")));
        *digests = first.into_iter().chain([("…".to_owned(), json!("…"))]).collect();
    }
}

/// What a command said, as the page shows it.
fn as_shown(said: &str) -> String {
    let mut shown = String::new();
    for line in said.lines() {
        match serde_json::from_str::<Value>(line) {
            Ok(mut value) if value.is_object() => {
                without_digests(&mut value);
                let mut text = String::new();
                laid_out(&shortened_to(TEXT_MAX, ITEMS_MAX, &value), 0, &mut text);
                shown.push_str(&text);
            }
            Ok(_) | Err(_) => shown.push_str(line),
        }
        shown.push('\n');
    }
    shown
}

/// A page without the numbers of journal entries: how many fragments are read in one go depends on how busy the machine is.
fn steady(page: &str) -> String {
    let numbers = Regex::new(r#"("revision":|"submission_id":"flight_booking\.)\d+"#).expect("a constant");
    numbers.replace_all(page, "$1…").into_owned()
}

/// The schemas of the repository, as the service and a template's name have them.
fn schemas(folder: &Path) -> Vec<(String, Value)> {
    let files = std::fs::read_dir(folder)
        .expect("schemas")
        .map(|file| file.expect("a file").path());
    files
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a schema");
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, serde_json::from_str(&text).expect("JSON"))
        })
        .collect()
}

#[test]
fn the_outputs_of_the_readme_are_what_its_commands_say() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(repository.join("schemas"), folder.path().join("schemas")).expect("a link");
    let program = Path::new(env!("CARGO_BIN_EXE_otherwise")).parent().expect("a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").expect("a PATH"));

    let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
    let parts = under(&clock);
    let hosted = schemas(&repository.join("schemas"));
    let hosted: Vec<(&str, Value)> = hosted
        .iter()
        .map(|(name, value)| (name.as_str(), value.clone()))
        .collect();
    let server = Server::start(&hosted, |_| {}, parts);

    let file = repository.join("README.md");
    let page = std::fs::read_to_string(&file).expect("the README");
    let blocks = shown(&page);
    assert!(blocks.len() >= 8, "{} blocks are shown with an output", blocks.len());
    let (mut made, mut from) = (String::new(), 0);
    for block in blocks {
        let output = Command::new("bash")
            .args(["-c", &block.command.replace(ADDRESS, server.base())])
            .current_dir(folder.path())
            .env("PATH", &path)
            .output()
            .expect("bash runs");
        let said = String::from_utf8(output.stdout)
            .expect("text")
            .replace(server.base(), ADDRESS);
        made.push_str(&page[from..block.output.start]);
        made.push_str(&as_shown(&said));
        from = block.output.end;
        clock.advance_ms(60_000);
        server.settle();
        server.tick();
        server.settle();
    }
    made.push_str(&page[from..]);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, &made).expect("written");
        return;
    }
    let (page, made) = (steady(&page), steady(&made));
    let differs = page.lines().zip(made.lines()).find(|(kept, made)| kept != made);
    assert!(
        page == made,
        "README.md is out of date at {differs:?}; rewrite it with UPDATE_DOCS=1 cargo test --test otherwise readme"
    );
}

#[test]
fn a_block_is_run_only_with_an_output_right_beneath_it() {
    let page = "```sh\na\n```\n\n```\nb\n```\n\n```sh\nc\n```\ntext\n\n```\nd\n```\n";
    let found = shown(page);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].command, "a\n");
    assert_eq!(&page[found[0].output.clone()], "b\n");
}
