//! Each rule at its edge, and random histories in which no version repeats and no size is exceeded.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::Just;
use proptest::prelude::Strategy;
use proptest::prelude::any;
use proptest::prop_assert;
use proptest::prop_assert_eq;
use proptest::prop_oneof;
use proptest::proptest;
use proptest::test_runner::TestCaseError;

use super::ContextLimits;
use super::Wanted;
use crate::domain::context::shared::action::Write;
use crate::domain::context::shared::book::Contexts;
use crate::domain::context::shared::changes::Change;
use crate::domain::context::shared::changes::Followed;
use crate::domain::context::shared::config::Config;
use crate::domain::context::shared::event::ContextEvent;
use crate::domain::context::shared::event::Grant;
use crate::domain::context::shared::event::Hand;
use crate::domain::context::shared::name::Key;
use crate::domain::context::shared::name::Label;
use crate::domain::context::shared::name::SessionId;
use crate::domain::context::shared::participant::Participant;
use crate::domain::context::shared::participant::Pattern;
use crate::domain::context::shared::refusal::ContextRefusal;
use crate::domain::context::shared::session::Past;
use crate::domain::context::shared::session::Session;
use crate::domain::context::shared::size::SizeLimits;
use crate::domain::fact::Account;
use crate::domain::template::name::ClientId;
use crate::domain::time::At;

const LIMITS: ContextLimits = ContextLimits {
    sessions_max: 3,
    sessions_per_client_max: 2,
    keys_max: 20,
    participants_max: 2,
    history_versions_max: 10,
    snapshots_max: 2,
    batch_keys_max: 10,
    expiry_s_max: 100,
    namespace_bytes_max: 1_000,
    size: SizeLimits {
        value_max: 1_000,
        value_warned: 800,
        value_hinted: 500,
        total_max: 10_000,
    },
};

fn id() -> SessionId {
    SessionId::parse("s").expect("a session")
}

fn client(name: &str) -> ClientId {
    ClientId::parse(name).expect("a client")
}

fn who(name: &str) -> Participant {
    Participant::parse(name).expect("a participant")
}

fn hand(name: &str) -> Hand {
    Hand {
        by: who(name),
        principal: Some(client("ana")),
    }
}

fn key(text: &str) -> Key {
    Key::parse(text, true).expect("a key")
}

fn label(text: &str) -> Label {
    Label::parse(text).expect("a label")
}

fn grant(principal: &str, roles: &[&str]) -> Grant {
    Grant {
        principal: client(principal),
        roles: roles
            .iter()
            .map(|role| Pattern::parse(role).expect("a pattern"))
            .collect(),
    }
}

fn wanted(session: &str, owner: &str, config: Config) -> Wanted {
    Wanted {
        session: SessionId::parse(session).expect("a session"),
        owner: Some(client(owner)),
        grants: Vec::new(),
        config,
        namespace: false,
    }
}

/// All sessions as they are kept, record after record.
struct Kept {
    contexts: Contexts,
    seq: u64,
    at: At,
}

impl Kept {
    fn new(config: Config) -> Kept {
        let mut kept = Kept {
            contexts: Contexts::default(),
            seq: 0,
            at: At(1_000_000),
        };
        let created = kept
            .contexts
            .create(wanted("s", "ana", config), &LIMITS)
            .expect("a session");
        kept.apply(&created);
        kept
    }

    fn apply(&mut self, event: &ContextEvent) {
        self.seq += 1;
        self.contexts.evolve(self.seq, self.at, event);
        assert_eq!(self.contexts.check(), Ok(()), "after {event:?}");
    }

    fn session(&self) -> &Session {
        &self.contexts.sessions[&id()]
    }

    fn write(&mut self, write: &Write) -> Result<u64, ContextRefusal> {
        self.write_as("orchestrator", write)
    }

