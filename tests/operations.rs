//! The program under the hand of whoever runs it: umask, signals, a second process, keys that change, a disk that cuts a write.

use std::fs::Permissions;
use std::io::Read;
use std::io::Write;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use std::time::Instant;

use serde_json::json;
use sha2::Digest;
use sha2::Sha256;
use text::name::hexadecimal;

use crate::support::child::Caller;
use crate::support::child::Folder;
use crate::support::child::program;
use crate::support::events;
use crate::support::events::Said;
use crate::support::patience::eventually;

/// Everything below a folder that others than its owner may do something with.
fn open_to_others(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let about = std::fs::metadata(&next).expect("there");
        if about.is_dir() {
            let entries = std::fs::read_dir(&next).expect("a folder");
            folders.extend(entries.map(|entry| entry.expect("an entry").path()));
        }
        if about.permissions().mode() & 0o077 != 0 {
            found.push(next);
        }
    }
    found
}

fn write_a_session(caller: &Caller, id: &str) {
    let ada = [("Otherwise-Client", "ada")];
    let created = caller.call("POST", "/v1/sessions", &ada, &json!({"session_id": id}).to_string());
    assert_eq!(created.expect("an answer").status, 201);
    for value in ["FIRSTVERSION is what nobody may read any more", "SECONDVERSION neither"] {
        let written = caller.call(
            "PUT",
            &format!("/v1/sessions/{id}/keys/k"),
            &ada,
            &json!({"value": value}).to_string(),
        );
        assert_eq!(written.expect("an answer").status / 100, 2);
    }
}

#[test]
fn data_and_backups_are_their_owners_alone_under_any_umask_z167() {
    let folder = Folder::new(&[]);
    // Made by a version before this one, or by hand.
    std::fs::create_dir_all(folder.path("data/snapshots")).expect("made");
    std::fs::write(folder.path("data/webhook_marks.json"), "{}").expect("written");
    for path in ["data", "data/snapshots"] {
        std::fs::set_permissions(folder.path(path), Permissions::from_mode(0o777)).expect("set");
    }
    let settings = [("OTHERWISE_SERVICE__SNAPSHOT_EVERY_RECORDS", "2")];
    // SAFETY: the call takes a plain value; the umask is given back below, and what others make meanwhile is in folders of their own.
    let before = unsafe { libc::umask(0) };
    let serving = folder.serve(&settings);
    write_a_session(&serving.caller(), "s");
    assert_eq!(serving.stop().code(), Some(0));
    drop(folder.serve(&settings));
    let [data, file, new] = ["data", "all.backup", "new"].map(|name| folder.path(name).display().to_string());
    std::fs::create_dir(&new).expect("made");
    let run = |arguments: &[&str]| {
        let ended = program(arguments).output().expect("it runs");
        assert_eq!(
            ended.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&ended.stderr)
        );
    };
    run(&["backup", "--data", &data, "--out", &file]);
    run(&["restore", "--from", &file, "--data", &new]);
    // SAFETY: as above.
    unsafe { libc::umask(before) };
    for path in [&data, &file, &new] {
        assert_eq!(open_to_others(Path::new(path)), Vec::<PathBuf>::new());
    }
}

#[test]
fn what_was_deleted_is_gone_from_the_disk_at_the_next_start_however_the_process_ended_s096_z167() {
    for kill in [false, true] {
        let folder = Folder::new(&[]);
        let serving = folder.serve(&[]);
        let caller = serving.caller();
        let ada = [("Otherwise-Client", "ada")];
        write_a_session(&caller, "whole");
        write_a_session(&caller, "key");
        for path in ["/v1/sessions/whole", "/v1/sessions/key/keys/k"] {
            let deleted = caller.call("DELETE", path, &ada, "");
            assert_eq!(deleted.expect("an answer").status / 100, 2);
        }
        if kill {
            serving.kill();
        } else {
            assert_eq!(serving.stop().code(), Some(0));
        }
        let serving = folder.serve(&[]);
        let holds = |text: &str| {
            let found = Command::new("grep")
                .args(["-r", "-a", "-l", text])
                .arg(folder.path("data"))
                .output();
            String::from_utf8_lossy(&found.expect("grep runs").stdout).into_owned()
        };
        for text in ["FIRSTVERSION", "SECONDVERSION"] {
            assert_eq!(holds(text), "", "killed: {kill}");
        }
        assert!(!folder.path("data/compact").exists());
        let kept = serving.caller().call("GET", "/v1/sessions/key/keys", &ada, "");
        assert_eq!(kept.expect("an answer").status, 200, "what stays is whole");
        assert_eq!(serving.stop().code(), Some(0));
    }
}

