//! A flipped bit, a cut file, a missing file: each is named, or does no harm at all.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::path::PathBuf;
use std::time::SystemTime;

use store::journal::Draft;
use store::journal::Journal;
use store::journal::JournalFault;
use store::journal::JournalName;
use store::journal::Record;
use store::journal::Snapshot;
use store::journal_store::JournalStore;
use store::options::StoreOptions;
use store::verify::verify;
use store::verify::verify_copy;

use crate::appends::fact;
use crate::appends::name;
use crate::decision;
use crate::folder::copy;
use crate::open;
use crate::put;
use crate::sealed;
use crate::whole;

type Content = Vec<(JournalName, Vec<Record>)>;

/// A store with two journals, opened three times, with rows enough that sled splits its leaves.
fn written(folder: &Path) -> Content {
    for round in 0..3_u8 {
        let store = open(folder);
        for n in 0..20_u8 {
            let large = Draft {
                sealed: vec![n; 900 * usize::from(n)],
                ..fact(i64::from(n), "large")
            };
            put(&store, "scenario/default/a", vec![large, decision(1, "x")]);
            put(&store, "namespace/default", vec![fact(1, "small"); 3]);
        }
        let head = store.head(&name("scenario/default/a")).expect("a head");
        let snapshot = Snapshot {
            seq: head.seq,
            hash: head.hash,
            state: vec![round; 100],
        };
        store
            .keep_snapshot(&name("scenario/default/a"), &snapshot)
            .expect("kept");
        store.close();
    }
    content(folder).expect("whole")
}

fn content(folder: &Path) -> Result<Content, JournalFault> {
    let store = JournalStore::open(folder, StoreOptions::default())?;
    let names = store.journals()?;
    names
        .into_iter()
        .map(|name| store.read(&name, 1, usize::MAX).map(|records| (name, records)))
        .collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path))
        } else {
            found.push(path)
        }
    }
    found.retain(|path| !path.ends_with("LOCK"));
    found.sort();
    found
}

/// Opens a copy in which one file was changed, and holds it against what was written. Gives whether a fault was named.
fn try_damage(whole: &Path, content_before: &Content, file: &Path, damage: &dyn Fn(&Path)) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    copy(whole, folder.path());
    damage(&folder.path().join(file.strip_prefix(whole).expect("inside")));
    let Ok(content) = content(folder.path()) else {
        return true;
    };
    let file = file.display();
    assert!(
        content == *content_before,
        "records were lost or changed in silence: {file}"
    );
    false
}

fn flip(path: &Path, at: usize, bit: usize) {
    let mut bytes = fs::read(path).expect("bytes");
    bytes[at] ^= 1 << bit;
    fs::write(path, bytes).expect("written");
}

#[test]
fn damage_is_named_or_does_no_harm_z167() {
    damage_everywhere(24);
}

#[test]
#[ignore = "the same at many more places; minutes"]
fn damage_is_named_or_does_no_harm_everywhere_z167() {
    damage_everywhere(2_000);
}

/// Flips a bit at so many places of what each file holds, cuts each file at a quarter as many, and removes it.
fn damage_everywhere(tries_per_file: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let before = written(folder.path());
    let (mut named, mut tried) = (0, 0);
    for file in files(folder.path()) {
        let mut damage = |damage: &dyn Fn(&Path)| {
            named += usize::from(try_damage(folder.path(), &before, &file, damage));
            tried += 1;
        };
        let bytes = fs::read(&file).expect("bytes");
        // sled fills its file up with one byte; damage there cannot matter.
        let used = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        for n in 0..tries_per_file.min(used) {
            let at = n * used / tries_per_file.min(used);
            damage(&|path| flip(path, at, n % 8));
            if n % 4 == 0 {
                damage(&|path| fs::write(path, &bytes[..at]).expect("cut"));
            }
        }
        damage(&|path| fs::remove_file(path).expect("removed"));
    }
    assert!(
        named > tried / 10,
        "of {tried} damages only {named} were noticed: the test misses what matters"
    );
}

/// The only thing that verify finds in a folder.
fn fault(folder: &Path) -> JournalFault {
    let mut faults = verify(folder, &|_, _| {}).expect("verified").faults;
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults.remove(0)
}

