//! The log on standard error, as text or JSON. No payload's value ever reaches it.

use tracing_subscriber::EnvFilter;

use crate::config::service::Log;
use crate::config::service::LogFormat;

/// Sets up the log of the process; a second call changes nothing.
pub fn set_up(settings: &Log) -> Result<(), String> {
    let filter = EnvFilter::try_new(directives(&settings.level))
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

/// The level as set, without what is of no use to an operator: the listener's own chatter, the errors that it makes of a
/// client's broken HTTP, which are answered already, and what the library of MCP says, which may quote messages. Whoever names
/// these modules gets all of it.
fn directives(level: &str) -> String {
    let quiet = [
        ("actix_server", "actix_server=warn,"),
        ("actix_http", "actix_http::h1=off,"),
        ("rmcp", "rmcp=off,"),
    ];
    let unnamed = quiet.iter().filter(|(module, _)| !level.contains(module));
    let quiet: String = unnamed.map(|(_, directive)| *directive).collect();
    format!("{quiet}{level}")
}

#[cfg(test)]
mod tests {
    use super::directives;

    #[test]
    fn a_listener_that_is_named_is_heard() {
        assert_eq!(directives("info"), "actix_server=warn,actix_http::h1=off,rmcp=off,info");
        assert_eq!(
            directives("info,actix_http=trace"),
            "actix_server=warn,rmcp=off,info,actix_http=trace"
        );
        assert!(!directives("info,rmcp=debug").contains("rmcp=off"));
    }
}
