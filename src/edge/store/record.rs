//! One record as bytes, and the chain of hashes that holds a journal together. Format 1:
//!
//! ```text
//! version u8 = 1 · kind u8 · seq u64 · at i64 · open length u32 · open · sealed length u32 · sealed · hash [32] · crc32 u32
//! ```
//!
//! Numbers are little-endian. The hash is SHA-256 over the previous record's hash and everything before the hash; the
//! lengths are part of it, so that no byte can move between the open and the sealed part. The CRC is over everything
//! before it. Invariant: a record that was written by any released version is read by every later one.

use sha2::Digest;
use sha2::Sha256;

use crate::domain::time::At;
use crate::service::ports::Draft;
use crate::service::ports::Kind;
use crate::service::ports::Record;

/// The format that is written.
pub const VERSION: u8 = 1;

/// Bytes of a record besides its open and its sealed part.
pub const FIXED_BYTES: usize = 1 + 1 + 8 + 8 + 4 + 4 + 32 + 4;

const HASH_BYTES: usize = 32;

/// The hash that stands before the first record of a journal.
pub const ORIGIN: [u8; HASH_BYTES] = [0; HASH_BYTES];

/// Bytes of a draft that count against the limit: its open and its sealed part.
pub fn weight(draft: &Draft) -> usize {
    draft.open.len() + draft.sealed.len()
}

/// Appends the record's bytes. `record.hash` is taken as it is.
pub fn encode(record: &Record, out: &mut Vec<u8>) {
    let start = out.len();
    body(record.kind, record.seq, record.at, &record.open, &record.sealed, out);
    out.extend_from_slice(&record.hash);
    let crc = crc32fast::hash(&out[start..]);
    out.extend_from_slice(&crc.to_le_bytes());
}

/// The record that follows one with this hash.
pub fn chain(previous: &[u8; HASH_BYTES], seq: u64, at: At, draft: Draft) -> Record {
    let Draft {
        kind,
        at: _,
        open,
        sealed,
    } = draft;
    let mut bytes = Vec::with_capacity(FIXED_BYTES + open.len() + sealed.len());
    body(kind, seq, at, &open, &sealed, &mut bytes);
    Record {
        seq,
        at,
        kind,
        open,
        sealed,
        hash: link(previous, &bytes),
    }
}

/// Reads one record off the front, checked against its CRC and the hash before it; gives it and how many bytes it took.
///
/// # Errors
/// Says what is wrong, in words that follow "record 7 is damaged:".
pub fn decode(bytes: &[u8], previous: &[u8; HASH_BYTES]) -> Result<(Record, usize), String> {
    let mut rest = bytes;
    let version = take::<1>(&mut rest)?[0];
    if version != VERSION {
        return Err(format!("its format is {version}, which this version does not read"));
    }
    let kind = take::<1>(&mut rest)?[0];
    let seq = u64::from_le_bytes(take(&mut rest)?);
    let at = At(i64::from_le_bytes(take(&mut rest)?));
    let open = part(&mut rest)?;
    let sealed = part(&mut rest)?;
    let body_bytes = bytes.len() - rest.len();
    let hash = take::<HASH_BYTES>(&mut rest)?;
    let checked_bytes = bytes.len() - rest.len();
    let crc = u32::from_le_bytes(take(&mut rest)?);
    if crc32fast::hash(&bytes[..checked_bytes]) != crc {
        return Err("its checksum does not match".to_owned());
    }
    if link(previous, &bytes[..body_bytes]) != hash {
        return Err("its hash does not follow from the record before it".to_owned());
    }
    let kind = match kind {
        0 => Kind::Fact,
        1 => Kind::Decision,
        other => return Err(format!("its kind {other} is unknown")),
    };
    Ok((
        Record {
            seq,
            at,
            kind,
            open: open.to_vec(),
            sealed: sealed.to_vec(),
            hash,
        },
        bytes.len() - rest.len(),
    ))
}

fn body(kind: Kind, seq: u64, at: At, open: &[u8], sealed: &[u8], out: &mut Vec<u8>) {
    let kind = match kind {
        Kind::Fact => 0,
        Kind::Decision => 1,
    };
    out.extend_from_slice(&[VERSION, kind]);
    out.extend_from_slice(&seq.to_le_bytes());
    out.extend_from_slice(&at.0.to_le_bytes());
    for part in [open, sealed] {
        // A part is far below 4 GiB: the store refuses records above its limit before they come here.
        out.extend_from_slice(&u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes());
        out.extend_from_slice(part);
    }
}

fn link(previous: &[u8; HASH_BYTES], body: &[u8]) -> [u8; HASH_BYTES] {
    Sha256::new()
        .chain_update(previous)
        .chain_update(body)
        .finalize()
        .into()
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], String> {
    let (taken, left) = rest.split_first_chunk::<N>().ok_or("it is cut off")?;
    *rest = left;
    Ok(*taken)
}

fn part<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], String> {
    let length = u32::from_le_bytes(take(rest)?) as usize;
    let (taken, left) = rest.split_at_checked(length).ok_or("it is cut off")?;
    *rest = left;
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::ORIGIN;
    use super::chain;
    use super::decode;
    use super::encode;
    use crate::domain::time::At;
    use crate::service::ports::Draft;
    use crate::service::ports::Kind;
    use crate::service::ports::Record;

    fn record(open: &[u8], sealed: &[u8]) -> Record {
        let draft = Draft {
            kind: Kind::Decision,
            at: At(0),
            open: open.to_vec(),
            sealed: sealed.to_vec(),
        };
        chain(&ORIGIN, 7, At(-3), draft)
    }

    #[test]
    fn what_is_written_is_read_z167() {
        let record = record(b"{\"a\":1}", b"sealed");
        let mut bytes = Vec::new();
        encode(&record, &mut bytes);
        bytes.extend_from_slice(b"next");
        let (read, length) = decode(&bytes, &ORIGIN).expect("whole");
        assert_eq!(read, record);
        assert_eq!(length, bytes.len() - 4);
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed_z167() {
        let mut bytes = Vec::new();
        encode(&record(b"open", b"sealed"), &mut bytes);
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length], &ORIGIN).is_err(), "cut at {length}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&flipped, &ORIGIN).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn the_hash_holds_the_order_and_the_border_between_open_and_sealed_z167() {
        assert_ne!(record(b"ab", b"c").hash, record(b"a", b"bc").hash);
        let mut bytes = Vec::new();
        encode(&record(b"a", b""), &mut bytes);
        assert!(decode(&bytes, &[1; 32]).is_err_and(|what| what.contains("before it")));
    }
}
