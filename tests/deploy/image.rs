//! The image, the unit and the manifests: what they name is there, and their settings are ones that the service knows.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;

use otherwise::adapters::embed::library;
use otherwise::app::caller::Role;
use otherwise::config::Settings;
use otherwise::config::gather::Sources;
use regex::Regex;

use super::at;
use super::files;
use super::installed;
use super::said;
use super::text;
use crate::support::child::Program;

/// Lines of the container file with their continuations joined, comments left out.
fn instructions() -> Vec<String> {
    let file = text("deploy/Containerfile");
    let lines: Vec<&str> = file.lines().filter(|line| !line.starts_with('#')).collect();
    let joined = lines.join("\n").replace("\\\n", " ");
    joined
        .lines()
        .map(str::to_owned)
        .filter(|line| !line.is_empty())
        .collect()
}

#[test]
fn what_the_image_copies_is_there_and_is_sent_to_the_build() {
    let sent = text(".dockerignore");
    let mut copied = 0;
    for line in instructions().iter().filter(|line| line.starts_with("COPY ")) {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let from = words.iter().any(|word| word.starts_with("--from="));
        let paths: Vec<&&str> = words.iter().filter(|word| !word.starts_with("--")).collect();
        let (_, sources) = paths.split_last().expect("a target");
        for source in sources {
            if from {
                let made = source.strip_prefix("/build/").expect("a path of the build");
                let library = format!("{}/{}", library::PLACE, library::LIBRARY);
                assert!(made == "target/release/otherwise" || made == library, "{made}");
            } else {
                assert!(at(source).exists(), "{source}");
                assert!(
                    sent.lines().any(|line| line == format!("!{source}")),
                    "{source} is not sent"
                );
            }
            copied += 1;
        }
    }
    assert!(copied > 8);
    // Cargo.toml names these, so that cargo refuses to build without them.
    for named in ["tests/main.rs", "benches"] {
        assert!(sent.lines().any(|line| line == format!("!{named}")), "{named}");
    }
}

/// What the container file copies from the repository before it builds the program.
fn copied_for_the_build() -> Vec<String> {
    let lines = instructions();
    let copies = lines
        .iter()
        .take_while(|line| !line.contains("cargo build"))
        .filter_map(|line| line.strip_prefix("COPY "));
    copies
        .flat_map(|line| {
            let (sources, _) = line.rsplit_once(' ').expect("a target");
            sources.split(' ').map(str::to_owned).collect::<Vec<_>>()
        })
        .collect()
}

