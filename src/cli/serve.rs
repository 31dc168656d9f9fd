//! `otherwise serve`: runs until a signal comes, or until the store cannot continue.

use std::time::Duration;

use sha2::Digest;
use sha2::Sha256;
use tokio::signal::unix::SignalKind;
use tokio::signal::unix::signal;

use crate::auth::api_keys::KeyChanges;
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

/// Starts, says `ready`, waits for SIGTERM or SIGINT, stops in order; a second signal ends at once. SIGHUP, or a settings file that changed,
/// reloads the principals.
pub fn run(arguments: &SettingsArguments) -> ExitStatus {
    hold_hangup();
    let mut seen = digest(arguments);
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
    if let Some(address) = running.plain_address() {
        tracing::info!(%address, "Health and metrics are served.");
    }
    cli::answer(&format!("ready http://{}", running.address()));
    cli::tell("try next:");
    for line in hints::lines(running.address(), settings.principals.is_empty(), running.service()) {
        cli::tell(&format!("  {line}"));
    }
    let ending = running.block_on(async {
        let mut looks = tokio::time::interval(Duration::from_secs(settings.server.reload_s));
        loop {
            let cause = tokio::select! {
                _ = terminate.recv() => return ExitStatus::Well,
                _ = interrupt.recv() => return ExitStatus::Well,
                fault = running.service().wait_for_lasting_fault() => {
                    tracing::error!(%fault, "Store cannot continue; the process ends so that a supervisor restarts it.");
                    return ExitStatus::Store;
                }
                _ = hangup.recv() => "SIGHUP",
                _ = looks.tick() => "settings file changed",
            };
            let now = digest(arguments);
            if cause == "SIGHUP" || (now.is_some() && now != seen) {
                seen = now;
                reload(&running, arguments, &settings, cause);
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

/// Digest of the settings file; `None` where none is named, or it cannot be read at the moment. Kubernetes replaces a mounted file and
/// sends no signal.
fn digest(arguments: &SettingsArguments) -> Option<[u8; 32]> {
    let text = std::fs::read(arguments.config.as_ref()?).ok()?;
    Some(Sha256::digest(&text).into())
}

/// Reloads the settings: principals are in force at once, every other setting at the next start. Where anything is wrong nothing changes.
fn reload(running: &Running, arguments: &SettingsArguments, settings: &Settings, cause: &str) {
    let read = arguments.settings().map_err(|error| error.0);
    let reloaded = read.and_then(|read| running.reload(&read).map(|changes| (read, changes)));
    match reloaded {
        Ok((
            read,
            KeyChanges {
                added,
                removed,
                changed,
            },
        )) => {
            let principals = read.principals.len();
            tracing::info!(
                cause,
                principals,
                added,
                removed,
                changed,
                "Principals reloaded; changed keys are in force."
            );
            let others = Settings {
                principals: settings.principals.clone(),
                ..read
            };
            if others != *settings {
                tracing::warn!(
                    cause,
                    "Settings beside principals differ from those of the start; a restart puts them in force."
                );
            }
        }
        Err(why) => {
            tracing::error!(cause, why, "Settings refused at reload; those of before stay in force.");
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
