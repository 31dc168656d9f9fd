//! Random steps: no version repeats and no size is exceeded.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::Just;
use proptest::prelude::Strategy;
use proptest::prop_assert;
use proptest::prop_assert_eq;
use proptest::prop_oneof;
use proptest::proptest;

use super::Kept;
use super::LIMITS;
use super::id;
use super::label;
use super::lead;
use super::value;
use crate::session::config::Config;
use crate::session::request::Precondition;
use crate::session::sessions::Sessions;

/// One random step.
#[derive(Clone, Debug)]
enum Step {
    Write(u8, usize),
    Delete(u8),
    Snapshot(u8),
    Rollback(u8),
    Unsnapshot(u8),
}

fn steps() -> impl Strategy<Value = Step> {
    let tokens = prop_oneof![Just(0_usize), 1..50_usize, 900..1_002_usize];
    prop_oneof![
        6 => (0..30_u8, tokens).prop_map(|(key, tokens)| Step::Write(key, tokens)),
        3 => (0..30_u8).prop_map(Step::Delete),
        1 => (0..4_u8).prop_map(Step::Snapshot),
        1 => (0..4_u8).prop_map(Step::Rollback),
        1 => (0..4_u8).prop_map(Step::Unsnapshot),
    ]
}

proptest! {
    #[test]
    fn whatever_happens_no_version_repeats_and_no_size_is_exceeded_s012_s033_s036(
        history in 0..4_usize,
        steps in vec(steps(), 1..160),
    ) {
        let config = Config { history_versions: history, ..Config::default() };
        let mut kept = Kept::new(config);
        let mut seen = BTreeMap::new();
        for step in steps {
            let named = |n: u8| label(&n.to_string());
            let done = match step {
                Step::Write(key, tokens) => kept.write(&value(&format!("k{key}"), tokens)).map(drop),
                Step::Delete(key) => {
                    let key = format!("k{key}");
                    kept.does(|session| session.delete(&id(), &key, Precondition::default(), lead())).map(drop)
                }
                Step::Snapshot(n) => kept.snapshot(&n.to_string()),
                Step::Rollback(n) => kept.does(|session| session.roll_back(&id(), named(n), lead())).map(drop),
                Step::Unsnapshot(n) => kept.does(|session| session.delete_snapshot(&id(), named(n), lead())).map(drop),
            };
            if done.is_err() {
                continue;
            }
            for (key, entry) in kept.session().entries.iter().filter(|(_, entry)| entry.seq == kept.seq) {
                let now = (entry.incarnation, entry.version);
                let last = seen.insert(key.clone(), now).unwrap_or((0, 0));
                prop_assert!(now > last, "{key} repeats {now:?}");
                prop_assert!(entry.tokens <= LIMITS.size.value_max);
            }
            prop_assert!(kept.session().total() <= LIMITS.size.total_max);
            prop_assert!(kept.session().entries.len() <= LIMITS.keys_max);
        }
        // What is kept reads back as it was.
        let text = serde_json::to_string(&kept.sessions).expect("JSON");
        let read: Sessions = serde_json::from_str(&text).expect("sessions");
        prop_assert_eq!(read, kept.sessions);
    }
}
