//! What no key holds yet, as operators, auditors and publishers read it: a page of clusters, one of them with what it lacks, and a
//! person's word that one is no wish.
//!
//! Decides nothing. Invariants: of what clients said, no word is shown that fewer of them said than the policy asks for, and no such
//! phrase (Z-171), and by none is anything found; words are read of the clusters that are shown alone.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::str::FromStr;
use std::sync::Arc;

use strum::EnumString;
use strum::VariantNames;

use crate::api::pool as api;
use crate::api::pool::Asked;
use crate::api::pool::ClusterDetail;
use crate::api::pool::ClusterState;
use crate::api::pool::Dismissed;
use crate::api::pool::Dismissing;
use crate::api::pool::Neighbour;
use crate::api::pool::Pool;
use crate::api::pool::Reembedding;
use crate::api::pool::Trigger;
use crate::api::scenarios::Frozen;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::effects;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::operator;
use crate::app::queues;
use crate::app::stats::units;
use engine::evolution::evidence::HeatOfDay;
use engine::evolution::review::material;
use engine::evolution::screen;
use engine::evolution::screen::heard::Heard;
use engine::pool::gate;
use engine::pool::gate::Audience;
use engine::pool::gate::GateReading;
use engine::pool::heading::Heading;
use engine::pool::micro::ClusterId;
use engine::pool::policy::PoolPolicy;
use engine::pool::state::Cluster;
use engine::scenario::blocking_reason;
use engine::scenario::command::Command;
use engine::scenario::policy::Policy;
use engine::scenario::state::Claim;
use engine::scenario::state::State;
use schema::name::ClientId;
use schema::time::At;
use store::journal::Journal;
use text::phrase::Phrase;

/// Clusters on a page where nobody says how many.
pub const PAGE: u64 = 50;
/// Clusters whose phrases are read to find a word, the hottest: some hundred milliseconds of reading.
const SEARCHED_MAX: usize = 200;
/// Characters of what is looked for.
const WORDS_CHARS_MAX: usize = 200;
/// Days for which a cluster may be dismissed.
const DISMISSED_DAYS_MAX: i64 = 365;
/// Neighbours that are told of a cluster.
const NEAR: usize = 5;

/// In which order clusters are told, the most first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Sort {
    #[default]
    Heat,
    Growth,
    Clients,
}

/// Which clusters are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// Whether each shows what enough clients said.
    pub words: bool,
    /// Words that are all in what is shown of a cluster.
    pub q: Option<&'a str>,
    pub state: Option<&'a str>,
    pub sort: Option<&'a str>,
    pub limit: Option<u64>,
    pub after: Option<&'a str>,
}

/// What is asked for, as it was understood.
struct Page {
    words: bool,
    /// In lower case; none where everything is meant.
    q: Vec<String>,
    state: Option<ClusterState>,
    sort: Sort,
    limit: usize,
    /// The place of the last cluster of the page before, and that cluster.
    after: Option<(usize, u64)>,
}

impl Page {
    fn read(wanted: Wanted<'_>) -> Result<Page, ServiceError> {
        let q = wanted.q.unwrap_or_default().to_lowercase();
        if q.chars().count() > WORDS_CHARS_MAX {
            let what = format!("the parameter q may have {WORDS_CHARS_MAX} characters");
            return Err(ServiceError::BadParameter(what));
        }
        let after = queues::place(wanted.after, |text| {
            let (place, cluster) = text.split_once('.')?;
            Some((place.parse().ok()?, cluster.parse().ok()?))
        })?;
        let words = q.split(|c: char| !c.is_alphanumeric());
        Ok(Page {
            words: wanted.words,
            q: words.filter(|word| !word.is_empty()).map(str::to_owned).collect(),
            state: word("state", wanted.state, ClusterState::VARIANTS)?,
            sort: word("sort", wanted.sort, Sort::VARIANTS)?.unwrap_or_default(),
            limit: queues::page_size(wanted.limit, PAGE)?,
            after,
        })
    }

