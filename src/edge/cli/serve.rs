//! `otherwise serve`: runs until a signal comes.

use tokio::signal::unix::SignalKind;
use tokio::signal::unix::signal;

use crate::edge::boot;
use crate::edge::boot::hints;
use crate::edge::boot::log;
use crate::edge::boot::parts::PartsOverride;
use crate::edge::cli;
use crate::edge::cli::Ending;
use crate::edge::cli::SettingsArguments;

/// Starts, says `ready`, waits for SIGTERM or SIGINT, stops in order; a second signal ends at once.
pub fn run(arguments: &SettingsArguments) -> Ending {
    let settings = match arguments.settings() {
        Ok(settings) => settings,
        Err(error) => return cli::end(Ending::Usage, &error.0),
    };
    if let Err(error) = log::set_up(&settings.log) {
        return cli::end(Ending::Usage, &error);
    }
    let running = match boot::start(&settings, PartsOverride::default()) {
        Ok(running) => running,
        Err(fault) => return cli::end(Ending::of(&fault), &fault.to_string()),
    };
    // From here on a signal is ours: whoever reads `ready` may send one.
    let asked = running.block_on(async {
        let terminate = signal(SignalKind::terminate())?;
        let interrupt = signal(SignalKind::interrupt())?;
        Ok::<_, std::io::Error>((terminate, interrupt))
    });
    let (mut terminate, mut interrupt) = match asked {
        Ok(signals) => signals,
        Err(error) => {
            running.stop();
            return cli::end(Ending::Fault, &format!("signals cannot be waited for: {error}"));
        }
    };
    cli::answer(&format!("ready http://{}", running.address()));
    cli::tell("try next:");
    for line in hints::lines(running.address(), settings.principals.is_empty(), running.service()) {
        cli::tell(&format!("  {line}"));
    }
    running.block_on(async {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    });
    tracing::info!("stopping; a second signal ends at once");
    running.spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        cli::tell("otherwise: ended at once by a second signal");
        std::process::exit(i32::from(Ending::Fault.code()));
    });
    running.stop();
    Ending::Well
}
