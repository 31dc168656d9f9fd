//! What a pool's clusters are about, in words that may be shown: phrases that enough clients said (Z-171).
//!
//! Invariant: no word of a phrase that fewer clients said than the policy asks for, and no phrase that fewer of them said.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use text::phrase::Phrase;

use crate::api::pool as api;
use crate::app::effects;
use crate::app::handle::ScenarioHandle;
use engine::evolution::review::material;
use engine::evolution::screen::Screen;
use engine::pool::micro::ClusterId;
use schema::name::ClientId;
use store::journal::Journal;

/// Phrases of one cluster.
const PHRASES_MAX: usize = 5;

/// Those who said the same, and how often each wording of it was said.
#[derive(Default)]
struct Said {
    clients: BTreeSet<ClientId>,
    wordings: BTreeMap<String, u64>,
}

/// Of each cluster the phrases, what most clients said first.
pub fn phrases(
    journal: &dyn Journal,
    handle: &ScenarioHandle,
    clients_min: u64,
) -> BTreeMap<ClusterId, Vec<api::Phrase>> {
    let wanted = material::known(&handle.state().pool);
    let sources = effects::read_sources(journal, &handle.journal, wanted.keys());
    let texts = sources
        .values()
        .map(|source| (source.text.clone(), source.client.clone()));
    let screen = Screen::of(texts.collect(), Vec::new(), &[], clients_min, false);
    let mut said: BTreeMap<ClusterId, BTreeMap<BTreeSet<String>, Said>> = BTreeMap::new();
    for (id, cluster) in &wanted {
        let Some(source) = sources.get(id) else { continue };
        let Some(client) = &source.client else { continue };
        let phrase = Phrase::read(&source.text);
        let alike = said.entry(*cluster).or_default().entry(phrase.content()).or_default();
        alike.clients.insert(client.clone());
        let wording = source.text.get(phrase.range()).unwrap_or_default().to_lowercase();
        if screen.shows(&wording) {
            *alike.wordings.entry(wording).or_default() += 1;
        }
    }
    let enough = |said: &Said| said.clients.len() as u64 >= clients_min.max(1);
    let shown = |phrases: BTreeMap<BTreeSet<String>, Said>| {
        let shared = phrases
            .into_iter()
            .filter(|(content, said)| !content.is_empty() && enough(said));
        let mut shared: Vec<(usize, String)> = shared
            .filter_map(|(_, said)| {
                let wording = said.wordings.into_iter().max_by_key(|(_, times)| *times)?;
                Some((said.clients.len(), wording.0))
            })
            .collect();
        shared.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        let shared = shared.into_iter().take(PHRASES_MAX);
        shared
            .map(|(clients, text)| api::Phrase {
                text,
                clients: clients as u64,
            })
            .collect()
    };
    said.into_iter()
        .map(|(cluster, phrases)| (cluster, shown(phrases)))
        .collect()
}
