//! The portraits of what is hosted: what each scenario says of itself to everyone, read by the model.
//!
//! Knows no wish. Holds one portrait a scenario and draws it again only when its texts changed. Keys of one client are in no
//! portrait: what others find must not tell of them (Z-123). Invariant: a portrait that is held was read by the embedder at hand.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::RwLock;
use std::time::Duration;

use tokio::sync::watch;

use crate::service::handle::ScenarioHandle;
use crate::service::ports::Embedder;
use crate::service::registry::ScenarioRegistry;
use crate::service::view::CompiledTemplate;
use engine::namespace::search::Portrait;
use engine::namespace::search::Read;
use schema::name::ScenarioKey;

/// Pause between two rounds through what is hosted.
const ROUND: Duration = Duration::from_secs(1);

/// How long somebody who looks waits for the first round.
const OPENING_MAX: Duration = Duration::from_secs(5);

/// The portraits at hand.
#[derive(Default)]
pub struct ScenarioIndex {
    hung: RwLock<BTreeMap<ScenarioKey, Hung>>,
    /// Whether the first round through what is hosted is under way.
    opening: watch::Sender<bool>,
}

#[derive(Clone)]
struct Hung {
    /// The template that it shows; another view has another one.
    of: Arc<CompiledTemplate>,
    portrait: Arc<Portrait>,
    read: Arc<Read>,
}

impl ScenarioIndex {
    /// The portrait of a scenario as it is now; `None` when none was drawn since its template changed.
    pub fn current(&self, handle: &ScenarioHandle) -> Option<Arc<Read>> {
        let now = public(handle)?;
        let hung = self.hung.read().unwrap_or_else(PoisonError::into_inner);
        let held = hung.get(&handle.key)?;
        Arc::ptr_eq(&held.of, &now).then(|| Arc::clone(&held.read))
    }

    /// Waits until what was hosted at the start was read once, or was to be, 5 s at most.
    pub async fn open(&self) {
        let mut opening = self.opening.subscribe();
        // An error means that it takes longer; what is not read yet is told.
        let _ = tokio::time::timeout(OPENING_MAX, opening.wait_for(|opening| !opening)).await;
    }

    /// Draws a scenario's portrait, unless its texts are those that hang already. Whether it hangs now.
    pub async fn draw(&self, handle: &ScenarioHandle, embedder: &dyn Embedder) -> bool {
        let Some(of) = public(handle) else {
            self.hung_mut(|hung| hung.remove(&handle.key));
            return false;
        };
        let portrait = Portrait::of(&of.effective);
        let held = {
            let hung = self.hung.read().unwrap_or_else(PoisonError::into_inner);
            hung.get(&handle.key).cloned()
        };
        let hung = match held.filter(|held| *held.portrait == portrait) {
            Some(held) => Hung { of, ..held },
            None => {
                let Some(read) = read(&portrait, embedder).await else {
                    return false;
                };
                Hung {
                    of,
                    portrait: Arc::new(portrait),
                    read: Arc::new(read),
                }
            }
        };
        self.hung_mut(|all| all.insert(handle.key.clone(), hung));
        true
    }

    fn hung_mut<T>(&self, change: impl FnOnce(&mut BTreeMap<ScenarioKey, Hung>) -> T) -> T {
        change(&mut self.hung.write().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Draws what is new or has changed, one scenario after the other, for as long as anything is hosted: fragments that wait for
/// the model come in between.
pub fn keep(scenario_index: &Arc<ScenarioIndex>, registry: &Arc<ScenarioRegistry>) {
    scenario_index.opening.send_replace(true);
    let (scenario_index, registry) = (Arc::clone(scenario_index), Arc::downgrade(registry));
    tokio::spawn(async move {
        loop {
            let Some(held) = registry.upgrade() else { return };
            let hosted: Vec<Arc<ScenarioHandle>> = held.catalogue.load().scenarios.values().cloned().collect();
            for handle in hosted {
                if scenario_index.current(&handle).is_none() {
                    scenario_index.draw(&handle, held.deps.embedder.as_ref()).await;
                }
            }
            scenario_index.opening.send_replace(false);
            drop(held);
            tokio::time::sleep(ROUND).await;
        }
    });
}

/// One text after the other, so that what was submitted meanwhile is embedded in between; `None` when the model is too busy or
/// fails, and the next round tries again.
async fn read(portrait: &Portrait, embedder: &dyn Embedder) -> Option<Read> {
    let mut vectors = Vec::new();
    for text in portrait.texts() {
        vectors.extend(embedder.embed(vec![text]).await.ok()?);
    }
    portrait.read(vectors)
}

/// What everyone is served; `None` where nothing is in force.
fn public(handle: &ScenarioHandle) -> Option<Arc<CompiledTemplate>> {
    let view = handle.view.load();
    view.compiled(view.in_force.as_ref()?, None)
}
