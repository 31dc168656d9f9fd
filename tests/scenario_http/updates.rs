//! How clients learn that their template changed: by polling, and by a stream over real sockets.

use std::time::Duration;
use std::time::Instant;

use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;

use super::LEGROOM;
use super::flight;
use super::small_gates;
use crate::support::events;
use crate::support::events::Events;
use crate::support::events::Said;
use crate::support::patience::eventually;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::wishes::SEAT;

const UPDATES: &str = "/v1/scenarios/flight_booking/updates";
const STREAM: &str = "/v1/scenarios/flight_booking/updates/stream";

fn airline(change: impl FnOnce(&mut Settings)) -> Server {
    Server::start(
        &[("template.json", flight(small_gates(&json!({}))))],
        |settings| {
            settings.delivery.stream_heartbeat_s = 1;
            change(settings);
        },
        PartsOverride::default(),
    )
}

fn listen(server: &Server, client: &str, headers: &[(&str, &str)]) -> Events {
    let mut all = vec![("Otherwise-Client", client)];
    all.extend(headers);
    let (status, _, events) = events::open(server.base(), STREAM, &all);
    assert_eq!(status, 200);
    events.expect("a stream")
}

/// Clients that were shown a patch.
fn received(server: &Server, patch: &Value) -> Value {
    server.settle();
    let ledger = server.ledger();
    let keys = ledger["keys"].as_object().expect("keys").values();
    let found = keys
        .filter(|key| key["patch_id"] == patch["patch_id"])
        .map(|key| key["received"].clone());
    found.fold(Value::Null, |_, found| found)
}

#[test]
fn a_stream_goes_on_where_it_broke_off_with_nothing_lost_and_nothing_twice_z008_z121_x06() {
    let server = airline(|_| {});
    let mut stream = listen(&server, "reader", &[]);
    assert_eq!(stream.next(), Said::Retry(3_000));
    let (base, first) = stream.event();
    has(
        &first,
        json!({"revision": base, "patches": [], "schema_id": "flight_booking_v1"}),
    );
    let patch = server.wanted_by_many(&SEAT);
    let (born, news) = stream.event();
    assert_eq!(news["patches"], json!([patch]));
    assert_eq!(born, patch["revision"]);
    assert!(stream.is_quiet(), "nothing twice");
    drop(stream);

    assert_eq!(server.act(&patch, "promote", "").status, 200);
    assert_eq!(server.act(&patch, "withdraw", "").status, 200);
    let mut stream = listen(&server, "reader", &[("Last-Event-ID", &born.to_string())]);
    let (gone, news) = stream.event();
    assert_eq!(news["patches"], json!([]), "what it is now, not how it came to be");
    assert_eq!(news["withdrawn_keys"], json!([patch["new_keys"][0]["key_name"]]));
    assert_eq!(server.act(&patch, "restore", "").status, 200);
    let (back, news) = stream.event();
    assert_eq!(news["patches"][0]["stage"], "stable");
    assert!(base < born && born < gone && gone < back);
    drop(stream);

    let path = format!("{STREAM}?since={back}");
    let (_, _, again) = events::open(server.base(), &path, &[("Otherwise-Client", "reader")]);
    assert!(again.expect("a stream").is_quiet(), "nothing was missed");
    let mut both = listen(&server, "reader", &[("Last-Event-ID", &gone.to_string())]);
    assert_eq!(both.event().0, back);
    let poll = server.get("reader", &format!("{UPDATES}?since={gone}"));
    assert_eq!(poll.body, news, "a poll says the same");
}

#[test]
fn a_base_that_steps_back_is_told_and_its_lower_revision_loses_nothing_z121() {
    let server = airline(|_| {});
    let mut stream = listen(&server, "reader", &[]);
    let (first, _) = stream.event();
    let mut minor: Value = flight(small_gates(&json!({})));
    minor["schema_id"] = json!("flight_booking_v1_1");
    minor["version"] = json!("1.1.0");
    let path = "/v1/schemas/flight_booking_v1_1";
    assert_eq!(server.put(path, &minor).status, 201);
    let (second, _) = stream.event();
    assert_eq!(server.delete(path).status, 200);
    for mut stream in [
        stream,
        listen(&server, "away", &[("Last-Event-ID", &second.to_string())]),
    ] {
        let (back, news) = stream.event();
        assert_eq!((back, &news["schema_id"]), (first, &json!("flight_booking_v1")));
        assert!(stream.is_quiet(), "nothing twice");
    }
    let mut on = listen(&server, "reader", &[("Last-Event-ID", &first.to_string())]);
    let patch = server.wanted_by_many(&SEAT);
    assert_eq!(on.event().1["patches"], json!([patch]));
}

