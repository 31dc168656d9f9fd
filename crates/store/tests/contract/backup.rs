//! Backups of a store and folders restored from them: byte for byte the same records, and nothing but whole.

use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use schema::time::At;
use store::backup::Backup;
use store::backup::CHUNK_BYTES;
use store::backup_reader::BackupFault;
use store::backup_reader::Contents;
use store::backup_reader::read;
use store::data_folder;
use store::journal::Journal;
use store::journal::JournalFault;
use store::journal::JournalName;
use store::journal::RawRecord;
use store::journal_store::JournalStore;
use store::options::StoreOptions;
use store::restore::restore;

use crate::appends::append;
use crate::appends::fact;
use crate::appends::name;
use crate::decision;
use crate::erase;
use crate::folder::copy;
use crate::open;
use crate::put;
use crate::sealed;
use crate::whole;

/// Names the backup and the folder for the child process that has no room.
const FROM: &str = "OTHERWISE_TEST_RESTORE_FROM";
const TO: &str = "OTHERWISE_TEST_RESTORE_TO";

fn backup(journal: &Arc<dyn Journal>) -> Vec<u8> {
    let mut backup = Backup::begin(Arc::clone(journal), "0.1.0", At(1_000), CHUNK_BYTES).expect("begun");
    std::iter::from_fn(|| backup.chunk().expect("a chunk"))
        .flatten()
        .collect()
}

/// A new store in a folder.
fn store_at(folder: &Path) -> Arc<dyn Journal> {
    Arc::new(open(folder))
}

fn check(bytes: &[u8]) -> Result<Contents, BackupFault> {
    read(&mut &bytes[..], &mut |_| Ok(()), &|_, _| {})
}

fn restored(bytes: &[u8], folder: &Path) -> Result<Contents, BackupFault> {
    restore(&mut &bytes[..], folder, &|_, _| {})
}

fn everything(journal: &dyn Journal) -> Vec<(JournalName, Vec<RawRecord>)> {
    let names = journal.journals().expect("names");
    let all = names.into_iter().map(|name| {
        let mut records: Vec<RawRecord> = Vec::new();
        loop {
            let next = records.len() as u64 + 1;
            match journal.raw_records(&name, next, 40_000).expect("records") {
                more if more.is_empty() => return (name, records),
                more => records.extend(more),
            }
        }
    });
    all.collect()
}

/// The folder that format 1 wrote, gone on with in the format of today, and partly erased.
fn mixed(folder: &Path) -> Arc<dyn Journal> {
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/upgrade/v1"),
        folder,
    );
    let store = open(folder);
    let flights = name("scenario/default/flight_booking");
    for n in 0..20 {
        put(
            &store,
            &flights.0,
            vec![sealed(40 + n, 900), decision(40 + n, "decided")],
        );
    }
    let erased = erase(&store, &flights.0, (1, 20), 50, 1_000);
    assert!(erased.records > 5, "{erased:?}");
    Arc::new(store)
}

#[test]
fn what_is_restored_is_byte_for_byte_what_was_backed_up_whatever_its_format_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = mixed(&folder.path().join("data"));
    let bytes = backup(&store);
    let contents = check(&bytes).expect("whole");
    assert_eq!((contents.journals, contents.records), (2, 54));
    assert!(contents.erased > 5);
    assert_eq!(contents.bytes, bytes.len() as u64);

    let new = folder.path().join("new/data");
    assert_eq!(restored(&bytes, &new).expect("restored"), contents);
    let verification = whole(&new);
    assert_eq!((verification.records, verification.erased), (54, contents.erased));
    let again = store_at(&new);
    assert_eq!(everything(again.as_ref()), everything(store.as_ref()));
    assert_eq!(again.heads(), store.heads());
    let flights = name("scenario/default/flight_booking");
    let head = again.head(&flights).expect("a head");
    let goes_on = append(
        again.as_ref(),
        &flights,
        vec![decision(99, "goes on")],
        Some(head.decided),
    );
    assert!(goes_on.is_ok());
    assert_eq!(
        backup(&store),
        bytes,
        "a second backup of the same moment is the same file"
    );

    let old = include_bytes!("../../../../tests/upgrade/v1.backup");
    let contents = restored(old, &folder.path().join("old")).expect("one of format 1 is restored");
    assert_eq!((contents.journals, contents.records, contents.erased), (2, 54, 11));
}

