//! Who may what, and how sessions begin, end and are counted.

use super::Kept;
use super::LIMITS;
use super::actor;
use super::grant;
use super::id;
use super::key;
use super::label;
use super::value;
use super::wanted;
use super::who;
use crate::session::action::Precondition;
use crate::session::action::Write;
use crate::session::changes::Change;
use crate::session::changes::Followed;
use crate::session::config::Config;
use crate::session::participant::Pattern;
use crate::session::refusal::SessionRefusal;
use crate::session::tombstones::REVOCATIONS_MAX;
use crate::session::tombstones::TOMBSTONES_MAX;

#[test]
fn an_archived_session_is_read_and_nothing_else_s049_s055_s095() {
    let mut kept = Kept::new(Config {
        expiry: true,
        ..Config::default()
    });
    let brief = Write {
        expires_s: Some(10),
        ..value("a", 1)
    };
    assert_eq!(kept.write(&brief), Ok(1));
    let archived = kept.session().archive(&id(), None).expect("an event");
    kept.apply(&archived);
    assert_eq!(kept.session().archive(&id(), None), None);
    assert_eq!(kept.write(&value("a", 1)), Err(SessionRefusal::SessionArchived));
    assert_eq!(kept.delete("a"), Err(SessionRefusal::SessionArchived));
    let snapshot = kept
        .session()
        .snapshot(&id(), label("l"), actor("orchestrator"), &LIMITS);
    assert_eq!(snapshot, Err(SessionRefusal::SessionArchived));
    assert_eq!(
        kept.session().grant(&id(), grant("ben", &["subagent:a"]), &LIMITS),
        Err(SessionRefusal::SessionArchived)
    );
    kept.at = kept.at.plus_ms(60_000);
    assert!(
        kept.session().entry(&key("a"), &who("subagent:a"), kept.at).is_ok(),
        "time stands still in it"
    );
    assert_eq!(kept.session().expire(&id(), kept.at), None);
}

#[test]
fn keys_are_read_and_written_by_whom_they_are_for_and_always_by_who_leads_s008_s076_s077() {
    let patterns = |texts: &[&str]| {
        Some(
            texts
                .iter()
                .map(|text| Pattern::parse(text).expect("a pattern"))
                .collect(),
        )
    };
    let mut kept = Kept::new(Config {
        access_control: true,
        history_versions: 3,
        ..Config::default()
    });
    let guarded = Write {
        readable_by: patterns(&["subagent:review:*", "subagent:write"]),
        writable_by: patterns(&["subagent:write"]),
        ..value("a", 1)
    };
    assert_eq!(kept.write_as("subagent:write", &guarded), Ok(1));
    let reads = |kept: &Kept, name: &str| {
        kept.session()
            .entry(&key("a"), &who(name), kept.at)
            .map(|entry| entry.version)
    };
    for (name, read, written) in [
        ("orchestrator", true, true),
        ("subagent:write", true, true),
        ("subagent:review:1", true, false),
        ("subagent:other", false, false),
    ] {
        assert_eq!(reads(&kept, name).is_ok(), read, "{name}");
        let event = kept
            .session()
            .write(&id(), &value("a", 1), actor(name), kept.at, &LIMITS);
        assert_eq!(event.is_ok(), written, "{name}: {event:?}");
        let (deleted, by) = (
            kept.session()
                .delete(&id(), "a", Precondition::default(), actor(name), kept.at),
            who(name),
        );
        assert_eq!(deleted.is_ok(), read && written, "{name}: {deleted:?}");
        assert_eq!(
            kept.session().history(&key("a"), None, &by, kept.at).is_ok(),
            read,
            "{name}"
        );
        assert_eq!(
            kept.session().entries(&by, kept.at).count(),
            usize::from(read),
            "{name}"
        );
        let changes = kept.session().changes(0, &Followed::default(), &by, kept.at);
        assert_eq!(changes.len(), usize::from(read), "{name}");
    }
    assert_eq!(
        kept.write_as("subagent:write", &value("a", 1)),
        Ok(2),
        "who it is for stays as it is"
    );
    assert_eq!(reads(&kept, "subagent:other"), Err(SessionRefusal::KeyNotFound));
    kept.delete("a").expect("deleted");
    let changes = |name: &str| {
        kept.session()
            .changes(0, &Followed::default(), &who(name), kept.at)
            .len()
    };
    assert_eq!(
        (changes("subagent:other"), changes("subagent:write")),
        (0, 1),
        "not even that it went"
    );
    let event = kept
        .session()
        .snapshot(&id(), label("l"), actor("subagent:write"), &LIMITS)
        .expect("an event");
    kept.apply(&event);
    let refused = kept
        .session()
        .roll_back(&id(), label("l"), actor("subagent:write"), kept.at);
    assert_eq!(refused, Err(SessionRefusal::SnapshotForbidden));
    let mut off = Kept::new(Config::default());
    assert_eq!(off.write(&guarded), Err(SessionRefusal::ExtensionOff("access_control")));
    assert_eq!(off.write_as("subagent:any", &value("a", 1)), Ok(1), "all are equal");
}

