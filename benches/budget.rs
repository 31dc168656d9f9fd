//! Holds the budget of one call: at most one second of CPU and 50 MB for any request of up to 256 KB.
//!
//! `cargo bench --bench budget` starts the service as a process of its own on a loopback port, sends hostile requests to the calls that
//! compare, lint, import, validate and search, one at a time, and prints what each took: CPU time (utime and stime of
//! `/proc/PID/stat`) and the peak of resident memory over what was resident before (VmHWM after 5 was written to `clear_refs`). Ends
//! with 1 where a request is over the bounds.

mod gone;
#[expect(dead_code, reason = "answers are read to their end here")]
mod serving;

use std::fs;
use std::io::Read;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;

const BODY_MAX: usize = 256 * 1_024;
const CPU_MAX_S: f64 = 1.0;
const GROWN_MAX_MB: f64 = 50.0;
/// Ticks of the CPU times in `/proc`, a second: fixed for programs on Linux.
const TICKS: f64 = 100.0;

/// What is sent, by the name of the input.
struct Request {
    name: String,
    method: &'static str,
    path: String,
    body: String,
}

fn request(name: &str, method: &'static str, path: &str, body: &Value) -> Request {
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    assert!(body.len() <= BODY_MAX, "{name}: {} bytes", body.len());
    Request {
        name: name.to_owned(),
        method,
        path: path.to_owned(),
        body,
    }
}

/// A version of a scenario of so many keys.
fn template(scenario: &str, minor: usize, count: usize, key_type: &str, constraints: impl Fn(usize) -> Value) -> Value {
    let keys: Vec<Value> = (0..count)
        .map(|n| {
            json!({"key_name": format!("k{n}"), "key_type": key_type, "required": n % 2 == 0, "constraints": constraints(n),
                "semantic_description": "A key."})
        })
        .collect();
    json!({"schema_id": format!("{scenario}_{minor}"), "scenario": scenario, "version": format!("1.{minor}.0"), "keys": keys})
}

/// Pairs of versions that are expensive to compare; each is checked, published, and compared by `diff`.
fn versions() -> Vec<(&'static str, Value, Value)> {
    let pair = |name: &'static str, count: usize, key_type: &str, constraints: &dyn Fn(usize, usize) -> Value| {
        let [first, second] = [0, 1].map(|minor| template(name, minor, count, key_type, |n| constraints(n, minor)));
        (name, first, second)
    };
    vec![
        pair(
            "remembering",
            100,
            "string",
            &|n, minor| json!({"pattern": format!("^(a|b)*a(a|b){{{}}}$", 14 + n % 3 + minor)}),
        ),
        pair(
            "forty",
            40,
            "string",
            &|_, minor| json!({"pattern": format!("^[ab]*a[ab]{{{}}}$", 14 - minor)}),
        ),
        pair(
            "universal",
            60,
            "string",
            &|n, minor| json!({"pattern": format!("^((a|b)*a(a|b){{{}}}|b*|(a|b){{0,{}}})$", 12 + minor, 12 + n % 5)}),
        ),
        pair("long", 120, "string", &|_, minor| json!({"minLength": 65_000 + minor})),
        pair(
            "lists",
            4,
            "string",
            &|_, minor| json!({"enum": (minor..1_000).map(|n| format!("value {n}")).collect::<Vec<_>>()}),
        ),
        pair("members", 60, "object", &|_, minor| {
            let names: Vec<String> = (0..40).map(|n| format!("m{n}")).collect();
            json!({"required": names, "additionalProperties": {"type": "string", "minLength": 60_000 + minor}})
        }),
        pair("nested", 100, "array", &|_, minor| {
            let inner = json!({"type": "string", "minLength": 9_000, "pattern": format!("^[a-z]{{{}}}", 40 + minor)});
            json!({"minItems": 1_000, "items": {"type": "array", "minItems": 7, "items": inner}})
        }),
        pair(
            "classes",
            30,
            "string",
            &|n, minor| json!({"pattern": format!("^[\\p{{L}}\\p{{M}}]{{{}}}$", 5 + n % 2 + minor)}),
        ),
    ]
}

/// Documents that are expensive to import.
fn documents() -> Vec<(&'static str, Value)> {
    let listed: Vec<String> = (0..1_000).map(|n| format!("value {n}")).collect();
    let to = |count: usize, keyword: &str, led: Value| {
        json!({"title": "s", "$defs": {"e": led}, "type": "object",
               "properties": {"k": {keyword: vec![json!({"$ref": "#/$defs/e"}); count]}}})
    };
    let members: serde_json::Map<String, Value> =
        (0..200).map(|n| (format!("k{n}"), json!({"type": "string"}))).collect();
    let open = json!({"type": "object", "properties": members, "additionalProperties": {"type": "string"}});
    let patterns: serde_json::Map<String, Value> = (0..900)
        .map(|n| {
            (
                format!("k{n}"),
                json!({"type": "string", "pattern": format!("^\\p{{L}}{{{}}}$", 20 + n % 9)}),
            )
        })
        .collect();
    vec![
        ("anyOf of lists", to(900, "anyOf", json!({"enum": listed}))),
        ("allOf of lists", to(900, "allOf", json!({"enum": listed}))),
        (
            "anyOf of anyOf",
            to(900, "anyOf", json!({"anyOf": vec![json!({"enum": ["a"]}); 100]})),
        ),
        ("allOf of open objects", {
            let all = vec![json!({"$ref": "#/$defs/o"}); 9_500];
            json!({"title": "s", "$defs": {"o": open}, "allOf": all})
        }),
        (
            "patterns",
            json!({"title": "s", "type": "object", "properties": patterns}),
        ),
        (
            "signs",
            json!({"title": "s", "type": "object", "description": "\u{FDFA}".repeat(80_000),
                         "properties": {"k": {"type": "string"}}}),
        ),
    ]
}

