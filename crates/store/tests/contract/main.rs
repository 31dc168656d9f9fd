//! What every store promises, held against each of them.

#[path = "../../../../tests/support/appends.rs"]
mod appends;
mod backup;
mod damage;
mod folder;
mod hanging;
mod memory;
mod process;
mod random;
mod upgrade;

use std::path::Path;

use schema::time::At;
use store::engines;
use store::engines::ENGINES;
use store::journal::Appended;
use store::journal::Draft;
use store::journal::Erased;
use store::journal::Erasure;
use store::journal::Head;
use store::journal::Journal;
use store::journal::JournalFault;
use store::journal::Kind;
use store::journal::Snapshot;
use store::journal::Verification;
use store::journal_store::JournalStore;
use store::kv::Engine;
use store::options::StoreOptions;
use store::verify::verify;

use crate::appends::append;
use crate::appends::fact;
use crate::appends::name;

fn decision(at: i64, open: &str) -> Draft {
    Draft {
        kind: Kind::Decision,
        ..fact(at, open)
    }
}

/// A fact with a sealed part of so many bytes.
fn sealed(at: i64, bytes: usize) -> Draft {
    Draft {
        sealed: vec![7; bytes],
        ..fact(at, "x")
    }
}

/// Appends what must be taken.
fn put(journal: &dyn Journal, to: &str, drafts: Vec<Draft>) -> Appended {
    append(journal, &name(to), drafts, None).expect("appended")
}

/// Erases what must be erasable of a journal, in steps of so many records.
fn erase(journal: &dyn Journal, of: &str, (from, through): (u64, u64), before: i64, records_max: usize) -> Erased {
    let erasure = Erasure {
        from,
        through,
        before: At(before),
        records_max,
    };
    let answer = journal.erase(&name(of), erasure).expect("queued");
    answer.blocking_recv().expect("an answer").expect("erased")
}

/// What verify says of a folder that is to be whole.
fn whole(folder: &Path) -> Verification {
    let verification = verify(folder, &|_, _| {}).expect("verified");
    assert_eq!(verification.faults, []);
    verification
}

/// A store in a folder, of the engine that wrote it, or of sled in a new one.
fn open(folder: &Path) -> JournalStore {
    open_with(folder, engines::DEFAULT)
}

/// A store in a folder that is new to this engine.
fn open_with(folder: &Path, engine: &'static Engine) -> JournalStore {
    let options = StoreOptions {
        engine,
        ..StoreOptions::default()
    };
    JournalStore::open(folder, options).expect("a store")
}