    /// Those of all that are meant which are on this page, and the next one's `after`.
    fn cut(&self, all: &[ClusterId]) -> (Vec<ClusterId>, Option<String>) {
        // Heat cools alike everywhere, so that a cluster keeps its place but for what is said meanwhile.
        let begin = self.after.map_or(0, |(place, last)| {
            let found = all.iter().position(|cluster| cluster.0 == last);
            found.map_or(place, |found| found + 1)
        });
        let page: Vec<ClusterId> = all.iter().copied().skip(begin).take(self.limit).collect();
        let end = begin.saturating_add(page.len());
        let next = page.last().filter(|_| end < all.len());
        let next = next.map(|last| format!("{end}.{}", last.0));
        (page, next)
    }
}

/// A parameter that is one of some words.
fn word<T: FromStr>(name: &str, said: Option<&str>, words: &[&str]) -> Result<Option<T>, ServiceError> {
    let wrong = || ServiceError::BadParameter(format!("the parameter {name} must be one of {}", words.join(", ")));
    said.map(|said| said.parse().map_err(|_| wrong())).transpose()
}

impl App {
    /// A page of the pool: clusters with heat and gate, and with `words` the phrases that enough clients said.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], or [`ServiceError::BadParameter`].
    pub async fn pool(&self, caller: &Caller, scenario: &str, wanted: Wanted<'_>) -> Result<Pool, ServiceError> {
        caller.require(Permission::Inspect)?;
        let handle = self.registry().by_scenario(scenario)?;
        let page = Page::read(wanted)?;
        let policy = handle.view.load().policy.clone();
        let at = self.now(&handle.state());
        if !page.words && page.q.is_empty() {
            return Ok(read(&handle, None, at, &policy, &page));
        }
        let deps = Arc::clone(&self.registry().deps);
        let read = tokio::task::spawn_blocking(move || read(&handle, Some(deps.journal.as_ref()), at, &policy, &page));
        Ok(read.await?)
    }

    /// One cluster of the pool, with what it lacks and what lies near it.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::UnknownCluster`], or [`ServiceError::Forbidden`].
    pub async fn cluster(&self, caller: &Caller, scenario: &str, cluster: &str) -> Result<ClusterDetail, ServiceError> {
        caller.require(Permission::Inspect)?;
        let handle = self.registry().by_scenario(scenario)?;
        let unknown = || ServiceError::UnknownCluster(cluster.to_owned());
        let id = cluster_id(cluster).ok_or_else(unknown)?;
        let deps = Arc::clone(&self.registry().deps);
        let told = tokio::task::spawn_blocking(move || {
            let policy = handle.view.load().policy.clone();
            let phrases = phrases_of(deps.journal.as_ref(), &handle, &policy, &BTreeSet::from([id]));
            let state = handle.state();
            let at = deps.clock.now().max(state.at);
            detail(&state, id, at, &policy, &phrases)
        });
        told.await?.ok_or_else(unknown)
    }

    /// Notes that a cluster is no wish, in place of what was noted of it before; the cluster as it stands then.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::UnknownCluster`], [`ServiceError::Forbidden`], [`ServiceError::BadRequest`]
    /// for days that may not be or a reason that is too long, [`ServiceError::ReadOnly`], or a fault.
    pub async fn dismiss(
        &self,
        caller: &Caller,
        scenario: &str,
        cluster: &str,
        said: Dismissing,
    ) -> Result<api::Cluster, ServiceError> {
        caller.require(Permission::Operate)?;
        let registry = self.registry();
        let handle = registry.by_scenario(scenario)?;
        let unknown = || ServiceError::UnknownCluster(cluster.to_owned());
        let id = cluster_id(cluster).ok_or_else(unknown)?;
        if !(1..=DISMISSED_DAYS_MAX).contains(&said.days) {
            let what = format!("days must be 1 to {DISMISSED_DAYS_MAX}");
            return Err(ServiceError::BadRequest(what));
        }
        let (by, reason) = (caller.by(), operator::because(said.reason.as_deref())?);
        drop(registry.deps.write_gate.pass()?);
        let command = Command::Dismiss {
            cluster: id,
            days: said.days,
            by,
            reason,
        };
        handle.command(command).await?;
        let policy = handle.view.load().policy.clone();
        let state = handle.state();
        let told = state.pool.clusters.get(&id);
        told.map(|cluster| shown(&state, cluster, self.now(&state), &policy, None))
            .ok_or_else(unknown)
    }
}

