//! What was: expiry, history, snapshots, and what is told of changes.

use std::collections::BTreeSet;

use super::Kept;
use super::LIMITS;
use super::actor;
use super::id;
use super::key;
use super::label;
use super::value;
use super::who;
use crate::aggregate::Aggregate;
use crate::session::action::Write;
use crate::session::changes::Change;
use crate::session::changes::Followed;
use crate::session::config::Config;
use crate::session::event::KeyChange;
use crate::session::event::SessionEvent;
use crate::session::participant::Pattern;
use crate::session::refusal::SessionRefusal;
use crate::session::session::Past;

#[test]
fn a_key_expires_at_its_moment_and_is_another_when_it_comes_back_s026_s081() {
    let mut kept = Kept::new(Config {
        expiry: true,
        ..Config::default()
    });
    let brief = Write {
        expires_s: Some(10),
        ..value("a", 1_000)
    };
    assert_eq!(kept.write(&brief), Ok(1));
    kept.at = kept.at.plus_ms(9_999);
    assert!(kept.session().entry(&key("a"), &who("orchestrator"), kept.at).is_ok());
    kept.at = kept.at.plus_ms(1);
    let gone = kept
        .session()
        .entry(&key("a"), &who("orchestrator"), kept.at)
        .map(|_| ());
    assert_eq!(
        (gone, kept.session().total(kept.at)),
        (Err(SessionRefusal::KeyNotFound), 0)
    );
    assert_eq!(kept.write(&brief), Ok(1), "before it was taken out");
    kept.at = kept.at.plus_ms(10_000);
    let expired = kept.session().expire(&id(), kept.at).expect("an event");
    kept.apply(&expired);
    assert_eq!(kept.session().expire(&id(), kept.at), None);
    assert_eq!(kept.write(&value("a", 1)), Ok(1), "after it was taken out");
    let mut off = Kept::new(Config::default());
    assert_eq!(off.write(&brief), Err(SessionRefusal::ExtensionOff("expiry")));
}

#[test]
fn history_keeps_the_last_versions_and_tells_deletions_s031_s078_s079() {
    let mut kept = Kept::new(Config {
        history_versions: 3,
        ..Config::default()
    });
    for _ in 0..5 {
        kept.write(&value("a", 1)).expect("written");
    }
    assert_eq!(kept.versions("a"), [3, 4, 5]);
    kept.delete("a").expect("deleted");
    kept.write(&value("a", 1)).expect("written");
    assert_eq!(kept.versions("a"), [4, 5, 1]);
    let (told, missing) = kept
        .session()
        .history(&key("a"), Some(&[1, 3, 5]), &who("subagent:a"), kept.at)
        .expect("a history");
    assert_eq!(missing, [3]);
    let told: Vec<(bool, u64)> = told
        .iter()
        .map(|past| match past {
            Past::Version(entry) => (true, entry.version),
            Past::Gone { version, .. } => (false, *version),
        })
        .collect();
    assert_eq!(told, [(true, 5), (false, 5), (true, 1)]);
    let nothing = kept.session().history(&key("b"), None, &who("subagent:a"), kept.at);
    assert_eq!(nothing, Err(SessionRefusal::KeyNotFound));
    let off = Kept::new(Config::default());
    let refused = off.session().history(&key("a"), None, &who("subagent:a"), off.at);
    assert_eq!(refused, Err(SessionRefusal::ExtensionOff("history_versions")));
}

#[test]
fn history_tells_what_expired_when_it_did_and_hides_what_was_hidden_s076_s078_s081() {
    let mut kept = Kept::new(Config {
        history_versions: 3,
        expiry: true,
        access_control: true,
        ..Config::default()
    });
    let brief = Write {
        expires_s: Some(10),
        ..value("a", 1)
    };
    kept.write(&brief).expect("written");
    let ends = kept.at.plus_ms(10_000);
    kept.at = kept.at.plus_ms(60_000);
    let gone = |kept: &Kept, name: &str, reader: &str| {
        let told = kept.session().history(&key(name), None, &who(reader), kept.at);
        let (told, _) = told.expect("a history");
        told.into_iter().find_map(|past| match past {
            Past::Version(_) => None,
            Past::Gone { at, by, .. } => Some((at, by)),
        })
    };
    assert_eq!(
        gone(&kept, "a", "subagent:b"),
        Some((ends, None)),
        "before it was taken out"
    );
    let expired = kept.session().expire(&id(), kept.at).expect("an event");
    kept.apply(&expired);
    assert_eq!(gone(&kept, "a", "subagent:b"), Some((ends, None)), "after it was");
    kept.write(&value("h", 1)).expect("written");
    let hidden = Write {
        readable_by: Pattern::parse("subagent:a").map(|pattern| vec![pattern]),
        ..value("h", 1)
    };
    kept.write(&hidden).expect("written");
    kept.delete("h").expect("deleted");
    assert!(gone(&kept, "h", "subagent:a").is_some());
    assert_eq!(
        gone(&kept, "h", "subagent:b"),
        None,
        "it could not read what was deleted"
    );
}

