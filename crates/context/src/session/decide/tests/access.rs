//! Who may what, what is told to whom, and how sessions end.

use super::Kept;
use super::LIMITS;
use super::actor;
use super::client;
use super::id;
use super::key;
use super::label;
use super::patterns;
use super::readable;
use super::value;
use super::wanted;
use super::who;
use crate::session::config::Config;
use crate::session::event::Grant;
use crate::session::refusal::SessionRefusal;
use crate::session::request::Precondition;
use crate::session::request::Write;
use crate::session::sessions::TOMBSTONES_MAX;

fn guarding() -> Config {
    Config {
        access_control: true,
        expiry: true,
        history_versions: 3,
        ..Config::default()
    }
}

#[test]
fn an_archived_session_is_read_and_nothing_else_s049_s055_s095() {
    let mut kept = Kept::new(guarding());
    let brief = Write {
        expires_s: Some(10),
        ..value("a", 1)
    };
    assert_eq!(kept.write(&brief), Ok(1));
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
    kept.at = kept.at.plus_ms(60_000);
    let read = kept.session().entry(&key("a"), &who("subagent:a"), kept.at);
    assert!(read.is_ok(), "time stands still in it");
    assert_eq!(kept.session().expire(&id(), kept.at), None);
}

#[test]
fn keys_are_read_and_written_by_whom_they_are_for_and_always_by_who_leads_s008_s076_s077() {
    let mut kept = Kept::new(guarding());
    let guarded = Write {
        writable_by: Some(patterns(&["subagent:write"])),
        ..readable("a", &["subagent:review:*", "subagent:write"])
    };
    assert_eq!(kept.write_as("subagent:write", &guarded), Ok(1));
    for (name, reads, writes) in [
        ("orchestrator", true, true),
        ("subagent:write", true, true),
        ("subagent:review:1", true, false),
        ("subagent:other", false, false),
    ] {
        let (session, by, at) = (kept.session(), who(name), kept.at);
        assert_eq!(session.entry(&key("a"), &by, at).is_ok(), reads, "{name}");
        assert_eq!(session.history(&key("a"), None, &by, at).is_ok(), reads, "{name}");
        assert_eq!(session.entries(&by, at).count(), usize::from(reads), "{name}");
        assert_eq!(kept.told(0, "*", name).len(), usize::from(reads), "{name}");
        let written = session.write(&id(), &value("a", 1), actor(name), at, &LIMITS);
        assert_eq!(written.is_ok(), writes, "{name}: {written:?}");
        let deleted = session.delete(&id(), "a", Precondition::default(), actor(name), at);
        assert_eq!(deleted.is_ok(), reads && writes, "{name}: {deleted:?}");
    }
    assert_eq!(kept.write_as("subagent:write", &value("a", 1)), Ok(2));
    let other = kept.session().entry(&key("a"), &who("subagent:other"), kept.at);
    assert_eq!(other, Err(SessionRefusal::KeyNotFound), "who it is for stays as it is");
    kept.delete("a").expect("deleted");
    assert_eq!(kept.told(0, "*", "subagent:other"), [""; 0], "not even that it went");
    assert_eq!(kept.told(0, "*", "subagent:write"), ["4 -a 2"]);
    kept.snapshot("l").expect("taken");
    let back = kept.does(|session, at| session.roll_back(&id(), label("l"), actor("subagent:write"), at));
    assert_eq!(back, Err(SessionRefusal::SnapshotForbidden));
    let mut off = Kept::new(Config::default());
    assert_eq!(off.write(&guarded), Err(SessionRefusal::ExtensionOff("access_control")));
    assert_eq!(off.write_as("subagent:any", &value("a", 1)), Ok(1), "all are equal");
}

#[test]
fn who_may_write_and_not_read_leaves_a_value_and_cannot_let_the_key_end_s076_s081() {
    let mut kept = Kept::new(guarding());
    let guarded = Write {
        writable_by: Some(patterns(&["subagent:review"])),
        ..readable("box", &["orchestrator"])
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
    assert_eq!(kept.session().entries[&key("box")].expires, None);
    assert_eq!(kept.write(&brief), Ok(3), "who reads it may let it end");
}

#[test]
fn a_closed_key_tells_nothing_of_what_it_was_and_who_follows_looks_anew_s076_s078_s082_s083() {
    let mut kept = Kept::new(guarding());
    assert_eq!(kept.write(&value("k", 1)), Ok(1));
    kept.snapshot("l").expect("taken");
    let since = kept.seq;
    let sees = |kept: &Kept, name: &str| {
        let (session, by) = (kept.session(), who(name));
        let snapshot = session.kept_snapshot(&label("l")).expect("a snapshot");
        let history = session.history(&key("k"), None, &by, kept.at).is_ok();
        (history, session.seen_of(snapshot, &by, kept.at).count())
    };
    assert_eq!(sees(&kept, "subagent:a"), (true, 1));
    assert_eq!(kept.told(since, "*", "subagent:a"), [""; 0]);
    assert_eq!(kept.write(&readable("k", &["subagent:b"])), Ok(2));
    let closed = kept.seq;
    assert_eq!(kept.write(&value("k", 1)), Ok(3));
    assert_eq!(sees(&kept, "subagent:a"), (false, 0));
    assert_eq!(sees(&kept, "subagent:b"), (true, 1));
    assert_eq!(kept.told(since, "*", "subagent:a"), [format!("{closed} relist")]);
    assert_eq!(kept.told(closed, "*", "subagent:a"), [""; 0], "once");
    assert_eq!(kept.told(closed, "*", "subagent:b"), [format!("{} +k 3", kept.seq)]);
    kept.delete("k").expect("deleted");
    assert_eq!(sees(&kept, "subagent:a"), (true, 1), "each version by its own list");
    let gone = kept.seq;
    assert_eq!(kept.write(&readable("k", &["subagent:a"])), Ok(1));
    let back = kept.seq;
    assert_eq!(
        kept.told(gone, "*", "subagent:a"),
        [format!("{back} +k 1"), format!("{back} relist")]
    );
    assert_eq!(
        kept.told(gone, "*", "subagent:b"),
        [format!("{back} relist")],
        "it did not see that it went"
    );
    assert_eq!(kept.write(&readable("k", &[])), Ok(2));
    assert_eq!(
        kept.told(back, "*", "subagent:b"),
        [format!("{} +k 2", kept.seq)],
        "nobody loses it"
    );
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
    let told = kept.told(since, "*", "subagent:a");
    assert_eq!((told[0].as_str(), told.len()), ("4 relist", 1 + TOMBSTONES_MAX));
    assert_eq!(
        kept.told(0, "first", "subagent:a"),
        ["2 +first 1"],
        "who saw nothing misses nothing"
    );
    assert_eq!(kept.told(kept.seq, "*", "subagent:a"), [""; 0]);
}

#[test]
fn a_session_under_the_id_of_one_that_is_gone_is_another_and_says_that_all_went_s006_s026_s096() {
    let mut kept = Kept::new(Config::default());
    kept.write(&value("a", 1)).expect("written");
    let since = kept.seq;
    kept.apply(&kept.session().remove(&id(), None));
    let again = kept.sessions.create(wanted("s", "ben", Config::default()), &LIMITS);
    kept.apply(&again.expect("a session"));
    assert_eq!(kept.told(since, "*", "orchestrator"), [format!("{} relist", kept.seq)]);
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
