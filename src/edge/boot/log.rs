//! The log on standard error, as text or JSON. No payload's value ever reaches it.

use tracing_subscriber::EnvFilter;

use crate::edge::settings::Log;
use crate::edge::settings::LogFormat;

/// Sets up the log of the process; a second call changes nothing.
///
/// # Errors
/// When `log.level` is no filter.
pub fn set_up(settings: &Log) -> Result<(), String> {
    // The listener's own chatter is of no use to an operator; whoever names it in the level gets it all the same.
    let filter = EnvFilter::try_new(format!("actix_server=warn,{}", settings.level))
        .map_err(|error| format!("log.level ({}) is no filter: {error}", settings.level))?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    // It fails only when a log is set up already, which is then the one to keep.
    let _ = match settings.format {
        LogFormat::Text => log.try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
    Ok(())
}