#[test]
fn no_flipped_byte_and_no_cut_is_taken_for_whole_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store_at(&folder.path().join("data"));
    put(store.as_ref(), "namespace/default", vec![decision(1, "{}")]);
    put(store.as_ref(), "scenario/default/a", vec![sealed(2, 300), fact(3, "x")]);
    let bytes = backup(&store);
    check(&bytes).expect("whole");
    for place in 0..bytes.len() {
        assert!(
            matches!(check(&bytes[..place]), Err(BackupFault::Damaged(_))),
            "cut at {place}"
        );
        for bit in [1, 128] {
            let mut flipped = bytes.clone();
            flipped[place] ^= bit;
            assert!(matches!(check(&flipped), Err(BackupFault::Damaged(_))), "byte {place}");
        }
    }
    let said = |bytes: &[u8]| check(bytes).expect_err("no backup").to_string();
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(said(&longer).contains("behind its manifest"));
    assert!(said(&bytes[..bytes.len() - 1]).contains("cut off"));
    assert!(said(b"").contains("no backup"));
    assert!(said(b"{\"something\": \"else\"}\n").contains("no backup"));
    assert!(said(&[b'o'; 100]).contains("no backup"));
    let later = [b"otherwise backup 2\n", &bytes[19..]].concat();
    assert!(said(&later).contains("its format is 2"), "{}", said(&later));
    // A length that no part has is refused before anything of it is read.
    let mut huge = bytes.clone();
    huge[20..24].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(said(&huge).contains("4294967295 bytes"));

    let new = folder.path().join("new");
    let nested = folder.path().join("not/there");
    restored(b"nothing", &nested).expect_err("no backup");
    assert!(!nested.exists());
    let mut flipped = bytes.clone();
    let middle = bytes
        .windows(7)
        .position(|window| window == [7; 7])
        .expect("the sealed part");
    flipped[middle] ^= 1;
    for wrong in [&flipped[..], &bytes[..bytes.len() - 30], &later, b"nothing"] {
        assert!(matches!(restored(wrong, &new), Err(BackupFault::Damaged(_))));
        assert!(!new.exists(), "nothing is left behind");
    }
    std::fs::create_dir(&new).expect("made");
    restored(&flipped, &new).expect_err("damaged");
    assert_eq!(
        std::fs::read_dir(&new).expect("a folder").count(),
        0,
        "an empty folder stays empty"
    );
    assert_eq!(restored(&bytes, &new).expect("an empty folder will do").records, 3);
}

#[test]
fn a_folder_with_anything_in_it_is_not_restored_into_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store_at(&folder.path().join("data"));
    let bytes = backup(&store);
    let contents = restored(&bytes, &folder.path().join("empty")).expect("an empty store is restored");
    assert_eq!((contents.journals, contents.records), (0, 0));
    assert_eq!(open(&folder.path().join("empty")).journals(), Ok(Vec::new()));
    let new = folder.path().join("new");
    std::fs::create_dir(&new).expect("made");
    std::fs::write(new.join("heads"), "somebody's").expect("written");
    let fault = restored(&bytes, &new).expect_err("not empty");
    assert!(
        matches!(&fault, BackupFault::NotEmpty(what) if what.contains("heads")),
        "{fault}"
    );
    assert_eq!(std::fs::read(new.join("heads")).expect("untouched"), b"somebody's");
    assert!(!new.join("LOCK").exists());
    // A folder that a service has open holds its store.
    let fault = restored(&bytes, &folder.path().join("data")).expect_err("in use");
    assert!(matches!(fault, BackupFault::NotEmpty(_)), "{fault}");
}

