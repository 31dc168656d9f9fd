//! Old data is read forever: `tests/upgrade/` keeps a folder written by every released format.

use std::path::Path;

use store::journal::Journal;
use store::verify::verify;

use crate::appends::append;
use crate::appends::fact;
use crate::appends::name;
use crate::folder::copy;
use crate::open;

#[test]
fn a_folder_of_format_1_is_read_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let written = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/upgrade/v1");
    copy(&written, folder.path());
    let verification = verify(folder.path(), &|_, _| {}).expect("verified");
    assert_eq!(verification.faults, []);
    assert_eq!(
        (verification.journals, verification.records, verification.snapshots),
        (2, 14, 1)
    );
    let store = open(folder.path());
    let flights = name("scenario/default/flight_booking");
    let head = store.head(&flights).expect("a head");
    assert_eq!((head.seq, head.at.0, head.decided), (13, 20, 12));
    let hash = head.hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(hash, "c3f188669deaf88151ab91809ca37bf32c65dfc7ed5b5a0a73911e26074b3a76");
    let records = store.read(&flights, 1, 99).expect("read");
    assert_eq!(
        (records[4].open.as_slice(), records[4].sealed.as_slice()),
        (&b"{\"fact\":2}"[..], &[2; 200][..])
    );
    assert_eq!(records[12].sealed, vec![5; 10_000]);
    assert_eq!(
        store.snapshot(&flights).expect("listed").expect("one").state,
        b"{\"state\":1}"
    );
    assert_eq!(
        store.read(&name("namespace/default"), 1, 9).expect("read")[0].open,
        b"{\"published\":true}"
    );
    append(&store, &flights, vec![fact(30, "goes on")], Some(12)).expect("appended");
    store.close();
}