/// Files that the program takes into itself: those that sources name outside their tests.
fn taken_in() -> BTreeSet<PathBuf> {
    let macros = Regex::new(r#"\binclude(?:_str|_bytes)?!\(\s*"([^"]+)"\s*,?\s*\)"#).expect("a pattern");
    // Files of a folder, each by a name that a macro is given.
    let folders = r#"\binclude_bytes!\(concat!\(env!\("CARGO_MANIFEST_DIR"\), "/([^"]+)/", \$name\)\)"#;
    let folders = Regex::new(folders).expect("a pattern");
    let any = Regex::new(r"\binclude(?:_str|_bytes)?!").expect("a pattern");
    let mut taken = BTreeSet::new();
    for path in sources(&at("src")).into_iter().chain(sources(&at("crates"))) {
        if path.ends_with("tests.rs") || path.iter().any(|part| part == "tests") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source");
        let own = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        assert_eq!(
            macros.captures_iter(own).count() + folders.captures_iter(own).count(),
            any.find_iter(own).count(),
            "{}: a file is named in a way that is not read here",
            path.display()
        );
        taken.extend(folders.captures_iter(own).map(|found| PathBuf::from(&found[1])));
        let folder = path.parent().expect("a folder");
        for found in macros.captures_iter(own) {
            let file = folder.join(&found[1]).canonicalize().expect("a file that is there");
            taken.insert(file.strip_prefix(at("")).expect("in the repository").to_owned());
        }
    }
    taken
}

/// Every Rust file below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn what_the_program_is_built_from_is_copied_before_it_is_built() {
    let copied = copied_for_the_build();
    let is_copied = |path: &Path| copied.iter().any(|source| path.starts_with(source));
    let taken = taken_in();
    assert!(taken.contains(Path::new("schemas/flight_booking_v1.json")), "{taken:?}");
    assert!(taken.len() > 5, "{taken:?}");
    for path in &taken {
        assert!(is_copied(path), "{} is not copied", path.display());
    }
    // What cargo itself wants to see: the manifest, the lock, each target that the manifest names, a script if there is one.
    let manifest = text("Cargo.toml");
    let path = Regex::new(r#"(?m)^(?:path|build) = "([^"]+)""#).expect("a pattern");
    let named = path.captures_iter(&manifest).map(|found| found[1].to_owned());
    let needed = ["Cargo.toml", "Cargo.lock", "src/main.rs", "src/lib.rs"].map(str::to_owned);
    for path in needed.into_iter().chain(named) {
        assert!(is_copied(Path::new(&path)), "{path} is not copied");
    }
    assert!(!at("build.rs").exists() || is_copied(Path::new("build.rs")));
}

#[test]
fn versions_are_pinned_and_the_ones_that_the_repository_names() {
    let toolchain = text("rust-toolchain.toml");
    let rust = toolchain.split('"').nth(1).expect("a channel");
    let container = text("deploy/Containerfile");
    assert!(container.contains(&format!("rust:{rust}-slim-bookworm")), "{rust}");
    assert!(container.contains(&format!("RUSTUP_TOOLCHAIN={rust}")), "{rust}");
    let own = env!("CARGO_PKG_VERSION");
    let image = Regex::new(r"(?m)^(?:FROM|\s*image:) (\S+)").expect("a pattern");
    for (path, text) in files() {
        for found in image.captures_iter(&text) {
            let named = &found[1];
            let (name, tag) = named.rsplit_once(':').unwrap_or((named, ""));
            assert!(tag.contains('.'), "{}: {named}", path.display());
            assert!(name != "otherwise" || tag == own, "{named}");
        }
    }
    assert!(text("deploy/kubernetes/kustomization.yaml").contains(&format!("newTag: {own}\n")));
}

#[test]
fn every_setting_that_is_named_is_one() {
    let setting = Regex::new(r"\bOTHERWISE_[A-Z]+__[A-Z_]+\b").expect("a pattern");
    let mut named = 0;
    for (path, text) in files() {
        for name in setting.find_iter(&text) {
            named += 1;
            let environment = vec![(name.as_str().to_owned(), "?".to_owned())];
            let gathered = Settings::gather(&Sources {
                environment,
                ..Sources::default()
            });
            // A value may be wrong; the name must not be.
            let wrong = gathered.err().map(|error| error.0).unwrap_or_default();
            assert!(!wrong.contains("there is no setting"), "{}: {wrong}", path.display());
        }
    }
    assert!(named > 6);
}

#[test]
fn the_script_that_makes_keys_says_how_it_is_called() {
    let folder = tempfile::tempdir().expect("a folder");
    let call = |words: &[&str]| {
        let mut command = Command::new("sh");
        said(command.arg(at("deploy/keys.sh")).args(words).current_dir(folder.path()))
    };
    let (well, told) = call(&["--help"]);
    assert!(well && told.contains("usage: sh deploy/keys.sh [FOLDER]"), "{told}");
    for words in [&["-x"][..], &["a", "b"]] {
        let (well, told) = call(words);
        assert!(!well && told.contains("see --help"), "{told}");
    }
    assert!(fs::read_dir(folder.path()).expect("a folder").next().is_none());
}

#[test]
fn the_keys_that_are_made_are_those_of_the_settings_and_are_made_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = folder.path().join("keys");
    let make = || said(Command::new("sh").arg(at("deploy/keys.sh")).arg(&keys));
    let (well, told) = make();
    assert!(well, "{told}");
    let written = fs::read_to_string(keys.join("otherwise.toml")).expect("settings");
    let settings = Settings::gather(&Sources {
        file: Some(("otherwise.toml".to_owned(), written.clone())),
        ..Sources::default()
    });
    let principals = settings.expect("right settings").principals;
    let who: Vec<(&str, &[Role])> = principals
        .iter()
        .map(|principal| (principal.name.as_str(), principal.roles.as_slice()))
        .collect();
    assert_eq!(
        who,
        [
            ("publisher", &[Role::Publisher][..]),
            ("client", &[Role::Client]),
            ("operator", &[Role::Operator]),
            ("prometheus", &[Role::Auditor]),
        ]
    );
    for principal in &principals {
        let key = fs::read_to_string(keys.join(format!("{}.key", principal.name))).expect("a key");
        assert_eq!(key.len(), 64, "{}", principal.name);
    }
    let (well, told) = make();
    assert!(!well && told.contains("is there already"), "{told}");
    assert_eq!(
        fs::read_to_string(keys.join("otherwise.toml")).expect("settings"),
        written
    );
}

#[test]
fn the_health_check_tells_ready_from_everything_else() {
    if !installed("bash", "the health check of the image is not tried") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let [data, log] = ["data", "log"].map(|name| folder.path().join(name));
    let program = Program::serve(&data, &at("schemas"), &log, &[]);
    let base = program.base().to_owned();
    let (_, address) = base.split_once("//").expect("an address");
    let (host, port) = address.split_once(':').expect("a port");
    let healthy = |path: &str| {
        let (well, _) = said(
            Command::new("bash")
                .arg(at("deploy/health.sh"))
                .args([host, port, path]),
        );
        well
    };
    assert!(healthy("/readyz"));
    assert!(healthy("/healthz"));
    assert!(!healthy("/no/such/path"));
    program.kill();
    assert!(!healthy("/readyz"), "nobody answers");
}