#[test]
fn a_restore_that_was_cut_short_is_not_taken_for_a_data_folder_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store_at(&folder.path().join("data"));
    put(store.as_ref(), "namespace/default", vec![decision(1, "{}")]);
    let bytes = backup(&store);
    let whole = folder.path().join("whole");
    restored(&bytes, &whole).expect("restored");
    let aside = |to: &Path| {
        std::fs::create_dir_all(to.join("restoring")).expect("made");
        copy(&whole.join("sled"), &to.join("restoring/sled"));
    };
    let refused = |folder: &Path| {
        let refused = JournalStore::open(folder, StoreOptions::default())
            .map(|_| ())
            .expect_err("refused");
        assert!(refused.to_string().contains("cut short"), "{refused}");
    };

    // Before the first rename, and between the two.
    for heads in ["restoring/heads", "heads"] {
        let cut = folder.path().join(format!("cut-{}", heads.len()));
        aside(&cut);
        std::fs::copy(whole.join("heads"), cut.join(heads)).expect("copied");
        refused(&cut);
        assert_eq!(restored(&bytes, &cut).expect("restored again").records, 1);
        assert!(!cut.join("restoring").exists());
        assert_eq!(crate::whole(&cut).records, 1);
    }
    // After both.
    let done = folder.path().join("done");
    copy(&whole, &done);
    std::fs::create_dir(done.join("restoring")).expect("made");
    assert_eq!(open(&done).heads(), store.heads());
    assert!(!done.join("restoring").exists());
}

#[test]
fn no_more_than_a_chunk_and_a_commit_are_held_and_what_comes_later_is_left_out_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store_at(&folder.path().join("data"));
    let busy = "scenario/default/busy";
    for n in 0..100 {
        put(store.as_ref(), busy, vec![sealed(n, 40_000)]);
    }
    let chunk = 100_000;
    let mut backup = Backup::begin(Arc::clone(&store), "0.1.0", At(1), chunk).expect("begun");
    let mut bytes = Vec::new();
    let mut n = 100;
    while let Some(more) = backup.chunk().expect("a chunk") {
        // A chunk is begun before it is full, and ends with what was read at once: a chunk and a frame.
        assert!(more.len() < 2 * chunk + (64 << 10) + 2 * 40_000, "{} bytes", more.len());
        bytes.extend(more);
        n += 1;
        put(store.as_ref(), busy, vec![sealed(n, 40_000)]);
        put(store.as_ref(), "scenario/default/new", vec![fact(n, "y")]);
    }
    assert!(n > 120, "{n} chunks");
    let contents = check(&bytes).expect("whole");
    assert_eq!((contents.journals, contents.records), (1, 100));
}

#[test]
fn a_backup_of_a_store_that_is_closed_breaks_off_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store_at(&folder.path().join("data"));
    for n in 0..9 {
        put(store.as_ref(), "a", vec![fact(n, "x")]);
    }
    let mut backup = Backup::begin(Arc::clone(&store), "0.1.0", At(1), 1).expect("begun");
    backup.chunk().expect("the header");
    store.close();
    let broken = loop {
        match backup.chunk() {
            Ok(Some(_)) => {}
            other => break other,
        }
    };
    assert_eq!(broken, Err(JournalFault::Closed));
}

#[test]
#[ignore = "is run by the test below"]
fn restores_where_there_is_no_room() {
    let (Some(from), Some(to)) = (std::env::var_os(FROM), std::env::var_os(TO)) else {
        return;
    };
    let limit = libc::rlimit {
        rlim_cur: 1 << 20,
        rlim_max: libc::RLIM_INFINITY,
    };
    data_folder::survive_file_limit();
    // SAFETY: the call takes plain values.
    unsafe {
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &limit), 0);
    }
    let mut source = io::BufReader::new(std::fs::File::open(from).expect("the backup"));
    let fault = restore(&mut source, Path::new(&to), &|_, _| {}).expect_err("no room");
    assert!(
        matches!(fault, BackupFault::Store(JournalFault::DiskFull(_))),
        "{fault}"
    );
    println!("no room was met");
}

#[test]
fn a_restore_that_finds_no_room_leaves_nothing_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store_at(&folder.path().join("data"));
    for n in 0..60 {
        put(store.as_ref(), "a", vec![sealed(n, 48_000)]);
    }
    let [file, new] = ["backup", "new"].map(|name| folder.path().join(name));
    std::fs::write(&file, backup(&store)).expect("written");
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--ignored", "--exact", "--nocapture"])
        .arg("backup::restores_where_there_is_no_room")
        .envs([(FROM, &file), (TO, &new)])
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("no room was met"), "{said}");
    assert!(!new.exists(), "nothing is left behind");
    let bytes = std::fs::read(&file).expect("the backup");
    assert_eq!(restored(&bytes, &new).expect("with room").records, 60);
}