#[test]
fn a_client_that_goes_gives_its_place_back_long_before_the_next_heartbeat() {
    let server = airline(|settings| settings.delivery.stream_heartbeat_s = 60);
    let open = |server: &Server| {
        let page = server.page("/metrics");
        page.lines().any(|line| line == "otherwise_streams_open 1")
    };
    for _ in 0..3 {
        let mut stream = listen(&server, "hasty", &[]);
        assert_eq!(stream.next(), Said::Retry(3_000));
        assert!(open(&server));
        drop(stream);
        eventually("its place is free", || !open(&server));
    }
}

#[test]
fn a_personal_patch_reaches_the_stream_of_its_own_client_alone_z122_z123() {
    let server = airline(|_| {});
    let mut ana = listen(&server, "ana", &[]);
    let mut ben = listen(&server, "ben", &[]);
    let mut nameless = events::open(server.base(), STREAM, &[]).2.expect("a stream");
    for stream in [&mut ana, &mut ben, &mut nameless] {
        stream.event();
    }
    let patch = server.wanted_by_one("ana", &LEGROOM);
    assert_eq!(patch["audience"], json!({"kind": "client", "id": "ana"}));
    assert_eq!(ana.event().1["patches"], json!([patch]));
    assert!(ben.is_quiet() && nameless.is_quiet());
    let late = events::open(server.base(), STREAM, &[("Otherwise-Client", "ben")]).2;
    assert_eq!(late.expect("a stream").event().1["patches"], json!([]));
}

#[test]
fn a_receipt_is_recorded_once_for_what_a_stream_told_z139() {
    let server = airline(|_| {});
    let mut stream = listen(&server, "reader", &[]);
    stream.event();
    let patch = server.wanted_by_many(&SEAT);
    // Those who wished for it were told inline, each in the reply to its next submission.
    let before = received(&server, &patch);
    stream.event();
    assert!(stream.is_quiet());
    let after = received(&server, &patch);
    assert_eq!(
        after.as_u64(),
        before.as_u64().map(|count| count.max(1)),
        "{before} {after}"
    );
    drop(stream);
    listen(&server, "reader", &[]).event();
    server.get("reader", UPDATES);
    assert_eq!(received(&server, &patch), after, "once");
    listen(&server, "another", &[]).event();
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(
        received(&server, &patch).as_u64(),
        after.as_u64().map(|count| count + 1)
    );
}

#[test]
fn what_a_poller_holds_is_not_sent_again_and_records_no_receipt_z139_z182() {
    let server = airline(|_| {});
    let patch = server.wanted_by_many(&SEAT);
    let told = server.get("first", UPDATES);
    let etag = told.headers["etag"].to_str().expect("a tag").to_owned();
    let template = server.get("first", "/v1/scenarios/flight_booking/template");
    let template_tag = template.headers["etag"].to_str().expect("a tag").to_owned();
    let before = received(&server, &patch);
    for (path, tag) in [
        (UPDATES, &etag),
        ("/v1/scenarios/flight_booking/template", &template_tag),
    ] {
        for held in [
            tag.clone(),
            format!("\"old\", {tag}"),
            format!("\"old\", W/{tag}"),
            "*".to_owned(),
        ] {
            let headers = [("Otherwise-Client", "second"), ("If-None-Match", held.as_str())];
            let reply = server.call("GET", path, &headers, "");
            assert_eq!(reply.status, 304, "{path} {held}");
            assert_eq!(reply.headers["etag"], tag.as_str());
            assert_eq!(received(&server, &patch), before, "{path} {held}: no receipt");
        }
    }
    let headers = [("Otherwise-Client", "second"), ("If-None-Match", "\"old\"")];
    assert_eq!(server.call("GET", UPDATES, &headers, "").status, 200);
    assert_eq!(
        received(&server, &patch).as_u64(),
        before.as_u64().map(|count| count + 1)
    );
    assert_eq!(server.act(&patch, "promote", "").status, 200);
    let headers = [("Otherwise-Client", "second"), ("If-None-Match", etag.as_str())];
    assert_eq!(server.call("GET", UPDATES, &headers, "").status, 200, "it changed");
}