fn requests() -> Vec<Request> {
    let mut all = Vec::new();
    for (name, first, second) in versions() {
        let path = |document: &Value| format!("/v1/schemas/{}", document["schema_id"].as_str().unwrap_or_default());
        all.push(request(&format!("{name}: first"), "PUT", &path(&first), &first));
        all.push(request(&format!("{name}: check"), "POST", "/v1/schemas:check", &second));
        all.push(request(&format!("{name}: publish"), "PUT", &path(&second), &second));
        // A major version is compared with nothing that refuses it.
        let mut major = second;
        major["version"] = json!("2.0.0");
        major["schema_id"] = json!(format!("{name}_2"));
        all.push(request(&format!("{name}: major"), "PUT", &path(&major), &major));
        let diff = format!("/v1/scenarios/{name}/diff?from={name}_0&to={name}_2");
        all.push(request(&format!("{name}: diff"), "GET", &diff, &Value::Null));
        for text in ["ab", "a", "é"] {
            let payload =
                json!({"schema_id": format!("{name}_0"), "payload": {"k0": text.repeat(120_000 / text.len())}});
            all.push(request(
                &format!("{name}: validate {text}"),
                "POST",
                "/v1/submissions:validate",
                &payload,
            ));
        }
    }
    for (name, document) in documents() {
        all.push(request(name, "POST", "/v1/schemas:import", &document));
    }
    let described = |text: &str, count: usize| {
        let mut document = template("described", 0, count, "string", |_| json!({}));
        for key in document["keys"].as_array_mut().into_iter().flatten() {
            key["semantic_description"] = json!(text.repeat(80_000 / count / text.chars().count()));
        }
        document
    };
    for (name, text) in [("signs", "\u{FDFA}"), ("full width", "ｉｇ ")] {
        for count in [6, 40] {
            let document = described(text, count);
            all.push(request(
                &format!("{name} in {count} keys"),
                "POST",
                "/v1/schemas:check",
                &document,
            ));
            all.push(request(
                &format!("{name} in {count} keys"),
                "PUT",
                "/v1/schemas/described_0",
                &document,
            ));
        }
    }
    for wish in ["%EF%B7%BA".repeat(1_000), "a+".repeat(500)] {
        all.push(request(
            "search",
            "GET",
            &format!("/v1/scenarios?q={wish}"),
            &Value::Null,
        ));
    }
    all
}

/// The status of an answer, 0 where there is none.
fn send(port: u16, request: &Request) -> u16 {
    let Request { method, path, body, .. } = request;
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    let mut answer = Vec::new();
    let sent = TcpStream::connect(("127.0.0.1", port)).and_then(|mut stream| {
        stream.write_all(head.as_bytes())?;
        stream.write_all(body.as_bytes())?;
        stream.read_to_end(&mut answer)
    });
    let text = String::from_utf8_lossy(&answer);
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok());
    sent.ok().and(status).unwrap_or(0)
}

fn cpu_s(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .and_then(|ticks| ticks.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    (ticks(11) + ticks(12)) / TICKS
}

fn memory_mb(pid: u32, what: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(what)).unwrap_or_default();
    let kilobytes = line.split_whitespace().nth(1).and_then(|size| size.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1_024.0
}

/// The CPU time once the process does nothing more.
fn settled_s(pid: u32) -> f64 {
    let mut last = cpu_s(pid);
    for _ in 0..100 {
        sleep(Duration::from_millis(100));
        let now = cpu_s(pid);
        if now - last < 0.01 {
            return now;
        }
        last = now;
    }
    last
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, data, ..] = &arguments[..]
        && first == "gone"
    {
        gone::serve(Path::new(data));
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let this = std::env::current_exe().expect("this program");
    let (mut service, port) = serving::start(Command::new(this).arg("gone").arg(folder.path()));
    let pid = service.id();
    settled_s(pid);
    println!("{:>8} {:>8} {:>6} {:>7}  input", "CPU s", "MB", "status", "bytes");
    let mut over = 0;
    for request in requests() {
        let _ = fs::write(format!("/proc/{pid}/clear_refs"), "5");
        let (cpu, resident) = (cpu_s(pid), memory_mb(pid, "VmRSS"));
        let status = send(port, &request);
        let (cpu, grown) = (settled_s(pid) - cpu, memory_mb(pid, "VmHWM") - resident);
        let is_over = cpu > CPU_MAX_S || grown > GROWN_MAX_MB || status == 0 || status >= 500;
        over += i32::from(is_over);
        let mark = if is_over { "  OVER" } else { "" };
        println!(
            "{cpu:>8.2} {grown:>8.1} {status:>6} {:>7}  {}{mark}",
            request.body.len(),
            request.name
        );
    }
    let _ = service.kill();
    let _ = service.wait();
    std::process::exit(i32::from(over > 0));
}
