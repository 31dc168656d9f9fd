//! The house tests itself: storeys, purity, names, comments, dead files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::path::PathBuf;

/// From the ground up; imports run downward only.
const STOREYS: [&str; 12] = [
    "domain/name",
    "domain/time",
    "domain/template",
    "domain/exchange",
    "domain/pool",
    "domain/evolution",
    "domain/scenario",
    "domain/namespace",
    "domain/task",
    "domain/context",
    "service",
    "edge",
];
/// Edge folders that others of the edge may import.
const SHARED_EDGE: [&str; 4] = ["wire", "settings", "clock", "outbound"];
/// Mouths that are spoken over HTTP, so that `http` may carry them; they know nothing of it.
const CARRIED: [&str; 3] = ["rpc", "mcp", "a2a"];
/// Edge files that know all parts.
const EDGE_CONDUCTORS: [&str; 2] = ["boot", "cli"];
/// Words that the domain must not know.
const WORLD: [&str; 14] = [
    "std::fs",
    "std::net",
    "std::env",
    "std::thread",
    "std::process",
    "tokio::",
    "tracing::",
    "actix_web",
    "SystemTime",
    "Instant::",
    "HashMap",
    "HashSet",
    "println!",
    "async fn",
];
/// Names that say nothing.
const EMPTY_NAMES: [&str; 6] = ["utils", "util", "helpers", "helper", "manager", "common"];
/// Lines of a file, its tests left out, after which it is too long to be one thing.
const LINES_MAX: usize = 640;

struct SourceFile {
    path: PathBuf,
    /// Whether it is compiled for tests alone.
    only_tests: bool,
    /// Path under `src` without `.rs` and `/mod`.
    room: String,
    text: String,
}

fn sources() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    assert!(files.len() > 30, "the house is looked for in the wrong place");
    let mut files: Vec<SourceFile> = files
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a source file");
            let room = path.strip_prefix(&root).expect("under src").with_extension("");
            let room = room.to_string_lossy().replace('\\', "/");
            let room = room.strip_suffix("/mod").unwrap_or(&room).to_owned();
            SourceFile {
                path,
                only_tests: false,
                room,
                text,
            }
        })
        .collect();
    let only_tests: BTreeSet<String> = files
        .iter()
        .flat_map(|file| doors(file).filter(|door| door.only_tests).map(|door| door.room))
        .collect();
    for file in &mut files {
        file.only_tests = only_tests
            .iter()
            .any(|room| &file.room == room || file.room.starts_with(&format!("{room}/")));
    }
    files
}

/// A `mod name;` line.
struct Door {
    room: String,
    only_tests: bool,
}

/// The doors that a file opens.
fn doors(file: &SourceFile) -> impl Iterator<Item = Door> + '_ {
    let folder = if file.room == "lib" {
        String::new()
    } else {
        format!("{}/", file.room)
    };
    let mut before = "";
    file.text.lines().filter_map(move |line| {
        let only_tests = before.trim() == "#[cfg(test)]";
        before = line;
        let line = line.trim().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        let name = line.strip_prefix("mod ")?.strip_suffix(';')?;
        Some(Door {
            room: format!("{folder}{name}"),
            only_tests,
        })
    })
}

/// The files of the product itself.
fn product() -> impl Iterator<Item = SourceFile> {
    sources().into_iter().filter(|file| !file.only_tests)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The storey of a room such as `domain/pool/look`; `None` for lib and main.
fn storey(room: &str) -> Option<usize> {
    STOREYS
        .iter()
        .position(|storey| room == *storey || room.starts_with(&format!("{storey}/")))
}

/// The code of a file: comments and everything from its test module on left out.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .take_while(|(_, line)| !line.starts_with("mod tests"))
        .map(|(number, line)| (number + 1, line.split("//").next().unwrap_or("")))
}

