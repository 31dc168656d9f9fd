//! One record as bytes, and the chain of hashes that holds a journal together:
//!
//! ```text
//! 1  version u8 · kind u8 · seq u64 · at i64 · open length u32 · open · sealed length u32 · sealed · hash [32] · crc32 u32
//! 2  version u8 · kind u8 · seq u64 · at i64 · open length u32 · open · sealed length u32 · sealed's sha256 [32]
//!    · held u8 · sealed · hash [32] · crc32 u32
//! 3  version u8 · kind u8 · seq u64 · at i64 · open length u32 · open · sealed length u32 · hash [32] · crc32 u32
//! ```
//!
//! Numbers are little-endian. The hash is SHA-256 over the previous record's hash and everything before the hash (1) or
//! before `held` (2); the lengths are part of it, so that no byte can move between the open and the sealed part. The CRC is
//! over everything before it.
//!
//! A record with a sealed part is written in format 2: when that part is erased, `held` becomes 0 and the bytes go, while
//! the hash stays and still follows from what is left (Z-167). Format 3 is a record of format 1 whose sealed part was
//! erased: its hash is as it was and holds its neighbours, its own bytes are held by the CRC alone. A record without a
//! sealed part is written in format 1. Invariant: a record that was written by any released version is read by every later
//! one.

use sha2::Digest;
use sha2::Sha256;

use crate::journal::Draft;
use crate::journal::Head;
use crate::journal::Kind;
use crate::journal::Record;
use schema::time::At;

/// Without a sealed part, or of a time before sealed parts could be erased.
const PLAIN: u8 = 1;
/// With a sealed part that can be erased, or was.
const SEALED: u8 = 2;
/// Of format 1, its sealed part erased.
const PLAIN_ERASED: u8 = 3;

/// Bytes of a record besides its open and its sealed part, at most.
pub const FIXED_BYTES: usize = 1 + 1 + 8 + 8 + 4 + 4 + 32 + 1 + 32 + 4;

const HASH_BYTES: usize = 32;

/// Appends the bytes of a record that is new. `record.hash` is taken as it is.
pub fn encode(record: &Record, out: &mut Vec<u8>) {
    let start = out.len();
    head(record.kind, record.seq, record.at, &record.open, &record.sealed, out);
    if !record.sealed.is_empty() {
        out.push(1);
        out.extend_from_slice(&record.sealed);
    }
    out.extend_from_slice(&record.hash);
    seal(out, start);
}

/// The record that follows one with this hash.
pub fn chain(previous: &[u8; HASH_BYTES], seq: u64, at: At, draft: Draft) -> Record {
    let Draft {
        kind,
        at: _,
        open,
        sealed,
    } = draft;
    let mut bytes = Vec::with_capacity(FIXED_BYTES + open.len());
    head(kind, seq, at, &open, &sealed, &mut bytes);
    Record {
        seq,
        at,
        kind,
        open,
        sealed,
        erased: false,
        hash: link(previous, &bytes),
    }
}

/// The bytes of one whole record without its sealed part; its hash stays. `None` for one that has none to erase.
pub fn erase(bytes: &[u8]) -> Option<Vec<u8>> {
    let read = read(bytes).ok()?;
    if read.erased || read.sealed.is_empty() {
        return None;
    }
    let mut out = bytes.get(..read.before_sealed)?.to_vec();
    match read.version {
        SEALED => *out.last_mut()? = 0,
        _ => *out.first_mut()? = PLAIN_ERASED,
    }
    out.extend_from_slice(&read.hash);
    seal(&mut out, 0);
    Some(out)
}

