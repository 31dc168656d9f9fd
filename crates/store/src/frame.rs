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

use zerocopy::FromBytes;
use zerocopy::Immutable;
use zerocopy::IntoBytes;
use zerocopy::KnownLayout;
use zerocopy::Unaligned;
use zerocopy::big_endian;
use zerocopy::little_endian;

use crate::journal::Head;
use crate::kv::Row;

/// The format that is written.
const VERSION: u8 = 1;

/// Bytes of a frame in one row.
pub const ROW_BYTES: usize = 6 << 10;

/// Bytes after which a frame is full; the append that passes it is its last. A record is read with its whole frame, and a
/// frame costs 53 bytes and a key.
const FRAME_BYTES: usize = 64 << 10;

/// Bytes of an append's records after which it could not be cut into rows: their indices have 16 bits.
pub const APPEND_BYTES_CEILING: usize = ROW_BYTES * 60_000;

/// What stands before a frame's records, as it lies there.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Header {
    version: u8,
    /// Sequence of the journal's last decision before this frame; 0 if there was none.
    pub decided: little_endian::U64,
    /// Hash of the record before this frame.
    pub previous: [u8; 32],
    pub records: little_endian::U32,
    /// Bytes of the records.
    pub bytes: little_endian::U32,
    /// Of everything before it.
    crc: little_endian::U32,
}

/// Where a row of a frame lies: its key.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Place {
    /// 1.
    kind: u8,
    pub journal: big_endian::U32,
    pub first_seq: big_endian::U64,
    pub index: big_endian::U16,
}

impl Place {
    /// The place of a row of the frame that begins with this record.
    pub fn new(journal: u32, first_seq: u64, index: u16) -> Place {
        Place {
            kind: 1,
            journal: journal.into(),
            first_seq: first_seq.into(),
            index: index.into(),
        }
    }

    /// The key of the row.
    pub fn key(&self) -> Vec<u8> {
        self.as_bytes().to_vec()
    }

    /// Reads a key; `None` for one that is not a frame's.
    pub fn parse(key: &[u8]) -> Option<Place> {
        Place::read_from_bytes(key).ok().filter(|place| place.kind == 1)
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

/// Rows of the records that follow `before`, in frames that are not much longer than they have to be. `ends` says where in
/// the bytes a frame may end, and the head after it.
pub fn rows(journal: u32, before: Head, bytes: &[u8], ends: &[(usize, Head)], out: &mut Vec<Row>) {
    let (mut before, mut start) = (before, 0);
    for (n, &(end, head)) in ends.iter().enumerate() {
        let is_last = n + 1 == ends.len();
        if head.seq == before.seq || (end - start < FRAME_BYTES && !is_last) {
            continue;
        }
        let header = Header {
            version: VERSION,
            decided: before.decided.into(),
            previous: before.hash,
            // Far below 2^32: a commit is bounded in records and in bytes.
            records: u32::try_from(head.seq - before.seq).unwrap_or(u32::MAX).into(),
            bytes: 0.into(),
            crc: 0.into(),
        };
        cut(journal, before.seq + 1, header, &bytes[start..end], out);
        (before, start) = (head, end);
    }
}

/// A frame with these records as bytes, cut into rows; how many bytes there are is written into the header.
pub fn cut(journal: u32, first_seq: u64, mut header: Header, body: &[u8], out: &mut Vec<Row>) {
    header.bytes = u32::try_from(body.len()).unwrap_or(u32::MAX).into();
    header.crc = header.sum().into();
    let bytes = [header.as_bytes(), body].concat();
    let pieces = (0..).zip(bytes.chunks(ROW_BYTES));
    out.extend(pieces.map(|(index, piece)| (Place::new(journal, first_seq, index).key(), piece.to_vec())));
}

impl Header {
    /// Reads a frame's header and gives the bytes after it.
    pub fn read(frame: &[u8]) -> Result<(Header, &[u8]), String> {
        let (header, records) = Header::read_from_prefix(frame).map_err(|_| "its frame is cut off")?;
        if header.sum() != header.crc.get() {
            return Err("its frame's checksum does not match".to_owned());
        }
        if header.version != VERSION {
            return Err(format!(
                "its frame's format is {}, which this version does not read",
                header.version
            ));
        }
        Ok((header, records))
    }

    fn sum(&self) -> u32 {
        crc32fast::hash(&self.as_bytes()[..size_of::<Header>() - size_of_val(&self.crc)])
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
    use crate::journal::Head;

    #[test]
    fn a_frame_is_cut_into_rows_below_the_limit_and_put_together_again_z167() {
        let before = Head {
            decided: 9,
            ..Head::default()
        };
        let after = Head { seq: 1, ..before };
        let bytes = vec![7; 3 * ROW_BYTES];
        let mut out = Vec::new();
        rows(3, before, &bytes, &[(0, before), (bytes.len(), after)], &mut out);
        assert_eq!(out.len(), 4);
        assert!(out.iter().all(|(_, value)| value.len() <= ROW_BYTES));
        assert!(out.iter().map(|(key, _)| key).is_sorted());
        assert_eq!(out[3].0, [1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 3]);
        assert!(Place::parse(&out[3].0).is_some());
        let frame = out.into_iter().flat_map(|(_, value)| value).collect::<Vec<_>>();
        let (header, rest) = Header::read(&frame).expect("whole");
        let found = (header.decided.get(), header.records.get(), header.bytes.get() as usize);
        assert_eq!(found, (9, 1, rest.len()));
        assert_eq!(rest, bytes);
        for bit in 0..53 * 8 {
            let mut flipped = frame.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Header::read(&flipped).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_name_is_read_back_and_a_damaged_one_is_not_z167() {
        let (key, mut value) = name_row(258, "scenario/default/flight_booking");
        let name = "scenario/default/flight_booking".to_owned();
        assert_eq!(read_name_row(&key, &value), Some((258, name)));
        value[4] ^= 1;
        assert_eq!(read_name_row(&key, &value), None);
        assert!(Place::parse(&key).is_none());
    }
}
