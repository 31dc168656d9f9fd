//! The embeddings of what is hosted: what each scenario says of itself to everyone, read by the model.
//!
//! Knows no wish. Holds one embedding a scenario and makes it again only when its texts changed. Keys of one client are in no
//! embedding: what others find must not tell of them (Z-123). Invariant: what is held was read by the embedder at hand.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::RwLock;
use std::time::Duration;

use tokio::sync::watch;

use crate::app::compiled_template::CompiledTemplate;
use crate::app::handle::ScenarioHandle;
use crate::app::ports::Embedder;
use crate::app::registry::ScenarioRegistry;
use engine::namespace::search::ScenarioEmbedding;
use engine::namespace::search::ScenarioText;
use schema::name::ScenarioKey;

/// Pause between two rounds through what is hosted.
const ROUND: Duration = Duration::from_secs(1);

/// How long somebody who looks waits for the first round.
const OPENING_MAX: Duration = Duration::from_secs(5);

/// The embeddings at hand.
#[derive(Default)]
pub struct ScenarioIndex {
    indexed: RwLock<BTreeMap<ScenarioKey, Indexed>>,
    /// Whether the first round through what is hosted is under way.
    first_round: watch::Sender<bool>,
}

#[derive(Clone)]
struct Indexed {
    /// The template that it shows; another view has another one.
    of: Arc<CompiledTemplate>,
    text: Arc<ScenarioText>,
    embedding: Arc<ScenarioEmbedding>,
}

impl ScenarioIndex {
    /// The embedding of a scenario as it is now; `None` when none was made since its template changed.
    pub fn current(&self, handle: &ScenarioHandle) -> Option<Arc<ScenarioEmbedding>> {
        let now = public(handle)?;
        let indexed = self.indexed.read().unwrap_or_else(PoisonError::into_inner);
        let held = indexed.get(&handle.key)?;
        Arc::ptr_eq(&held.of, &now).then(|| Arc::clone(&held.embedding))
    }

    /// Waits until what was hosted at the start was read once, or was to be, 5 s at most.
    pub async fn open(&self) {
        let mut first_round = self.first_round.subscribe();
        // An error means that it takes longer; what is not read yet is told.
        let _ = tokio::time::timeout(OPENING_MAX, first_round.wait_for(|first_round| !first_round)).await;
    }

    /// Embeds a scenario, unless its texts are those that are held already. Whether it is held now.
    pub async fn embed(&self, handle: &ScenarioHandle, embedder: &dyn Embedder) -> bool {
        let Some(of) = public(handle) else {
            self.indexed_mut(|indexed| indexed.remove(&handle.key));
            return false;
        };
        let text = ScenarioText::of(&of.effective);
        let held = {
            let indexed = self.indexed.read().unwrap_or_else(PoisonError::into_inner);
            indexed.get(&handle.key).cloned()
        };
        let indexed = match held.filter(|held| *held.text == text) {
            Some(held) => Indexed { of, ..held },
            None => {
                let Some(embedding) = embed(&text, embedder).await else {
                    return false;
                };
                Indexed {
                    of,
                    text: Arc::new(text),
                    embedding: Arc::new(embedding),
                }
            }
        };
        self.indexed_mut(|all| all.insert(handle.key.clone(), indexed));
        true
    }

    fn indexed_mut<T>(&self, change: impl FnOnce(&mut BTreeMap<ScenarioKey, Indexed>) -> T) -> T {
        change(&mut self.indexed.write().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Embeds what is new or has changed, one scenario after the other, for as long as anything is hosted: fragments that wait for
/// the model come in between.
pub fn keep(scenario_index: &Arc<ScenarioIndex>, registry: &Arc<ScenarioRegistry>) {
    scenario_index.first_round.send_replace(true);
    let (scenario_index, registry) = (Arc::clone(scenario_index), Arc::downgrade(registry));
    tokio::spawn(async move {
        loop {
            let Some(held) = registry.upgrade() else { return };
            for handle in held.handles() {
                if scenario_index.current(&handle).is_none() {
                    scenario_index.embed(&handle, held.deps.embedder.as_ref()).await;
                }
            }
            scenario_index.first_round.send_replace(false);
            drop(held);
            tokio::time::sleep(ROUND).await;
        }
    });
}

/// One text after the other, so that what was submitted meanwhile is embedded in between; `None` when the model is too busy or
/// fails, and the next round tries again.
async fn embed(text: &ScenarioText, embedder: &dyn Embedder) -> Option<ScenarioEmbedding> {
    let mut vectors = Vec::new();
    for text in text.texts() {
        vectors.extend(embedder.embed(vec![text]).await.ok()?);
    }
    text.read(vectors)
}

/// What everyone is served; `None` where nothing is in force.
fn public(handle: &ScenarioHandle) -> Option<Arc<CompiledTemplate>> {
    let view = handle.view.load();
    view.compiled(view.in_force.as_ref()?, None)
}
