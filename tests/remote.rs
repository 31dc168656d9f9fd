//! A scenario's whole life by the command line alone, at the real service; and the checks that run where schemas are merged.

mod ci;

mod rust_client;

use std::io::BufRead;
use std::io::BufReader;
use std::io::Write;
use std::path::Path;
use std::process::Output;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;

use crate::support::child::program;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::wishes::SEAT;

const FLIGHT: &str = include_str!("../schemas/flight_booking_v1.json");

/// The shipped flight booking, whose keys wait for a person after a few wishes, as this version.
fn flight(id: &str, version: &str) -> Value {
    let mut template: Value = serde_json::from_str(FLIGHT).expect("a template");
    template["schema_id"] = json!(id);
    template["version"] = json!(version);
    template["policy"] = json!({
        "pool": {"look_every_fragments": 4, "gate_occurrences_min": 4, "gate_clients_min": 3, "mature_members_min": 4},
        "evolution": {"autonomy": "review"},
    });
    template
}

fn write(folder: &Path, name: &str, document: &Value) {
    std::fs::write(folder.join(name), format!("{document:#}")).expect("written");
}

/// Somebody at a terminal.
struct Person<'a> {
    server: &'a Server,
    folder: &'a Path,
}

impl Person<'_> {
    /// Runs a line of words by a name, with this on standard input.
    fn run(&self, name: &str, line: &str, input: &str) -> Output {
        let words: Vec<&str> = line
            .split(' ')
            .chain(["--url", self.server.base(), "--name", name])
            .collect();
        let mut child = program(&words)
            .current_dir(self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        // Who reads nothing of it may have ended.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("it ends");
        self.server.settle();
        output
    }

    /// What a line says to a person, and the exit code that it must end with.
    #[track_caller]
    fn says(&self, line: &str, code: i32) -> String {
        let output = self.run("olga", line, "");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{line}: {said}{told}");
        said + &told
    }

    /// What a line says to a program.
    #[track_caller]
    fn document(&self, line: &str, code: i32) -> Value {
        let output = self.run("olga", &format!("{line} --json"), "");
        assert_eq!(output.status.code(), Some(code), "{line}: {output:?}");
        serde_json::from_slice(&output.stdout).expect("one document")
    }
}

