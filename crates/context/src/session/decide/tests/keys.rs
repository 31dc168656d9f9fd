//! Writes: versions, sizes, counts, names, and conditions.

use super::Kept;
use super::actor;
use super::id;
use super::key;
use super::value;
use crate::session::action::Precondition;
use crate::session::action::Write;
use crate::session::config::Config;
use crate::session::refusal::SessionRefusal;

#[test]
fn a_write_creates_at_one_and_counts_up_and_a_key_that_comes_back_begins_anew_s012_s025_s026_s031() {
    let mut kept = Kept::new(Config::default());
    assert_eq!(
        (
            kept.write(&value("a", 1)),
            kept.write(&value("a", 1)),
            kept.write(&value("b", 1))
        ),
        (Ok(1), Ok(2), Ok(1))
    );
    assert_eq!(kept.delete("a"), Ok(()));
    assert_eq!(kept.delete("a"), Err(SessionRefusal::KeyNotFound));
    let was = kept.seq;
    assert_eq!((kept.write(&value("a", 1)), kept.write(&value("a", 1))), (Ok(1), Ok(2)));
    let entry = &kept.session().entries[&key("a")];
    assert_eq!(
        (entry.version, entry.incarnation),
        (2, was + 1),
        "named by the record that created it"
    );
}

#[test]
fn a_value_may_have_a_thousand_tokens_and_not_a_character_more_s033_s035_s051() {
    let mut kept = Kept::new(Config::default());
    assert_eq!(kept.write(&value("a", 1_000)), Ok(1));
    let mut large = value("a", 1_000);
    large.value.push('x');
    assert_eq!(
        kept.write(&large),
        Err(SessionRefusal::ValueTooLarge {
            tokens: 1_001,
            max: 1_000
        })
    );
    assert_eq!(kept.versions("a"), [1], "the old value stays");
    let foreign = Write {
        value: "語".repeat(4_000),
        ..value("a", 0)
    };
    assert_eq!(kept.write(&foreign), Ok(2), "characters count, not bytes");
}

#[test]
fn all_values_may_have_ten_thousand_tokens_and_an_overwritten_one_makes_room_s036_s037_s052() {
    let mut kept = Kept::new(Config::default());
    for n in 0..9 {
        assert_eq!(kept.write(&value(&format!("k{n}"), 1_000)), Ok(1));
    }
    assert_eq!(kept.write(&value("last", 999)), Ok(1));
    assert_eq!(kept.write(&value("one", 1)), Ok(1));
    assert_eq!(kept.session().total(kept.at), 10_000);
    assert!(matches!(
        kept.write(&value("more", 1)),
        Err(SessionRefusal::StoreFull { .. })
    ));
    assert!(matches!(
        kept.write(&value("one", 2)),
        Err(SessionRefusal::StoreFull { .. })
    ));
    assert_eq!(kept.versions("one"), [1], "the old value stays");
    assert_eq!(kept.write(&value("more", 0)), Ok(1), "what has no size takes no room");
    assert_eq!(kept.write(&value("k0", 998)), Ok(2));
    assert_eq!(kept.write(&value("one", 2)), Ok(2));
}

#[test]
fn keys_of_a_session_are_counted() {
    let mut kept = Kept::new(Config::default());
    for n in 0..20 {
        assert_eq!(kept.write(&value(&format!("k{n}"), 1)), Ok(1));
    }
    assert!(matches!(
        kept.write(&value("k20", 1)),
        Err(SessionRefusal::StoreFull { .. })
    ));
    assert_eq!(kept.write(&value("k19", 1)), Ok(2));
    assert_eq!(kept.delete("k0"), Ok(()));
    assert_eq!(kept.write(&value("k20", 1)), Ok(1));
}

fn conflict<T>(found: Option<u64>, incarnation: Option<u64>) -> Result<T, SessionRefusal> {
    Err(SessionRefusal::VersionConflict { found, incarnation })
}

#[test]
fn an_incarnation_tells_a_key_from_one_of_its_name_before_s031_s043_s044() {
    let mut kept = Kept::new(Config::default());
    kept.write(&value("a", 1)).expect("written");
    let first = kept.seq;
    kept.delete("a").expect("deleted");
    kept.write(&value("a", 1)).expect("written");
    let second = kept.seq;
    let write = |version: Option<u64>, incarnation: u64| Write {
        at: Precondition {
            version,
            incarnation: Some(incarnation),
        },
        ..value("a", 1)
    };
    for version in [None, Some(1)] {
        let stale = write(version, first);
        assert_eq!(kept.write(&stale), conflict(Some(1), Some(second)), "it is another key");
        let deleted = kept
            .session()
            .delete(&id(), "a", stale.at, actor("orchestrator"), kept.at);
        assert_eq!(deleted, conflict(Some(1), Some(second)));
    }
    assert_eq!(kept.write(&write(Some(1), second)), Ok(2));
    assert_eq!(kept.write(&write(None, second)), Ok(3), "whatever the version");
    assert_eq!(
        kept.write(&Write {
            key: "b".to_owned(),
            ..write(None, 0)
        }),
        Ok(1),
        "0 is none"
    );
}

#[test]
fn a_write_may_name_the_version_that_it_is_for_s043_s044() {
    let mut kept = Kept::new(Config::default());
    let at = |version: u64| Write {
        at: Precondition {
            version: Some(version),
            incarnation: None,
        },
        ..value("a", 1)
    };
    assert_eq!(kept.write(&at(1)), conflict(None, None));
    assert_eq!(kept.write(&at(0)), Ok(1));
    let first = kept.seq;
    assert_eq!(kept.write(&at(0)), conflict(Some(1), Some(first)));
    assert_eq!(kept.write(&at(1)), Ok(2));
    let event = kept
        .session()
        .delete(&id(), "a", at(1).at, actor("orchestrator"), kept.at);
    assert_eq!(event, conflict(Some(2), Some(first)));
    let mut kept = Kept::new(Config {
        if_version: false,
        ..Config::default()
    });
    assert_eq!(kept.write(&at(0)), Err(SessionRefusal::ExtensionOff("if_version")));
    assert_eq!(kept.write(&value("a", 1)), Ok(1), "last write wins");
}
