//! The figures of each scenario, kept beside its state, so that a list shows and sorts by them without reading any ledger or pool.
//!
//! Reads; decides nothing. A scenario is read anew soon after its state moved, and now and then without, since windows move and heat
//! cools. Invariant: its state is locked for that a hundredth of the time at most, whatever its size.

use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use crate::api::stats::ScenarioStats;
use crate::app::handle::KeptStats;
use crate::app::handle::ScenarioHandle;
use crate::app::ports::Clock;
use crate::app::registry::ScenarioRegistry;
use engine::evolution::patch::Patch;
use engine::evolution::stage::Stage;
use engine::pool::heat::MICRO;
use engine::scenario::policy::Policy;
use engine::scenario::state::State;
use schema::time::At;
use schema::time::SECOND_MS;

/// Pause between two rounds through what is hosted: people do not see figures move faster.
const ROUND: Duration = Duration::from_secs(1);
/// Age at which figures are read anew though nothing happened: heat halves in days, and a window moves at midnight.
const AGE_MAX_MS: i64 = 60 * SECOND_MS;
/// How many times as long as it was read a scenario is left alone.
const REST: u32 = 100;
/// Days that `payloads_7d` counts.
const COUNTED_DAYS: i64 = 7;

/// Reads what is hosted once, and goes on for as long as anything is.
pub fn keep(registry: &Arc<ScenarioRegistry>) {
    let clock = Arc::clone(&registry.deps.clock);
    for handle in registry.handles() {
        refresh(&handle, clock.as_ref());
    }
    let registry = Arc::downgrade(registry);
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(ROUND).await;
            let Some(held) = registry.upgrade() else { return };
            let now = clock.now();
            let due: Vec<Arc<ScenarioHandle>> = held
                .handles()
                .into_iter()
                .filter(|handle| is_due(handle, now))
                .collect();
            drop(held);
            let clock = Arc::clone(&clock);
            let read = tokio::task::spawn_blocking(move || {
                for handle in &due {
                    refresh(handle, clock.as_ref());
                }
            });
            if read.await.is_err() {
                tracing::error!("the figures of scenarios could not be read");
            }
        }
    });
}

/// The figures as they are kept. One that has none yet was begun this very second, and is read now.
pub fn kept(handle: &ScenarioHandle, clock: &dyn Clock) -> Arc<KeptStats> {
    handle.stats.load_full().unwrap_or_else(|| refresh(handle, clock))
}

/// The same as they are shown, with whether the scenario stands still now.
pub fn shown(handle: &ScenarioHandle, clock: &dyn Clock) -> ScenarioStats {
    let kept = kept(handle, clock);
    // Asked by itself: the state is locked to read figures as well.
    let frozen = handle.state().frozen.is_some();
    ScenarioStats {
        frozen,
        stalled: handle.stalls(),
        ..kept.stats.clone()
    }
}

/// A scenario in figures at a moment.
pub fn read(state: &State, at: At, policy: &Policy) -> ScenarioStats {
    let window_days = policy.evolution.window_days;
    let (_, clients, other_ratio) = state.ledger.totals(at, window_days);
    let count = |is_it: fn(&Patch) -> bool| state.patches.iter().filter(|patch| is_it(patch)).count() as u64;
    let clusters = state.pool.clusters.keys();
    let heats = clusters.map(|cluster| state.pool.heat_micro(*cluster, at, &policy.pool));
    ScenarioStats {
        as_of: at.rfc3339(),
        payloads_7d: state.ledger.payloads(at, COUNTED_DAYS),
        other_ratio,
        refused_ratio: state.ledger.refused_ratio(at, window_days),
        clients,
        waits: count(|patch| patch.awaits_person_since().is_some()),
        on_trial: count(|patch| matches!(patch.stage, Stage::Experimental(_))),
        clusters: state.pool.clusters.len() as u64,
        heat_max: heats.max().map_or(0.0, units),
        frozen: state.frozen.is_some(),
        stalled: false,
    }
}

/// Heat in units.
pub fn units(micro: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "shown to people, with three places")]
    let units = micro as f64 / MICRO as f64;
    (units * 1_000.0).round() / 1_000.0
}

fn is_due(handle: &ScenarioHandle, now: At) -> bool {
    let kept = handle.stats.load();
    let Some(kept) = kept.as_ref() else { return true };
    // Of what stands still no entry is applied any more.
    let moved = !handle.stands_still() && handle.has_applied(kept.seq + 1);
    let is_old = now.since_ms(kept.at) >= AGE_MAX_MS;
    (moved || is_old) && kept.read.elapsed() >= kept.took * REST
}

fn refresh(handle: &ScenarioHandle, clock: &dyn Clock) -> Arc<KeptStats> {
    let view = handle.view.load();
    let state = handle.state();
    // Waiting for the state locks nobody out.
    let begun = Instant::now();
    let at = clock.now().max(state.at);
    let stats = read(&state, at, &view.policy);
    let seq = state.seq;
    drop(state);
    let kept = Arc::new(KeptStats {
        seq,
        at,
        read: begun,
        took: begun.elapsed(),
        stats,
    });
    handle.stats.store(Some(Arc::clone(&kept)));
    kept
}
