//! The engines that keep rows on disk, a file each. A folder is read by the engine that wrote it; a new one is sled's.
//!
//! To add one: its file here, its line in [`ENGINES`], its library in `Cargo.toml`. `tests/contract` holds it to the same as
//! the others.

pub mod sled;

use std::path::Path;

use crate::kv::Engine;

/// The engine of a new folder.
pub const DEFAULT: &Engine = &sled::ENGINE;

/// All engines.
pub const ENGINES: &[&Engine] = &[DEFAULT];

/// The engine that wrote a data folder, or had begun to; what a compaction that was cut short left aside counts too.
pub fn of_folder(data: &Path) -> Option<&'static Engine> {
    let wrote = |engine: &&Engine| {
        let aside = format!("{}.old", engine.folder);
        data.join(engine.folder).is_dir() || data.join(aside).is_dir()
    };
    ENGINES.iter().copied().find(wrote)
}