fn cluster_id(text: &str) -> Option<ClusterId> {
    let id: u64 = text.parse().ok()?;
    (id.to_string() == text).then_some(ClusterId(id))
}

/// A page of the pool; without a journal no words are read.
fn read(handle: &ScenarioHandle, journal: Option<&dyn Journal>, at: At, policy: &Policy, page: &Page) -> Pool {
    let mut all = ordered(&handle.state(), at, policy, page);
    if let Some(journal) = journal.filter(|_| !page.q.is_empty()) {
        all = found(handle, journal, at, policy, page, all);
    }
    let (ids, next) = page.cut(&all);
    let wanted: BTreeSet<ClusterId> = ids.iter().copied().collect();
    let phrases = journal.filter(|_| page.words);
    let phrases = phrases.map(|journal| phrases_of(journal, handle, policy, &wanted));
    let state = handle.state();
    // One that went meanwhile is not shown.
    let clusters = ids.iter().filter_map(|id| state.pool.clusters.get(id));
    let clusters = clusters.map(|cluster| {
        let said = phrases.as_ref().map(|phrases| said_of(phrases, cluster.id));
        shown(&state, cluster, at, policy, said)
    });
    let reembedding = state.pool.reembedding.as_ref().map(|reembedding| Reembedding {
        model: reembedding.model.clone(),
        micro_clusters: state.pool.micros.len() as u64,
        waiting: state.pool.waiting(&reembedding.model).count() as u64,
    });
    Pool {
        model: state.pool.model.clone(),
        demand: state.pool.demand,
        pending: state.unread(),
        frozen: state.frozen.as_ref().map(Frozen::from),
        erased_through: state.erased_through,
        language: state.pool.languages.most().map(str::to_owned),
        review: state.review.as_ref().map(|asked| Asked {
            fragments: asked.demand,
            failed: asked.failed.clone(),
            refused: asked.refused.clone(),
        }),
        clusters: clusters.collect(),
        total: all.len() as u64,
        next,
        reembedding,
        mute_fragments: Some(state.pool.mute_members()).filter(|mute| *mute > 0),
    }
}

/// The clusters of a state, in their order: what that is by is read of all, everything else of those alone that are shown.
fn ordered(state: &State, at: At, policy: &Policy, page: &Page) -> Vec<ClusterId> {
    let pool = &state.pool;
    let rank = |cluster: ClusterId| match page.sort {
        Sort::Heat => pool.heat_micro(cluster, at, &policy.pool),
        Sort::Growth => pool.growth(cluster, at, &policy.pool),
        Sort::Clients => i64::try_from(pool.gate(cluster, at, &policy.pool).clients).unwrap_or(i64::MAX),
    };
    let stands = |cluster: &&Cluster| {
        let gate = || gate_of(state, cluster, at, &policy.pool);
        page.state
            .is_none_or(|wanted| wanted == stand(state, cluster, gate, at, &policy.pool))
    };
    let meant = pool.clusters.values().filter(stands);
    let mut ranked: Vec<(Reverse<i64>, ClusterId)> = meant.map(|own| (Reverse(rank(own.id)), own.id)).collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, cluster)| cluster).collect()
}

/// What a gate reads; of a cluster that is too small to open one it is not worth the reading.
pub fn gate_of(state: &State, cluster: &Cluster, at: At, policy: &PoolPolicy) -> GateReading {
    let may_open = state.pool.has_arrivals(cluster, gate::arrivals_min(policy));
    match may_open {
        true => state.pool.gate(cluster.id, at, policy),
        false => GateReading::default(),
    }
}