#[test]
fn a_lost_end_another_history_and_missing_files_are_named_z167() {
    let [newer, older, other, large] = [0; 4].map(|_| tempfile::tempdir().expect("a folder"));
    for (folder, text) in [(&newer, "x"), (&other, "y")] {
        let store = open(folder.path());
        put(&store, "a", vec![fact(1, text); 5]);
        store.close();
    }
    copy(newer.path(), older.path());
    fs::copy(newer.path().join("heads"), other.path().join("heads")).expect("copied");
    let another = content(other.path()).expect_err("another history");
    assert!(
        matches!(&another, JournalFault::Damaged { seq: 5, what, .. } if what.contains("sealed")),
        "{another}"
    );
    let store = open(newer.path());
    put(&store, "a", vec![fact(1, "y"); 2]);
    store.close();
    fs::copy(newer.path().join("heads"), older.path().join("heads")).expect("copied");
    let lost = JournalFault::Truncated {
        journal: "a".to_owned(),
        sealed: 7,
        found: 5,
    };
    assert_eq!(content(older.path()).err(), Some(lost.clone()));
    assert_eq!(fault(older.path()), lost);
    written(large.path());
    for (file, what) in [
        ("heads", "is missing beside a store"),
        ("sled/db", "its end is missing"),
    ] {
        let without = tempfile::tempdir().expect("a folder");
        copy(large.path(), without.path());
        fs::remove_file(without.path().join(file)).expect("removed");
        let said = content(without.path()).expect_err(file).to_string();
        assert!(said.contains(what), "{said}");
    }
}

#[test]
fn a_damaged_snapshot_is_passed_over_and_verify_names_it_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    written(folder.path());
    let newest = files(folder.path())
        .into_iter()
        .rfind(|path| path.extension().is_some_and(|e| e == "snap"));
    let newest = newest.expect("a snapshot");
    flip(&newest, 120, 3);
    let store = open(folder.path());
    let snapshot = store
        .snapshot(&name("scenario/default/a"))
        .expect("listed")
        .expect("the one before it");
    assert_eq!(snapshot.state, vec![1; 100]);
    store.close();
    let said = fault(folder.path()).to_string();
    assert!(said.contains("snapshot") && said.contains("nothing is lost"), "{said}");
}

#[test]
fn progress_never_counts_more_than_there_is_to_check_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    put(&store, "a", vec![fact(1, "x"); 5]);
    store.close();
    let heads = fs::read(folder.path().join("heads")).expect("the sealed heads");
    let store = open(folder.path());
    put(&store, "a", vec![fact(2, "y"); 3]);
    store.close();
    // As after a crash between the records and their seal.
    fs::write(folder.path().join("heads"), heads).expect("written");
    let seen = RefCell::new(Vec::new());
    let verification = verify(folder.path(), &|done, total| seen.borrow_mut().push((done, total))).expect("verified");
    assert_eq!((verification.records, verification.faults), (8, Vec::new()));
    assert_eq!(seen.borrow().last(), Some(&(8, 8)));
}

#[test]
fn a_torn_sealed_head_is_named_by_verify_and_written_anew_at_a_start_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = written(folder.path());
    let slots = fs::metadata(folder.path().join("heads")).expect("a file").len() / 512 - 1;
    assert_eq!(slots, 4, "two for each journal");
    for slot in 0..slots {
        for (byte, bit) in [(0, 0), (30, 7), (508, 2)] {
            let other = tempfile::tempdir().expect("a folder");
            copy(folder.path(), other.path());
            let at = usize::try_from((slot + 1) * 512 + byte).expect("small");
            flip(&other.path().join("heads"), at, bit);
            let said = fault(other.path()).to_string();
            assert!(said.contains(&format!("slot {slot} of the file heads")), "{said}");
            assert!(said.contains("its other slot stands"), "{said}");
            assert_eq!(content(other.path()).as_ref(), Ok(&before), "a start goes on as before");
            whole(other.path());
        }
    }
    for slot in [0, 1] {
        flip(&folder.path().join("heads"), (slot + 1) * 512 + 14, 0);
    }
    let faults = verify(folder.path(), &|_, _| {}).expect("verified").faults;
    let headless = |fault: &JournalFault| fault.to_string().contains("its sealed head is missing");
    assert!(faults.len() == 3 && faults.iter().any(headless), "{faults:?}");
    assert!(
        content(folder.path()).is_err(),
        "without any head nothing is taken for whole"
    );
}

#[test]
fn verify_counts_what_is_whole_and_reports_progress_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = written(folder.path());
    let records = before.iter().map(|(_, records)| records.len() as u64).sum::<u64>();
    let found = whole(folder.path());
    assert_eq!((found.journals, found.records, found.snapshots), (2, records, 2));
    let refused = |folder: &Path| verify(folder, &|_, _| {}).expect_err("refused").to_string();
    let store = open(folder.path());
    assert!(refused(folder.path()).contains("in use"));
    store.close();
    let empty = tempfile::tempdir().expect("a folder");
    assert!(refused(empty.path()).contains("no store"));
}