    fn write_as(&mut self, name: &str, write: &Write) -> Result<u64, ContextRefusal> {
        let event = self.session().write(&id(), write, hand(name), self.at, &LIMITS)?;
        self.apply(&event);
        let ContextEvent::Written { version, .. } = event else {
            panic!("{event:?}")
        };
        Ok(version)
    }

    fn delete(&mut self, key: &str) -> Result<(), ContextRefusal> {
        let event = self.session().delete(&id(), key, None, hand("orchestrator"), self.at)?;
        self.apply(&event);
        Ok(())
    }

    fn versions(&self, text: &str) -> Vec<u64> {
        self.session().versions(&key(text)).map(|entry| entry.version).collect()
    }
}

fn value(key: &str, tokens: usize) -> Write {
    Write {
        key: key.to_owned(),
        value: "x".repeat(tokens * 4),
        ..Write::default()
    }
}

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
    assert_eq!(kept.write(&value("a", 1)), Err(ContextRefusal::SessionArchived));
    assert_eq!(kept.delete("a"), Err(ContextRefusal::SessionArchived));
    let snapshot = kept
        .session()
        .snapshot(&id(), label("l"), hand("orchestrator"), &LIMITS);
    assert_eq!(snapshot, Err(ContextRefusal::SessionArchived));
    assert_eq!(
        kept.session().grant(&id(), grant("ben", &["subagent:a"]), &LIMITS),
        Err(ContextRefusal::SessionArchived)
    );
    kept.at = kept.at.plus_ms(60_000);
    assert!(
        kept.session().entry(&key("a"), &who("subagent:a"), kept.at).is_ok(),
        "time stands still in it"
    );
    assert_eq!(kept.session().expire(&id(), kept.at), None);
}

#[test]
fn a_key_expires_at_its_moment_and_never_repeats_a_version_s081() {
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
        (Err(ContextRefusal::KeyNotFound), 0)
    );
    assert_eq!(kept.write(&brief), Ok(2), "before it was taken out");
    kept.at = kept.at.plus_ms(10_000);
    let expired = kept.session().expire(&id(), kept.at).expect("an event");
    kept.apply(&expired);
    assert_eq!(kept.session().expire(&id(), kept.at), None);
    assert_eq!(kept.write(&value("a", 1)), Ok(3), "after it was taken out");
    assert!(!kept.contexts.freed.is_empty());
    let mut off = Kept::new(Config::default());
    assert_eq!(off.write(&brief), Err(ContextRefusal::ExtensionOff("expiry")));
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
    assert_eq!(kept.versions("a"), [4, 5, 6]);
    let (told, missing) = kept
        .session()
        .history(&key("a"), Some(&[1, 5, 6]), &who("subagent:a"), kept.at)
        .expect("a history");
    assert_eq!(missing, [1]);
    let told: Vec<(bool, u64)> = told
        .iter()
        .map(|past| match past {
            Past::Version(entry) => (true, entry.version),
            Past::Gone { version, .. } => (false, *version),
        })
        .collect();
    assert_eq!(told, [(true, 5), (false, 5), (true, 6)]);
    let nothing = kept.session().history(&key("b"), None, &who("subagent:a"), kept.at);
    assert_eq!(nothing, Err(ContextRefusal::KeyNotFound));
    let off = Kept::new(Config::default());
    let refused = off.session().history(&key("a"), None, &who("subagent:a"), off.at);
    assert_eq!(refused, Err(ContextRefusal::ExtensionOff("history_versions")));
}