/// How a cluster stands.
fn stand(
    state: &State,
    cluster: &Cluster,
    gate: impl FnOnce() -> GateReading,
    at: At,
    policy: &PoolPolicy,
) -> ClusterState {
    if state.dismissed(cluster.id, at).is_some() {
        return ClusterState::Dismissed;
    }
    if matches!(cluster.heading, Some(Heading::Nothing | Heading::Held(_))) {
        return ClusterState::Read;
    }
    let claims = || state.claims_of(cluster.id).iter().map(|(_, claim)| claim);
    if claims().any(|claim| matches!(claim, Claim::Patched(_))) {
        return ClusterState::Proposed;
    }
    if claims().any(|claim| matches!(claim, Claim::Inducing { .. })) {
        return ClusterState::Open;
    }
    let holds = |claim: &Claim| match claim {
        Claim::Settled {
            members, settlement, ..
        } => settlement.holds(*members, state.pool.members(cluster.id), at),
        Claim::Patched(_) | Claim::Inducing { .. } => false,
    };
    if claims().any(holds) {
        return ClusterState::Settled;
    }
    match gate::open_for(&gate(), policy) {
        Some(_) => ClusterState::Open,
        None => ClusterState::Cold,
    }
}

/// Those clusters in which all words are found: in the names of their keys, and of the hottest ones in the phrases that are shown of
/// them.
fn found(
    handle: &ScenarioHandle,
    journal: &dyn Journal,
    at: At,
    policy: &Policy,
    page: &Page,
    mut all: Vec<ClusterId>,
) -> Vec<ClusterId> {
    let (mut words, hottest) = {
        let state = handle.state();
        let mut hottest = all.clone();
        hottest.sort_by_cached_key(|cluster| Reverse(state.pool.heat_micro(*cluster, at, &policy.pool)));
        hottest.truncate(SEARCHED_MAX);
        let words: BTreeMap<ClusterId, String> =
            all.iter().map(|cluster| (*cluster, names(&state, *cluster))).collect();
        (words, hottest)
    };
    for (cluster, said) in phrases_of(journal, handle, policy, &hottest.into_iter().collect()) {
        let words = words.entry(cluster).or_default();
        for phrase in said {
            words.push(' ');
            words.push_str(&phrase.text);
        }
    }
    all.retain(|cluster| {
        let words = words.get(cluster).map(|words| words.to_lowercase()).unwrap_or_default();
        page.q.iter().all(|word| words.contains(word))
    });
    all
}

/// What a cluster came to, by the names of its keys. What a reader calls it is not shown to everybody, and nothing is found by it.
fn names(state: &State, cluster: ClusterId) -> String {
    let patches = state.claims_of(cluster).iter().filter_map(|(_, claim)| match claim {
        Claim::Patched(id) => state.patch(id),
        Claim::Inducing { .. } | Claim::Settled { .. } => None,
    });
    let names: Vec<String> = patches.map(|patch| patch.change.key_name().to_string()).collect();
    names.join(" ").replace('_', " ")
}

/// A cluster as it is shown. Heat in units.
fn shown(state: &State, cluster: &Cluster, at: At, policy: &Policy, phrases: Option<Vec<api::Phrase>>) -> api::Cluster {
    let gate = state.pool.gate(cluster.id, at, &policy.pool);
    api::Cluster {
        id: cluster.id.0,
        members: state.pool.members(cluster.id),
        micro_clusters: cluster.micros.len() as u64,
        heat: units(gate.heat_micro),
        capped_heat: units(gate.capped_heat_micro),
        clients: gate.clients,
        occurrences: gate.occurrences,
        opened_at: cluster.opened_at.rfc3339(),
        triggers: triggers(state, cluster.id),
        waits_for: blocking_reason::of(state, cluster, &gate, at, policy),
        growth: state.pool.growth(cluster.id, at, &policy.pool),
        dismissed: state.dismissed(cluster.id, at).map(Dismissed::from),
        state: stand(state, cluster, || gate, at, &policy.pool),
        phrases,
    }
}