/// Reads one record off the front, checked against its CRC and the hash before it; gives it and how many bytes it took.
///
/// # Errors
/// Says what is wrong, in words that follow "record 7 is damaged:".
fn decode(bytes: &[u8], previous: &[u8; HASH_BYTES]) -> Result<(Record, usize), String> {
    let read = read(bytes)?;
    if crc32fast::hash(&bytes[..read.checked_bytes]) != read.crc {
        return Err("its checksum does not match".to_owned());
    }
    if let Some(digest) = read.digest
        && !read.erased
        && <[u8; HASH_BYTES]>::from(Sha256::digest(read.sealed)) != digest
    {
        return Err("its sealed part is not the one that was sealed".to_owned());
    }
    if read.version != PLAIN_ERASED && link(previous, &bytes[..read.hashed_bytes]) != read.hash {
        return Err("its hash does not follow from the record before it".to_owned());
    }
    let kind = match read.kind {
        0 => Kind::Fact,
        1 => Kind::Decision,
        other => return Err(format!("its kind {other} is unknown")),
    };
    let record = Record {
        seq: read.seq,
        at: read.at,
        kind,
        open: read.open.to_vec(),
        sealed: read.sealed.to_vec(),
        erased: read.erased,
        hash: read.hash,
    };
    Ok((record, read.checked_bytes + 4))
}

/// Reads the record that follows a head off the front, and moves the head past it; gives it and how many bytes it took.
///
/// # Errors
/// As [`decode`], and where it is another one.
pub fn follow(head: &mut Head, bytes: &[u8]) -> Result<(Record, usize), String> {
    let (record, length) = decode(bytes, &head.hash)?;
    if record.seq != head.seq + 1 {
        return Err(format!("record {} is in its place", record.seq));
    }
    if record.seq > 1 && record.at < head.at {
        return Err("it is earlier than the one before it".to_owned());
    }
    head.advance(&record);
    Ok((record, length))
}

/// The parts of a record, not held against anything yet.
struct Read<'a> {
    version: u8,
    kind: u8,
    seq: u64,
    at: At,
    open: &'a [u8],
    sealed: &'a [u8],
    /// Of the sealed part.
    digest: Option<[u8; HASH_BYTES]>,
    erased: bool,
    hash: [u8; HASH_BYTES],
    crc: u32,
    /// Where what the hash is over ends, where the sealed bytes begin, and where what the CRC is over ends.
    hashed_bytes: usize,
    before_sealed: usize,
    checked_bytes: usize,
}

fn read(bytes: &[u8]) -> Result<Read<'_>, String> {
    let mut rest = bytes;
    let version = take::<1>(&mut rest)?[0];
    if !matches!(version, PLAIN | SEALED | PLAIN_ERASED) {
        return Err(format!("its format is {version}, which this version does not read"));
    }
    let kind = take::<1>(&mut rest)?[0];
    let seq = u64::from_le_bytes(take(&mut rest)?);
    let at = At(i64::from_le_bytes(take(&mut rest)?));
    let open = part(&mut rest)?;
    let length = u32::from_le_bytes(take(&mut rest)?) as usize;
    let digest = if version == SEALED {
        Some(take(&mut rest)?)
    } else {
        None
    };
    let hashed_bytes = bytes.len() - rest.len();
    let erased = match version {
        SEALED => match take::<1>(&mut rest)?[0] {
            0 => true,
            1 => false,
            other => return Err(format!("it says {other} of its sealed part")),
        },
        other => other == PLAIN_ERASED,
    };
    let before_sealed = bytes.len() - rest.len();
    let (sealed, left) = rest
        .split_at_checked(if erased { 0 } else { length })
        .ok_or("it is cut off")?;
    rest = left;
    let hashed_bytes = if version == PLAIN {
        bytes.len() - rest.len()
    } else {
        hashed_bytes
    };
    let hash = take::<HASH_BYTES>(&mut rest)?;
    let checked_bytes = bytes.len() - rest.len();
    let crc = u32::from_le_bytes(take(&mut rest)?);
    Ok(Read {
        version,
        kind,
        seq,
        at,
        open,
        sealed,
        digest,
        erased,
        hash,
        crc,
        hashed_bytes,
        before_sealed,
        checked_bytes,
    })
}

/// Everything that the hash of a new record is over.
fn head(kind: Kind, seq: u64, at: At, open: &[u8], sealed: &[u8], out: &mut Vec<u8>) {
    let kind = match kind {
        Kind::Fact => 0,
        Kind::Decision => 1,
    };
    out.extend_from_slice(&[if sealed.is_empty() { PLAIN } else { SEALED }, kind]);
    out.extend_from_slice(&seq.to_le_bytes());
    out.extend_from_slice(&at.0.to_le_bytes());
    out.extend_from_slice(&length(open));
    out.extend_from_slice(open);
    out.extend_from_slice(&length(sealed));
    if !sealed.is_empty() {
        out.extend_from_slice(&Sha256::digest(sealed));
    }
}