#[test]
fn a_snapshot_brings_back_what_was_and_every_change_is_a_new_version_s082() {
    let mut kept = Kept::new(Config::default());
    for (name, tokens) in [("stays", 1), ("changes", 1), ("goes", 1)] {
        kept.write(&value(name, tokens)).expect("written");
    }
    let event = kept
        .session()
        .snapshot(&id(), label("before"), hand("orchestrator"), &LIMITS)
        .expect("an event");
    kept.apply(&event);
    let again = kept
        .session()
        .snapshot(&id(), label("before"), hand("orchestrator"), &LIMITS);
    assert_eq!(again, Err(ContextRefusal::SnapshotExists));
    kept.write(&value("changes", 2)).expect("written");
    kept.delete("goes").expect("deleted");
    kept.write(&value("new", 1)).expect("written");
    let event = kept
        .session()
        .put_back(&id(), label("before"), hand("subagent:a"))
        .expect("an event");
    kept.apply(&event);
    let now = |name: &str| {
        kept.session()
            .entry(&key(name), &who("orchestrator"), kept.at)
            .map(|entry| (entry.version, entry.tokens))
    };
    assert_eq!(
        (now("stays"), now("changes"), now("goes")),
        (Ok((1, 1)), Ok((3, 1)), Ok((2, 1)))
    );
    assert_eq!(now("new"), Err(ContextRefusal::KeyNotFound));
    let nowhere = kept.session().put_back(&id(), label("nowhere"), hand("orchestrator"));
    assert_eq!(nowhere, Err(ContextRefusal::SnapshotNotFound));
    let event = kept
        .session()
        .unsnapshot(&id(), label("before"), &who("orchestrator"))
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
            .snapshot(&id(), label(name), hand("orchestrator"), &LIMITS)
            .expect("an event");
        kept.apply(&event);
    }
    let full = kept
        .session()
        .snapshot(&id(), label("three"), hand("orchestrator"), &LIMITS);
    assert_eq!(full, Err(ContextRefusal::Full("snapshots of one session", 2)));
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
            .write(&id(), &value("a", 1), hand(name), kept.at, &LIMITS);
        assert_eq!(event.is_ok(), written, "{name}: {event:?}");
        let (deleted, by) = (kept.session().delete(&id(), "a", None, hand(name), kept.at), who(name));
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
    assert_eq!(reads(&kept, "subagent:other"), Err(ContextRefusal::KeyNotFound));
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
        .snapshot(&id(), label("l"), hand("subagent:write"), &LIMITS)
        .expect("an event");
    kept.apply(&event);
    let refused = kept.session().put_back(&id(), label("l"), hand("subagent:write"));
    assert_eq!(refused, Err(ContextRefusal::KeyForbidden));
    let mut off = Kept::new(Config::default());
    assert_eq!(off.write(&guarded), Err(ContextRefusal::ExtensionOff("access_control")));
    assert_eq!(off.write_as("subagent:any", &value("a", 1)), Ok(1), "all are equal");
}