#[test]
fn streams_are_bounded_for_each_client_and_in_all_and_places_come_back() {
    let server = airline(|settings| {
        settings.delivery.streams_per_client_max = 2;
        settings.delivery.streams_max = 3;
    });
    let ask = |client: &str| events::open(server.base(), STREAM, &[("Otherwise-Client", client)]);
    let first = listen(&server, "ana", &[]);
    let _second = listen(&server, "ana", &[]);
    let (status, retry, _) = ask("ana");
    assert_eq!((status, retry.as_deref()), (429, Some("10")));
    let _third = listen(&server, "ben", &[]);
    let (status, retry, _) = ask("carl");
    assert_eq!((status, retry.as_deref()), (503, Some("10")));
    assert!(server.page("/metrics").contains("otherwise_streams_open 3"));
    let head = server.call("HEAD", STREAM, &[("Accept", "text/event-stream")], "");
    assert_eq!(
        (head.status, head.headers["content-type"].as_bytes()),
        (200, &b"text/event-stream"[..])
    );
    drop(first);
    eventually("a place comes back", || ask("carl").0 == 200);
}

#[test]
fn a_stream_that_cannot_be_is_refused_with_its_reason_z121() {
    let server = airline(|_| {});
    let ask = |method: &str, path: &str, headers: &[(&str, &str)]| {
        let reply = server.call(method, path, headers, "");
        (reply.status, reply.body["code"].as_str().unwrap_or_default().to_owned())
    };
    let sse = ("Accept", "text/event-stream");
    for (path, headers, expected) in [
        (STREAM, vec![sse, ("Last-Event-ID", "999999")], (400, "bad_header")),
        (STREAM, vec![sse, ("Last-Event-ID", "seven")], (400, "bad_header")),
        (STREAM, vec![sse, ("Last-Event-ID", "-1")], (400, "bad_header")),
        (
            STREAM,
            vec![sse, ("Last-Event-ID", "99999999999999999999")],
            (400, "bad_header"),
        ),
        (STREAM, vec![("Accept", "application/json")], (406, "not_acceptable")),
    ] {
        assert_eq!(
            ask("GET", path, &headers),
            (expected.0, expected.1.to_owned()),
            "{headers:?}"
        );
    }
    for (query, code) in [
        ("since=x", "bad_parameter"),
        ("since=999999", "bad_parameter"),
        ("until=1", "unknown_parameter"),
    ] {
        assert_eq!(
            ask("GET", &format!("{STREAM}?{query}"), &[sse]),
            (400, code.to_owned()),
            "{query}"
        );
    }
    let nowhere = "/v1/scenarios/nowhere/updates/stream";
    assert_eq!(ask("GET", nowhere, &[sse]), (404, "unknown_scenario".to_owned()));
    assert_eq!(ask("POST", STREAM, &[]), (405, "method_not_allowed".to_owned()));
}

#[test]
fn streams_say_goodbye_and_do_not_hold_up_the_end() {
    let server = airline(|settings| settings.server.shutdown_s = 30);
    let mut streams: Vec<Events> = (0..3).map(|n| listen(&server, &format!("c{n}"), &[])).collect();
    for stream in &mut streams {
        stream.event();
    }
    let begun = Instant::now();
    let ending = std::thread::spawn(move || drop(server));
    for stream in &mut streams {
        let bye = loop {
            match stream.next() {
                Said::Alive => {}
                other => break other,
            }
        };
        let expected = Said::Event {
            name: "bye".to_owned(),
            id: None,
            data: json!({}),
        };
        assert_eq!(bye, expected);
        assert_eq!(stream.next(), Said::End);
    }
    ending.join().expect("it ends");
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
}