fn detail(
    state: &State,
    id: ClusterId,
    at: At,
    policy: &Policy,
    phrases: &BTreeMap<ClusterId, Vec<api::Phrase>>,
) -> Option<ClusterDetail> {
    let cluster = state.pool.clusters.get(&id)?;
    let gate = state.pool.gate(id, at, &policy.pool);
    let near = state.pool.near(id, NEAR).into_iter();
    Some(ClusterDetail {
        cluster: shown(state, cluster, at, policy, Some(said_of(phrases, id))),
        heat_curve: HeatOfDay::curve(&cluster.heat_curve),
        gates: gate::needed(&gate, state.pool.members(id), &policy.pool),
        near: near
            .map(|(other, cosine)| Neighbour {
                cluster: other.0,
                // Vectors are no finer than that.
                cosine: (cosine.value() * 10_000.0).round() / 10_000.0,
            })
            .collect(),
    })
}

fn triggers(state: &State, cluster: ClusterId) -> Vec<Trigger> {
    let claims = state.claims_of(cluster);
    let trigger = |audience: &Audience, outcome: &str| Trigger {
        audience: audience.clone(),
        outcome: outcome.to_owned(),
        at: None,
        patch_id: None,
        settlement: None,
    };
    claims
        .iter()
        .map(|(audience, claim)| match claim {
            Claim::Inducing { since, gate: _ } => Trigger {
                at: Some(since.rfc3339()),
                ..trigger(audience, "inducing")
            },
            Claim::Patched(id) => Trigger {
                patch_id: Some(id.to_string()),
                ..trigger(audience, "patched")
            },
            Claim::Settled {
                at,
                members: _,
                settlement,
            } => Trigger {
                at: Some(at.rfc3339()),
                settlement: Some(settlement.clone()),
                ..trigger(audience, "settled")
            },
        })
        .collect()
}

/// Phrases of one cluster.
const PHRASES_MAX: usize = 5;

/// Those who said the same, and how often each wording of it was said.
#[derive(Default)]
struct Said {
    clients: BTreeSet<ClientId>,
    wordings: BTreeMap<String, u64>,
}

/// The phrases of one cluster among those that were read.
fn said_of(phrases: &BTreeMap<ClusterId, Vec<api::Phrase>>, cluster: ClusterId) -> Vec<api::Phrase> {
    phrases.get(&cluster).cloned().unwrap_or_default()
}

/// Of each of some clusters the phrases, what most clients said first; of one that is too small for any nothing is read.
fn phrases_of(
    journal: &dyn Journal,
    handle: &ScenarioHandle,
    policy: &Policy,
    clusters: &BTreeSet<ClusterId>,
) -> BTreeMap<ClusterId, Vec<api::Phrase>> {
    let clients_min = policy.evolution.example_clients_min;
    let wanted = {
        let state = handle.state();
        let large = |cluster: &&Cluster| state.pool.members(cluster.id) >= clients_min;
        let wanted = clusters.iter().filter_map(|id| state.pool.clusters.get(id));
        material::known_in(&state.pool, wanted.filter(large))
    };
    let sources = effects::read_sources(journal, &handle.journal, wanted.keys());
    let texts = sources
        .values()
        .map(|source| (source.text.as_str(), source.client.as_ref()));
    let heard = Heard::count_words(texts, clients_min);
    let mut said: BTreeMap<ClusterId, BTreeMap<BTreeSet<String>, Said>> = BTreeMap::new();
    for (id, cluster) in &wanted {
        let Some(source) = sources.get(id) else { continue };
        let Some(client) = &source.client else { continue };
        let phrase = Phrase::read(&source.text);
        let alike = said.entry(*cluster).or_default().entry(phrase.content()).or_default();
        alike.clients.insert(client.clone());
        let wording = source.text.get(phrase.range()).unwrap_or_default().to_lowercase();
        if screen::may_show(&heard, &wording) {
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