#[test]
fn a_scenario_lives_from_publication_to_a_learned_key_by_the_command_line_alone_z105_z127() {
    let (server, folder) = (Server::with(&[]), tempfile::tempdir().expect("a folder"));
    let folder = folder.path();
    let person = Person {
        server: &server,
        folder,
    };
    write(folder, "v1.json", &flight("flight_booking_v1", "1.0.0"));

    // Published.
    let tried = person.says("publish v1.json --dry-run", 0);
    assert!(
        tried.contains("flight_booking_v1 1.0.0 can be published") && tried.ends_with("nothing was written\n"),
        "{tried}"
    );
    has(&person.document("list", 0), json!({"command": "list", "scenarios": []}));
    assert!(
        person
            .says("publish v1.json", 0)
            .contains("flight_booking_v1 1.0.0 is published")
    );
    assert!(person.says("list --query flights", 0).starts_with("flight_booking "));
    assert!(
        person
            .says("versions flight_booking", 0)
            .contains("flight_booking_v1  published, in force")
    );
    let shown = person.says("show flight_booking", 0);
    assert!(shown.contains("\n  origin  (string, required)\n"), "{shown}");
    assert!(
        person
            .says("show flight_booking --format gbnf", 0)
            .starts_with("root ::=")
    );
    assert!(person.says("show flight_bookin", 2).contains("404"));

    // Checked: what is added is well, what breaks is named and neither checked nor published.
    let mut wider = flight("flight_booking_v1_1", "1.1.0");
    let meal = json!({"key_name": "meal", "key_type": "string", "required": false, "semantic_description": "The meal: 'vegan' -> 'vegan'."});
    wider["keys"].as_array_mut().expect("keys").push(meal);
    write(folder, "v1_1.json", &wider);
    assert!(
        person
            .says("check v1_1.json", 0)
            .contains("flight_booking_v1_1 1.1.0 can be published")
    );
    let mut broken = wider.clone();
    broken["keys"][4]["key_type"] = json!("boolean");
    broken["keys"][4]["default_value"] = json!(true);
    broken["keys"][4]["constraints"] = json!({});
    broken["keys"][4]["semantic_description"] = json!("Whether somebody else comes along: 'two people' -> true.");
    write(folder, "broken.json", &broken);
    let said = person.says("check v1_1.json broken.json", 1);
    assert!(
        said.contains("broken.json: flight_booking_v1_1 cannot be published"),
        "{said}"
    );
    assert!(
        said.contains("  breaking   `passenger_count`: type integer -> boolean"),
        "{said}"
    );
    let annotated = person.says("check broken.json --format github", 1);
    let line = std::fs::read_to_string(folder.join("broken.json")).expect("the file");
    let key = line
        .lines()
        .position(|line| line.contains("passenger_count"))
        .expect("the key");
    // The key's object begins a line before its name.
    assert!(
        annotated.contains(&format!("::error file=broken.json,line={key},title=Breaks")),
        "{annotated}"
    );
    has(
        &person.document("publish broken.json", 1),
        json!({"ending": "findings", "files/0/well": false, "files/0/answer/code": "incompatible"}),
    );
    assert!(
        person
            .says("publish v1.json nowhere.json", 2)
            .contains("nowhere.json cannot be read")
    );
    assert_eq!(
        person.document("versions flight_booking", 0)["versions"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );

    // Submitted: refused with its repair, repaired, read from standard input.
    let booking = |more: &Value| {
        let mut payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"});
        for (name, value) in more.as_object().expect("members") {
            payload[name] = value.clone();
        }
        payload
    };
    write(folder, "wrong.json", &booking(&json!({"passenger_count": "2"})));
    let wrong = person.says("submit flight_booking wrong.json", 1);
    assert!(
        wrong.contains("  repair   replace /payload/passenger_count 2\n"),
        "{wrong}"
    );
    write(folder, "class.json", &booking(&json!({"cabin_class": "steerage"})));
    let wrong = person.says("submit flight_booking class.json", 1);
    assert!(
        wrong.contains(r#"must be one of "economy", "premium_economy", "business", "first""#),
        "{wrong}"
    );
    let whole = json!({"schema_id": "flight_booking_v1", "payload": {"origin": "PEK"}});
    let refused = person.run("olga", "submit flight_booking -", &whole.to_string());
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("give what stands under its `payload` alone"));
    let mended = person.document("submit flight_booking wrong.json --repair --utterance two", 0);
    has(
        &mended,
        json!({"exchange/status": "accepted", "payload/passenger_count": 2}),
    );
    assert_eq!(
        person.run("olga", "submit flight_booking -", "[1]").status.code(),
        Some(2)
    );

    // Followed, while what nobody foresaw is asked for by several, and learned.
    let words = ["watch", "flight_booking", "--url", server.base(), "--name", "wanda"];
    let mut watcher = program(&words).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut changes = BufReader::new(watcher.stdout.take().expect("a pipe")).lines();
    for (number, said) in SEAT.iter().enumerate() {
        let payload = booking(&json!({"other": said})).to_string();
        let name = format!("agent-{}", number % 5);
        let output = person.run(&name, "submit flight_booking -", &payload);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    let patches = person.document("patches flight_booking", 0);
    has(
        &patches,
        json!({"patches/0/patch_id": "flight_booking.p1", "patches/0/stage": "awaiting_approval"}),
    );
    let key = patches["patches"][0]["new_keys"][0]["key_name"]
        .as_str()
        .expect("a name")
        .to_owned();
    let grounds = person.says("evidence flight_booking.p1", 0);
    assert!(
        grounds.contains("  why    ") && grounds.contains("  said   "),
        "{grounds}"
    );

    // A new major version breaks no promise, and whom it breaks is told all the same.
    let mut next = flight("flight_booking_v2", "2.0.0");
    let card = json!({"key_name": "card", "key_type": "string", "required": true, "semantic_description": "The card: 'Visa' -> 'visa'."});
    next["keys"].as_array_mut().expect("keys").push(card);
    write(folder, "v2.json", &next);
    let said = person.says("check v2.json", 1);
    let whom = "flight_booking_v2 2.0.0 can be published, but breaks who uses flight_booking_v1 1.0.0: agent-0, ";
    assert!(said.contains(whom), "{said}");
    for line in [
        "  breaking   ",
        "  breaks     agent-0: 2 of 2 submissions would be refused by card\n",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let allowed = person.says("check v2.json --allow-breaks", 0);
    assert!(
        said.starts_with(&allowed) && said.contains("with --allow-breaks"),
        "{said}"
    );
    has(
        &person.document("check v2.json", 1),
        json!({"ending": "findings", "files/0/well": false}),
    );
    let annotated = person.says("check v2.json --format github", 1);
    for shown in [
        "::error file=v2.json,",
        "title=Breaks who uses the version in force::",
        "title=Breaks a client::agent-0: 2 of 2",
    ] {
        assert!(annotated.contains(shown), "{shown}: {annotated}");
    }

    // Approved, promoted, pulled.
    assert!(
        person
            .says("approve flight_booking.p1 --reason wanted", 0)
            .starts_with("flight_booking.p1  (experimental)")
    );
    let change = changes.next().expect("a line").expect("a text");
    assert!(
        change.contains(&format!("flight_booking_v1  {key} is experimental (flight_booking.p1)")),
        "{change}"
    );
    assert!(
        person
            .says("pull flight_booking --format typescript --out flight.ts", 0)
            .starts_with("flight.ts is written")
    );
    let before = std::fs::read_to_string(folder.join("flight.ts")).expect("the file");
    assert!(
        before.starts_with("// flight_booking_v1 1.0.0, revision ") && before.contains(&key),
        "{before}"
    );
    let digest = before
        .lines()
        .next()
        .and_then(|line| line.split("sha256:").nth(1))
        .expect("a digest");
    assert_eq!(digest.len(), 64, "{before}");
    assert!(
        person
            .says("pull flight_booking --format typescript --out flight.ts", 0)
            .starts_with("flight.ts is unchanged")
    );
    assert!(
        person
            .says("promote flight_booking.p1 --reason used", 0)
            .starts_with("flight_booking.p1  (stable)")
    );
    let again = person.document("pull flight_booking --format typescript --out flight.ts", 0);
    assert_eq!(again["written"], true, "{again}");
    assert_ne!(
        std::fs::read_to_string(folder.join("flight.ts")).expect("the file"),
        before
    );

    person.says("pull flight_booking --format pydantic --out flight.py", 0);
    let models = std::fs::read_to_string(folder.join("flight.py")).expect("the file");
    assert!(
        models.starts_with("# flight_booking_v1 1.0.0, revision ") && models.contains("class "),
        "{models}"
    );

    // The next major version takes over; the old one is served to who asks for it, and announced to go.
    let words = ["watch", "flight_booking", "--version", "^1", "--url", server.base()];
    let mut pinned = program(&words).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut news = BufReader::new(pinned.stdout.take().expect("a pipe")).lines();
    // The watcher has to be there before the change is.
    std::thread::sleep(Duration::from_secs(2));
    person.says("publish v2.json", 0);
    let newer = "2.0.0 is in force: otherwise show flight_booking --version 2.0.0";
    let told = news.next().expect("a line").expect("a text");
    assert!(told.ends_with(&format!("  flight_booking_v1  {newer}")), "{told}");
    let change = changes.find(|line| line.as_ref().is_ok_and(|line| line.contains("_v2")));
    let change = change.expect("a line").expect("a text");
    assert!(
        change.ends_with(
            "  flight_booking_v2  takes the place of flight_booking_v1: fetch the template, and submit by this one"
        ),
        "{change}"
    );
    let older = person.says("show flight_booking --version ^1", 0);
    assert!(
        older.starts_with("flight_booking_v1 1.0.0") && older.contains(&format!("\n  {newer}\n")),
        "{older}"
    );
    assert!(
        person
            .says("show flight_booking", 0)
            .starts_with("flight_booking_v2 2.0.0")
    );
    person.says("deprecate flight_booking_v1 --sunset 2999-01-01 --reason replaced", 0);
    assert!(
        person
            .says("versions flight_booking", 0)
            .contains("deprecated, may be gone from 2999-01-01T00:00:00Z on: replaced")
    );
    let told = news.next().expect("a line").expect("a text");
    let leaving = "is deprecated, may be gone from 2999-01-01T00:00:00Z on: replaced; move to 2.0.0";
    assert!(told.ends_with(&format!("  flight_booking_v1  {leaving}")), "{told}");
    let older = person.says("show flight_booking --version ^1", 0);
    assert!(
        older.contains("\n  deprecated since ")
            && older.contains(", may be gone from 2999-01-01T00:00:00Z on: replaced\n"),
        "{older}"
    );
    assert!(
        person
            .says("deprecate flight_booking_v1 --sunset yesterday", 2)
            .contains("RFC 3339")
    );
    assert_eq!(
        person.says("deprecate flight_booking_v1 --lift", 0),
        "flight_booking_v1 stays\n"
    );
    let told = news.next().expect("a line").expect("a text");
    assert!(told.ends_with("  stays: it is deprecated no longer"), "{told}");

    for mut watcher in [watcher, pinned] {
        let interrupted = std::process::Command::new("kill")
            .args(["-INT", &watcher.id().to_string()])
            .status();
        assert!(interrupted.is_ok_and(|sent| sent.success()));
        assert_eq!(
            watcher.wait().expect("it ends").code(),
            Some(0),
            "an interrupted watch ends well"
        );
    }
}

#[test]
fn a_service_that_is_not_there_is_a_fault_of_the_environment_for_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "t.json", &flight("flight_booking_v1", "1.0.0"));
    for line in [
        "publish t.json",
        "check t.json",
        "list",
        "versions s",
        "patches s",
        "evidence s.p1",
        "promote s.p1",
    ] {
        let words: Vec<&str> = line.split(' ').chain(["--url", "http://127.0.0.1:1"]).collect();
        let output = program(&words).current_dir(folder.path()).output().expect("it runs");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{line}: {told}");
        assert!(
            told.contains("the service at http://127.0.0.1:1: it cannot be reached"),
            "{line}: {told}"
        );
    }
}
