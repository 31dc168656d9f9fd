//! What a reader is given of one scenario, gathered from state and texts.

use std::collections::BTreeSet;

use text::phrase;

use crate::evolution::induction::Abstention;
use crate::evolution::review::material;
use crate::evolution::review::material::FRAGMENT_BYTES_MAX;
use crate::evolution::review::material::Fragment;
use crate::evolution::review::material::Material;
use crate::evolution::review::material::Shown;
use crate::evolution::screen::heard;
use crate::evolution::screen::heard::Heard;
use crate::pool::cohort::Cohorts;
use crate::pool::heading::Heading;
use crate::pool::micro::ClusterId;
use crate::pool::micro::FragmentId;
use crate::scenario::event::Settlement;
use crate::scenario::layer;
use crate::scenario::state::Claim;
use crate::scenario::state::State;
use schema::name::ClientId;
use schema::name::OTHER;
use schema::question;

/// What was said, as a reader may see it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    fragments: Vec<Fragment>,
    shared_words: Vec<String>,
}

/// Masks what is to be read. `source` gives a fragment's text and who said it; one that is not to be had, or that tells a secret, is left
/// out. Takes long, and needs no state.
pub fn said(
    wanted: &[(FragmentId, ClusterId)],
    source: &dyn Fn(FragmentId) -> Option<(String, Option<ClientId>)>,
    clients_min: u64,
) -> Said {
    let mut bytes = 0;
    let mut fragments = Vec::new();
    let mut texts = Vec::new();
    for (id, cluster) in wanted {
        let Some((text, client)) = source(*id) else { continue };
        let Some(text) = material::masked(&text) else {
            continue;
        };
        bytes += text.len();
        if bytes > FRAGMENT_BYTES_MAX {
            break;
        }
        texts.push((text.clone(), client));
        fragments.push(Fragment {
            id: material::short(*id),
            cluster: *cluster,
            text,
        });
    }
    fragments.sort_by_key(|fragment| (fragment.cluster, material::long(&fragment.id)));
    Said {
        fragments,
        shared_words: shared_words(&texts, clients_min),
    }
}

/// Puts texts and state together; `None` without a template in force.
pub fn material(state: &State, said: Said) -> Option<Material> {
    let Said {
        fragments,
        shared_words,
    } = said;
    let base = state.base_in_force()?;
    let everybody = Cohorts::default();
    let effective = layer::effective(state, base, everybody.addressee(None));
    let definitions = effective.keys.iter().map(|key| &key.definition);
    let keys = definitions
        .filter(|key| key.key_name.as_str() != OTHER)
        .map(question::shown);
    let ids: BTreeSet<ClusterId> = fragments.iter().map(|fragment| fragment.cluster).collect();
    let clusters = ids.into_iter().map(|id| shown(state, id));
    // A cluster of one fragment says nothing that the fragment does not.
    let clusters = clusters.filter(|shown| shown.fragments > 1 || shown.read_as.is_some());
    Some(Material {
        scenario: base.template.scenario.clone(),
        language: state.pool.languages.most().unwrap_or_default().to_owned(),
        keys: keys.collect(),
        shared_words,
        clusters: clusters.collect(),
        fragments,
        fragments_in_all: state.pool.micros.values().map(|micro| micro.members).sum(),
    })
}

/// Words with a content that enough clients said for a reader to use them.
fn shared_words(said: &[(String, Option<ClientId>)], clients_min: u64) -> Vec<String> {
    let said = said.iter().map(|(text, client)| (text.as_str(), client.as_ref()));
    let heard = Heard::count(said.clone(), [], clients_min);
    let words = said.flat_map(|(text, _)| heard::words(text));
    let words: BTreeSet<String> = words
        .filter(|word| heard.shares(word) && phrase::content(word).is_some())
        .collect();
    words.into_iter().collect()
}

fn shown(state: &State, id: ClusterId) -> Shown {
    let is_refused = state.claims_of(id).iter().any(|(_, claim)| match claim {
        Claim::Settled { settlement, .. } => *settlement == Settlement::Abstained(Abstention::Words),
        Claim::Inducing { .. } | Claim::Patched(_) => false,
    });
    let heading = state
        .pool
        .clusters
        .get(&id)
        .and_then(|cluster| cluster.heading.as_ref());
    Shown {
        id,
        fragments: state.pool.members(id),
        is_refused,
        read_as: heading.map(|heading| match heading {
            Heading::Wish(wish) => wish.key_name.to_string(),
            Heading::Held(key) => format!("held by {key}"),
            Heading::Nothing => "nothing".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests;
