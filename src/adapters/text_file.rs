//! Texts that lie in files, as editors and shells write them: UTF-8, with a byte order mark or without one.
//!
//! Knows no form of what it reads. Invariant: what is given back does not begin with a byte order mark, and what is no UTF-8 is told by
//! what it is, where that can be told.

use std::fs::File;
use std::io;
use std::io::Read;
use std::io::Write;
use std::path::Path;

/// What Windows puts before a text in UTF-8.
const MARK: char = '\u{FEFF}';

/// Reads a file.
pub fn read(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    text(bytes)
}

/// Puts bytes in the place of what a file holds: written aside, synced, and renamed, so that it is replaced whole. The folder is made
/// when it is missing.
pub fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let aside = file.with_extension("new");
    let mut written = File::create(&aside)?;
    written.write_all(bytes)?;
    written.sync_data()?;
    std::fs::rename(&aside, file)
}

/// Reads standard input to its end.
pub fn standard() -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    text(bytes)
}

/// The text of some bytes.
fn text(bytes: Vec<u8>) -> Result<String, String> {
    if is_utf_16(&bytes) {
        return Err("it is UTF-16; save it as UTF-8".to_owned());
    }
    let mut text = String::from_utf8(bytes)
        .map_err(|error| format!("it is not UTF-8 from byte {} on", error.utf8_error().valid_up_to()))?;
    if text.starts_with(MARK) {
        text.drain(..MARK.len_utf8());
    }
    Ok(text)
}

/// Whether bytes are UTF-16: by its mark, or by a first letter in ASCII, with which everything begins that is read here.
fn is_utf_16(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] | [0, 1..=0x7F, ..] | [1..=0x7F, 0, ..]
    )
}

#[cfg(test)]
mod tests {
    use super::read;
    use super::text;

    #[test]
    fn a_byte_order_mark_is_passed_over_and_what_is_no_utf_8_is_called_by_its_name() {
        for (given, expected) in [
            ("\u{FEFF}{}", "{}"),
            ("", ""),
            ("\u{FEFF}\u{FEFF}", "\u{FEFF}"),
            ("{}\u{FEFF}", "{}\u{FEFF}"),
        ] {
            assert_eq!(text(given.as_bytes().to_vec()).as_deref(), Ok(expected));
        }
        for given in ["\u{FEFF}{}", "{}", "# ü"] {
            for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
                let bytes = given.encode_utf16().flat_map(bytes).collect();
                let told = text(bytes).expect_err("UTF-16");
                assert!(told.contains("UTF-16; save it as UTF-8"), "{told}");
            }
        }
        let told = text(vec![b'a', b'b', 0xFC]).expect_err("Latin-1");
        assert_eq!(told, "it is not UTF-8 from byte 2 on");
        assert!(read("/no/such/file".as_ref()).is_err_and(|told| told.contains("No such file")));
    }
}
