//! What is counted of clients, at the edges of what is kept.

use std::collections::BTreeMap;

use serde_json::json;

use super::Activity;
use super::CLIENTS_MAX;
use super::Clients;
use super::FORGOTTEN_PART;
use super::SAMPLE_MAX;
use super::SILENT_DAYS;
use super::STALE_DAYS;
use crate::scenario::sample::START;
use crate::scenario::sample::Scene;
use crate::scenario::state::State;
use crate::scenario::submission::Submitted;
use schema::name::ClientId;
use schema::name::SchemaId;
use schema::template::SchemaTemplate;
use schema::time::At;
use schema::time::DAY_MS;

fn template() -> SchemaTemplate {
    let key =
        |name: &str| json!({"key_name": name, "key_type": "string", "required": false, "semantic_description": "One."});
    let document =
        json!({"schema_id": "tram_v1", "scenario": "tram", "keys": [key("zone"), key("other"), key("stop")]});
    SchemaTemplate::parse(&document).expect("a template").0
}

fn name(text: &str) -> ClientId {
    ClientId::parse(text).expect("a name")
}

/// A submission of the tram that filled these keys by their places.
fn filling(filled: Option<&[u16]>) -> Submitted {
    let schema_id = SchemaId::parse("tram_v1").expect("an id");
    Submitted {
        schema_id,
        filled: filled.map(<[u16]>::to_vec),
        ..Scene::new().submitted(Some("ada"))
    }
}

fn shares(clients: &Clients) -> BTreeMap<String, f64> {
    let known = clients.0.get(&name("ada")).expect("a client");
    known.filled().map(|(key, share)| (key.to_string(), share)).collect()
}

#[test]
fn shares_are_of_the_newest_submissions_whose_keys_are_on_record() {
    let (mut clients, ada, template) = (Clients::default(), name("ada"), template());
    let mut submit = |filled: Option<&[u16]>, with_other| {
        let submitted = Submitted {
            with_other,
            ..filling(filled)
        };
        clients.submitted(START, &ada, &submitted, &template);
        let known = &clients.0[&ada];
        (known.sample(), known.other(), shares(&clients))
    };
    let shares = |zone: f64, stop: f64| BTreeMap::from([("zone".to_owned(), zone), ("stop".to_owned(), stop)]);
    assert_eq!(submit(None, true), (0, None, BTreeMap::new()), "of before it was kept");
    // A place that the template has not is nobody's.
    let (_, _, first) = submit(Some(&[0, 9]), true);
    assert_eq!(first, BTreeMap::from([("zone".to_owned(), 1.0)]));
    assert_eq!(submit(Some(&[2]), false), (2, Some(0.5), shares(0.5, 0.5)));
    for _ in 2..SAMPLE_MAX - 1 {
        submit(Some(&[2]), false);
    }
    let (sample, other, _) = submit(Some(&[2]), false);
    assert_eq!(
        (sample, other),
        (SAMPLE_MAX, Some(1.0 / 64.0)),
        "the first one still counts"
    );
    let (sample, other, last) = submit(Some(&[2]), false);
    assert_eq!((sample, other), (SAMPLE_MAX, Some(0.0)), "and now it does not");
    assert_eq!(
        last,
        BTreeMap::from([("stop".to_owned(), 1.0)]),
        "nor is its key named any more"
    );
    let requested = Submitted {
        requested: true,
        ..filling(None)
    };
    clients.submitted(START.plus_s(5), &ada, &requested, &template);
    let known = &clients.0[&ada];
    let all = u64::from(SAMPLE_MAX) + 2;
    assert_eq!(
        (known.seen, known.submissions(START), known.sample()),
        (START.plus_s(5), all, SAMPLE_MAX)
    );
}

#[test]
fn days_are_counted_for_a_week_and_a_client_goes_stale_and_silent_at_the_millisecond() {
    let (mut clients, ada, template) = (Clients::default(), name("ada"), template());
    let on = |day: i64| START.plus_ms(day * DAY_MS);
    for day in [0, 0, 5, 6] {
        clients.submitted(on(day), &ada, &filling(Some(&[])), &template);
    }
    let known = clients.0[&ada].clone();
    let counted = [6, 7, 11, 12, 13].map(|day| known.submissions(on(day)));
    assert_eq!(counted, [4, 2, 2, 1, 0]);
    clients.submitted(on(7), &ada, &filling(Some(&[])), &template);
    assert_eq!(clients.0[&ada].days.len(), 3, "what lies before the week is forgotten");
    let activity = |ms: i64| known.activity(known.seen.plus_ms(ms));
    for (days, before, from) in [
        (STALE_DAYS, Activity::Active, Activity::Stale),
        (SILENT_DAYS, Activity::Stale, Activity::Silent),
    ] {
        assert_eq!((activity(days * DAY_MS - 1), activity(days * DAY_MS)), (before, from));
    }
    assert_eq!(activity(-1), Activity::Active, "a clock that runs behind");
}

#[test]
fn as_many_clients_are_known_as_may_be_and_who_was_not_seen_for_longest_makes_room() {
    let (mut clients, template) = (Clients::default(), template());
    let id = |n: usize| name(&format!("c{n:06}"));
    let one = filling(None);
    for n in 0..CLIENTS_MAX {
        clients.submitted(At(i64::try_from(n).expect("few")), &id(n), &one, &template);
    }
    assert_eq!(clients.count(), CLIENTS_MAX);
    let late = At(1_000_000);
    // Who is known makes no room, whoever was seen first.
    clients.submitted(late, &id(0), &filling(None), &template);
    assert_eq!(clients.count(), CLIENTS_MAX);
    clients.received(late, &name("new"), &template.schema_id, 7);
    let forgotten = CLIENTS_MAX / FORGOTTEN_PART;
    assert_eq!(clients.count(), CLIENTS_MAX - forgotten + 1);
    let is_known = |n: usize| clients.0.contains_key(&id(n));
    assert!(is_known(0) && !is_known(1) && !is_known(forgotten) && is_known(forgotten + 1));
    let [after] =
        [clients.after(Some(&id(CLIENTS_MAX - 1)))].map(|rest| rest.map(|(id, _)| id.clone()).collect::<Vec<_>>());
    assert_eq!(after, [name("new")]);
}

#[test]
fn a_receipt_says_that_a_client_is_there_and_a_snapshot_of_before_knows_nobody() {
    let (mut clients, ada, template) = (Clients::default(), name("ada"), template());
    let newer = SchemaId::parse("tram_v2").expect("an id");
    clients.received(START, &ada, &newer, 9);
    let known = |clients: &Clients| {
        let known = &clients.0[&ada];
        (known.schema_id.to_string(), known.revision, known.seen)
    };
    assert_eq!(
        known(&clients),
        ("tram_v2".to_owned(), 9, START),
        "by what it was given"
    );
    clients.submitted(START, &ada, &filling(Some(&[0])), &template);
    clients.received(START.plus_s(1), &ada, &newer, 12);
    assert_eq!(
        known(&clients),
        ("tram_v1".to_owned(), 12, START.plus_s(1)),
        "by what it submits"
    );
    let by_schema: Vec<(String, u64)> = clients
        .by_schema()
        .into_iter()
        .map(|(id, n)| (id.to_string(), n))
        .collect();
    assert_eq!(by_schema, [("tram_v1".to_owned(), 1)]);

    let mut before = serde_json::to_value(State::default()).expect("a state");
    before.as_object_mut().expect("members").remove("clients");
    let read: State = serde_json::from_value(before).expect("a snapshot of before");
    assert_eq!(read.clients, Clients::default());
}
