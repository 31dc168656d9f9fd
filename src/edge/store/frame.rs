//! A record as bytes, and several of them as one row of the store.
//!
//! Row: version (1), hash of the record before it (32), then records. Record: length of what follows (4), kind (1),
//! seq (8), at (8), length of the open part (4), open part, sealed part, hash (32), CRC-32 over all of it (4). Integers
//! are big-endian. The hash is SHA-256 over the hash before it and everything from the kind to the sealed part.

use sha2::Digest;
use sha2::Sha256;

use crate::domain::time::At;
use crate::service::ports::Kind;
use crate::service::ports::Record;

/// The format that is written.
pub const VERSION: u8 = 1;
/// Bytes of a row before its first record.
pub const ROW_HEADER: usize = 33;
/// Bytes of a record beside its open and sealed part.
pub const RECORD_OVERHEAD: usize = 4 + 1 + 8 + 8 + 4 + 32 + 4;

/// The beginning of a row.
pub fn row(before: &[u8; 32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4_096);
    bytes.push(VERSION);
    bytes.extend_from_slice(before);
    bytes
}

/// Writes a record and gives its hash.
pub fn write(
    bytes: &mut Vec<u8>,
    before: &[u8; 32],
    kind: Kind,
    seq: u64,
    at: At,
    open: &[u8],
    sealed: &[u8],
) -> [u8; 32] {
    let begin = bytes.len();
    let length = RECORD_OVERHEAD - 4 + open.len() + sealed.len();
    bytes.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
    let body = bytes.len();
    bytes.push(match kind {
        Kind::Fact => 0,
        Kind::Decision => 1,
    });
    bytes.extend_from_slice(&seq.to_be_bytes());
    bytes.extend_from_slice(&at.0.to_be_bytes());
    bytes.extend_from_slice(&u32::try_from(open.len()).unwrap_or(u32::MAX).to_be_bytes());
    bytes.extend_from_slice(open);
    bytes.extend_from_slice(sealed);
    let hash = chained(before, bytes.get(body..).unwrap_or_default());
    bytes.extend_from_slice(&hash);
    let crc = crc32fast::hash(bytes.get(begin..).unwrap_or_default());
    bytes.extend_from_slice(&crc.to_be_bytes());
    hash
}

fn chained(before: &[u8; 32], body: &[u8]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(before);
    hasher.update(body);
    hasher.finalize().into()
}

/// A row, read and checked.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// Hash of the record before the first one.
    pub before: [u8; 32],
    pub records: Vec<Record>,
}

/// Reads a row: every checksum, every link of the chain, every sequence.
///
/// # Errors
/// The sequence at which it is damaged (as far as it is known), and how.
pub fn read(bytes: &[u8], first_seq: u64) -> Result<Row, (u64, String)> {
    let damaged = |seq: u64, what: &str| (seq, what.to_owned());
    let version = bytes
        .first()
        .copied()
        .ok_or_else(|| damaged(first_seq, "the row is empty"))?;
    if version != VERSION {
        return Err((
            first_seq,
            format!("format {version} is not known to this program, which reads {VERSION}"),
        ));
    }
    let before: [u8; 32] = array(bytes, 1).ok_or_else(|| damaged(first_seq, "the row is cut"))?;
    let mut records = Vec::new();
    let mut hash = before;
    let mut seq = first_seq;
    let mut at = ROW_HEADER;
    while at < bytes.len() {
        let (record, next) = record(bytes, at, &hash).map_err(|what| (seq, what))?;
        if record.seq != seq {
            return Err((seq, format!("it is numbered {}", record.seq)));
        }
        hash = record.hash;
        seq += 1;
        at = next;
        records.push(record);
    }
    if records.is_empty() {
        return Err(damaged(first_seq, "the row holds no record"));
    }
    Ok(Row { before, records })
}

fn record(bytes: &[u8], at: usize, before: &[u8; 32]) -> Result<(Record, usize), String> {
    let cut = || "the record is cut".to_owned();
    let length = usize::try_from(u32::from_be_bytes(array(bytes, at).ok_or_else(cut)?)).map_err(|_| cut())?;
    let body = at + 4;
    let end = body
        .checked_add(length)
        .filter(|end| *end <= bytes.len())
        .ok_or_else(cut)?;
    if length < RECORD_OVERHEAD - 4 {
        return Err("the record is too short".to_owned());
    }
    let crc = u32::from_be_bytes(array(bytes, end - 4).ok_or_else(cut)?);
    if crc32fast::hash(bytes.get(at..end - 4).unwrap_or_default()) != crc {
        return Err("its checksum does not fit".to_owned());
    }
    let kind = match bytes.get(body) {
        Some(0) => Kind::Fact,
        Some(1) => Kind::Decision,
        Some(_) | None => return Err("it is of no known kind".to_owned()),
    };
    let seq = u64::from_be_bytes(array(bytes, body + 1).ok_or_else(cut)?);
    let moment = At(i64::from_be_bytes(array(bytes, body + 9).ok_or_else(cut)?));
    let open_length =
        usize::try_from(u32::from_be_bytes(array(bytes, body + 17).ok_or_else(cut)?)).map_err(|_| cut())?;
    let (open_at, hash_at) = (body + 21, end - 36);
    let sealed_at = open_at
        .checked_add(open_length)
        .filter(|sealed_at| *sealed_at <= hash_at)
        .ok_or_else(cut)?;
    let hash: [u8; 32] = array(bytes, hash_at).ok_or_else(cut)?;
    if chained(before, bytes.get(body..hash_at).unwrap_or_default()) != hash {
        return Err("its hash does not follow from the record before it".to_owned());
    }
    let open = bytes.get(open_at..sealed_at).unwrap_or_default().to_vec();
    let sealed = bytes.get(sealed_at..hash_at).unwrap_or_default().to_vec();
    Ok((
        Record {
            seq,
            at: moment,
            kind,
            open,
            sealed,
            hash,
        },
        end,
    ))
}

/// `N` bytes at a place.
pub fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::read;
    use super::row;
    use super::write;
    use crate::domain::time::At;
    use crate::service::ports::Kind;

    fn sample() -> Vec<u8> {
        let before = [7; 32];
        let mut bytes = row(&before);
        let hash = write(&mut bytes, &before, Kind::Fact, 5, At(10), b"open", b"sealed");
        write(&mut bytes, &hash, Kind::Decision, 6, At(11), b"{}", b"");
        bytes
    }

    #[test]
    fn a_row_reads_back_as_it_was_written() {
        let row = read(&sample(), 5).expect("a row");
        assert_eq!(row.before, [7; 32]);
        assert_eq!(row.records.len(), 2);
        assert_eq!(
            (row.records[0].open.as_slice(), row.records[0].sealed.as_slice()),
            (&b"open"[..], &b"sealed"[..])
        );
        assert_eq!(
            (row.records[1].seq, row.records[1].kind, row.records[1].at),
            (6, Kind::Decision, At(11))
        );
    }

    #[test]
    fn every_flipped_bit_and_every_cut_but_one_between_records_is_found() {
        let whole = sample();
        for position in 0..whole.len() * 8 {
            let mut bytes = whole.clone();
            bytes[position / 8] ^= 1 << (position % 8);
            assert!(read(&bytes, 5).is_err(), "bit {position}");
        }
        let first_ends = whole.len() - (super::RECORD_OVERHEAD + 2);
        for length in (0..whole.len()).filter(|length| *length != first_ends) {
            assert!(read(&whole[..length], 5).is_err(), "cut at {length}");
        }
    }
}
