//! `otherwise serve`: runs until a signal comes, or until the store cannot continue.

use tokio::signal::unix::SignalKind;
use tokio::signal::unix::signal;

use crate::bootstrap;
use crate::bootstrap::Running;
use crate::bootstrap::hints;
use crate::bootstrap::log;
use crate::bootstrap::parts::PartsOverride;
use crate::cli;
use crate::cli::ExitStatus;
use crate::cli::SettingsArguments;
use crate::cli::output::Trouble;
use crate::config::Settings;

/// Starts, says `ready`, waits for SIGTERM or SIGINT, stops in order; a second signal ends at once. SIGHUP reads the settings
/// anew.
pub fn run(arguments: &SettingsArguments) -> ExitStatus {
    hold_hangup();
    let settings = match arguments.settings() {
        Ok(settings) => settings,
        Err(error) => return cli::end(ExitStatus::Usage, &error.0),
    };
    if let Err(error) = log::set_up(&settings.log) {
        return cli::end(ExitStatus::Usage, &error);
    }
    let running = match bootstrap::start(&settings, PartsOverride::default()) {
        Ok(running) => running,
        Err(fault) => {
            let trouble = Trouble::from(fault);
            return cli::end(trouble.ending, &trouble.why);
        }
    };
    // From here on a signal is ours: whoever reads `ready` may send one.
    let asked = running.block_on(async {
        let terminate = signal(SignalKind::terminate())?;
        let interrupt = signal(SignalKind::interrupt())?;
        let hangup = signal(SignalKind::hangup())?;
        Ok::<_, std::io::Error>((terminate, interrupt, hangup))
    });
    let (mut terminate, mut interrupt, mut hangup) = match asked {
        Ok(signals) => signals,
        Err(error) => {
            running.stop();
            return cli::end(ExitStatus::Fault, &format!("signals cannot be waited for: {error}"));
        }
    };
    cli::answer(&format!("ready http://{}", running.address()));
    cli::tell("try next:");
    for line in hints::lines(running.address(), settings.principals.is_empty(), running.service()) {
        cli::tell(&format!("  {line}"));
    }
    let ending = running.block_on(async {
        loop {
            tokio::select! {
                _ = terminate.recv() => return ExitStatus::Well,
                _ = interrupt.recv() => return ExitStatus::Well,
                _ = hangup.recv() => reload(&running, arguments, &settings),
                fault = running.service().wait_for_lasting_fault() => {
                    tracing::error!(%fault, "Store cannot continue; the process ends so that a supervisor restarts it.");
                    return ExitStatus::Store;
                }
            }
        }
    });
    tracing::info!("stopping; a second signal ends at once");
    running.spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        cli::tell("otherwise: ended at once by a second signal");
        std::process::exit(i32::from(ExitStatus::Fault.code()));
    });
    running.stop();
    ending
}

/// Reads the settings anew: principals count at once, everything else from the next start. Where anything is wrong all stays as it
/// was.
fn reload(running: &Running, arguments: &SettingsArguments, settings: &Settings) {
    let read = arguments.settings().map_err(|error| error.0);
    let reloaded = read.and_then(|read| running.reload(&read).map(|principals| (read, principals)));
    match reloaded {
        Ok((mut read, principals)) => {
            read.principals.clone_from(&settings.principals);
            if read == *settings {
                tracing::info!(principals, "SIGHUP: the principals of the settings are in force");
            } else {
                tracing::warn!(
                    principals,
                    "SIGHUP: the principals of the settings are in force; other settings differ from those of the start, and \
                     count from the next one"
                );
            }
        }
        Err(why) => {
            tracing::error!(why, "SIGHUP: the settings are not taken; those of before stay in force");
        }
    }
}

/// Until it is heeded, SIGHUP does not end the process either: it may come while the journals are read.
fn hold_hangup() {
    // SAFETY: both are plain values, and what is set is to ignore, so that no code of ours runs in a handler.
    #[expect(unsafe_code, reason = "the standard library sets no signals")]
    unsafe {
        libc::signal(libc::SIGHUP, libc::SIG_IGN);
    }
}
