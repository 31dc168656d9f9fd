//! Every command of the shell.

use std::fmt::Write as _;
use std::io::BufRead;
use std::io::BufReader;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use serde_json::json;

use super::Walk;
use super::program;
use super::shortened;

const FLIGHT: &str = include_str!("../../schemas/flight_booking_v1.json");
const SEATS: [&str; 4] = [
    "a window seat please",
    "I would like a window seat",
    "an aisle seat if possible",
    "I prefer an aisle seat",
];

/// Runs a command in a folder, shows what it said, and holds it to its exit code.
fn show(walk: &mut Walk, folder: &Path, command: &str, lines_max: usize, code: i32) {
    let arguments: Vec<&str> = command.split(' ').collect();
    let output = program(&arguments)
        .current_dir(folder)
        .env(
            "OTHERWISE_MODELS__FOLDER",
            concat!(env!("CARGO_MANIFEST_DIR"), "/models"),
        )
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{command}: {said}{told}");
    let lines: Vec<&str> = said.lines().collect();
    let cut = if lines.len() > lines_max { "…\n" } else { "" };
    let shown: String = lines.iter().take(lines_max).map(|line| format!("{line}\n")).collect();
    let _ = write!(
        walk.page,
        "\n```\n$ otherwise {command}\n{shown}{cut}# exit code {code}\n```\n"
    );
}

/// Runs a command that reads one message from standard input, and shows its answer.
fn converse(walk: &mut Walk, folder: &Path, command: &str, message: &Value) {
    let arguments: Vec<&str> = command.split(' ').collect();
    let mut child = program(&arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut written = child.stdin.take().expect("a pipe");
    writeln!(written, "{message}").expect("read");
    let mut line = String::new();
    let mut said = BufReader::new(child.stdout.take().expect("a pipe"));
    said.read_line(&mut line).expect("an answer");
    drop(written);
    let code = child.wait().expect("an end").code();
    let answer: Value = serde_json::from_str(&line).expect("JSON");
    let shown = serde_json::to_string_pretty(&shortened(&answer)).expect("JSON");
    let _ = write!(
        walk.page,
        "\n```\n$ echo '{message}' | otherwise {command}\n{shown}\n# exit code {}\n```\n",
        code.unwrap_or_default()
    );
    assert_eq!(code, Some(0), "{command}");
}

/// The seats' texts, as a file of texts has them.
fn texts() -> String {
    SEATS
        .iter()
        .enumerate()
        .map(|(number, text)| format!("{}\n", json!({"id": format!("t{number}"), "text": text})))
        .collect()
}

/// A stream of one client that wants the same thing again and again.
fn stream() -> String {
    (0..12)
        .map(|hour| {
            let line = json!({"at": format!("2026-05-01T{:02}:00:00Z", 8 + hour), "client": format!("agent-{}", hour % 6),
                "schema_id": "flight_booking_v1", "payload": {"origin": "PEK", "destination": "SHA",
                "departure_date": "2026-05-04", "other": SEATS[hour % SEATS.len()]}});
            format!("{line}\n")
        })
        .collect()
}

/// Commands that ask the running service.
fn remote(walk: &mut Walk, folder: &Path) {
    let at = format!("--url {} --name olga", walk.server.base());
    walk.say("A running service is published to, asked and submitted to from files.");
    let payload =
        json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "passenger_count": "2"});
    std::fs::write(folder.join("booking.json"), payload.to_string()).expect("written");
    let mut broken: Value = serde_json::from_str(FLIGHT).expect("a template");
    broken["schema_id"] = json!("flight_booking_v9");
    broken["version"] = json!("1.9.0");
    broken["keys"][0]["key_type"] = json!("integer");
    std::fs::write(folder.join("broken.json"), broken.to_string()).expect("written");
    for (command, lines_max, code) in [
        ("publish hotel_booking_v1.json", 8, 0),
        ("check broken.json", 8, 1),
        ("list", 4, 0),
        ("versions flight_booking", 4, 0),
        ("show flight_booking", 6, 0),
        ("pull flight_booking --format typescript --out flight.ts", 4, 0),
        ("submit flight_booking booking.json", 6, 1),
        ("submit flight_booking booking.json --repair", 6, 0),
        ("patches flight_booking", 6, 0),
        ("evidence flight_booking.p1", 6, 0),
    ] {
        show(walk, folder, &format!("{command} {at}"), lines_max, code);
    }
}

/// Walks to the end.
pub fn walk(walk: &mut Walk) {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for name in ["flight_booking_v1.json", "hotel_booking_v1.json"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas").join(name);
        std::fs::copy(from, folder.join(name)).expect("copied");
    }
    std::fs::write(folder.join("stream.jsonl"), stream()).expect("written");
    walk.chapter(
        "The command line",
        "Exit codes: 0 all is well, 1 something was found, 2 wrong usage, 3 the environment failed (disk, network). `--json` on each gives one \
         document for a program. `otherwise serve` is what everything above talked to.",
    );
    show(walk, folder, "lint flight_booking_v1.json", 8, 0);
    show(walk, folder, "diff flight_booking_v1.json hotel_booking_v1.json", 8, 1);
    let tool = json!({"name": "ride", "inputSchema": {"type": "object", "properties": {"zone": {"type": "string"}}}});
    std::fs::write(folder.join("tool.json"), tool.to_string()).expect("written");
    show(walk, folder, "import tool.json", 8, 0);
    show(walk, folder, "export flight_booking_v1.json --all", 12, 0);
    walk.say("A stream of submissions through the real engine, on a clock that runs faster:");
    let replay = "replay --template flight_booking_v1.json --stream stream.jsonl --explain";
    show(walk, folder, replay, 30, 0);
    walk.say("Texts alone, without a template: what the pool makes of each.");
    std::fs::write(folder.join("texts.jsonl"), texts()).expect("written");
    show(walk, folder, "replay --texts texts.jsonl", 30, 0);
    walk.say("A story in thirty days, of which these are two, and the journal that it leaves behind:");
    show(walk, folder, "demo --days 2 --keep data", 24, 0);
    show(walk, folder, "verify --data data", 5, 0);
    walk.say("A backup of that folder, checked, and restored elsewhere:");
    show(walk, folder, "backup --data data --out all.backup", 6, 0);
    show(walk, folder, "verify --backup all.backup", 6, 0);
    show(walk, folder, "restore --from all.backup --data elsewhere", 6, 0);
    remote(walk, folder);
    walk.say("Who audits works through the queue of a running service.");
    let audit = format!("audit --url {} --name olga --json", walk.server.base());
    show(walk, folder, &audit, 6, 0);
    walk.say("Whether a server keeps to the draft, this one or another, by what can be seen from outside:");
    let conformance = format!("conformance --url {} --scenario flight_booking", walk.server.base());
    show(walk, folder, &conformance, 30, 0);
    walk.say("The same server for a client of MCP that speaks over standard input and output:");
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "walker", "version": "1"}}});
    let command = format!("mcp --url {} --name ana", walk.server.base());
    converse(walk, folder, &command, &hello);
    show(walk, folder, "completions bash", 3, 0);
}
