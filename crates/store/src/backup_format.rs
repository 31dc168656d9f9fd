//! How a backup is marked: its first line, and the kind of each part.
//!
//! Who writes one and who reads it hold to the same numbers.

/// What every backup begins with, before the number of its format and a line feed.
pub const MAGIC: &str = "otherwise backup ";
/// The format that is written.
pub const FORMAT: u32 = 1;
pub const HEADER: u8 = 1;
pub const JOURNAL: u8 = 2;
pub const RECORDS: u8 = 3;
pub const MANIFEST: u8 = 4;
