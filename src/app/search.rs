//! Finding a scenario by what it is for: a wish in plain words against the embeddings of what is hosted (docs/design.md §8, `q`).
//!
//! Invariant: what fits nothing is answered `no_match` with an empty list, never with the least bad guess.

use std::sync::Arc;

use crate::api::scenarios::ScenarioRow;
use crate::api::scenarios::Scenarios;
use crate::api::scenarios::SearchOutcome;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::registry::ScenarioRegistry;
use crate::app::scenario_index::ScenarioIndex;
use crate::app::scenarios;
use engine::namespace::search;
use engine::namespace::search::Wish;

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
        let floor = search::floor(options.search_likeness_min, listed.len());
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
) -> Vec<Option<Arc<search::ScenarioEmbedding>>> {
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
