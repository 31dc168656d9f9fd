//! How fast the store is. Measured by hand, in release: a busy machine must not fail the suite.

use std::sync::Arc;
use std::time::Instant;

use store::journal::Journal;

use crate::appends::append;
use crate::appends::fact;
use crate::appends::name;
use crate::open;

#[test]
#[ignore = "a measurement"]
fn two_hundred_appenders() {
    const APPENDERS: usize = 200;
    const EACH: usize = 1_000;
    let folder = tempfile::tempdir().expect("a folder");
    let store = Arc::new(open(folder.path()));
    let text = "x".repeat(500);
    let started = Instant::now();
    let threads = (0..APPENDERS).map(|thread| {
        let (store, text) = (Arc::clone(&store), text.clone());
        std::thread::Builder::new().stack_size(256 << 10).spawn(move || {
            let name = name(&format!("scenario/default/{}", thread % 4));
            for n in 0..EACH {
                append(store.as_ref(), &name, vec![fact(n as i64, &text)], None).expect("appended");
            }
        })
    });
    for thread in threads.collect::<Vec<_>>() {
        thread.expect("a thread").join().expect("done");
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("{:.0} records a second", (APPENDERS * EACH) as f64 / seconds);
    store.close();
    let size = std::fs::metadata(folder.path().join("sled/db")).expect("a file").len();
    println!(
        "{:.2} bytes on disk a byte of text",
        size as f64 / (APPENDERS * EACH * text.len()) as f64
    );
    let started = Instant::now();
    let store = open(folder.path());
    println!("{:.2} s to open and check", started.elapsed().as_secs_f64());
    store.close();
}

#[test]
#[ignore = "a measurement"]
fn one_large_append_after_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let text = "x".repeat(500);
    let started = Instant::now();
    for n in 0..200_i64 {
        let drafts = (0..1_000).map(|_| fact(n, &text)).collect();
        append(&store, &name("a"), drafts, None).expect("appended");
    }
    println!(
        "{:.0} records a second in appends of 1000",
        200_000.0 / started.elapsed().as_secs_f64()
    );
    store.close();
}
