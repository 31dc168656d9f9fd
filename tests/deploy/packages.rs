//! What is installed: it runs without the repository, and its bill of materials names every part with licence and sum.

use std::fs;
use std::io::BufRead;
use std::io::BufReader;
use std::path::Path;
use std::process::Command;
use std::process::Stdio;

use otherwise::adapters::embed::library;
use serde_json::Value;

use super::at;
use super::said;

#[test]
fn what_is_installed_runs_from_any_folder_without_the_repository() {
    let folder = tempfile::tempdir().expect("a folder");
    let prefix = folder.path().join("usr");
    let onnx = std::env::var("ORT_DYLIB_PATH").unwrap_or_else(|_| {
        let made = Path::new(library::PLACE).join(library::LIBRARY);
        at(&made.display().to_string()).display().to_string()
    });
    let install = || {
        let mut command = Command::new("sh");
        command.arg(at("tools/install.sh")).arg(env!("CARGO_BIN_EXE_otherwise"));
        said(command.arg(&onnx).arg(&prefix))
    };
    // The second time it takes the place of the first.
    for _ in 0..2 {
        let (well, told) = install();
        assert!(well, "{told}");
    }
    let share = prefix.join("share/otherwise");
    let left: Vec<_> = fs::read_dir(prefix.join("share")).expect("a folder").collect();
    assert_eq!(left.len(), 1, "nothing is left of the making");
    assert!(share.join("models/use-m-v3/SHA256SUMS").is_file() && share.join("LICENSE").is_file());

    let empty = folder.path().join("empty");
    fs::create_dir(&empty).expect("made");
    let mut child = Command::new(prefix.join("bin/otherwise"))
        .args(["serve", "--listen", "127.0.0.1:0"])
        .env_clear()
        .current_dir(&empty)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().expect("its output"));
    output.read_line(&mut line).expect("a line");
    let base = line.trim().strip_prefix("ready ").map(str::to_owned);
    let maps = fs::read_to_string(format!("/proc/{}/maps", child.id())).unwrap_or_default();
    let listed = base.and_then(|base| {
        let reply = ureq::get(format!("{base}/v1/scenarios")).call();
        reply.ok()?.body_mut().read_to_string().ok()
    });
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    assert!(
        listed.is_some_and(|listed| listed.contains("flight_booking_v1")),
        "{line}"
    );
    let loaded = share.join(library::LIBRARY);
    let loaded = fs::canonicalize(&loaded).expect("the library").display().to_string();
    assert!(maps.contains(&loaded), "another library was loaded than {loaded}");
}

#[test]
fn the_bill_of_materials_names_every_part_with_its_licence_and_its_sum() {
    let mut command = Command::new("python3");
    command
        .arg(at("tools/bom.py"))
        .args(["x86_64-unknown-linux-gnu", "1767225600"]);
    let output = command.output().expect("python3");
    let complaint = String::from_utf8_lossy(&output.stderr);
    let bill: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{complaint}"));
    let parts = bill["components"].as_array().expect("parts");
    for part in parts {
        let licence = &part["licenses"][0];
        assert!(
            licence["expression"].is_string() || licence["license"]["id"].is_string(),
            "{part}"
        );
        assert_eq!(part["hashes"][0]["content"].as_str().map(str::len), Some(64), "{part}");
    }
    let named = |name: &str| parts.iter().filter(|part| part["name"] == name).count();
    for name in ["actix-web", "sled", "ort", "onnxruntime", "minilm-l6-v2", "use-m-v3"] {
        assert_eq!(named(name), 1, "{name}");
    }
    // What only tests and builds use is not in the program.
    for name in ["insta", "proptest", "store", "text"] {
        assert_eq!(named(name), 0, "{name}");
    }
    assert_eq!(bill["metadata"]["timestamp"], "2026-01-01T00:00:00Z");
}
