//! The backups of `deploy/`: their commands as they stand there, run against the service.

use std::fs;
use std::path::Path;
use std::process::Command;

use otherwise::app::caller::Role;

use super::said;
use super::text;
use crate::support::child::program;
use crate::support::principal::with_key;
use crate::support::server::Server;

const KEY: &str = "0123456789abcdef0123456789abcdef";

fn server() -> Server {
    let operator = with_key("operator", Role::Operator, KEY);
    Server::set(&[], |settings| settings.principals = vec![operator])
}

/// Runs a script of `deploy/` with the places of this machine; gives the backup that it made, which is whole.
fn made_by(script: &str, address: &str, key: &str, backups: &str) {
    let server = server();
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).display().to_string();
    fs::create_dir(place("backups")).expect("made");
    fs::write(place("operator.key"), KEY).expect("written");
    let old = place("backups/otherwise-old.backup");
    let aged = Command::new("touch").args(["--date", "15 days ago", &old]).status();
    assert!(aged.is_ok_and(|aged| aged.success()));
    for named in ["/opt/otherwise/otherwise backup", address, key, backups] {
        assert!(script.contains(named), "{named} is not in {script}");
    }
    let script = script
        .replace("/opt/otherwise/otherwise", env!("CARGO_BIN_EXE_otherwise"))
        .replace(address, server.base())
        .replace(key, &place("operator.key"))
        .replace(backups, &place("backups"));
    let (well, told) = said(
        Command::new("sh")
            .args(["-euc", &script])
            .env_remove("OTHERWISE_CONFIG"),
    );
    assert!(well, "{script}\n{told}");
    let left: Vec<_> = fs::read_dir(place("backups"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    let [made] = left.as_slice() else {
        panic!("one is made, and the old one has gone: {left:?}")
    };
    let (well, told) = said(program(&["verify", "--backup"]).arg(made));
    assert!(well && told.contains("whole"), "{told}");
    let name = made.file_name().and_then(|name| name.to_str()).expect("a name");
    assert!(name.starts_with("otherwise-20") && name.ends_with("Z.backup"), "{name}");
    assert!(Path::new(made).is_file());
}

#[test]
fn the_backup_of_the_cluster_is_made_as_its_manifest_says() {
    let manifest = text("deploy/kubernetes/backup.yaml");
    let (_, rest) = manifest.split_once("args:\n                - |\n").expect("a script");
    let lines: Vec<&str> = rest
        .lines()
        .take_while(|line| line.starts_with("                  "))
        .collect();
    made_by(
        &lines.join("\n"),
        "http://otherwise:8080",
        "/run/operator/operator.key",
        "/backups",
    );
    let service = text("deploy/kubernetes/service.yaml");
    assert!(service.contains("name: otherwise\n") && service.contains("port: 8080\n"));
    assert!(text("deploy/kubernetes/kustomization.yaml").contains("backup.yaml"));
}

#[test]
fn the_backup_of_the_unit_is_made_as_it_says() {
    let unit = text("deploy/systemd/otherwise-backup.service");
    let after = |name: &str| {
        unit.lines()
            .find_map(|line| line.strip_prefix(name))
            .expect("a command")
    };
    let making = after("ExecStart=/bin/sh -c '")
        .trim_end_matches('\'')
        .replace("%%", "%");
    let making = making.strip_prefix("exec ").expect("nothing comes after it");
    // What systemd passes on without a shell is one word here too.
    let clearing = after("ExecStartPost=/usr/bin/").replace("otherwise-*.backup", "'otherwise-*.backup'");
    let script = format!("{making}\n{clearing}").replace("${STATE_DIRECTORY}", "$STATE_DIRECTORY");
    made_by(
        &script,
        "http://127.0.0.1:8080",
        "$CREDENTIALS_DIRECTORY/operator.key",
        "$STATE_DIRECTORY",
    );
    let timer = text("deploy/systemd/otherwise-backup.timer");
    assert!(timer.contains("OnCalendar="));
}
