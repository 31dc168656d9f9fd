//! A process that is killed, and a disk that is full: this test's own binary plays the process.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::io::BufReader;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;
use std::process::Child;
use std::process::Command;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;

use store::data_folder;
use store::engines::ENGINES;
use store::journal::Draft;
use store::journal::Journal;
use store::journal::JournalFault;
use store::journal_store::JournalStore;
use store::kv::Engine;
use store::options::StoreOptions;

use crate::appends::append;
use crate::appends::fact;
use crate::appends::name;
use crate::every_engine;
use crate::open;
use crate::put;
use crate::sealed;
use crate::whole;

/// Name a child's folder and the engine of a new one.
const FOLDER: &str = "OTHERWISE_TEST_STORE";
const ENGINE: &str = "OTHERWISE_TEST_ENGINE";

/// The store of a child.
fn own() -> Option<(PathBuf, StoreOptions)> {
    let folder = PathBuf::from(std::env::var_os(FOLDER)?);
    let name = std::env::var(ENGINE).ok()?;
    let engine = *ENGINES.iter().find(|engine| engine.folder == name)?;
    let options = StoreOptions {
        engine,
        ..StoreOptions::default()
    };
    Some((folder, options))
}

fn child(test: &str, engine: &Engine, folder: &Path) -> Child {
    Command::new(std::env::current_exe().expect("this binary"))
        .args(["--exact", &format!("process::{test}"), "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .env(ENGINE, engine.folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a process")
}

#[test]
#[ignore = "is run by the test below"]
fn appends_until_it_is_killed() {
    let Some((folder, options)) = own() else { return };
    let store = Arc::new(JournalStore::open(&folder, options).expect("opened"));
    let threads = (0..8).map(|thread| {
        let store = Arc::clone(&store);
        std::thread::spawn(move || {
            let name = name(&format!("scenario/default/{}", thread % 3));
            for n in 0.. {
                let text = format!("{thread}:{n}");
                let drafts = vec![
                    fact(n, &text),
                    Draft {
                        sealed: vec![1; 700],
                        ..fact(n, &text)
                    },
                ];
                let appended = append(store.as_ref(), &name, drafts, None).expect("appended");
                let mut out = std::io::stdout().lock();
                writeln!(out, "acknowledged {} {} {text}", name.0, appended.first_seq).expect("a pipe");
            }
        })
    });
    for thread in threads.collect::<Vec<_>>() {
        let _ = thread.join();
    }
}

#[test]
fn what_was_acknowledged_survives_a_kill_at_any_moment_z167() {
    every_engine(killed);
}

fn killed(engine: &'static Engine, folder: &Path) {
    let mut acknowledged: BTreeMap<(String, u64), String> = BTreeMap::new();
    for round in 0..5_u64 {
        let mut child = child("appends_until_it_is_killed", engine, folder);
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        let reader = std::thread::spawn(move || out.lines().map_while(Result::ok).collect::<Vec<_>>());
        std::thread::sleep(Duration::from_millis(150 + 37 * round));
        child.kill().expect("killed");
        child.wait().expect("ended");
        for line in reader.join().expect("read") {
            // The last line may be cut off; then its text does not parse.
            if let ["acknowledged", name, seq, text] = line.split(' ').collect::<Vec<_>>()[..]
                && let (Ok(seq), true) = (seq.parse(), text.contains(':'))
            {
                acknowledged.insert((name.to_owned(), seq), text.to_owned());
            }
        }
        let store = open(folder);
        let mut held = BTreeMap::new();
        for name in store.journals().expect("journals") {
            let records = store.read(&name, 1, usize::MAX).expect("whole");
            assert!(records.len() % 2 == 0, "an append was cut in two");
            held.insert(name.0, records);
        }
        for ((name, seq), text) in &acknowledged {
            for place in 0..2 {
                let record = &held[name][usize::try_from(seq - 1 + place).expect("small")];
                assert!(record.open.starts_with(text.as_bytes()), "round {round}: {name} {seq}");
            }
        }
        store.close();
        whole(folder);
    }
    assert!(acknowledged.len() > 20, "too little happened: {}", acknowledged.len());
}

#[test]
#[ignore = "is run by the test below"]
fn appends_until_the_disk_is_full() {
    let Some((folder, mut options)) = own() else { return };
    options.settings.reopen_ms = 50;
    let rows = folder.join(options.engine.folder).join(options.engine.file);
    let store = JournalStore::open(&folder, options).expect("opened");
    let mut out = std::io::stdout().lock();
    let length = std::fs::metadata(rows).expect("a file").len();
    let limit = libc::rlimit {
        rlim_cur: length.max(512 << 10) + (700 << 10),
        rlim_max: libc::RLIM_INFINITY,
    };
    data_folder::survive_file_limit();
    // SAFETY: the call takes plain values.
    unsafe {
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &limit), 0);
    }
    for n in 0_i64.. {
        let drafts = (0..12).map(|_| sealed(n, 9_000)).collect();
        match append(&store, &name("a"), drafts, None) {
            Ok(appended) => writeln!(out, "acknowledged {}", appended.first_seq).expect("a pipe"),
            Err(fault) => {
                writeln!(out, "fault {fault}").expect("a pipe");
                assert!(matches!(fault, JournalFault::DiskFull(_)), "{fault}");
                break;
            }
        }
    }
    // While there is no room nothing is taken, what was acknowledged is read, and the store says why.
    std::thread::sleep(Duration::from_millis(400));
    let refused = append(&store, &name("a"), vec![fact(1, "no room")], None);
    assert!(matches!(refused, Err(JournalFault::DiskFull(_))), "{refused:?}");
    assert!(matches!(store.broken(), Some(JournalFault::DiskFull(_))));
    assert_eq!(store.read(&name("a"), 1, 1).map(|records| records.len()), Ok(1));
    // Room again: the store opens its folder anew and goes on by itself.
    let limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: as above.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &limit) }, 0);
    let began = std::time::Instant::now();
    let appended = loop {
        match append(&store, &name("a"), (0..12).map(|_| fact(1, "after")).collect(), None) {
            Ok(appended) => break appended,
            Err(fault) => {
                assert!(matches!(fault, JournalFault::DiskFull(_)), "{fault}");
                assert!(began.elapsed() < Duration::from_secs(60), "it never goes on");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    };
    assert_eq!(store.broken(), None);
    writeln!(out, "acknowledged {}", appended.first_seq).expect("a pipe");
    store.close();
    writeln!(out, "closed").expect("a pipe");
}

#[test]
fn a_full_disk_is_named_nothing_half_written_stays_and_the_store_goes_on_by_itself_z167() {
    every_engine(filled);
}

fn filled(engine: &'static Engine, folder: &Path) {
    for round in 0..3 {
        let child = child("appends_until_the_disk_is_full", engine, folder);
        let output = child.wait_with_output().expect("ended");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}");
        assert!(
            text.contains("fault the disk is full") && text.contains("closed"),
            "{text}"
        );
        let acknowledged = text.lines().filter(|line| line.starts_with("acknowledged")).count();
        let last = text
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix("acknowledged ")?.parse::<u64>().ok());
        assert!(acknowledged > 0, "{text}");
        let store = open(folder);
        let records = store.read(&name("a"), 1, usize::MAX).expect("whole");
        // Nothing that was acknowledged is lost, and nothing that was refused is there.
        assert_eq!(records.len() as u64, last.expect("one") + 11, "round {round}");
        assert_eq!(records.len() % 12, 0, "an append was cut in two");
        put(&store, "a", (0..12).map(|n| fact(n, "goes on")).collect());
        store.close();
        whole(folder);
    }
}

