//! A backup that a running service sends, as bytes to read.

use std::io;
use std::io::Cursor;
use std::io::Read;
use std::time::Duration;

use otherwise_client::transport::Coming;
use tokio::runtime::Runtime;

use crate::adapters::outbound::bearer::Place;
use crate::cli;
use crate::cli::output::Trouble;
use crate::cli::output::fault;
use crate::cli::output::usage;
use crate::cli::remote::way;

/// How long the service may take to send the next bytes.
const PATIENCE: Duration = Duration::from_secs(120);
/// Bytes of a refusal that are read.
const REFUSAL_BYTES: usize = 64 << 10;

/// What is coming.
pub struct Download {
    runtime: Runtime,
    coming: Coming,
    bytes: Cursor<Vec<u8>>,
}

impl Download {
    /// Asks a service for a backup; shows the key that lies there.
    ///
    /// # Errors
    /// What is wrong with what was asked, or why the service does not send one.
    pub fn begin(url: &str, key: Option<Place>) -> Result<Download, Trouble> {
        let has_key = key.is_some();
        let way = way(url, key, None, false)?;
        if has_key && !way.address.is_secure && !way.address.is_local {
            cli::tell("otherwise: the key and the backup go over http, where whoever is on the way can read them");
        }
        let runtime = cli::runtime()?;
        let coming = runtime
            .block_on(way.open(way.get("/v1/backup"), PATIENCE))
            .map_err(fault)?;
        if coming.status() != 200 {
            let refusal = runtime.block_on(coming.whole(REFUSAL_BYTES)).map_err(fault)?;
            let said = refusal.json()["detail"].as_str().map(|said| format!(": {said}"));
            let why = format!("{url} answered {}{}", refusal.status, said.unwrap_or_default());
            return Err(if matches!(refusal.status, 401 | 403) {
                usage(why)
            } else {
                fault(why)
            });
        }
        Ok(Download {
            runtime,
            coming,
            bytes: Cursor::default(),
        })
    }
}

impl Read for Download {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let taken = self.bytes.read(buffer)?;
        if taken > 0 || buffer.is_empty() {
            return Ok(taken);
        }
        match self.runtime.block_on(self.coming.next()).map_err(io::Error::other)? {
            Some(bytes) => self.bytes = Cursor::new(bytes),
            None => return Ok(0),
        }
        self.bytes.read(buffer)
    }
}
