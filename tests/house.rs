//! The house tests itself: circles, purity, names, comments, dead files.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::path::PathBuf;

/// Crates that decide: no clock, no input or output, no randomness, no async. Cargo holds the order in which they build on each other.
const PURE: [&str; 4] = ["text", "schema", "engine", "context"];
/// The largest circle of files that each crate still has; nothing may raise one.
const CIRCLES_MAX: [(&str, usize); 8] = [
    ("client", 0),
    ("conformance", 0),
    ("context", 0),
    ("engine", 0),
    ("otherwise", 0),
    ("schema", 0),
    ("store", 0),
    ("text", 0),
];
/// Folders that touch the world or speak a protocol: they do not import each other, but for what `MAY_IMPORT` allows.
const EDGE: [&str; 9] = [
    "adapters", "auth", "config", "a2a", "http", "mcp", "metrics", "rpc", "wire",
];
/// What others of the edge may import: forms, settings, the clock and the way out.
const MAY_IMPORT: [&str; 5] = [
    "wire",
    "config",
    "adapters/clock",
    "adapters/outbound",
    "adapters/text_file",
];
/// Transports that are spoken over HTTP, so that `http` may carry them; they know nothing of it.
const CARRIED: [&str; 3] = ["rpc", "mcp", "a2a"];
/// Words that a pure crate must not know.
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
const LINES_MAX: usize = 600;

struct SourceFile {
    path: PathBuf,
    /// Whether it is compiled for tests alone.
    only_tests: bool,
    /// `otherwise`, `conformance`, or the folder under `crates`.
    home: String,
    /// Path under `src` without `.rs` and `/mod`.
    room: String,
    text: String,
}

impl SourceFile {
    fn name(&self) -> String {
        format!("{}:{}", self.home, self.room)
    }
}

fn sources() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(root.join("crates")).expect("the crates");
    let crates = crates
        .map(|entry| entry.expect("an entry").path())
        .chain([root.join("conformance")]);
    let mut files: Vec<SourceFile> = crates
        .filter(|home| home.join("src").is_dir())
        .map(|home| {
            let name = home.file_name().expect("a name").to_string_lossy().into_owned();
            (name, home.join("src"))
        })
        .chain([("otherwise".to_owned(), root.join("src"))])
        .flat_map(|(home, root)| of_crate(&home, &root))
        .collect();
    assert!(files.len() > 30, "the house is looked for in the wrong place");
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

fn of_crate(home: &str, root: &Path) -> Vec<SourceFile> {
    let mut paths = Vec::new();
    collect(root, &mut paths);
    let mut files: Vec<SourceFile> = paths
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a source file");
            let room = path.strip_prefix(root).expect("under src").with_extension("");
            let room = room.to_string_lossy().replace('\\', "/");
            let room = room.strip_suffix("/mod").unwrap_or(&room).to_owned();
            SourceFile {
                path,
                only_tests: false,
                home: home.to_owned(),
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

/// The code of a file: comments and everything from its test module on left out.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .take_while(|(_, line)| !line.starts_with("mod tests"))
        .map(|(number, line)| (number + 1, line.split("//").next().unwrap_or("")))
}

/// Every `crate::…` path that a line names, as rooms.
fn named_rooms(line: &str) -> impl Iterator<Item = String> + '_ {
    line.split("crate::").skip(1).map(path_in)
}

/// The path that a text begins with, as a room.
fn path_in(text: &str) -> String {
    let path: String = text
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_' || *c == ':')
        .collect();
    path.trim_end_matches(':').replace("::", "/")
}

/// For each file of a crate, by its room, the files that it names; the modules that it stands in, and those that it declares, are
/// no circle.
fn named_files(files: &[&SourceFile]) -> BTreeMap<String, BTreeSet<String>> {
    let rooms: BTreeSet<&str> = files.iter().map(|file| file.room.as_str()).collect();
    let mut named = BTreeMap::new();
    for file in files {
        let parent = file.room.rsplit_once('/').map_or("", |(parent, _)| parent);
        let from_parent = |line: &str| -> Vec<String> {
            let each = line
                .split("super::")
                .skip(1)
                .map(|rest| format!("{parent}/{}", path_in(rest)));
            each.map(|path| path.trim_start_matches('/').to_owned()).collect()
        };
        let mut own = BTreeSet::new();
        for (_, line) in code(&file.text) {
            for path in named_rooms(line).chain(from_parent(line)) {
                let mut path = path.as_str();
                while !path.is_empty() && !rooms.contains(path) {
                    path = path.rsplit_once('/').map_or("", |(parent, _)| parent);
                }
                let stands_in = file.room == path || file.room.starts_with(&format!("{path}/"));
                if !path.is_empty() && !stands_in {
                    own.insert(path.to_owned());
                }
            }
        }
        named.insert(file.room.clone(), own);
    }
    named
}