#[test]
fn a_second_process_beside_one_whose_lock_was_removed_says_so_z167() {
    let folder = Folder::new(&[]);
    let serving = folder.serve(&[]);
    std::fs::remove_file(folder.path("data/LOCK")).expect("removed");
    let data = folder.path("data").display().to_string();
    for arguments in [
        &["serve", "--listen", "127.0.0.1:0", "--schemas", "", "--data", &data][..],
        &["verify", "--data", &data],
        &["backup", "--data", &data, "--out", "/dev/null/no"],
    ] {
        let ended = program(arguments).output().expect("it runs");
        let told = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_ne!(ended.status.code(), Some(0), "{told}");
        let asked_wrongly = arguments[0] == "backup";
        assert!(asked_wrongly || told.contains("LOCK was removed"), "{told}");
        assert!(!told.contains("damage"), "{told}");
    }
    assert_eq!(serving.stop().code(), Some(0));
}

/// Settings with these principals: name, role and key.
fn settings_with(file: &Path, principals: &[(&str, &str, &str)]) {
    let principals = principals.iter().map(|(name, role, key)| {
        let hash = hexadecimal(&Sha256::digest(key));
        format!("[[principals]]\nname = \"{name}\"\nroles = [\"{role}\"]\nkey_sha256 = \"{hash}\"\n")
    });
    std::fs::write(file, principals.collect::<String>()).expect("written");
}

#[test]
fn sighup_brings_new_principals_into_force_and_a_broken_file_changes_nothing() {
    let folder = Folder::new(&[]);
    let file = folder.path("o.toml");
    let config = file.display().to_string();
    let reader = ("reader", "auditor", "k-reader");
    settings_with(&file, &[reader, ("ada", "client", "k-ada")]);
    let serving = folder.serve(&[("OTHERWISE_CONFIG", &config)]);
    let caller = serving.caller();
    let status = |key: &str| {
        let bearer = format!("Bearer {key}");
        let reply = caller.call("GET", "/v1/scenarios", &[("Authorization", &bearer)], "");
        reply.map(|reply| reply.status)
    };
    let hang_up = |says: &str| {
        serving.signal("HUP");
        eventually(says, || serving.log().contains(says));
    };
    assert_eq!((status("k-ada"), status("k-ben")), (Some(200), Some(401)));

    std::fs::write(&file, "[[principals]\nname =").expect("written");
    hang_up("cannot be read as TOML");
    settings_with(&file, &[reader, ("ada", "client", "k-ada"), ("ada", "client", "k-ben")]);
    hang_up("another principal has this name");
    std::fs::write(&file, "").expect("written");
    hang_up("begins to run open only at a start");
    assert_eq!((status("k-ada"), status("k-ben")), (Some(200), Some(401)));
    assert!(serving.log().contains("those of before stay in force"));

    settings_with(&file, &[reader, ("ben", "client", "k-ben")]);
    hang_up("changed keys are in force. cause=\"SIGHUP\" principals=2 added=1 removed=1 changed=0");
    assert_eq!((status("k-ada"), status("k-ben")), (Some(401), Some(200)));
    assert_eq!(serving.stop().code(), Some(0));
}

/// A stream of MCP as a caller with this key follows it.
fn mcp_stream(base: &str, key: &str) -> impl Read + use<> {
    let method = "subscriptions/listen";
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"notifications": {"toolsListChanged": true}, "_meta": meta});
    let request = ureq::post(format!("{base}/mcp"))
        .header("Authorization", format!("Bearer {key}"))
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", method)
        .header("Content-Type", "application/json");
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let response = request.send(message.to_string()).expect("a stream");
    response.into_body().into_reader()
}