#[test]
fn sled_keeps_everything_in_the_file_that_is_synced_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    for n in 0..60 {
        put(&store, "a", vec![sealed(n, 48_000)]);
    }
    store.close();
    let blobs = fs::read_dir(folder.path().join("sled/blobs")).expect("a folder");
    assert_eq!(blobs.count(), 0);
}

#[test]
fn a_first_start_that_was_cut_short_at_any_byte_of_sleds_settings_is_made_anew_z167() {
    let whole = tempfile::tempdir().expect("a folder");
    drop(open(whole.path()));
    let conf = fs::read(whole.path().join("sled/conf")).expect("sled's settings");
    for length in 0..=conf.len() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("sled/blobs")).expect("made");
        fs::write(folder.path().join("sled/conf"), &conf[..length]).expect("left");
        let store = open(folder.path());
        put(&store, "a", vec![fact(1, "x")]);
    }
}

/// Every file and folder below one: its bytes, when it was changed, and who may do what with it.
fn picture(folder: &Path) -> Vec<(PathBuf, Vec<u8>, SystemTime, u32)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let about = fs::metadata(&next).expect("there");
        let mode = about.permissions().mode();
        let bytes = if about.is_dir() {
            let entries = fs::read_dir(&next).expect("a folder");
            folders.extend(entries.map(|entry| entry.expect("an entry").path()));
            Vec::new()
        } else {
            fs::read(&next).expect("bytes")
        };
        found.push((next, bytes, about.modified().expect("a time"), mode));
    }
    found.sort();
    found
}

/// Takes the right to write from everything below a folder, or gives it back.
fn allow_writing(folder: &Path, may: bool) {
    for (path, _, _, mode) in picture(folder) {
        let mode = if may { mode | 0o200 } else { mode & !0o222 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
    }
}

#[test]
fn verify_changes_nothing_whatever_it_finds_and_needs_no_right_to_write_z167() {
    let (folder, work) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    let data = folder.path().join("data");
    written(&data);
    for case in ["whole", "half made", "without LOCK", "damaged"] {
        match case {
            // What sled leaves of a start that was killed while it wrote a snapshot of its own.
            "half made" => fs::write(data.join("sled/snap.00000000000FFFFF.generating"), [0; 5]).expect("left"),
            "without LOCK" => fs::remove_file(data.join("LOCK")).expect("removed"),
            "damaged" => flip(&data.join("heads"), 0, 4),
            _ => {}
        }
        allow_writing(&data, false);
        let before = picture(&data);
        let told = RefCell::new(String::new());
        let tell = |what: &str| told.borrow_mut().push_str(what);
        let verified = verify_copy(&data, work.path(), &tell, &|_, _| {}).expect("verified");
        let after = picture(&data);
        allow_writing(&data, true);
        assert!(before == after, "{case}");
        let faults: Vec<String> = verified.faults.iter().map(ToString::to_string).collect();
        assert_eq!(faults.len(), usize::from(case == "damaged"), "{case}: {faults:?}");
        let named = |fault: &String| fault.contains(&data.display().to_string());
        assert!(faults.iter().all(named), "{faults:?}");
        assert!(told.borrow().contains("bytes in"), "{told:?}");
        let left = fs::read_dir(work.path()).expect("a folder").count();
        assert_eq!(left, 0, "the copy is gone");
    }
}

#[test]
fn newer_snapshots_beside_an_older_store_are_named_as_a_loss_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let older = tempfile::tempdir().expect("a folder");
    written(folder.path());
    copy(folder.path(), older.path());
    let first = written(folder.path());
    let of = |journal: &str| first.iter().find(|(name, _)| name.0 == journal).expect("there").1.len();
    let newest = of("scenario/default/a");
    for (what, emptied) in [("an older store", false), ("a store without the journal", true)] {
        let other = tempfile::tempdir().expect("a folder");
        if !emptied {
            copy(older.path(), other.path());
            fs::remove_dir_all(other.path().join("snapshots")).expect("removed");
        }
        copy(&folder.path().join("snapshots"), &other.path().join("snapshots"));
        let refused = content(other.path()).expect_err(what).to_string();
        assert!(
            refused.contains("scenario/default/a") && refused.contains(&newest.to_string()) && refused.contains("lost"),
            "{what}: {refused}"
        );
        let faults = verify(other.path(), &|_, _| {}).expect("verified").faults;
        assert!(
            matches!(&faults[..], [fault @ JournalFault::Behind { .. }] if !fault.is_mended_by_a_start()),
            "{what}: {faults:?}"
        );
        // Whoever means it puts the snapshots away.
        fs::remove_dir_all(other.path().join("snapshots")).expect("removed");
        content(other.path()).expect(what);
    }
}
