//! Records of one journal that were committed together, cut into rows.
//!
//! Invariant: no row is over [`ROW_BYTES`]. sled rewrites a whole leaf of up to 17 rows at once, and writes one above
//! 128 KiB to a file of its own that it never syncs; small rows keep everything in the one file that is synced. An
//! append never spans two frames, so that its records stand or fall together.
//!
//! ```text
//! frame  version u8 = 1 · decided u64 · previous hash [32] · records u32 · bytes u32 · crc32 u32 · record…
//! row    1u8 · journal u32 · first seq u64 · index u16   (big-endian)   ->   a piece of the frame
//! name   0u8 · journal u32                               (big-endian)   ->   version u8 = 1 · name · crc32 u32
//! ```

use crate::journal::Record;

use super::record;

/// The format that is written.
pub const VERSION: u8 = 1;

/// Bytes of a frame in one row.
pub const ROW_BYTES: usize = 6 << 10;

/// Bytes after which a frame is full; the append that passes it is its last.
pub const FRAME_BYTES: usize = 64 << 10;

const HEADER_BYTES: usize = 1 + 8 + 32 + 4 + 4 + 4;

/// What stands before a frame's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Sequence of the journal's last decision before this frame; 0 if there was none.
    pub decided: u64,
    /// Hash of the record before this frame.
    pub previous: [u8; 32],
    pub records: u32,
    /// Bytes of the records.
    pub bytes: u32,
}

/// A key and its value in sled.
pub type Row = (Vec<u8>, Vec<u8>);

/// Where a row of a frame lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub journal: u32,
    pub first_seq: u64,
    pub index: u16,
}

impl Place {
    /// The key in sled.
    pub fn key(self) -> [u8; 15] {
        let mut key = [1; 15];
        key[1..5].copy_from_slice(&self.journal.to_be_bytes());
        key[5..13].copy_from_slice(&self.first_seq.to_be_bytes());
        key[13..].copy_from_slice(&self.index.to_be_bytes());
        key
    }

    /// Reads a key; `None` for one that is not a frame's.
    pub fn of(key: &[u8]) -> Option<Place> {
        let rest = key.strip_prefix(&[1])?;
        let (journal, rest) = rest.split_first_chunk()?;
        let (first_seq, rest) = rest.split_first_chunk()?;
        Some(Place {
            journal: u32::from_be_bytes(*journal),
            first_seq: u64::from_be_bytes(*first_seq),
            index: u16::from_be_bytes(rest.try_into().ok()?),
        })
    }
}

/// The key under which a journal's name stands.
pub fn name_key(journal: u32) -> [u8; 5] {
    let mut key = [0; 5];
    key[1..].copy_from_slice(&journal.to_be_bytes());
    key
}

/// The row that gives a journal its name.
pub fn name_row(journal: u32, name: &str) -> Row {
    let mut value = vec![VERSION];
    value.extend_from_slice(name.as_bytes());
    let crc = crc32fast::hash(&value);
    value.extend_from_slice(&crc.to_le_bytes());
    (name_key(journal).to_vec(), value)
}

/// Reads a row made by [`name_row`].
pub fn read_name_row(key: &[u8], value: &[u8]) -> Option<(u32, String)> {
    let journal = u32::from_be_bytes(key.strip_prefix(&[0])?.try_into().ok()?);
    let (checked, crc) = value.split_last_chunk::<4>()?;
    if crc32fast::hash(checked) != u32::from_le_bytes(*crc) {
        return None;
    }
    let name = checked.strip_prefix(&[VERSION])?;
    Some((journal, String::from_utf8(name.to_vec()).ok()?))
}

/// Rows of one frame.
pub fn rows(journal: u32, decided: u64, previous: &[u8; 32], records: &[Record], out: &mut Vec<Row>) {
    let Some(first) = records.first() else { return };
    let mut body = Vec::new();
    for record in records {
        record::encode(record, &mut body);
    }
    let header = Header {
        decided,
        previous: *previous,
        // Far below 2^32: a commit is bounded in records and in bytes.
        records: u32::try_from(records.len()).unwrap_or(u32::MAX),
        bytes: 0,
    };
    cut(journal, first.seq, header, &body, out);
}

