//! Versions, sizes, counts and conditions of writes; history and snapshots.

use super::Kept;
use super::id;
use super::key;
use super::label;
use super::lead;
use super::value;
use crate::session::config::Config;
use crate::session::event::KeyChange;
use crate::session::event::SessionEvent;
use crate::session::refusal::SessionRefusal;
use crate::session::request::Precondition;
use crate::session::request::Write;
use crate::session::working_memory::Entry;
use crate::session::working_memory::Past;

#[test]
fn a_write_creates_at_one_and_counts_up_and_a_key_that_comes_back_begins_anew_s012_s025_s026_s031() {
    let mut kept = Kept::new(Config::default());
    for (key, version) in [("a", 1), ("a", 2), ("b", 1)] {
        assert_eq!(kept.write(&value(key, 1)), Ok(version));
    }
    assert_eq!(kept.delete("a"), Ok(()));
    assert_eq!(kept.delete("a"), Err(SessionRefusal::KeyNotFound));
    let was = kept.seq;
    assert_eq!((kept.write(&value("a", 1)), kept.write(&value("a", 1))), (Ok(1), Ok(2)));
    let Entry {
        version, incarnation, ..
    } = kept.session().entries[&key("a")];
    assert_eq!(
        (version, incarnation),
        (2, was + 1),
        "named by the record that created it"
    );
}

#[test]
fn values_keys_and_all_together_are_bounded_and_the_old_value_stays_s033_s035_s036_s037_s051_s052() {
    let full = |written: Result<u64, SessionRefusal>| matches!(written, Err(SessionRefusal::StoreFull { .. }));
    let mut kept = Kept::new(Config::default());
    assert_eq!(kept.write(&value("k0", 1_000)), Ok(1));
    let mut large = value("k0", 1_000);
    large.value.push('x');
    let too_large = SessionRefusal::ValueTooLarge {
        tokens: 1_001,
        max: 1_000,
    };
    assert_eq!(kept.write(&large), Err(too_large));
    for n in 1..9 {
        assert_eq!(kept.write(&value(&format!("k{n}"), 1_000)), Ok(1));
    }
    assert_eq!(
        (kept.write(&value("last", 999)), kept.write(&value("one", 1))),
        (Ok(1), Ok(1))
    );
    assert_eq!(kept.session().total(), 10_000);
    assert!(full(kept.write(&value("more", 1))) && full(kept.write(&value("one", 2))));
    assert_eq!((kept.versions("k0"), kept.versions("one")), (vec![1], vec![1]));
    assert_eq!(kept.write(&value("more", 0)), Ok(1), "what has no size takes no room");
    assert_eq!(kept.write(&value("k0", 998)), Ok(2), "an overwritten one makes room");
    assert_eq!(kept.write(&value("one", 2)), Ok(2));
    for n in 12..20 {
        assert_eq!(kept.write(&value(&format!("n{n}"), 0)), Ok(1));
    }
    assert!(full(kept.write(&value("n20", 0))), "as many keys as there may be");
    assert_eq!(kept.write(&value("n19", 0)), Ok(2));
    assert_eq!((kept.delete("n12"), kept.write(&value("n20", 0))), (Ok(()), Ok(1)));
}

