//! Journals on one machine: what was acknowledged is on disk, and what is damaged says so by name.
//!
//! A [`journal_store`] keeps them as rows of an engine ([`kv`], [`engines`]). A folder holds
//!
//! - `sled/`: rows of [`frame`]s, which are [`record`]s of one journal that were committed together,
//! - `heads`: the sealed end of every journal ([`heads`]), so that a lost tail is noticed,
//! - `snapshots/`: shortcuts ([`snapshots`]), which may be lost without harm,
//! - `keys/`: index of idempotency keys ([`key_files`]), derived from the journals and built anew where it is missing,
//! - `restoring/`: a restore under way ([`restore`]), beside which nothing is opened,
//! - `LOCK`: held by the process that has the folder open.
//!
//! Knows nothing of schemas, events or seals: a record is bytes with a place, a moment and a checksum. Invariant: an
//! append is answered only after its bytes and everything before them were synced, and every byte that is read back
//! was checked against its checksum and the chain of hashes.

pub mod backup;
pub mod backup_reader;
mod committer;
mod compaction;
pub mod data_folder;
pub mod engines;
mod erasure;
mod fault;
mod followers;
mod frame;
mod heads;
pub mod journal;
pub mod journal_store;
pub mod key_files;
mod key_run;
pub mod kv;
pub mod lock;
pub mod options;
mod record;
mod recovery;
pub mod restore;
mod shared;
mod snapshots;
mod space;
pub mod verify;
mod walk;