/// Every `crate::…` path that a line names, as rooms.
fn named_rooms(line: &str) -> impl Iterator<Item = String> + '_ {
    line.split("crate::").skip(1).map(|rest| {
        let path: String = rest
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_' || *c == ':')
            .collect();
        path.trim_end_matches(':').replace("::", "/")
    })
}

#[test]
fn imports_run_downward_only() {
    let mut wrong = Vec::new();
    for file in product() {
        let Some(own) = storey(&file.room) else { continue };
        for (number, line) in code(&file.text) {
            for room in named_rooms(line) {
                if storey(&room).is_some_and(|named| named > own) {
                    wrong.push(format!("{}:{number} names {room}", file.room));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "these look up instead of down:\n{}", wrong.join("\n"));
}

#[test]
fn edge_rooms_do_not_know_each_other() {
    let room_of = |path: &str| {
        path.strip_prefix("edge/")
            .and_then(|rest| rest.split('/').next())
            .map(str::to_owned)
    };
    let mut wrong = Vec::new();
    for file in product() {
        let Some(own) = room_of(&file.room) else { continue };
        if EDGE_CONDUCTORS.contains(&own.as_str()) {
            continue;
        }
        for (number, line) in code(&file.text) {
            for named in named_rooms(line).filter_map(|room| room_of(&room)) {
                let carried = own == "http" && CARRIED.contains(&named.as_str());
                if named != own && !carried && !SHARED_EDGE.contains(&named.as_str()) {
                    wrong.push(format!("{}:{number} names edge/{named}", file.room));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "these knock at a neighbour's door:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn the_domain_does_not_know_the_world() {
    let mut wrong = Vec::new();
    for file in product().filter(|file| file.room.starts_with("domain")) {
        for (number, line) in code(&file.text) {
            for word in WORLD.iter().filter(|word| line.contains(**word)) {
                wrong.push(format!("{}:{number} says {word}", file.room));
            }
        }
    }
    assert!(wrong.is_empty(), "these touch the world:\n{}", wrong.join("\n"));
}

#[test]
fn one_path_stands_in_each_use_line_and_nothing_is_exported_twice() {
    let mut wrong = Vec::new();
    for file in sources() {
        for (number, line) in code(&file.text) {
            let line = line.trim_start();
            if (line.starts_with("use ") || line.starts_with("pub use ")) && line.contains('{') {
                wrong.push(format!("{}:{number} {line}", file.room));
            }
            if line.starts_with("pub use ") {
                wrong.push(format!("{}:{number} {line}", file.room));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_says_what_it_is_and_is_not_too_long() {
    let mut wrong = Vec::new();
    for file in sources() {
        if !file.text.starts_with("//!") {
            wrong.push(format!("{} does not open with //!", file.path.display()));
        }
        let lines = code(&file.text).count();
        if lines > LINES_MAX && !file.only_tests {
            wrong.push(format!("{} has {lines} lines", file.path.display()));
        }
        let name = file.room.rsplit('/').next().unwrap_or_default();
        if EMPTY_NAMES.contains(&name) {
            wrong.push(format!("{} says nothing by its name", file.path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_is_left_unfinished() {
    let mut wrong = Vec::new();
    for file in sources() {
        for (number, line) in file.text.lines().enumerate() {
            for word in ["todo!(", "unimplemented!(", "dbg!(", "TODO", "FIXME", "XXX"] {
                if line.contains(word) {
                    wrong.push(format!("{}:{} says {word}", file.room, number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_file_is_dead() {
    let files = sources();
    let rooms: BTreeSet<&str> = files.iter().map(|file| file.room.as_str()).collect();
    let mut declared: BTreeSet<String> = BTreeSet::from(["lib".to_owned(), "main".to_owned()]);
    declared.extend(files.iter().flat_map(doors).map(|door| door.room));
    let dead: Vec<&&str> = rooms.iter().filter(|room| !declared.contains(**room)).collect();
    assert!(dead.is_empty(), "nobody opens the door to {dead:?}");
}