#[test]
fn below_the_floor_nothing_is_written_and_above_it_everything_is_again_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let free = Arc::new(AtomicU64::new(10_000));
    let told = Arc::clone(&free);
    let mut options = StoreOptions {
        free_bytes: Some(Box::new(move || Ok(told.load(Ordering::SeqCst)))),
        ..StoreOptions::default()
    };
    options.settings.free_bytes_min = 8_000;
    let store = JournalStore::open(folder.path(), options).expect("opened");
    let add = |text: &str| append(&store, &name("a"), vec![fact(1, text)], None);
    assert_eq!(add("first").map(|appended| appended.first_seq), Ok(1));
    free.store(7_999, Ordering::SeqCst);
    assert!(matches!(add("no room"), Err(JournalFault::DiskFull(_))));
    assert!(matches!(store.broken(), Some(JournalFault::DiskFull(_))));
    assert_eq!(store.free_bytes(), Some(7_999));
    assert_eq!(
        store.read(&name("a"), 1, 9).map(|records| records.len()),
        Ok(1),
        "reads go on"
    );
    free.store(8_999, Ordering::SeqCst);
    assert!(store.broken().is_some(), "until there is an eighth more");
    free.store(9_000, Ordering::SeqCst);
    assert_eq!(store.broken(), None, "seen without an append");
    assert_eq!(add("second").map(|appended| appended.first_seq), Ok(2));
    store.close();
    whole(folder.path());
}
