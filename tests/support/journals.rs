//! A store of journals in a folder of its own.

use std::cell::RefCell;

use store::journal_store::JournalStore;
use store::options::StoreOptions;
use tempfile::TempDir;

thread_local! {
    /// They go when the test's thread ends.
    static FOLDERS: RefCell<Vec<TempDir>> = const { RefCell::new(Vec::new()) };
}

/// A new store, whose folder goes with the test.
pub fn journals() -> JournalStore {
    let folder = tempfile::tempdir().expect("a folder");
    let store = JournalStore::open(folder.path(), StoreOptions::default()).expect("a store");
    FOLDERS.with_borrow_mut(|folders| folders.push(folder));
    store
}
