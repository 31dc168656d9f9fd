//! Snapshots as files: written aside, synced, renamed, their folder synced; the two newest are kept.
//!
//! File: `OTHSNAP1`, seq (8), hash of the record (32), SHA-256 of the state (32), length (8), state.

use std::fs;
use std::fs::File;
use std::io;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;

use sha2::Digest;
use sha2::Sha256;

use crate::edge::store::frame::array;
use crate::service::ports::Snapshot;

const MAGIC: &[u8; 8] = b"OTHSNAP1";
const HEADER: usize = 8 + 8 + 32 + 32 + 8;
const KEPT: usize = 2;

/// Writes a snapshot into its journal's folder.
///
/// # Errors
/// When the disk says no; nothing half-written stands under a snapshot's name.
pub fn keep(folder: &Path, snapshot: &Snapshot) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let path = folder.join(format!("{:020}.snap", snapshot.seq));
    let aside = folder.join(format!("{:020}.part", snapshot.seq));
    let mut file = File::create(&aside)?;
    let mut header = Vec::with_capacity(HEADER);
    header.extend_from_slice(MAGIC);
    header.extend_from_slice(&snapshot.seq.to_be_bytes());
    header.extend_from_slice(&snapshot.hash);
    header.extend_from_slice(&Sha256::digest(&snapshot.state));
    header.extend_from_slice(&(snapshot.state.len() as u64).to_be_bytes());
    file.write_all(&header)?;
    file.write_all(&snapshot.state)?;
    file.sync_all()?;
    fs::rename(&aside, &path)?;
    File::open(folder)?.sync_all()?;
    let kept = list(folder)?;
    for old in kept.iter().rev().skip(KEPT) {
        fs::remove_file(old)?;
    }
    Ok(())
}

/// The snapshots of a folder, oldest first.
///
/// # Errors
/// When the folder cannot be read; a missing one is empty.
pub fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "snap") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Reads a snapshot.
///
/// # Errors
/// What is wrong with it.
pub fn read(path: &Path) -> Result<Snapshot, String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let cut = || "it is cut".to_owned();
    if bytes.get(..8) != Some(MAGIC.as_slice()) {
        return Err("it does not begin as a snapshot does".to_owned());
    }
    let seq = u64::from_be_bytes(array(&bytes, 8).ok_or_else(cut)?);
    let hash: [u8; 32] = array(&bytes, 16).ok_or_else(cut)?;
    let digest: [u8; 32] = array(&bytes, 48).ok_or_else(cut)?;
    let length = u64::from_be_bytes(array(&bytes, 80).ok_or_else(cut)?);
    let state = bytes.get(HEADER..).ok_or_else(cut)?.to_vec();
    if state.len() as u64 != length {
        return Err(cut());
    }
    let found: [u8; 32] = Sha256::digest(&state).into();
    if found != digest {
        return Err("its checksum does not fit".to_owned());
    }
    Ok(Snapshot { seq, hash, state })
}