#[test]
fn a_settings_file_that_changes_is_in_force_without_a_signal_and_ends_the_streams_of_a_removed_key() {
    let template = json!({"schema_id": "tea_v1", "scenario": "tea", "keys": []});
    let folder = Folder::new(&[("tea.json", &template)]);
    let file = folder.path("o.toml");
    let (ada, olga) = (("ada", "client", "k-ada"), ("olga", "operator", "k-olga"));
    settings_with(&file, &[ada, olga, ("otto", "operator", "k-otto")]);
    let config = file.display().to_string();
    let serving = folder.serve(&[("OTHERWISE_CONFIG", &config), ("OTHERWISE_SERVER__RELOAD_S", "1")]);
    let follow = |path: &str, key: &str| {
        let bearer = format!("Bearer {key}");
        events::open(serving.base(), path, &[("Authorization", &bearer)])
            .2
            .expect("a stream")
    };
    let mut kept = follow("/v1/events", "k-olga");
    let mut updates = follow("/v1/scenarios/tea/updates/stream", "k-otto");
    let mut all = follow("/v1/events", "k-otto");
    let mut mcp = mcp_stream(serving.base(), "k-otto");

    settings_with(&file, &[ada, olga]);
    for stream in [&mut updates, &mut all] {
        while stream.next() != Said::End {}
    }
    let mut heard = String::new();
    mcp.read_to_string(&mut heard).expect("it ends");
    assert!(heard.contains("acknowledged"), "{heard}");
    let metrics = ureq::get(format!("{}/metrics", serving.base()))
        .header("X-API-Key", "k-olga")
        .call();
    let page = metrics.expect("answered").into_body().read_to_string().expect("a page");
    assert!(
        page.contains("otherwise_streams_open 1\n"),
        "the stream of another key goes on: {page}"
    );
    eventually("the log says what changed", || {
        serving
            .log()
            .contains("cause=\"settings file changed\" principals=2 added=0 removed=1 changed=0")
    });
    // The roles of a key count as much.
    settings_with(&file, &[ada, ("olga", "client", "k-olga")]);
    while kept.next() != Said::End {}
    assert_eq!(serving.stop().code(), Some(0));
}

#[test]
fn health_and_metrics_answer_on_their_own_address_while_every_connection_is_taken() {
    let folder = Folder::new(&[]);
    let serving = folder.serve(&[
        ("OTHERWISE_SERVER__PLAIN_LISTEN", "127.0.0.1:0"),
        ("OTHERWISE_SERVER__CONNECTIONS_MAX", "4"),
        ("OTHERWISE_SERVER__WORKERS", "1"),
        ("OTHERWISE_SERVER__HEAD_TIMEOUT_S", "600"),
    ]);
    let log = serving.log();
    let (_, plain) = log
        .split_once("Health and metrics are served. address=")
        .expect("where");
    let plain = format!("http://{}", plain.lines().next().expect("a line"));
    let main = serving.base().strip_prefix("http://").expect("an address");
    let held: Vec<TcpStream> = (0..12).map(|_| TcpStream::connect(main).expect("connected")).collect();
    let answer = |path: &str| {
        let response = ureq::get(format!("{plain}{path}"))
            .config()
            .http_status_as_error(false)
            .build()
            .call();
        response.expect("an answer").status().as_u16()
    };
    for (path, status) in [
        ("/healthz", 200),
        ("/readyz", 200),
        ("/metrics", 200),
        ("/v1/scenarios", 404),
        ("/mcp", 404),
    ] {
        assert_eq!(answer(path), status, "{path}");
    }
    drop(held);
    assert_eq!(serving.stop().code(), Some(0));
}

/// What is answered to a head alone, whose body never comes.
fn answer_to_head(base: &str, head: &str) -> String {
    let address = base.strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(address).expect("connected");
    stream.set_read_timeout(Some(Duration::from_secs(5))).expect("set");
    stream.write_all(head.as_bytes()).expect("sent");
    let mut answer = vec![0; 4_096];
    let read = stream.read(&mut answer).unwrap_or(0);
    String::from_utf8_lossy(&answer[..read]).into_owned()
}