#[test]
fn who_takes_part_is_what_was_granted_and_a_role_is_one_principals_alone_s027_s086_s092() {
    let mut kept = Kept::new(Config::default());
    let event = kept
        .session()
        .grant(&id(), grant("ben", &["subagent:a", "subagent:a:*"]), &LIMITS)
        .expect("granted");
    kept.apply(&event);
    let session = kept.session();
    let speaks = |name: Option<&str>, said: Option<&str>| {
        let (client, said) = (name.map(client), said.map(who));
        session
            .participant(client.as_ref(), said.as_ref())
            .map(|who| who.as_str().to_owned())
    };
    assert_eq!(speaks(Some("ana"), None), Ok("orchestrator".to_owned()));
    assert_eq!(
        speaks(Some("ana"), Some("subagent:b")),
        Ok("subagent:b".to_owned()),
        "a subagent of its own"
    );
    assert_eq!(
        speaks(Some("ana"), Some("subagent:a")),
        Err(ContextRefusal::RoleNotGranted),
        "that is ben"
    );
    assert_eq!(
        speaks(Some("ana"), Some("subagent:a:7")),
        Err(ContextRefusal::RoleNotGranted)
    );
    assert_eq!(speaks(Some("ben"), None), Ok("subagent:a".to_owned()));
    assert_eq!(speaks(Some("ben"), Some("subagent:a:7")), Ok("subagent:a:7".to_owned()));
    assert_eq!(
        speaks(Some("ben"), Some("orchestrator")),
        Err(ContextRefusal::RoleNotGranted)
    );
    for said in [None, Some("orchestrator"), Some("subagent:a")] {
        assert_eq!(speaks(Some("cid"), said), Err(ContextRefusal::SessionNotFound));
        assert_eq!(speaks(None, said), Err(ContextRefusal::SessionNotFound));
    }
    let taken =
        |kept: &Kept, name: &str, roles: &[&str]| kept.session().grant(&id(), grant(name, roles), &LIMITS).err();
    for roles in [&["subagent:a"][..], &["subagent:a:1"], &["subagent:*"], &["*"]] {
        assert_eq!(taken(&kept, "cid", roles), Some(ContextRefusal::RoleTaken), "{roles:?}");
    }
    assert_eq!(
        taken(&kept, "ana", &["subagent:z"]),
        Some(ContextRefusal::RoleTaken),
        "the creator needs none"
    );
    assert_eq!(taken(&kept, "ben", &["subagent:*"]), None, "its own may change");
    let event = kept
        .session()
        .grant(&id(), grant("cid", &["subagent:c"]), &LIMITS)
        .expect("granted");
    kept.apply(&event);
    let full = Some(ContextRefusal::Full("participants beside the creator", 2));
    assert_eq!(taken(&kept, "dan", &["subagent:d"]), full);
    let event = kept.session().revoke(&id(), &client("ben")).expect("revoked");
    kept.apply(&event);
    assert_eq!(
        kept.session().revoke(&id(), &client("ben")),
        Err(ContextRefusal::ParticipantNotFound)
    );
    assert!(!kept.session().is_known_to(Some(&client("ben"))));
}

#[test]
fn sessions_are_unique_and_counted_for_each_client_and_in_all_s006_s094() {
    let mut kept = Kept::new(Config::default());
    let create = |kept: &Kept, session: &str, owner: &str| {
        kept.contexts.create(wanted(session, owner, Config::default()), &LIMITS)
    };
    assert_eq!(create(&kept, "s", "ben"), Err(ContextRefusal::SessionExists));
    let event = create(&kept, "t", "ana").expect("a session");
    kept.apply(&event);
    assert_eq!(
        create(&kept, "u", "ana"),
        Err(ContextRefusal::Full("sessions of one client", 2))
    );
    let event = create(&kept, "u", "ben").expect("a session");
    kept.apply(&event);
    assert_eq!(create(&kept, "v", "cid"), Err(ContextRefusal::Full("sessions", 3)));
    kept.apply(&ContextEvent::Removed {
        session: id(),
        operator: None,
    });
    assert!(create(&kept, "s", "cid").is_ok());
    let mut two = wanted("w", "ana", Config::default());
    two.grants = vec![grant("ben", &["subagent:a"]), grant("cid", &["subagent:*"])];
    assert_eq!(kept.contexts.create(two, &LIMITS), Err(ContextRefusal::RoleTaken));
}

