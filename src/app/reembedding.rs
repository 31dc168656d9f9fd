//! Embedding a pool anew after a change of the model, step by step, beside the actor (Z-103).
//!
//! Each step reads a few micro-clusters' texts out of sealed parts and ends in one command. Where it got to stands in the
//! state, so that a crash costs one step at most. Submissions are recorded and answered meanwhile; their fragments wait.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::Sender;

use crate::app::background;
use crate::app::background::Done;
use crate::app::dependencies::Dependencies;
use crate::app::effects::embed_each;
use crate::app::effects::read_sources;
use crate::app::handle::ScenarioHandle;
use crate::app::models;
use crate::app::ports::Embedder;
use engine::pool::micro::FragmentId;
use engine::pool::reembed::Anew;
use engine::pool::reembed::Stale;
use engine::scenario::command::Command;
use engine::scenario::effect::Effect;
use engine::scenario::inducement::Source;
use engine::scenario::state::State;
use text::vector::Mean;
use text::vector::Vector;

/// Micro-clusters of one step: their means, of a thousand components each, fit one record of the journal.
const MICROS_MAX: usize = 16;
/// Texts that are embedded together, so that other scenarios' submissions find room in between.
const TEXTS_MAX: usize = 64;
/// How often a step is tried of which no text at all could be embedded, and the pause before it is tried again.
const ATTEMPTS_MAX: u32 = 3;
const PAUSE: Duration = Duration::from_secs(5);

/// Embeds the next micro-clusters of the pool anew.
pub fn step(handle: &Arc<ScenarioHandle>, deps: &Arc<Dependencies>, done: Sender<Done>) {
    let model = models::of_pool(deps.embedder.as_ref(), &handle.state())
        .model()
        .to_owned();
    let stale = handle.state().pool.next_stale(&model, MICROS_MAX);
    let (deps, journal) = (Arc::clone(deps), handle.journal.clone());
    background::begin(vec![Effect::Reembed], done, async move {
        let reader = Arc::clone(&deps);
        let read = background::apart(move || {
            let texts = |ids: &[FragmentId]| texts(&read_sources(reader.journal.as_ref(), &journal, ids.iter()));
            let read: Vec<(Stale, Vec<String>)> = stale
                .into_iter()
                .map(|stale| {
                    let mut said = texts(&stale.examples);
                    if said.is_empty() {
                        said = texts(&stale.newest);
                    }
                    (stale, said)
                })
                .collect();
            read
        })
        .await
        .unwrap_or_default();
        let micros = anew(models::by_name(deps.embedder.as_ref(), &model), read).await;
        let command = micros.map(|micros| Command::Reembed { model, micros });
        command.into_iter().collect()
    });
}

/// What of these fragments can be read, in order.
fn texts(sources: &BTreeMap<FragmentId, Source>) -> Vec<String> {
    sources.values().map(|source| source.text.clone()).collect()
}

/// Micro-clusters with their new means; `None` when the process is ending.
async fn anew(embedder: &dyn Embedder, read: Vec<(Stale, Vec<String>)>) -> Option<Vec<Anew>> {
    let all: Vec<String> = read.iter().flat_map(|(_, said)| said.iter().cloned()).collect();
    let mut attempt = 1;
    let vectors = loop {
        let mut vectors: Vec<Option<Vector>> = Vec::with_capacity(all.len());
        for some in all.chunks(TEXTS_MAX) {
            vectors.extend(embed_each(embedder, some.to_vec()).await?);
        }
        let failed = !vectors.is_empty() && vectors.iter().all(Option::is_none);
        // A model that takes no text at all may be ill for a while: what it says now would silence the pool for good.
        if !failed || attempt >= ATTEMPTS_MAX {
            break vectors;
        }
        attempt += 1;
        tracing::warn!("no text of the pool could be embedded anew; it is tried again");
        tokio::time::sleep(PAUSE).await;
    };
    let mut vectors = vectors.into_iter();
    let anew = read.into_iter().map(|(stale, said)| {
        let own: Vec<Vector> = vectors.by_ref().take(said.len()).flatten().collect();
        Anew {
            micro: stale.micro,
            mean: Mean::of(&own),
        }
    });
    Some(anew.collect())
}

/// Says at the start of a scenario that its pool is of another model.
pub fn announce(state: &State, scenario: &str, model: &str) {
    if !state.pool.speaks(model) {
        tracing::warn!(
            scenario,
            held = state.pool.model,
            model,
            micro_clusters = state.pool.waiting(model).count(),
            "the pool is of another model and is embedded anew; what is submitted waits to be read until then"
        );
    }
}

/// Says how far it is, after a step.
pub fn report(state: &State, scenario: &str, model: &str, step: &[Anew]) {
    let waiting = state.pool.waiting(model).count();
    let mute = step.iter().filter(|anew| anew.mean.is_none()).count();
    if !state.pool.speaks(model) {
        tracing::debug!(scenario, model, waiting, mute, "the pool is being embedded anew");
    } else {
        tracing::info!(
            scenario,
            model,
            micro_clusters = state.pool.micros.len(),
            mute_fragments = state.pool.mute_members(),
            "the pool was embedded anew"
        );
    }
}
