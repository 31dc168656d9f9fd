//! A scenario's stream through the real engine, as `otherwise replay` sends it.

use engine::scenario::policy::Policy;
use otherwise::adapters::clock::SystemClock;
use otherwise::app::pool_review::Reader;
use otherwise::app::ports::Embedder;
use otherwise::app::replay;
use otherwise::app::replay::Replay;
use otherwise::app::replay::Replayed;
use otherwise::app::replay::adopter::Adopter;
use schema::exchange::other::OtherLimits;

use crate::data::Scenario;

/// Replays lines on a scenario's template with clients who fetch it and take up what it offers, and with a reader where there is one.
///
/// # Errors
/// What stopped it.
pub async fn replayed(
    scenario: &Scenario,
    stream: &[String],
    policy: &Policy,
    clients: &dyn Adopter,
    reader: Option<&dyn Reader>,
    embedder: &dyn Embedder,
) -> Result<Replayed, String> {
    let lines: Vec<&str> = stream.iter().map(String::as_str).collect();
    let stopwatch = SystemClock::new();
    let asked = Replay {
        template: &scenario.template,
        lines: &lines,
        policy,
        limits: OtherLimits {
            strings_max: 16,
            bytes_max: 2_000,
        },
        body: 256 * 1_024,
        deliver: true,
        adopt: Some(clients),
        explain: false,
        embedder,
        model: None,
        reader,
        stopwatch: &stopwatch,
    };
    replay::replay(&asked, &|_| {})
        .await
        .map_err(|error| format!("{}: {error}", scenario.name))
}