#[test]
fn a_removed_session_leaves_nothing_that_is_not_to_be_erased_s096() {
    let mut kept = Kept::new(Config {
        history_versions: 2,
        ..Config::default()
    });
    for _ in 0..3 {
        kept.write(&value("a", 1)).expect("written");
    }
    let event = kept
        .session()
        .snapshot(&id(), label("l"), hand("orchestrator"), &LIMITS)
        .expect("an event");
    kept.apply(&event);
    kept.write(&value("a", 1)).expect("written");
    kept.apply(&ContextEvent::Removed {
        session: id(),
        operator: None,
    });
    let freed: BTreeSet<u64> = kept
        .contexts
        .freed
        .first(99)
        .into_iter()
        .flat_map(|(from, through)| from..=through)
        .collect();
    assert!(freed.is_superset(&BTreeSet::from([1, 2, 3, 4, 6])), "{freed:?}");
    kept.apply(&ContextEvent::Erased {
        ranges: kept.contexts.freed.first(99),
    });
    assert!(kept.contexts.freed.is_empty());
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

/// One random step.
#[derive(Clone, Debug)]
enum Step {
    Write {
        key: u8,
        tokens: usize,
        expires_s: Option<i64>,
    },
    Delete {
        key: u8,
    },
    Snapshot {
        label: u8,
    },
    Rollback {
        label: u8,
    },
    Unsnapshot {
        label: u8,
    },
    Wait {
        ms: i64,
    },
    Expire,
}

fn steps() -> impl Strategy<Value = Step> {
    let tokens = prop_oneof![Just(0_usize), 1..50_usize, 900..1_002_usize];
    prop_oneof![
        6 => (0..30_u8, tokens, proptest::option::of(1..20_i64))
            .prop_map(|(key, tokens, expires_s)| Step::Write { key, tokens, expires_s }),
        3 => (0..30_u8).prop_map(|key| Step::Delete { key }),
        1 => (0..4_u8).prop_map(|label| Step::Snapshot { label }),
        1 => (0..4_u8).prop_map(|label| Step::Rollback { label }),
        1 => (0..4_u8).prop_map(|label| Step::Unsnapshot { label }),
        1 => (0..9_000_i64).prop_map(|ms| Step::Wait { ms }),
        1 => Just(Step::Expire),
    ]
}

fn follow(kept: &mut Kept, seen: &mut BTreeMap<Key, u64>) -> Result<(), TestCaseError> {
    let (seq, at) = (kept.seq, kept.at);
    for (key, entry) in &kept.session().entries {
        if entry.seq == seq {
            let last = seen.insert(key.clone(), entry.version).unwrap_or(0);
            prop_assert!(entry.version > last, "{key} repeats version {}", entry.version);
        }
    }
    prop_assert!(kept.session().total(at) <= LIMITS.size.total_max);
    prop_assert!(kept.session().living(at).count() <= LIMITS.keys_max);
    prop_assert!(
        kept.session()
            .entries
            .values()
            .all(|entry| entry.tokens <= LIMITS.size.value_max)
    );
    Ok(())
}

proptest! {
    #[test]
    fn whatever_happens_no_version_repeats_and_no_size_is_exceeded_s012_s033_s036(
        history in 0..4_usize,
        steps in vec(steps(), 1..160),
        again in any::<bool>(),
    ) {
        let config = Config { expiry: true, history_versions: history, ..Config::default() };
        let mut kept = Kept::new(config);
        let mut seen = BTreeMap::new();
        for step in steps {
            let orchestrator = hand("orchestrator");
            let event = match step {
                Step::Write { key, tokens, expires_s } => {
                    if let Some(expired) = kept.session().expire(&id(), kept.at) {
                        kept.apply(&expired);
                    }
                    let write = Write { expires_s, ..value(&format!("k{key}"), tokens) };
                    kept.session().write(&id(), &write, orchestrator, kept.at, &LIMITS)
                }
                Step::Delete { key } => kept.session().delete(&id(), &format!("k{key}"), None, orchestrator, kept.at),
                Step::Snapshot { label: n } => kept.session().snapshot(&id(), label(&n.to_string()), orchestrator, &LIMITS),
                Step::Rollback { label: n } => kept.session().put_back(&id(), label(&n.to_string()), orchestrator),
                Step::Unsnapshot { label: n } => kept.session().unsnapshot(&id(), label(&n.to_string()), &orchestrator.by),
                Step::Expire => kept.session().expire(&id(), kept.at).ok_or(ContextRefusal::KeyNotFound),
                Step::Wait { ms } => {
                    kept.at = kept.at.plus_ms(ms);
                    continue;
                }
            };
            if let Ok(event) = event {
                kept.apply(&event);
                follow(&mut kept, &mut seen)?;
            }
        }
        if again {
            // What is kept reads back as it was.
            let text = serde_json::to_string(&kept.contexts).expect("JSON");
            let read: Contexts = serde_json::from_str(&text).expect("sessions");
            prop_assert_eq!(read, kept.contexts);
        }
    }
}
