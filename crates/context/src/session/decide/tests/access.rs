//! What is told to whom, how sessions end, and what old journals hold.

use super::Kept;
use super::LIMITS;
use super::client;
use super::id;
use super::key;
use super::patterns;
use super::value;
use super::wanted;
use crate::session::config::Config;
use crate::session::event::Grant;
use crate::session::refusal::SessionRefusal;
use crate::session::request::Precondition;
use crate::session::request::Write;
use crate::session::sessions::TOMBSTONES_MAX;

#[test]
fn an_archived_session_is_read_and_nothing_else_s049_s055_s095() {
    let mut kept = Kept::new(Config::default());
    assert_eq!(kept.write(&value("a", 1)), Ok(1));
    let archived = kept.session().archive(&id(), None).expect("an event");
    kept.apply(&archived);
    assert_eq!(kept.session().archive(&id(), None), None);
    let refused = SessionRefusal::SessionArchived;
    assert_eq!(kept.write(&value("a", 1)), Err(refused.clone()));
    assert_eq!(kept.delete("a"), Err(refused.clone()));
    assert_eq!(kept.snapshot("l"), Err(refused.clone()));
    let grant = Grant {
        principal: client("ben"),
        roles: patterns(&["subagent:a"]),
    };
    assert_eq!(kept.session().grant(&id(), grant, &LIMITS), Err(refused));
    assert!(kept.session().entry(&key("a")).is_ok());
}

#[test]
fn who_was_away_while_more_went_than_is_remembered_is_told_to_list_anew_s083() {
    let mut kept = Kept::new(Config::default());
    kept.write(&value("first", 1)).expect("written");
    let since = kept.seq;
    for n in 0..=TOMBSTONES_MAX {
        let key = format!("gone{n}");
        kept.write(&value(&key, 0)).expect("written");
        kept.delete(&key).expect("deleted");
    }
    let told = kept.told(since, "*");
    assert_eq!((told[0].as_str(), told.len()), ("4 relist", 1 + TOMBSTONES_MAX));
    assert_eq!(kept.told(0, "first"), ["2 +first 1"], "who saw nothing misses nothing");
    assert_eq!(kept.told(kept.seq, "*"), [""; 0]);
}

#[test]
fn a_session_under_the_id_of_one_that_is_gone_is_another_and_says_that_all_went_s006_s026_s096() {
    let mut kept = Kept::new(Config::default());
    kept.write(&value("a", 1)).expect("written");
    let since = kept.seq;
    kept.apply(&kept.session().remove(&id(), None));
    let again = kept.sessions.create(wanted("s", "ben", Config::default()), &LIMITS);
    kept.apply(&again.expect("a session"));
    assert_eq!(kept.told(since, "*"), [format!("{} relist", kept.seq)]);
    assert_eq!(kept.write(&value("a", 1)), Ok(1));
    let stale = Write {
        at: Precondition {
            version: Some(1),
            incarnation: Some(2),
        },
        ..value("a", 1)
    };
    let found = SessionRefusal::VersionConflict {
        found: Some(1),
        incarnation: Some(kept.seq),
    };
    assert_eq!(kept.write(&stale), Err(found), "it is meant for a key of before");
}

#[test]
fn keys_of_old_journals_that_had_readers_or_a_time_are_closed_or_gone_s086() {
    let mut kept = Kept::new(Config::default());
    let guarded = r#"{"created": {"session": "s", "owner": "ana", "grants": [{"principal": "ben", "roles": ["subagent:a"]}],
        "config": {"access_control": true, "expiry": true}, "namespace": false, "more": 0}}"#;
    let written = |key: &str, more: &str| {
        format!(
            r#"{{"written": {{"session": "s", "key": "{key}", "version": 1, "by": "orchestrator", "tokens": 1, {more} "more": 0}}}}"#
        )
    };
    for text in [
        guarded,
        &written("closed", r#""readable_by": ["subagent:b"],"#),
        &written("brief", r#""expires": 1,"#),
        r#"{"expired": {"session": "s", "keys": ["brief"]}}"#,
    ] {
        kept.apply(&serde_json::from_str(text).expect("an event"));
    }
    let session = kept.session();
    assert!(session.entry(&key("closed")).is_ok() && session.entry(&key("brief")).is_err());
    assert!(session.is_known_to(Some(&client("ana"))));
    assert!(
        !session.is_known_to(Some(&client("ben"))),
        "who could not read a key does not read it now"
    );
    let grant = Grant {
        principal: client("ben"),
        roles: patterns(&["subagent:a"]),
    };
    assert!(session.grant(&id(), grant, &LIMITS).is_err());
}
