//! Journals on one machine: what was acknowledged is on disk, and what is damaged says so by name.
//!
//! [`embedded`] keeps them in sled; [`memory`] keeps them nowhere, for replays and tests. A folder holds
//!
//! - `sled/`: rows of [`frame`]s, which are [`record`]s of one journal that were committed together,
//! - `heads`: the sealed end of every journal ([`heads`]), so that a lost tail is noticed,
//! - `snapshots/`: shortcuts ([`snapshots`]), which may be lost without harm,
//! - `restoring/`: a restore under way ([`restore`]), beside which nothing is opened,
//! - `LOCK`: held by the process that has the folder open.
//!
//! Knows nothing of schemas, events or seals: a record is bytes with a place, a moment and a checksum. Invariant: an
//! append is answered only after its bytes and everything before them were synced, and every byte that is read back
//! was checked against its checksum and the chain of hashes.

pub mod journal;

pub mod backup_format;

pub mod options;

pub mod fault;

pub mod file_limit;

pub mod modes;

pub mod page_cache;

pub mod record;

pub mod frame;

pub mod line;

pub mod table;

pub mod space;

pub mod reopening;

pub mod erasure;

pub mod compaction;

pub mod heads;

pub mod lock;

pub mod snapshots;

pub mod followers;

pub mod walk;

pub mod verbatim;

pub mod recovery;

pub mod watchdog;

pub mod committer;

pub mod shared;

pub mod embedded;

pub mod duplicate;

pub mod verify;

pub mod backup;

pub mod restoring;

pub mod restore;

pub mod memory;