#[test]
fn who_may_write_and_not_read_leaves_a_value_and_cannot_let_the_key_end_s076_s081() {
    let mut kept = Kept::new(Config {
        access_control: true,
        expiry: true,
        ..Config::default()
    });
    let pattern = |text: &str| Some(vec![Pattern::parse(text).expect("a pattern")]);
    let guarded = Write {
        readable_by: pattern("orchestrator"),
        writable_by: pattern("subagent:review"),
        ..value("box", 1)
    };
    assert_eq!(kept.write(&guarded), Ok(1));
    let brief = Write {
        expires_s: Some(1),
        ..value("box", 1)
    };
    assert_eq!(
        kept.write_as("subagent:review", &brief),
        Err(SessionRefusal::ValueAlone)
    );
    assert_eq!(kept.write_as("subagent:review", &value("box", 1)), Ok(2));
    let entry = kept.session().entries.get(&key("box"));
    assert_eq!(entry.and_then(|entry| entry.expires), None);
    assert_eq!(kept.write(&brief), Ok(3), "who reads it may let it end");
}

#[test]
fn a_closed_key_tells_nothing_of_what_it_was_s076_s078_s082_s083() {
    let mut kept = Kept::new(Config {
        access_control: true,
        history_versions: 3,
        ..Config::default()
    });
    assert_eq!(kept.write(&value("k", 1)), Ok(1));
    let event = kept
        .session()
        .snapshot(&id(), label("l"), actor("orchestrator"), &LIMITS)
        .expect("an event");
    kept.apply(&event);
    let since = kept.seq;
    let told = |kept: &Kept, name: &str| {
        let (session, by) = (kept.session(), who(name));
        let snapshot = session.kept_snapshot(&label("l")).expect("a snapshot");
        (
            session.history(&key("k"), None, &by, kept.at).is_ok(),
            session.seen_of(snapshot, &by, kept.at).count(),
            session.changes(since, &Followed::default(), &by, kept.at),
        )
    };
    assert_eq!(told(&kept, "subagent:a"), (true, 1, Vec::new()));
    let closed = Write {
        readable_by: Some(vec![Pattern::parse("subagent:b").expect("a pattern")]),
        ..value("k", 1)
    };
    assert_eq!(kept.write(&closed), Ok(2));
    assert_eq!(kept.write(&value("k", 1)), Ok(3));
    let (history, snapshot, changes) = told(&kept, "subagent:a");
    assert_eq!((history, snapshot), (false, 0));
    let gone = changes.as_slice();
    assert!(
        matches!(gone, [(_, Change::Deleted { version: 1, .. })]),
        "it is gone for this one: {gone:?}"
    );
    let (history, snapshot, changes) = told(&kept, "subagent:b");
    assert_eq!((history, snapshot), (true, 1));
    assert!(matches!(changes.as_slice(), [(_, Change::Written { version: 3, .. })]));
    kept.delete("k").expect("deleted");
    let (history, snapshot, changes) = told(&kept, "subagent:a");
    assert_eq!((history, snapshot), (true, 1), "each version by its own list");
    assert!(
        matches!(changes.as_slice(), [(_, Change::Deleted { version: 1, .. })]),
        "it went for this one when it was closed: {changes:?}"
    );
}

/// A write that says who may read the key.
fn readable(text: &str, by: &[&str]) -> Write {
    let patterns = by.iter().map(|text| Pattern::parse(text).expect("a pattern"));
    Write {
        readable_by: Some(patterns.collect()),
        ..value(text, 1)
    }
}

/// What a participant is told of that went after a record, as versions; 0 is that something is not remembered.
fn went(kept: &Kept, since: u64, name: &str) -> Vec<u64> {
    let changes = kept.session().changes(since, &Followed::default(), &who(name), kept.at);
    let version = |(_, change): &(u64, Change)| match change {
        Change::Deleted { version, .. } => Some(*version),
        Change::Forgotten => Some(0),
        Change::Written { .. } | Change::Snapshotted { .. } | Change::Archived { .. } => None,
    };
    changes.iter().filter_map(version).collect()
}

