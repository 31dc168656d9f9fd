//! Writes: versions, sizes, counts, names, and conditions.

use super::Kept;
use super::hand;
use super::id;
use super::value;
use crate::domain::context::shared::action::Write;
use crate::domain::context::shared::config::Config;
use crate::domain::context::shared::refusal::ContextRefusal;

#[test]
fn a_write_creates_at_one_and_counts_up_and_a_key_that_comes_back_goes_on_s012_s025_s026_s031() {
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
    assert_eq!(kept.delete("a"), Err(ContextRefusal::KeyNotFound));
    assert_eq!(kept.write(&value("a", 1)), Ok(3));
}

#[test]
fn a_value_may_have_a_thousand_tokens_and_not_a_character_more_s033_s035_s051() {
    let mut kept = Kept::new(Config::default());
    assert_eq!(kept.write(&value("a", 1_000)), Ok(1));
    let mut large = value("a", 1_000);
    large.value.push('x');
    assert_eq!(
        kept.write(&large),
        Err(ContextRefusal::ValueTooLarge {
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
        Err(ContextRefusal::StoreFull { .. })
    ));
    assert!(matches!(
        kept.write(&value("one", 2)),
        Err(ContextRefusal::StoreFull { .. })
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
        Err(ContextRefusal::StoreFull { .. })
    ));
    assert_eq!(kept.write(&value("k19", 1)), Ok(2));
    assert_eq!(kept.delete("k0"), Ok(()));
    assert_eq!(kept.write(&value("k20", 1)), Ok(1));
}

#[test]
fn keys_that_are_none_are_refused_s053_s075() {
    let mut kept = Kept::new(Config::default());
    assert_eq!(
        kept.write(&value("A", 1)),
        Err(ContextRefusal::InvalidKey { prefixes: false })
    );
    assert_eq!(
        kept.write(&value("inv:a", 1)),
        Err(ContextRefusal::InvalidKey { prefixes: false })
    );
    assert_eq!(kept.delete("a.b"), Err(ContextRefusal::InvalidKey { prefixes: false }));
    let mut kept = Kept::new(Config {
        prefixes: true,
        ..Config::default()
    });
    assert_eq!(kept.write(&value("inv:a", 1)), Ok(1));
}

#[test]
fn a_write_may_name_the_version_that_it_is_for_s043_s044() {
    let mut kept = Kept::new(Config::default());
    let at = |version: u64| Write {
        if_version: Some(version),
        ..value("a", 1)
    };
    assert_eq!(kept.write(&at(1)), Err(ContextRefusal::VersionConflict { found: None }));
    assert_eq!(kept.write(&at(0)), Ok(1));
    assert_eq!(
        kept.write(&at(0)),
        Err(ContextRefusal::VersionConflict { found: Some(1) })
    );
    assert_eq!(kept.write(&at(1)), Ok(2));
    let event = kept
        .session()
        .delete(&id(), "a", Some(1), hand("orchestrator"), kept.at);
    assert_eq!(event, Err(ContextRefusal::VersionConflict { found: Some(2) }));
    let mut kept = Kept::new(Config {
        if_version: false,
        ..Config::default()
    });
    assert_eq!(kept.write(&at(0)), Err(ContextRefusal::ExtensionOff("if_version")));
    assert_eq!(kept.write(&value("a", 1)), Ok(1), "last write wins");
}