#[test]
fn a_write_or_delete_may_name_the_version_and_the_incarnation_that_it_is_for_s031_s043_s044() {
    let at = |version: Option<u64>, incarnation: Option<u64>| Write {
        at: Precondition { version, incarnation },
        ..value("a", 1)
    };
    let conflict = |found, incarnation| SessionRefusal::VersionConflict { found, incarnation };
    let mut kept = Kept::new(Config::default());
    assert_eq!(kept.write(&at(Some(1), None)), Err(conflict(None, None)));
    assert_eq!(
        kept.write(&at(Some(0), Some(0))),
        Ok(1),
        "0 is for one that is not there"
    );
    let first = kept.seq;
    kept.delete("a").expect("deleted");
    assert_eq!(kept.write(&value("a", 1)), Ok(1));
    let second = kept.seq;
    // Of another version, and of a key of this name before.
    for (version, incarnation) in [
        (Some(0), None),
        (Some(2), None),
        (None, Some(first)),
        (Some(1), Some(first)),
    ] {
        let stale = at(version, incarnation);
        let expected = conflict(Some(1), Some(second));
        assert_eq!(kept.write(&stale), Err(expected.clone()), "{:?}", stale.at);
        let deleted = kept.does(|session| session.delete(&id(), "a", stale.at, lead()));
        assert_eq!(deleted, Err(expected), "{:?}", stale.at);
    }
    assert_eq!(kept.write(&at(Some(1), Some(second))), Ok(2));
    assert_eq!(kept.write(&at(None, Some(second))), Ok(3), "whatever the version");
    assert_eq!(kept.write(&at(Some(3), None)), Ok(4));
    let mut off = Kept::new(Config {
        if_version: false,
        ..Config::default()
    });
    assert_eq!(
        off.write(&at(Some(0), None)),
        Err(SessionRefusal::ExtensionOff("if_version"))
    );
    assert_eq!(off.write(&value("a", 1)), Ok(1), "last write wins");
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
    let history = |kept: &Kept, name: &str, versions: Option<&[u64]>| {
        let (told, missing) = kept.session().history(&key(name), versions)?;
        let told = told.into_iter().map(|past| match past {
            Past::Version(entry) => (true, entry.version),
            Past::Gone { version, .. } => (false, version),
        });
        Ok::<_, SessionRefusal>((told.collect::<Vec<_>>(), missing))
    };
    assert_eq!(
        history(&kept, "a", Some(&[1, 3, 5])),
        Ok((vec![(true, 5), (false, 5), (true, 1)], vec![3]))
    );
    assert_eq!(history(&kept, "b", None), Err(SessionRefusal::KeyNotFound));
    kept.write(&value("h", 1)).expect("written");
    kept.delete("h").expect("deleted");
    assert_eq!(history(&kept, "h", None), Ok((vec![(true, 1), (false, 1)], vec![])));
    let off = Kept::new(Config::default());
    let refused = SessionRefusal::ExtensionOff("history_versions");
    assert_eq!(history(&off, "a", None), Err(refused));
}

#[test]
fn a_snapshot_brings_back_what_was_and_every_change_is_a_new_version_s082() {
    let mut kept = Kept::new(Config::default());
    for name in ["stays", "changes", "goes"] {
        kept.write(&value(name, 1)).expect("written");
    }
    assert_eq!(kept.snapshot("before"), Ok(()));
    assert_eq!(kept.snapshot("before"), Err(SessionRefusal::SnapshotExists));
    kept.write(&value("changes", 2)).expect("written");
    kept.delete("goes").expect("deleted");
    kept.write(&value("new", 1)).expect("written");
    let roll_back = |kept: &mut Kept, name: &str| kept.does(|session| session.roll_back(&id(), label(name), lead()));
    let Ok(SessionEvent::RolledBack { changes, .. }) = roll_back(&mut kept, "before") else {
        panic!("it is put back")
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
        [deleted, written("changes", 3), written("goes", 1)],
        "as the audit log says it"
    );
    let entries = kept.session().entries.iter();
    let now: Vec<_> = entries
        .map(|(key, entry)| (key.as_str(), entry.version, entry.tokens))
        .collect();
    assert_eq!(now, [("changes", 3, 1), ("goes", 1, 1), ("stays", 1, 1)]);
    assert_eq!(roll_back(&mut kept, "nowhere"), Err(SessionRefusal::SnapshotNotFound));
    kept.does(|session| session.delete_snapshot(&id(), label("before"), lead()))
        .expect("forgotten");
    assert_eq!((kept.snapshot("one"), kept.snapshot("two")), (Ok(()), Ok(())));
    assert_eq!(
        kept.snapshot("three"),
        Err(SessionRefusal::Full("snapshots of one session", 2))
    );
}

#[test]
fn what_changed_is_told_in_order_each_key_once_s083() {
    let mut kept = Kept::new(Config::default());
    for name in ["a", "b", "a", "c"] {
        kept.write(&value(name, 1)).expect("written");
    }
    kept.delete("b").expect("deleted");
    for (since, keys, told) in [
        (0, "*", &["4 +a 2", "5 +c 1", "6 -b 1"][..]),
        (5, "*", &["6 -b 1"]),
        (0, "c", &["5 +c 1"]),
        (6, "*", &[]),
    ] {
        assert_eq!(kept.told(since, keys), told, "{since} {keys}");
    }
    let (_, first) = &kept.changes(0, "a")[0];
    assert_eq!(
        serde_json::to_string(first).expect("JSON"),
        r#"{"key":"a","version":2,"incarnation":2,"written_by":"orchestrator","written_at":"1970-01-01T00:16:40Z","value_size_tokens":1}"#
    );
}
