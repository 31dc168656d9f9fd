//! Random steps: no version repeats and no size is exceeded.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::Just;
use proptest::prelude::Strategy;
use proptest::prelude::any;
use proptest::prop_assert;
use proptest::prop_assert_eq;
use proptest::prop_oneof;
use proptest::proptest;
use proptest::test_runner::TestCaseError;

use super::Kept;
use super::LIMITS;
use super::actor;
use super::id;
use super::label;
use super::value;
use crate::session::action::Precondition;
use crate::session::action::Write;
use crate::session::config::Config;
use crate::session::name::Key;
use crate::session::refusal::SessionRefusal;
use crate::session::sessions::Sessions;

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

fn follow(kept: &mut Kept, seen: &mut BTreeMap<Key, (u64, u64)>) -> Result<(), TestCaseError> {
    let (seq, at) = (kept.seq, kept.at);
    for (key, entry) in &kept.session().entries {
        if entry.seq == seq {
            let now = (entry.incarnation, entry.version);
            let last = seen.insert(key.clone(), now).unwrap_or((0, 0));
            prop_assert!(now > last, "{key} repeats {now:?}");
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
            let orchestrator = actor("orchestrator");
            let event = match step {
                Step::Write { key, tokens, expires_s } => {
                    if let Some(expired) = kept.session().expire(&id(), kept.at) {
                        kept.apply(&expired);
                    }
                    let write = Write { expires_s, ..value(&format!("k{key}"), tokens) };
                    kept.session().write(&id(), &write, orchestrator, kept.at, &LIMITS)
                }
                Step::Delete { key } => kept.session().delete(&id(), &format!("k{key}"), Precondition::default(), orchestrator, kept.at),
                Step::Snapshot { label: n } => kept.session().snapshot(&id(), label(&n.to_string()), orchestrator, &LIMITS),
                Step::Rollback { label: n } => kept.session().roll_back(&id(), label(&n.to_string()), orchestrator, kept.at),
                Step::Unsnapshot { label: n } => kept.session().delete_snapshot(&id(), label(&n.to_string()), orchestrator),
                Step::Expire => kept.session().expire(&id(), kept.at).ok_or(SessionRefusal::KeyNotFound),
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
            let text = serde_json::to_string(&kept.sessions).expect("JSON");
            let read: Sessions = serde_json::from_str(&text).expect("sessions");
            prop_assert_eq!(read, kept.sessions);
        }
    }
}