/// A frame with these records as bytes, cut into rows; how many bytes there are is written into the header.
pub fn cut(journal: u32, first_seq: u64, header: Header, body: &[u8], out: &mut Vec<Row>) {
    let header = Header {
        bytes: u32::try_from(body.len()).unwrap_or(u32::MAX),
        ..header
    };
    let mut bytes = header.write().to_vec();
    bytes.extend_from_slice(body);
    for (index, piece) in bytes.chunks(ROW_BYTES).enumerate() {
        // An append is bounded well below 2^16 rows.
        let index = u16::try_from(index).unwrap_or(u16::MAX);
        out.push((
            Place {
                journal,
                first_seq,
                index,
            }
            .key()
            .to_vec(),
            piece.to_vec(),
        ));
    }
}

/// Bytes of an append's records after which it could not be cut into rows.
pub const APPEND_BYTES_CEILING: usize = ROW_BYTES * 60_000;

impl Header {
    fn write(&self) -> [u8; HEADER_BYTES] {
        let mut out = [0; HEADER_BYTES];
        out[0] = VERSION;
        out[1..9].copy_from_slice(&self.decided.to_le_bytes());
        out[9..41].copy_from_slice(&self.previous);
        out[41..45].copy_from_slice(&self.records.to_le_bytes());
        out[45..49].copy_from_slice(&self.bytes.to_le_bytes());
        let crc = crc32fast::hash(&out[..49]);
        out[49..].copy_from_slice(&crc.to_le_bytes());
        out
    }

    /// Reads a frame's header and gives the bytes after it.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn read(frame: &[u8]) -> Result<(Header, &[u8]), String> {
        let (bytes, rest) = frame
            .split_first_chunk::<HEADER_BYTES>()
            .ok_or("its frame is cut off")?;
        let (checked, crc) = bytes.split_at(HEADER_BYTES - 4);
        if crc32fast::hash(checked).to_le_bytes() != *crc {
            return Err("its frame's checksum does not match".to_owned());
        }
        if bytes[0] != VERSION {
            return Err(format!(
                "its frame's format is {}, which this version does not read",
                bytes[0]
            ));
        }
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let mut decided = [0; 8];
        decided.copy_from_slice(&bytes[1..9]);
        let mut previous = [0; 32];
        previous.copy_from_slice(&bytes[9..41]);
        Ok((
            Header {
                decided: u64::from_le_bytes(decided),
                previous,
                records: word(41),
                bytes: word(45),
            },
            rest,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::Header;
    use super::Place;
    use super::ROW_BYTES;
    use super::name_row;
    use super::read_name_row;
    use super::rows;
    use crate::journal::Draft;
    use crate::journal::Kind;
    use crate::record;
    use schema::time::At;

    #[test]
    fn a_frame_is_cut_into_rows_below_the_limit_and_put_together_again_z167() {
        let draft = Draft {
            kind: Kind::Fact,
            at: At(0),
            open: vec![7; 3 * ROW_BYTES],
            sealed: Vec::new(),
        };
        let records = [record::chain(&record::ORIGIN, 1, At(0), draft)];
        let mut out = Vec::new();
        rows(3, 9, &record::ORIGIN, &records, &mut out);
        assert_eq!(out.len(), 4);
        assert!(out.iter().all(|(_, value)| value.len() <= ROW_BYTES));
        assert!(out.iter().map(|(key, _)| key).is_sorted());
        assert_eq!(
            Place::of(&out[3].0),
            Some(Place {
                journal: 3,
                first_seq: 1,
                index: 3
            })
        );
        let frame = out.into_iter().flat_map(|(_, value)| value).collect::<Vec<_>>();
        let (header, rest) = Header::read(&frame).expect("whole");
        assert_eq!(
            (header.decided, header.records, header.bytes as usize),
            (9, 1, rest.len())
        );
        for bit in 0..53 * 8 {
            let mut flipped = frame.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Header::read(&flipped).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_name_is_read_back_and_a_damaged_one_is_not_z167() {
        let (key, mut value) = name_row(258, "scenario/default/flight_booking");
        assert_eq!(
            read_name_row(&key, &value),
            Some((258, "scenario/default/flight_booking".to_owned()))
        );
        value[4] ^= 1;
        assert_eq!(read_name_row(&key, &value), None);
        assert_eq!(Place::of(&key), None);
    }
}