/// A part is far below 4 GiB: the store refuses records above its limit before they come here.
fn length(part: &[u8]) -> [u8; 4] {
    u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes()
}

fn seal(out: &mut Vec<u8>, start: usize) {
    let crc = crc32fast::hash(&out[start..]);
    out.extend_from_slice(&crc.to_le_bytes());
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
    use super::chain;
    use super::decode;
    use super::encode;
    use super::erase;
    use crate::journal::Draft;
    use crate::journal::Kind;
    use crate::journal::Record;
    use schema::time::At;

    /// Stands before the first record of a journal.
    const ORIGIN: [u8; 32] = [0; 32];

    fn record(open: &[u8], sealed: &[u8]) -> Record {
        let draft = Draft {
            kind: Kind::Decision,
            at: At(0),
            open: open.to_vec(),
            sealed: sealed.to_vec(),
        };
        chain(&ORIGIN, 7, At(-3), draft)
    }

    /// A record as format 1 wrote it.
    fn of_format_1(open: &[u8], sealed: &[u8]) -> (Vec<u8>, [u8; 32]) {
        let mut bytes = vec![1, 0];
        bytes.extend_from_slice(&7_u64.to_le_bytes());
        bytes.extend_from_slice(&(-3_i64).to_le_bytes());
        for part in [open, sealed] {
            bytes.extend_from_slice(&u32::try_from(part.len()).expect("short").to_le_bytes());
            bytes.extend_from_slice(part);
        }
        let hash = super::link(&ORIGIN, &bytes);
        bytes.extend_from_slice(&hash);
        let crc = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&crc.to_le_bytes());
        (bytes, hash)
    }

    /// No flipped bit and no cut of one record is taken for it.
    fn notices_damage(bytes: &[u8]) {
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length], &ORIGIN).is_err(), "cut at {length}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.to_vec();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&flipped, &ORIGIN).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_sealed_part_is_erased_the_chain_still_holds_and_damage_is_noticed_z167() {
        let whole = record(b"open", b"a text of somebody");
        let mut new = Vec::new();
        encode(&whole, &mut new);
        let (old, old_hash) = of_format_1(b"open", b"a text of somebody");
        for (bytes, hash) in [(new, whole.hash), (old, old_hash)] {
            let (read, length) = decode(&[&bytes[..], b"next"].concat(), &ORIGIN).expect("whole");
            assert_eq!((&read.sealed, read.hash, read.erased), (&whole.sealed, hash, false));
            assert_eq!(length, bytes.len());
            notices_damage(&bytes);
            let erased = erase(&bytes).expect("there is something to erase");
            assert!(!erased.windows(4).any(|four| four == b"text"));
            let (read, length) = decode(&erased, &ORIGIN).expect("whole");
            assert_eq!(
                (&read.open[..], read.sealed.len(), read.erased),
                (&b"open"[..], 0, true)
            );
            assert_eq!((read.hash, length), (hash, erased.len()), "what follows still follows");
            assert_eq!(erase(&erased), None, "once");
            notices_damage(&erased);
        }
        let mut open = Vec::new();
        encode(&record(b"open", b""), &mut open);
        assert_eq!((open[0], erase(&open)), (1, None), "nothing to erase");
    }

    #[test]
    fn the_hash_holds_what_stands_before_the_border_of_the_parts_and_what_was_left_of_an_erased_record_z167() {
        assert_ne!(record(b"ab", b"c").hash, record(b"a", b"bc").hash);
        let mut bytes = Vec::new();
        encode(&record(b"open", b"sealed"), &mut bytes);
        assert!(decode(&bytes, &[1; 32]).is_err_and(|what| what.contains("before it")));
        let mut forged = erase(&bytes).expect("erased");
        let place = forged.windows(4).position(|four| four == b"open").expect("there");
        forged[place] = b'O';
        forged.truncate(forged.len() - 4);
        super::seal(&mut forged, 0);
        assert!(decode(&forged, &ORIGIN).is_err_and(|what| what.contains("before it")));
    }
}
