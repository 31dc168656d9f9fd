//! Finding a scenario by what it is for: a wish in plain words against the embeddings of what is hosted (docs/design.md §8, `q`).
//!
//! Holds one embedding a scenario, of what it says of itself to everyone, and makes it again only when its texts changed: keys of one client
//! are in none, since what others find must not tell of them (Z-123). Invariant: what fits nothing is answered `no_match` with an empty
//! list, never with the least bad guess.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::RwLock;
use std::time::Duration;

use tokio::sync::watch;

use crate::api::scenarios::ScenarioRow;
use crate::api::scenarios::Scenarios;
use crate::api::scenarios::SearchOutcome;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::ports::Embedder;
use crate::app::registry::ScenarioRegistry;
use crate::app::scenarios;
use crate::app::view::CompiledTemplate;
use engine::namespace::search::ScenarioEmbedding;
use engine::namespace::search::ScenarioText;
use engine::namespace::search::Wish;
use engine::namespace::search::floor;
use schema::name::ScenarioKey;

/// Scenarios that one search embeds itself, so that what was just published is found.
const EMBEDDED_AT_ONCE: usize = 4;

/// A search.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// What is wanted, in plain words.
    pub wish: &'a str,
    /// Only scenarios that bear this label.
    pub label: Option<(&'a str, &'a str)>,
    /// Scenarios in the answer at most.
    pub limit: usize,
}

impl App {
    /// Those that the wish is likeliest meant for, likest first.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::BadParameter`] for an empty or too long wish; [`ServiceError::Busy`]; or a fault of the model.
    pub async fn search(&self, caller: &Caller, asked: Asked<'_>) -> Result<Scenarios, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let registry = self.registry();
        let scenario_index = self.scenario_index();
        let options = &registry.deps.options;
        let wish = asked.wish.trim();
        if wish.is_empty() || wish.chars().count() > options.search_chars_max {
            return Err(ServiceError::BadParameter(format!(
                "the parameter q must hold 1 to {} characters",
                options.search_chars_max
            )));
        }
        scenario_index.open().await;
        let listed = scenarios::listed(registry, caller, asked.label);
        let wish = read(registry, wish).await?;
        let floor = floor(options.search_likeness_min, listed.len());
        let embeddings = embeddings(registry, scenario_index, &listed).await;
        let mut unread = 0;
        let mut found: Vec<(f64, ScenarioRow)> = Vec::new();
        for ((_, row), embedding) in listed.into_iter().zip(embeddings) {
            let Some(embedding) = embedding else {
                unread += 1;
                continue;
            };
            let likeness = wish.likeness(&embedding);
            if likeness >= floor {
                found.push((likeness, row));
            }
        }
        // A stable sort: scenarios that are equally like stay in the order of their names.
        found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        found.truncate(asked.limit);
        let scenarios: Vec<ScenarioRow> = found
            .into_iter()
            .map(|(likeness, row)| ScenarioRow {
                likeness: Some(rounded(likeness)),
                ..row
            })
            .collect();
        let outcome = if scenarios.is_empty() {
            SearchOutcome::NoMatch
        } else {
            SearchOutcome::Match
        };
        Ok(Scenarios {
            outcome: Some(outcome),
            likeness_min: Some(rounded(floor)),
            unread: Some(unread),
            scenarios,
            next: None,
        })
    }
}

async fn read(registry: &ScenarioRegistry, wish: &str) -> Result<Wish, ServiceError> {
    let vectors = registry.deps.embedder.embed(vec![wish.to_owned()]).await;
    let vector = vectors?;
    let vector = vector.into_iter().next();
    vector
        .map(|vector| Wish::new(wish, vector))
        .ok_or_else(|| ServiceError::Fault("the embedder returned nothing".to_owned()))
}

async fn embeddings(
    registry: &ScenarioRegistry,
    scenario_index: &ScenarioIndex,
    listed: &[(Arc<ScenarioHandle>, ScenarioRow)],
) -> Vec<Option<Arc<ScenarioEmbedding>>> {
    let mut embedded = 0;
    let mut embeddings = Vec::with_capacity(listed.len());
    for (handle, _) in listed {
        let mut embedding = scenario_index.current(handle);
        if embedding.is_none() && embedded < EMBEDDED_AT_ONCE {
            embedded += 1;
            scenario_index.embed(handle, registry.deps.embedder.as_ref()).await;
            embedding = scenario_index.current(handle);
        }
        embeddings.push(embedding);
    }
    embeddings
}

/// Three digits: more would promise what the measure does not hold.
fn rounded(likeness: f64) -> f64 {
    (likeness * 1_000.0).round() / 1_000.0
}

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
            let hosted: Vec<Arc<ScenarioHandle>> = held.catalogue.load().scenarios.values().cloned().collect();
            for handle in hosted {
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
