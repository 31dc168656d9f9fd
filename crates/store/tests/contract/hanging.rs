//! A disk that hangs or fails a sync: who waits is told by name, the store ends in time, and the next start is whole.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

use schema::time::At;
use store::journal::Erasure;
use store::journal::Journal;
use store::journal::JournalFault;
use store::journal_store::JournalStore;
use store::options::StoreOptions;

use crate::appends::append;
use crate::appends::fact;
use crate::appends::name;
use crate::open;
use crate::put;
use crate::sealed;
use crate::whole;

const WORKS: u8 = 0;
const HANGS: u8 = 1;
const FAILS: u8 = 2;

/// A store whose disk does what the switch says with each sync; it hangs for as long as the switch says so.
fn store(folder: &Path, disk: &Arc<AtomicU8>) -> JournalStore {
    let asked = Arc::clone(disk);
    let mut options = StoreOptions {
        before_sync: Some(Arc::new(move || {
            while asked.load(Ordering::SeqCst) == HANGS {
                std::thread::sleep(Duration::from_millis(5));
            }
            if asked.load(Ordering::SeqCst) == FAILS {
                return Err(io::Error::from_raw_os_error(libc::EIO));
            }
            Ok(())
        })),
        ..StoreOptions::default()
    };
    options.settings.stall_ms = 300;
    JournalStore::open(folder, options).expect("a store")
}

#[test]
fn whoever_waits_for_a_disk_that_hangs_is_told_by_name_and_the_store_ends_in_time_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let disk = Arc::new(AtomicU8::new(WORKS));
    let store = store(folder.path(), &disk);
    put(&store, "a", vec![sealed(1, 50)]);
    disk.store(HANGS, Ordering::SeqCst);
    let began = Instant::now();
    let waiting: Vec<_> = (0..3)
        .map(|n| store.append(&name("a"), vec![fact(2, &format!("meanwhile {n}"))], None))
        .collect();
    let erasure = Erasure {
        from: 1,
        through: 1,
        before: At(9),
        records_max: 10,
    };
    let erasing = store.erase(&name("a"), erasure).expect("queued");
    let stalled = |answer: &dyn std::fmt::Debug| assert!(format!("{answer:?}").contains("Stalled"), "{answer:?}");
    for waiting in waiting {
        stalled(&waiting.expect("queued").blocking_recv());
    }
    stalled(&erasing.blocking_recv());
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    stalled(&store.broken());
    stalled(&store.append(&name("b"), vec![fact(3, "later")], None));
    assert_eq!(
        store.read(&name("a"), 1, 9).map(|records| records.len()),
        Ok(1),
        "reads go on"
    );
    let ending = Instant::now();
    store.close();
    assert!(ending.elapsed() < Duration::from_secs(2), "{:?}", ending.elapsed());
    // Nobody else gets the folder while the thread that hangs may still write to it.
    assert!(matches!(
        JournalStore::open(folder.path(), StoreOptions::default()),
        Err(JournalFault::InUse(_))
    ));
    drop(store);
    assert!(ending.elapsed() < Duration::from_secs(4), "{:?}", ending.elapsed());
    disk.store(WORKS, Ordering::SeqCst);
}

#[test]
fn a_disk_that_is_slow_and_comes_back_in_time_is_waited_for_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let disk = Arc::new(AtomicU8::new(HANGS));
    let store = store(folder.path(), &disk);
    let waiting = store.append(&name("a"), vec![fact(1, "x")], None).expect("queued");
    std::thread::sleep(Duration::from_millis(100));
    disk.store(WORKS, Ordering::SeqCst);
    assert!(waiting.blocking_recv().expect("an answer").is_ok());
    assert_eq!(store.broken(), None);
}

#[test]
fn after_a_sync_that_failed_nothing_is_taken_until_a_start_has_checked_what_the_disk_holds_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let disk = Arc::new(AtomicU8::new(WORKS));
    {
        let store = store(folder.path(), &disk);
        put(&store, "a", vec![fact(1, "acknowledged")]);
        disk.store(FAILS, Ordering::SeqCst);
        let failed = append(&store, &name("a"), vec![fact(2, "in doubt")], None);
        assert!(matches!(failed, Err(JournalFault::Store(_))), "{failed:?}");
        disk.store(WORKS, Ordering::SeqCst);
        let refused = append(&store, &name("a"), vec![fact(3, "later")], None);
        assert!(
            matches!(refused, Err(JournalFault::Store(_))),
            "a sync that works now proves nothing"
        );
        store.close();
    }
    let store = open(folder.path());
    let records = store.read(&name("a"), 1, 9).expect("whole");
    assert_eq!(records[0].open, b"acknowledged");
    put(&store, "a", vec![fact(3, "goes on")]);
    store.close();
    whole(folder.path());
}