#[test]
fn a_role_that_may_not_is_refused_before_a_body_is_read() {
    let folder = Folder::new(&[]);
    let file = folder.path("o.toml");
    settings_with(&file, &[("ada", "client", "k-ada"), ("olga", "operator", "k-olga")]);
    let serving = folder.serve(&[("OTHERWISE_CONFIG", &file.display().to_string())]);
    for (key, method, path, refused) in [
        ("k-ada", "PUT", "/v1/schemas/train_v1", true),
        ("k-ada", "POST", "/v1/namespaces/default/schemas:check", true),
        ("k-ada", "POST", "/v1/service:read-only", true),
        ("k-ada", "POST", "/v1/patches/a.p1:approve", true),
        ("k-ada", "POST", "/v1/audits/a.p1.1", true),
        ("k-olga", "POST", "/v1/submissions", true),
        ("k-olga", "POST", "/v1/submissions:batch", true),
        ("k-ada", "POST", "/v1/submissions", false),
        ("k-olga", "POST", "/v1/service:read-only", false),
    ] {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\
             Content-Length: 200000\r\n\r\n"
        );
        let answer = answer_to_head(serving.base(), &head);
        assert_eq!(answer.starts_with("HTTP/1.1 403"), refused, "{method} {path}: {answer}");
        assert!(refused || answer.is_empty(), "it waits for the body: {answer}");
    }
    assert_eq!(serving.stop().code(), Some(0));
}

/// Lets a running program's files grow to this many bytes; 0 for any number.
fn limit_files(process: u32, bytes: u64) {
    let limit = libc::rlimit {
        rlim_cur: if bytes == 0 { libc::RLIM_INFINITY } else { bytes },
        rlim_max: libc::RLIM_INFINITY,
    };
    let process = libc::pid_t::try_from(process).expect("a number");
    // SAFETY: the call takes plain values, and is asked for no old limit.
    let set = unsafe { libc::prlimit(process, libc::RLIMIT_FSIZE, &limit, std::ptr::null_mut()) };
    assert_eq!(set, 0);
}

#[test]
fn whatever_a_write_that_was_cut_short_does_everyone_is_answered_and_the_process_ends_in_time_z167() {
    let folder = Folder::new(&[]);
    let mut stalled = 0;
    for round in 0..6_u64 {
        let serving = folder.serve(&[
            ("OTHERWISE_STORE__STALL_S", "2"),
            ("OTHERWISE_STORE__FREE_BYTES_MIN", "0"),
            ("OTHERWISE_SERVER__CLIENT_REQUESTS_PER_S", "0"),
        ]);
        let length = std::fs::metadata(folder.path("data/sled/db")).expect("a file").len();
        // Somewhere in the middle of a write that is to come.
        limit_files(serving.id(), length + 40_000 + 7_001 * round);
        let refused: Vec<(u16, serde_json::Value)> = std::thread::scope(|scope| {
            let writers: Vec<_> = (0..8)
                .map(|writer| {
                    let caller = serving.caller();
                    scope.spawn(move || {
                        let name = format!("w{round}-{writer}");
                        let named = [("Otherwise-Client", name.as_str())];
                        let created = json!({"session_id": name}).to_string();
                        let at = format!("/v1/sessions/{name}/keys/k");
                        for n in 0..400 {
                            let began = Instant::now();
                            let value = json!({"value": format!("{n} ").repeat(900)}).to_string();
                            let reply = if n == 0 {
                                caller.call("POST", "/v1/sessions", &named, &created)
                            } else {
                                caller.call("PUT", &at, &named, &value)
                            };
                            let reply = reply.expect("an answer");
                            assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
                            if reply.status >= 500 {
                                return Some((reply.status, reply.body["code"].clone()));
                            }
                            assert_eq!(reply.status / 100, 2, "{}", reply.body);
                        }
                        None
                    })
                })
                .collect();
            writers
                .into_iter()
                .filter_map(|writer| writer.join().expect("it ends"))
                .collect()
        });
        let told = |code: &str| refused.iter().any(|(_, told)| told == code);
        assert!(
            !refused.is_empty() && (told("disk_full") || told("store_stalled")),
            "{refused:?}"
        );
        let began = Instant::now();
        if told("store_stalled") {
            stalled += 1;
            assert_eq!(serving.wait().code(), Some(4), "a supervisor is to start it again");
        } else {
            serving.stop();
        }
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    }
    println!("the committer slept in {stalled} of 6 rounds");
    let serving = folder.serve(&[]);
    write_a_session(&serving.caller(), "after");
    assert_eq!(serving.stop().code(), Some(0));
    let data = folder.path("data").display().to_string();
    let verified = program(&["verify", "--data", &data]).output().expect("it runs");
    assert_eq!(
        verified.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&verified.stdout)
    );
}