#[test]
fn the_manifests_go_together() {
    if !installed("kubectl", "the Kubernetes manifests are not put together") {
        return;
    }
    let (well, all) = said(Command::new("kubectl").arg("kustomize").arg(at("deploy/kubernetes")));
    assert!(well, "{all}");
    for kind in [
        "Namespace",
        "StatefulSet",
        "Service",
        "PodDisruptionBudget",
        "NetworkPolicy",
    ] {
        assert!(all.contains(&format!("kind: {kind}\n")), "{kind}");
    }
    for line in [
        "replicas: 1",
        "path: /healthz",
        "path: /readyz",
        "port: plain",
        "readOnlyRootFilesystem: true",
    ] {
        assert!(all.contains(line), "{line}");
    }
    // The pod, and what selects it: StatefulSet, Service, budget, policy.
    let label = "app.kubernetes.io/name: otherwise\n";
    let selected = Regex::new(&format!(r"(?:matchLabels|selector):\n\s+{label}")).expect("a pattern");
    assert_eq!(selected.find_iter(&all).count(), 4, "{all}");
    assert!(all.contains(&format!("      labels:\n        {label}")), "{all}");
}

#[test]
fn a_backup_starts_no_service_that_was_stopped() {
    let unit = text("deploy/systemd/otherwise-backup.service");
    let lines: Vec<&str> = unit.lines().collect();
    assert!(lines.contains(&"Requisite=otherwise.service") && lines.contains(&"After=otherwise.service"));
    let pulls = ["Requires=", "Wants=", "BindsTo=", "Upholds="];
    assert!(
        !lines.iter().any(|line| pulls.iter().any(|pull| line.starts_with(pull))),
        "{unit}"
    );
}

#[test]
fn a_reload_of_the_unit_renews_the_copy_of_the_settings_before_the_signal() {
    let unit = text("deploy/systemd/otherwise.service");
    let of = |name: &str| {
        unit.lines()
            .filter_map(|line| line.strip_prefix(name))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (copy, reload) = (of("ExecStartPre="), of("ExecReload="));
    assert_eq!(reload, [copy[0].clone(), "/bin/kill -HUP $MAINPID".to_owned()]);
    assert!(of("ExecStart=")[0].ends_with("--config ${RUNTIME_DIRECTORY}/otherwise.toml"));
    // The command as it stands, with folders of this test.
    let folder = tempfile::tempdir().expect("a folder");
    let [root, own] = ["etc", "run"].map(|name| folder.path().join(name));
    for made in [&root, &own] {
        fs::create_dir(made).expect("made");
    }
    let command = copy[0]
        .strip_prefix("+/bin/sh -c '")
        .and_then(|rest| rest.strip_suffix('\''))
        .expect("a command");
    let command = command
        .replace("/etc/otherwise", &root.display().to_string())
        .replace("%%", "%");
    for text in ["a = 1", "a = 2"] {
        fs::write(root.join("otherwise.toml"), text).expect("written");
        let ended = Command::new("sh")
            .args(["-c", &command])
            .env("RUNTIME_DIRECTORY", &own)
            .status();
        assert!(ended.expect("it runs").success());
        assert_eq!(fs::read_to_string(own.join("otherwise.toml")).expect("the copy"), text);
    }
}

#[test]
fn the_unit_is_right_and_keeps_the_service_in_bounds() {
    if !installed("systemd-analyze", "the systemd unit is not looked at") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let unit = folder.path().join("otherwise.service");
    let program = Path::new(env!("CARGO_BIN_EXE_otherwise")).display().to_string();
    let written =
        text("deploy/systemd/otherwise.service").replace("/opt/otherwise/otherwise serve", &format!("{program} serve"));
    assert!(written.contains(&program));
    fs::write(&unit, written).expect("written");
    let (well, told) = said(Command::new("systemd-analyze").arg("verify").arg(&unit));
    assert!(well && !told.contains("otherwise.service"), "{told}");
    // The exposure in tenths: 2.0 is far below what systemd calls medium.
    let bounds = ["security", "--offline=true", "--threshold=20", "--no-pager"];
    let (well, told) = said(Command::new("systemd-analyze").args(bounds).arg(&unit));
    assert!(well, "{told}");

    for name in ["otherwise-backup.service", "otherwise-backup.timer"] {
        let written =
            text(&format!("deploy/systemd/{name}")).replace("/opt/otherwise/otherwise backup", "/bin/true backup");
        fs::write(folder.path().join(name), written).expect("written");
    }
    for name in ["otherwise-backup.service", "otherwise-backup.timer"] {
        let (well, told) = said(
            Command::new("systemd-analyze")
                .arg("verify")
                .arg(folder.path().join(name)),
        );
        assert!(well && !told.contains("otherwise-backup"), "{told}");
    }
    let backup = folder.path().join("otherwise-backup.service");
    let (well, told) = said(Command::new("systemd-analyze").args(bounds).arg(&backup));
    assert!(well, "{told}");
}
