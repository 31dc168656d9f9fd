//! A backup that a running service sends, as bytes to read.

use std::io;
use std::io::Read;
use std::time::Duration;

use bytes::Bytes;
use http::uri::Authority;
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::adapters::outbound::Coming;
use crate::adapters::outbound::OutboundFault;
use crate::adapters::outbound::bearer::Place;
use crate::cli;
use crate::cli::output::Trouble;
use crate::cli::output::fault;
use crate::cli::output::usage;
use crate::cli::remote::Way;
use crate::wire::loopback;

/// How long the service may take to send the next bytes.
const PATIENCE: Duration = Duration::from_secs(120);
/// Bytes of a refusal that are read.
const REFUSAL_BYTES: usize = 64 << 10;

/// What is coming.
pub struct Download {
    runtime: Runtime,
    coming: Coming,
    bytes: Bytes,
}

impl Download {
    /// Asks a service for a backup; shows the key that lies there.
    ///
    /// # Errors
    /// What is wrong with what was asked, or why the service does not send one.
    pub fn begin(url: &str, key: Option<Place>) -> Result<Download, Trouble> {
        let has_key = key.is_some();
        let way = Way::to(url, key, false)?;
        let address = way.address("/v1/backup")?;
        let host = address.authority().map(Authority::as_str).unwrap_or_default();
        if has_key && !way.secure && !loopback::host(host) {
            cli::tell("otherwise: the key and the backup go over http, where whoever is on the way can read them");
        }
        let runtime = cli::runtime()?;
        let coming = in_time(&runtime, way.outbound.open(&address, way.headers));
        let mut coming = coming.map_err(|error| fault(format!("{url}: {error}")))?;
        let status = coming.status();
        if status != 200 {
            let why = format!("{url} answered {status}{}", detail(&runtime, &mut coming));
            return Err(if matches!(status, 401 | 403) {
                usage(why)
            } else {
                fault(why)
            });
        }
        Ok(Download {
            runtime,
            coming,
            bytes: Bytes::new(),
        })
    }
}

/// What a refusal says of itself.
fn detail(runtime: &Runtime, coming: &mut Coming) -> String {
    let mut body = Vec::new();
    while body.len() < REFUSAL_BYTES {
        match in_time(runtime, coming.next()) {
            Ok(Some(bytes)) => body.extend_from_slice(&bytes),
            Ok(None) | Err(_) => break,
        }
    }
    let problem = serde_json::from_slice::<Value>(&body).ok();
    let said = problem.as_ref().and_then(|problem| problem["detail"].as_str());
    said.map(|said| format!(": {said}")).unwrap_or_default()
}

fn in_time<T>(runtime: &Runtime, act: impl Future<Output = Result<T, OutboundFault>>) -> Result<T, String> {
    let ended = runtime.block_on(async { tokio::time::timeout(PATIENCE, act).await });
    ended
        .map_err(|_| format!("nothing came for {} s", PATIENCE.as_secs()))?
        .map_err(|fault| fault.to_string())
}

impl Read for Download {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.bytes.is_empty() && !buffer.is_empty() {
            match in_time(&self.runtime, self.coming.next()).map_err(io::Error::other)? {
                Some(bytes) => self.bytes = bytes,
                None => return Ok(0),
            }
        }
        let taken = self.bytes.split_to(buffer.len().min(self.bytes.len()));
        if let Some(place) = buffer.get_mut(..taken.len()) {
            place.copy_from_slice(&taken);
        }
        Ok(taken.len())
    }
}