/// Runs a test with every engine, each in a new folder.
fn every_engine(test: impl Fn(&'static Engine, &Path)) {
    for engine in ENGINES {
        let folder = tempfile::tempdir().expect("a folder");
        test(engine, folder.path());
    }
}

/// Runs a test against every store, each new and empty.
fn every_store(test: impl Fn(&dyn Journal)) {
    let folder = tempfile::tempdir().expect("a folder");
    test(&open_with(folder.path(), memory::ENGINE));
    every_engine(|engine, folder| test(&open_with(folder, engine)));
}

#[test]
fn records_are_numbered_from_one_without_gaps_and_chained_alike_in_every_store_z167() {
    let hashes = std::cell::RefCell::new(Vec::new());
    every_store(|journal| {
        let name = name("a");
        assert_eq!(journal.head(&name), Ok(Head::default()));
        assert_eq!(journal.read(&name, 1, 10), Ok(Vec::new()));
        let first = put(journal, "a", vec![fact(5, "one"), decision(6, "two")]);
        assert_eq!((first.first_seq, first.at), (1, At(6)));
        let second = put(journal, "a", vec![sealed(7, 9)]);
        assert_eq!((second.first_seq, second.at), (3, At(7)));
        let records = journal.read(&name, 1, 10).expect("read");
        assert_eq!(records.iter().map(|record| record.seq).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!((records[1].kind, &records[2].open[..]), (Kind::Decision, &b"x"[..]));
        let head = Head {
            seq: 3,
            at: At(7),
            hash: records[2].hash,
            decided: 2,
        };
        assert_eq!(journal.head(&name), Ok(head));
        for (from, max, expected) in [(2, 1, 1..2), (0, 1, 0..1), (4, 1, 0..0), (1, 0, 0..0)] {
            assert_eq!(journal.read(&name, from, max).expect("read"), records[expected]);
        }
        hashes.borrow_mut().push(head.hash);
    });
    let hashes = hashes.into_inner();
    assert!(hashes.iter().all(|hash| *hash == hashes[0]) && hashes[0] != [0; 32]);
}

#[test]
fn sealed_parts_are_erased_by_age_and_place_and_the_chain_stays_as_it_was_z167() {
    every_store(|journal| {
        let name = name("a");
        // Frames of one record, of several, and of several rows.
        put(journal, "a", vec![sealed(1, 4_500)]);
        put(
            journal,
            "a",
            vec![sealed(2, 5_400), fact(3, "nothing sealed"), sealed(4, 4_500)],
        );
        put(journal, "a", vec![sealed(9, 5_400)]);
        put(journal, "a", vec![sealed(10, 4_500)]);
        let before = journal.read(&name, 1, 10).expect("whole");
        let erase = |from: u64, through: u64, before: i64| {
            let (mut total, mut reached) = (0, from - 1);
            loop {
                let erased = erase(journal, "a", (reached + 1, through), before, 2);
                total += erased.records;
                if erased.through <= reached {
                    return (reached, total);
                }
                reached = erased.through;
            }
        };
        assert_eq!(erase(1, 6, 1), (0, 0), "a record of that very moment is kept");
        assert_eq!(erase(1, 6, 2), (1, 1));
        assert_eq!(erase(2, 3, 100), (3, 1), "up to its place");
        assert_eq!(erase(4, 6, 10), (5, 2));
        assert_eq!(erase(1, 6, 10), (5, 0), "once more changes nothing");
        assert_eq!(erase(7, 9, 100), (6, 0), "there is nothing there");
        let after = journal.read(&name, 1, 10).expect("whole");
        let gone: Vec<bool> = after.iter().map(|record| record.erased).collect();
        assert_eq!(gone, [true, true, false, true, true, false]);
        for (was, is) in before.iter().zip(&after) {
            assert_eq!(
                (was.seq, was.at, was.hash, &was.open),
                (is.seq, is.at, is.hash, &is.open)
            );
            assert_eq!(is.sealed.is_empty(), is.erased || was.sealed.is_empty());
        }
        assert_eq!(put(journal, "a", vec![sealed(11, 9)]).first_seq, 7, "it goes on");
        assert_eq!(crate::erase(journal, "b", (1, 9), 9, 9).records, 0, "unknown");
    });
}

#[test]
fn what_was_erased_is_gone_from_the_disk_with_the_next_start_and_verify_says_so_z167() {
    every_engine(|engine, folder| {
        let text = b"a text of somebody that nobody else would write";
        let counted = || {
            let verified = whole(folder);
            (verified.records, verified.erased)
        };
        let store = open_with(folder, engine);
        let said = Draft {
            sealed: text.to_vec(),
            ..fact(1, "open")
        };
        put(&store, "a", vec![said, fact(2, "more")]);
        assert_eq!(erase(&store, "a", (1, 2), 2, 100).records, 1);
        store.close();
        assert_eq!(counted(), (2, 1));
        let store = open_with(folder, engine);
        let bytes = std::fs::read(folder.join(engine.folder).join(engine.file)).expect("a file");
        assert!(!bytes.windows(text.len()).any(|window| window == text));
        put(&store, "a", vec![fact(3, "goes on")]);
        store.close();
        assert_eq!(counted(), (3, 1));
    });
}

#[test]
fn a_moment_never_goes_back_z167() {
    every_store(|journal| {
        let drafts = vec![fact(-5, "before 1970"), fact(50, "later"), fact(40, "earlier")];
        assert_eq!(put(journal, "a", drafts).at, At(50));
        assert_eq!(put(journal, "a", vec![fact(10, "earlier")]).at, At(50));
        let records = journal.read(&name("a"), 1, 9).expect("read");
        assert_eq!(
            records.iter().map(|record| record.at.0).collect::<Vec<_>>(),
            [-5, 50, 50, 50]
        );
    });
}

#[test]
fn a_decision_that_comes_second_is_refused_whole_z167() {
    every_store(|journal| {
        let name = name("a");
        append(journal, &name, vec![decision(1, "first")], Some(0)).expect("nothing was decided");
        put(journal, "a", vec![fact(1, "a fact moves nothing")]);
        let late = append(journal, &name, vec![fact(2, "x"), decision(2, "second")], Some(0));
        assert_eq!(late, Err(JournalFault::Moved { expected: 0, found: 1 }));
        assert_eq!(journal.head(&name).map(|head| head.seq), Ok(2));
        let right = append(journal, &name, vec![decision(2, "second")], Some(1)).expect("in time");
        assert_eq!(right.first_seq, 3);
        assert_eq!(journal.head(&name).map(|head| head.decided), Ok(3));
        let nothing = append(journal, &name, Vec::new(), Some(3));
        assert_eq!(nothing.map(|appended| appended.first_seq), Ok(4));
    });
}

#[test]
fn journals_do_not_mix_and_are_listed_sorted_z167() {
    every_store(|journal| {
        for text in ["scenario/b", "namespace/b", "scenario/a"] {
            put(journal, text, vec![fact(1, text)]);
        }
        let refused = append(journal, &name("scenario/c"), vec![fact(1, "c")], Some(7));
        assert_eq!(refused, Err(JournalFault::Moved { expected: 7, found: 0 }));
        let names = journal.journals().expect("journals");
        assert_eq!(names, [name("namespace/b"), name("scenario/a"), name("scenario/b")]);
        for name in names {
            assert_eq!(journal.read(&name, 1, 9).expect("read")[0].open, name.0.as_bytes());
        }
    });
}

#[test]
fn a_record_or_a_name_at_the_limit_passes_and_one_above_is_refused_z167() {
    let limit = 1 << 20;
    every_store(|journal| {
        let of = |open: usize, bytes: usize| Draft {
            open: vec![1; open],
            ..sealed(1, bytes)
        };
        let over = append(journal, &name("a"), vec![fact(1, "small"), of(limit, 1)], None);
        let bytes = limit + 1;
        assert_eq!(over, Err(JournalFault::TooLarge { bytes, limit }));
        assert_eq!(journal.head(&name("a")).map(|head| head.seq), Ok(0));
        put(journal, "a", vec![of(limit - 1, 1), of(0, limit), of(0, 0)]);
        let records = journal.read(&name("a"), 1, 9).expect("read");
        let sizes: Vec<_> = records.iter().map(|r| (r.open.len(), r.sealed.len())).collect();
        assert_eq!(sizes, [(limit - 1, 1), (0, limit), (0, 0)]);
        put(journal, &"n".repeat(454), vec![fact(1, "x")]);
        let over = append(journal, &name(&"n".repeat(455)), vec![fact(1, "x")], None);
        assert_eq!(over, Err(JournalFault::TooLarge { bytes: 455, limit: 454 }));
    });
}

#[test]
fn an_append_of_many_large_records_is_held_together_z167() {
    every_store(|journal| {
        put(journal, "a", (0..40).map(|n| sealed(n, 20_000)).collect());
        put(journal, "a", vec![fact(1, "after")]);
        let records = journal.read(&name("a"), 1, 99).expect("read");
        assert_eq!((records.len(), records[39].sealed.len()), (41, 20_000));
        assert_eq!(journal.read(&name("a"), 40, 2).expect("read"), records[39..]);
    });
}

#[test]
fn a_tail_gives_what_is_committed_and_a_slow_one_loses_records_only_z167() {
    every_store(|journal| {
        let name = name("a");
        put(journal, "a", vec![fact(1, "before")]);
        let mut tail = journal.follow(&name, 2);
        assert_eq!(*tail.head.borrow(), 1);
        for n in 2..=5 {
            put(journal, "a", vec![fact(n, "after")]);
        }
        assert_eq!(*tail.head.borrow_and_update(), 5);
        let got = std::iter::from_fn(|| tail.records.try_recv().ok()).map(|record| record.seq);
        assert_eq!(got.collect::<Vec<_>>(), [2, 3]);
        let mut newer = journal.follow(&name, 8);
        put(journal, "a", vec![fact(6, "x"), fact(6, "y")]);
        assert!(tail.records.try_recv().is_err());
        let mut next = || newer.records.try_recv().map(|record| record.seq);
        assert_eq!((next(), next()), (Ok(6), Ok(7)));
        journal.close();
        assert!(newer.records.blocking_recv().is_none());
    });
}

#[test]
fn the_newest_snapshot_comes_back_and_one_of_another_history_is_refused_z167() {
    every_store(|journal| {
        let name = name("scenario/default/a");
        assert_eq!(journal.snapshot(&name), Ok(None));
        put(journal, &name.0, (0..9).map(|n| fact(n, "x")).collect());
        let records = journal.read(&name, 1, 9).expect("read");
        let of = |seq: u64| Snapshot {
            seq,
            hash: records[seq as usize - 1].hash,
            state: seq.to_string().into_bytes(),
        };
        for seq in [3, 8, 5] {
            journal.keep_snapshot(&name, &of(seq)).expect("kept");
        }
        assert_eq!(journal.snapshot(&name), Ok(Some(of(8))));
        let foreign = Snapshot { hash: [1; 32], ..of(9) };
        let ahead = Snapshot { seq: 10, ..of(9) };
        for wrong in [foreign, ahead] {
            let refused = journal.keep_snapshot(&name, &wrong);
            assert!(matches!(refused, Err(JournalFault::Store(_))));
        }
        assert_eq!(journal.snapshot(&name), Ok(Some(of(8))));
    });
}

#[test]
fn a_closed_store_refuses_everything_z167() {
    every_store(|journal| {
        let name = name("a");
        put(journal, "a", vec![fact(1, "x")]);
        journal.close();
        journal.close();
        let append = append(journal, &name, vec![fact(1, "x")], None);
        assert_eq!(append, Err(JournalFault::Closed));
        assert_eq!(journal.head(&name), Err(JournalFault::Closed));
        assert_eq!(journal.read(&name, 1, 1), Err(JournalFault::Closed));
        assert_eq!(journal.journals(), Err(JournalFault::Closed));
        assert_eq!(journal.snapshot(&name), Err(JournalFault::Closed));
    });
}

#[test]
fn what_was_acknowledged_is_there_after_reopening_z167() {
    every_engine(|engine, folder| {
        let mut before = Vec::new();
        for round in 0..4 {
            let store = open_with(folder, engine);
            let read = || store.read(&name("one"), 1, usize::MAX).expect("read");
            assert_eq!(read(), before);
            for n in 0..25 {
                put(
                    &store,
                    "one",
                    vec![fact(n, "fact"), decision(n, &format!("{round}/{n}"))],
                );
                put(&store, "other", vec![fact(n, "other")]);
            }
            before = read();
            assert_eq!(store.head(&name("one")).expect("a head").decided, before.len() as u64);
            store.close();
        }
        assert_eq!(before.len(), 200);
    });
}

#[test]
fn two_processes_cannot_have_one_folder_z167() {
    every_engine(|engine, folder| {
        let store = open_with(folder, engine);
        for lock in ["there", "removed"] {
            let second = JournalStore::open(folder, StoreOptions::default()).expect_err("held");
            let said = second.to_string();
            assert!(said.contains("in use by another process"), "{lock}: {said}");
            std::fs::remove_file(folder.join("LOCK")).expect("removed");
        }
        store.close();
        open(folder);
    });
}

#[test]
fn a_full_queue_is_busy_and_the_order_of_arrival_is_kept_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let (gate, wait) = std::sync::mpsc::channel::<()>();
    let (reached, arrived) = std::sync::mpsc::channel::<usize>();
    let mut options = StoreOptions {
        on_commit: Some(Box::new(move |_: f64, records: usize| {
            // The test waits for the first commit alone.
            let _ = reached.send(records);
            // The committer stands still until the test lets it go on, or ends.
            let _ = wait.recv();
        })),
        ..StoreOptions::default()
    };
    options.settings.queue_appends_max = 2;
    let store = JournalStore::open(folder.path(), options).expect("a store");
    let queue = |text: &str| store.append(&name("a"), vec![fact(1, text)], None);
    let first = queue("1").expect("queued");
    assert_eq!(arrived.recv(), Ok(1));
    let (second, third) = (queue("2").expect("queued"), queue("3").expect("queued"));
    assert_eq!(queue("4").err(), Some(JournalFault::Busy));
    drop(gate);
    for (answer, seq) in [first, second, third].into_iter().zip(1..) {
        let answer = answer.blocking_recv().expect("an answer");
        assert_eq!(answer.map(|appended| appended.first_seq), Ok(seq));
    }
    store.close();
}
