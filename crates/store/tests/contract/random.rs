//! Random appends, reads and restarts: the store on disk and the one in memory answer alike.

use proptest::prelude::*;

use schema::time::At;
use store::engines::ENGINES;
use store::journal::Draft;
use store::journal::Journal;
use store::journal::JournalName;
use store::journal::Kind;
use store::journal::Snapshot;
use store::kv::Engine;

use crate::appends::append;
use crate::memory;
use crate::open_with;

#[derive(Clone, Debug)]
enum Step {
    Append {
        journal: u8,
        drafts: Vec<Draft>,
        decided: Option<u64>,
    },
    Read {
        journal: u8,
        from: u64,
        max: usize,
    },
    Keep {
        journal: u8,
        back: u64,
    },
    Restart,
}

fn draft() -> impl Strategy<Value = Draft> {
    let bytes = || prop_oneof![4 => 0..40_usize, 1 => 3_000..9_000_usize].prop_map(|length| vec![b'x'; length]);
    (any::<bool>(), -5..50_i64, bytes(), bytes()).prop_map(|(decision, at, open, sealed)| Draft {
        kind: if decision { Kind::Decision } else { Kind::Fact },
        at: At(at),
        open,
        sealed,
    })
}

fn step() -> impl Strategy<Value = Step> {
    let journal = 0..3_u8;
    prop_oneof![
        6 => (journal.clone(), prop::collection::vec(draft(), 0..6), prop::option::of(0..6_u64))
            .prop_map(|(journal, drafts, decided)| Step::Append { journal, drafts, decided }),
        2 => (journal.clone(), 0..40_u64, 0..40_usize)
            .prop_map(|(journal, from, max)| Step::Read { journal, from, max }),
        1 => (journal, 0..4_u64).prop_map(|(journal, back)| Step::Keep { journal, back }),
        1 => Just(Step::Restart),
    ]
}

/// Takes the steps on a store on disk and on one in memory, which are to answer alike.
fn walk(engine: &'static Engine, steps: Vec<Step>) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().expect("a folder");
    let aside = tempfile::tempdir().expect("a folder");
    let memory = open_with(aside.path(), memory::ENGINE);
    let mut disk = open_with(folder.path(), engine);
    let name = |journal: u8| JournalName(format!("scenario/default/{journal}"));
    for step in steps {
        match step {
            Step::Append {
                journal,
                drafts,
                decided,
            } => {
                let expected = append(&memory, &name(journal), drafts.clone(), decided);
                prop_assert_eq!(append(&disk, &name(journal), drafts, decided), expected);
            }
            Step::Read { journal, from, max } => {
                prop_assert_eq!(
                    disk.read(&name(journal), from, max),
                    memory.read(&name(journal), from, max)
                );
            }
            Step::Keep { journal, back } => {
                let head = memory.head(&name(journal)).expect("a head");
                let seq = head.seq.saturating_sub(back);
                let hash = match memory.read(&name(journal), seq, 1).expect("read").first() {
                    Some(record) if seq > 0 => record.hash,
                    _ => [0; 32],
                };
                let state = seq.to_string().into_bytes();
                let snapshot = Snapshot { seq, hash, state };
                let expected = memory.keep_snapshot(&name(journal), &snapshot);
                prop_assert_eq!(disk.keep_snapshot(&name(journal), &snapshot), expected);
            }
            Step::Restart => {
                disk.close();
                disk = open_with(folder.path(), engine);
            }
        }
        prop_assert_eq!(disk.journals(), memory.journals());
        for journal in 0..3 {
            prop_assert_eq!(disk.head(&name(journal)), memory.head(&name(journal)));
            prop_assert_eq!(disk.snapshot(&name(journal)), memory.snapshot(&name(journal)));
        }
    }
    for journal in 0..3 {
        let expected = memory.read(&name(journal), 1, usize::MAX);
        prop_assert_eq!(disk.read(&name(journal), 1, usize::MAX), expected);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_store_on_disk_answers_as_the_one_in_memory_z167(steps in prop::collection::vec(step(), 1..40)) {
        for engine in ENGINES {
            walk(engine, steps.clone())?;
        }
    }
}
