//! A template as it was served earlier: by a revision or a moment, with the same bytes.

use std::sync::Arc;

use otherwise::app::ports::Clock;
use otherwise::bootstrap::parts::PartsOverride;
use schema::time::At;
use serde_json::json;

use super::ferry;
use super::put;
use crate::support::clock::VirtualClock;
use crate::support::server::Server;

#[test]
fn a_template_is_served_as_it_was_byte_for_byte_z105() {
    let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T09:00:00Z").expect("a moment")));
    let parts = PartsOverride {
        clock: Some(Arc::clone(&clock) as Arc<dyn Clock>),
        ..PartsOverride::default()
    };
    let first = ferry("ferry_v1", "1.0.0", &["inner", "outer"]);
    let server = Server::start(&[("ferry.json", first)], |_| {}, parts);
    let template = |query: &str| server.page(&format!("/v1/scenarios/ferry/template?{query}"));
    let then = template("");
    let revision = server.call("GET", "/v1/scenarios/ferry/template", &[], "").body["revision"].clone();
    clock.set(At::parse("2026-05-01T10:00:00.700Z").expect("a moment"));
    let mut more = ferry("ferry_v1_1", "1.1.0", &["inner", "outer"]);
    more["keys"][0]["semantic_descriptions"] = json!({"de": "Der Hafen."});
    assert_eq!(put(&server, &more).status, 201);
    let now = template("");
    assert_ne!(then, now);
    assert_eq!(template("as_of=2026-05-01T09:00:00Z"), then, "from its own moment");
    assert_eq!(
        template("as_of=2026-05-01T09:59:59Z"),
        then,
        "to the second before the change"
    );
    assert_eq!(
        template("as_of=2026-05-01T10:00:00Z"),
        now,
        "from the second of the change"
    );
    assert_eq!(
        template("as_of=2026-05-01T10:00:00.699Z"),
        then,
        "a fraction is meant to the millisecond"
    );
    for later in [
        "2026-05-01T10:00:00.701Z",
        "2026-05-01T10:00:01Z",
        "2031-01-01T00:00:00Z",
    ] {
        let reply = server.call("GET", &format!("/v1/scenarios/ferry/template?as_of={later}"), &[], "");
        assert_eq!(reply.told(), (400, "bad_parameter"), "{later}");
    }
    assert_eq!(template(&format!("as_of={revision}")), then);
    assert_eq!(
        template("as_of=2026-05-01T10:00:00Z&preferred_language=de"),
        template("preferred_language=de")
    );

    let call = |query: &str, headers: &[(&str, &str)]| {
        server.call(
            "GET",
            &format!("/v1/scenarios/ferry/template?as_of={query}"),
            headers,
            "",
        )
    };
    let before = call("2026-05-01T08:59:59Z", &[]);
    assert_eq!(before.told(), (404, "unknown_scenario"));
    assert_eq!(call("yesterday", &[]).body["code"], "bad_parameter");
    let served = call("2026-05-01T09:00:00Z", &[]);
    let tag = served.headers["ETag"].to_str().expect("a tag").to_owned();
    assert_eq!(call("2026-05-01T09:00:00Z", &[("If-None-Match", &tag)]).status, 304);
}

#[test]
fn history_is_read_up_to_a_bound_z105() {
    let first = ferry("ferry_v1", "1.0.0", &["inner", "outer"]);
    let server = Server::start(
        &[("ferry.json", first)],
        |settings| settings.service.history_records_max = 1,
        PartsOverride::default(),
    );
    let as_of = |revision: u64| {
        server.call(
            "GET",
            &format!("/v1/scenarios/ferry/template?as_of={revision}"),
            &[],
            "",
        )
    };
    assert_eq!(as_of(1).status, 200, "one record");
    assert_eq!(put(&server, &ferry("ferry_v2", "2.0.0", &["inner"])).status, 201);
    assert_eq!(as_of(1).status, 200);
    let beyond = as_of(2);
    assert_eq!(beyond.told(), (429, "limit_reached"));
}