#[test]
fn a_snapshot_brings_back_what_was_and_every_change_is_a_new_version_s082() {
    let mut kept = Kept::new(Config::default());
    for (name, tokens) in [("stays", 1), ("changes", 1), ("goes", 1)] {
        kept.write(&value(name, tokens)).expect("written");
    }
    let event = kept
        .session()
        .snapshot(&id(), label("before"), actor("orchestrator"), &LIMITS)
        .expect("an event");
    kept.apply(&event);
    let again = kept
        .session()
        .snapshot(&id(), label("before"), actor("orchestrator"), &LIMITS);
    assert_eq!(again, Err(SessionRefusal::SnapshotExists));
    kept.write(&value("changes", 2)).expect("written");
    kept.delete("goes").expect("deleted");
    kept.write(&value("new", 1)).expect("written");
    let event = kept
        .session()
        .roll_back(&id(), label("before"), actor("subagent:a"), kept.at)
        .expect("an event");
    let SessionEvent::RolledBack { changes, .. } = &event else {
        panic!("{event:?}")
    };
    let written = |name: &str, version| KeyChange::Written {
        key: key(name),
        version,
        tokens: 1,
    };
    let deleted = KeyChange::Deleted {
        key: key("new"),
        version: 1,
        tokens: 1,
    };
    assert_eq!(
        changes,
        &[deleted, written("changes", 3), written("goes", 1)],
        "as the audit log says it"
    );
    kept.apply(&event);
    let now = |name: &str| {
        kept.session()
            .entry(&key(name), &who("orchestrator"), kept.at)
            .map(|entry| (entry.version, entry.tokens))
    };
    assert_eq!(
        (now("stays"), now("changes"), now("goes")),
        (Ok((1, 1)), Ok((3, 1)), Ok((1, 1)))
    );
    assert_eq!(now("new"), Err(SessionRefusal::KeyNotFound));
    let nowhere = kept
        .session()
        .roll_back(&id(), label("nowhere"), actor("orchestrator"), kept.at);
    assert_eq!(nowhere, Err(SessionRefusal::SnapshotNotFound));
    let event = kept
        .session()
        .delete_snapshot(&id(), label("before"), actor("orchestrator"))
        .expect("an event");
    kept.apply(&event);
    assert!(
        kept.session()
            .entry(&key("changes"), &who("orchestrator"), kept.at)
            .is_ok()
    );
    for name in ["one", "two"] {
        let event = kept
            .session()
            .snapshot(&id(), label(name), actor("orchestrator"), &LIMITS)
            .expect("an event");
        kept.apply(&event);
    }
    let full = kept
        .session()
        .snapshot(&id(), label("three"), actor("orchestrator"), &LIMITS);
    assert_eq!(full, Err(SessionRefusal::Full("snapshots of one session", 2)));
}

#[test]
fn what_changed_is_told_in_order_each_key_once_s083() {
    let mut kept = Kept::new(Config::default());
    for name in ["a", "b", "a", "c"] {
        kept.write(&value(name, 1)).expect("written");
    }
    kept.delete("b").expect("deleted");
    let told = |kept: &Kept, since: u64, keys: &str| -> Vec<(u64, bool, u64)> {
        let followed = Followed::parse(keys).expect("keys");
        let changes = kept.session().changes(since, &followed, &who("subagent:x"), kept.at);
        let told = changes.into_iter().map(|(seq, change)| match change {
            Change::Written { version, .. } => (seq, true, version),
            Change::Deleted { version, .. } => (seq, false, version),
            other => panic!("{other:?}"),
        });
        told.collect()
    };
    assert_eq!(told(&kept, 0, "*"), [(4, true, 2), (5, true, 1), (6, false, 1)]);
    assert_eq!(told(&kept, 5, "*"), [(6, false, 1)]);
    assert_eq!(told(&kept, 0, "c"), [(5, true, 1)]);
    assert_eq!(told(&kept, 6, "*"), []);
}

#[test]
fn values_are_needed_as_long_as_somebody_may_ask_for_them_s047_s096() {
    let mut kept = Kept::new(Config {
        history_versions: 2,
        ..Config::default()
    });
    let needed = |kept: &Kept| -> BTreeSet<u64> {
        let ranges = kept.sessions.needed().into_iter();
        ranges.flat_map(|(from, through)| from..=through).collect()
    };
    for _ in 0..3 {
        kept.write(&value("a", 1)).expect("written");
    }
    assert_eq!(
        needed(&kept),
        BTreeSet::from([1, 3, 4]),
        "what it began with, and two versions"
    );
    let event = kept
        .session()
        .snapshot(&id(), label("l"), actor("orchestrator"), &LIMITS)
        .expect("an event");
    kept.apply(&event);
    kept.write(&value("a", 1)).expect("written");
    kept.write(&value("a", 1)).expect("written");
    assert_eq!(needed(&kept), BTreeSet::from([1, 4, 6, 7]), "the snapshot's value too");
    kept.apply(&kept.session().remove(&id(), None));
    assert_eq!(needed(&kept), BTreeSet::new());
}