/// All that can be reached from a file.
fn reached(named: &BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from.to_owned()];
    while let Some(file) = open.pop() {
        for next in named.get(&file).into_iter().flatten() {
            if reached.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    reached
}

#[test]
fn circles_of_files_do_not_grow() {
    let sources: Vec<SourceFile> = product().collect();
    let mut largest = BTreeMap::new();
    for (home, _) in CIRCLES_MAX {
        let files: Vec<&SourceFile> = sources.iter().filter(|file| file.home == home).collect();
        let named = named_files(&files);
        let reached: BTreeMap<&str, BTreeSet<String>> = named
            .keys()
            .map(|file| (file.as_str(), reached(&named, file)))
            .collect();
        let circle = |file: &str| {
            let back = reached[file]
                .iter()
                .filter(|other| reached[other.as_str()].contains(file));
            back.cloned().collect::<Vec<_>>()
        };
        let circles = reached.keys().map(|file| circle(file));
        let circle = circles.max_by_key(Vec::len).unwrap_or_default();
        largest.insert(home, circle);
    }
    let sizes: Vec<(&str, usize)> = largest.iter().map(|(home, circle)| (*home, circle.len())).collect();
    assert_eq!(sizes, CIRCLES_MAX, "{largest:#?}");
}

#[test]
fn folders_of_the_edge_do_not_know_each_other() {
    let room_of = |path: &str| {
        let mut parts = path.split('/');
        let first = parts.next().filter(|first| EDGE.contains(first))?;
        let second = parts.next().filter(|_| first == "adapters");
        Some(second.map_or(first.to_owned(), |second| format!("{first}/{second}")))
    };
    let mut wrong = Vec::new();
    for file in product().filter(|file| file.home == "otherwise") {
        let in_app = file.room.starts_with("app/") || file.room.starts_with("api/");
        let own = room_of(&file.room);
        if own.is_none() && !in_app {
            continue;
        }
        let own = own.unwrap_or_default();
        for (number, line) in code(&file.text) {
            for named in named_rooms(line).filter_map(|room| room_of(&room)) {
                let carried = own == "http" && CARRIED.contains(&named.as_str());
                let shared = !in_app && MAY_IMPORT.contains(&named.as_str());
                if named != own && !carried && !shared {
                    wrong.push(format!("{}:{number} names {named}", file.room));
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
fn what_decides_does_not_know_the_world() {
    let mut wrong = Vec::new();
    for file in product().filter(|file| PURE.contains(&file.home.as_str())) {
        for (number, line) in code(&file.text) {
            for word in WORLD.iter().filter(|word| line.contains(**word)) {
                wrong.push(format!("{}:{number} says {word}", file.name()));
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
                wrong.push(format!("{}:{number} {line}", file.name()));
            }
            // Who uses the client from outside the repository meets its names in one place.
            if line.starts_with("pub use ") && file.name() != "client:lib" {
                wrong.push(format!("{}:{number} {line}", file.name()));
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
                    wrong.push(format!("{}:{} says {word}", file.name(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_file_is_dead() {
    let files = sources();
    let mut declared = BTreeSet::new();
    for file in &files {
        declared.insert(format!("{}:lib", file.home));
        declared.extend(doors(file).map(|door| format!("{}:{}", file.home, door.room)));
    }
    declared.extend(["otherwise:main", "conformance:main"].map(str::to_owned));
    let dead: Vec<String> = files
        .iter()
        .map(SourceFile::name)
        .filter(|name| !declared.contains(name))
        .collect();
    assert!(dead.is_empty(), "nobody opens the door to {dead:?}");
}