#[test]
fn each_is_told_that_a_key_went_for_it_however_it_was_closed_before_and_after_s076_s083() {
    let mut kept = Kept::new(Config {
        access_control: true,
        ..Config::default()
    });
    assert_eq!(kept.write(&value("k", 1)), Ok(1));
    let since = kept.seq;
    kept.write(&readable("k", &["subagent:a", "subagent:b"]))
        .expect("written");
    kept.write(&readable("k", &["subagent:b"])).expect("written");
    kept.write(&readable("k", &["subagent:d"])).expect("written");
    for (name, version) in [("subagent:other", 1), ("subagent:a", 2), ("subagent:b", 3)] {
        assert_eq!(went(&kept, since, name), [version], "{name}");
        assert!(went(&kept, kept.seq, name).is_empty(), "{name}: once");
    }
    assert!(went(&kept, since, "subagent:d").is_empty());
    kept.delete("k").expect("deleted");
    for (name, version) in [
        ("subagent:other", 1),
        ("subagent:a", 2),
        ("subagent:b", 3),
        ("subagent:d", 4),
    ] {
        assert_eq!(went(&kept, since, name), [version], "{name}, once it went for all");
    }
    kept.write(&readable("k", &["subagent:b"])).expect("written");
    for (name, version) in [("subagent:other", 1), ("subagent:a", 2), ("subagent:d", 4)] {
        assert_eq!(
            went(&kept, since, name),
            [version],
            "{name}, when it came back for another"
        );
    }
    assert!(went(&kept, since, "subagent:b").is_empty(), "it reads it");
    kept.write(&readable("k", &["*"])).expect("written");
    assert!(kept.session().access_revocations.is_empty(), "everybody reads it");
    kept.delete("k").expect("deleted");
    for name in ["subagent:other", "subagent:a", "subagent:d", "orchestrator"] {
        assert_eq!(went(&kept, since, name), [2], "{name}: of the key that came back");
    }
}

#[test]
fn who_was_away_while_more_went_than_is_remembered_is_told_to_list_anew_s083() {
    let mut kept = Kept::new(Config {
        access_control: true,
        ..Config::default()
    });
    assert_eq!(kept.write(&readable("k", &["subagent:first"])), Ok(1));
    let since = kept.seq;
    for n in 0..REVOCATIONS_MAX {
        kept.write(&readable("k", &[&format!("subagent:t{n}")]))
            .expect("written");
    }
    assert_eq!(went(&kept, since, "subagent:first"), [1], "the last that is remembered");
    kept.write(&readable("k", &["subagent:last"])).expect("written");
    assert_eq!(went(&kept, since, "subagent:first"), [0]);
    assert_eq!(went(&kept, since, "subagent:t0"), [0, 2]);
    assert!(
        went(&kept, 0, "subagent:first").is_empty(),
        "who saw nothing misses nothing"
    );
    for n in 0..=TOMBSTONES_MAX {
        let key = format!("gone{n}");
        kept.write(&value(&key, 0)).expect("written");
        kept.delete(&key).expect("deleted");
    }
    let told = went(&kept, since, "subagent:a");
    assert_eq!((told[0], told.len()), (0, 1 + TOMBSTONES_MAX));
    kept.delete("k").expect("deleted");
    let (seq, session) = (kept.seq, kept.session());
    assert!(
        session.forgotten <= seq
            && session
                .changes(seq, &Followed::default(), &who("subagent:a"), kept.at)
                .is_empty()
    );
}

#[test]
fn a_session_under_the_id_of_one_that_is_gone_is_another_and_says_that_all_went_s006_s026_s096() {
    let mut kept = Kept::new(Config::default());
    for (key, writes) in [("a", 3), ("b", 5), ("c", 1)] {
        for _ in 0..writes {
            kept.write(&value(key, 1)).expect("written");
        }
    }
    kept.delete("b").expect("deleted");
    let since = kept.seq;
    kept.apply(&kept.session().remove(&id(), None));
    let again = kept.sessions.create(wanted("s", "ben", Config::default()), &LIMITS);
    kept.apply(&again.expect("a session"));
    assert_eq!(went(&kept, since, "orchestrator"), [0], "what there was is gone");
    assert_eq!(kept.write(&value("a", 1)), Ok(1));
    let incarnation = kept.seq;
    let stale = Write {
        at: Precondition {
            version: Some(1),
            incarnation: Some(1),
        },
        ..value("a", 1)
    };
    let found = SessionRefusal::VersionConflict {
        found: Some(1),
        incarnation: Some(incarnation),
    };
    assert_eq!(kept.write(&stale), Err(found), "it is meant for a key of before");
}
