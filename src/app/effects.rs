//! The effects of a scenario: digest, look, induce, and embed a pool anew after a change of the model (Z-103). Each runs beside its actor
//! and ends in commands.
//!
//! A pool is embedded anew step by step: each reads a few micro-clusters' texts out of sealed parts and ends in one command. Where it got
//! to stands in the state, so that a crash costs one step at most. Submissions are recorded and answered meanwhile; their fragments wait.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::Sender;
use tokio::sync::oneshot;

use crate::app::background::Done;
use crate::app::background::apart;
use crate::app::background::begin;
use crate::app::compiled_template::CompiledTemplate;
use crate::app::dependencies::Dependencies;
use crate::app::handle::ScenarioHandle;
use crate::app::models;
use crate::app::ports::EmbedFault;
use crate::app::ports::Embedder;
use crate::app::restore;
use crate::app::sealed;
use engine::evolution::patch::Patch;
use engine::evolution::screen::told::Multilingual;
use engine::evolution::screen::told::Told;
use engine::pool::gate::Audience;
use engine::pool::micro::ClusterId;
use engine::pool::micro::FragmentId;
use engine::pool::recluster;
use engine::pool::reembed::Anew;
use engine::pool::reembed::Stale;
use engine::scenario::command::Command;
use engine::scenario::digest;
use engine::scenario::digest::Prepared;
use engine::scenario::digest::Undecided;
use engine::scenario::effect::Effect;
use engine::scenario::event;
use engine::scenario::event::Event;
use engine::scenario::inducement;
use engine::scenario::inducement::Source;
use engine::scenario::inducement::Wanted;
use engine::scenario::policy::Policy;
use engine::scenario::recall::Recall;
use engine::scenario::rehearsal;
use engine::scenario::rehearsal::Rehearsal;
use engine::scenario::state::State;
use engine::scenario::submission::Pending;
use engine::scenario::submission::Sealed;
use store::journal::Journal;
use store::journal::JournalFault;
use store::journal::JournalName;
use store::journal::Kind;
use text::vector::Mean;
use text::vector::Vector;

/// Pause before a full embedder is asked again.
const EMBED_PAUSE: Duration = Duration::from_millis(20);
/// Records of the history that are read together for a rehearsal, and to recall what waits.
const READ_TOGETHER: u64 = 256;
/// How often so many are read before what was recalled is recorded: what lies in between may be as much as a busy minute brings.
const RECALL_READS_MAX: usize = 256;

/// One submission to digest.
struct Work {
    of: u64,
    pending: Pending,
    template: Arc<CompiledTemplate>,
    patches: Vec<Patch>,
    sealed: Option<Vec<u8>>,
    /// Share of the values to ask a model about.
    judge_share: f64,
}

/// Reads, embeds and judges submissions, oldest first.
pub fn digest(
    handle: &Arc<ScenarioHandle>,
    deps: &Arc<Dependencies>,
    digests: Vec<u64>,
    mut sealed: BTreeMap<u64, Vec<u8>>,
    done: Sender<Done>,
) {
    let effects: Vec<Effect> = digests.iter().map(|of| Effect::Digest { of: *of }).collect();
    let view = handle.view.load_full();
    let judge_share = models::judge_share(deps.model.as_deref(), &view.policy);
    let work: Vec<Work> = {
        let state = handle.state();
        digests
            .iter()
            .filter_map(|of| {
                let pending = state.pending.get(of)?.clone();
                let template = view.compiled(&pending.schema_id, pending.client.as_ref())?;
                let patches = pending
                    .observed
                    .iter()
                    .filter_map(|seen| state.patch(&seen.patch_id).cloned())
                    .collect();
                Some(Work {
                    of: *of,
                    pending,
                    template,
                    patches,
                    sealed: sealed.remove(of),
                    judge_share,
                })
            })
            .collect()
    };
    let (deps, journal) = (Arc::clone(deps), handle.journal.clone());
    let (judged, asker) = (done.clone(), Arc::clone(&deps));
    let (later, doubts) = oneshot::channel();
    let handle = Arc::clone(handle);
    let learning = deps.learning.clone();
    let told = begin(&learning, effects, done, async move {
        let reader = Arc::clone(&deps);
        let prepared = apart(move || {
            work.into_iter()
                .map(|work| prepare(work, reader.journal.as_ref(), &journal))
                .collect::<Vec<_>>()
        })
        .await
        .unwrap_or_default();
        let texts: Vec<String> = prepared.iter().flat_map(|ready| ready.texts.iter().cloned()).collect();
        let embedder = models::of_pool(deps.embedder.as_ref(), &handle.state());
        let heads = models::demand_of_pool(deps.embedder.as_ref(), &handle.state());
        let model = embedder.model();
        let mut undecided = Vec::new();
        let vectors = embed_each(embedder, texts).await.inspect_err(report_gone).ok()?;
        let mut vectors = vectors.into_iter();
        let digestions = prepared.into_iter().map(|ready| {
            let own: Vec<Option<Vector>> = vectors.by_ref().take(ready.texts.len()).collect();
            undecided.extend(ready.undecided);
            ready.prepared.into_digestion(ready.of, own, heads.map(AsRef::as_ref))
        });
        let digest = Command::Digest {
            model: model.to_owned(),
            digestions: digestions.collect(),
        };
        let _ = later.send(undecided);
        Some(vec![digest])
    });
    // A model is asked once the digests are on their way: its answers rest on them.
    tokio::spawn(async move {
        if let (Ok(true), Ok(undecided)) = (told.await, doubts.await) {
            models::judge(&asker, undecided, &judged);
        }
    });
}

/// One submission, ready to be embedded.
#[derive(Default)]
struct Ready {
    of: u64,
    prepared: Prepared,
    texts: Vec<String>,
    undecided: Vec<Undecided>,
}

/// A submission whose sealed part cannot be read is digested as having said nothing: the fault is on record in the log.
fn prepare(work: Work, journal: &dyn Journal, name: &JournalName) -> Ready {
    let cached = work.sealed.as_deref().and_then(Sealed::parse);
    let sealed = match cached.map_or_else(|| sealed::read(journal, name, work.of).map(|kept| kept.sealed), Ok) {
        Ok(sealed) => sealed,
        Err(fault) => {
            tracing::error!(%fault, "the sealed part of a submission cannot be read");
            return Ready {
                of: work.of,
                ..Ready::default()
            };
        }
    };
    let effective = &work.template.effective;
    let prepared = digest::prepare(&work.pending, &sealed, effective, &work.patches);
    let undecided = digest::undecided(
        work.of,
        &work.pending,
        &sealed,
        effective,
        &work.patches,
        work.judge_share,
    );
    Ready {
        of: work.of,
        texts: prepared.texts(&sealed),
        prepared,
        undecided,
    }
}

/// One vector for each text, `None` where the model fails on it alone.
///
/// # Errors
/// [`EmbedFault::Closed`], or [`EmbedFault::Model`] of a model that answers nothing at all: then nothing is said of the texts, so
/// that nothing is taken for a failure that can be embedded once it is back.
pub async fn embed_each(embedder: &dyn Embedder, texts: Vec<String>) -> Result<Vec<Option<Vector>>, EmbedFault> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(vectors) = embed_together(embedder, texts.clone()).await? {
        return Ok(vectors.into_iter().map(Some).collect());
    }
    let mut vectors = Vec::with_capacity(texts.len());
    for text in texts {
        vectors.push(match embed_patiently(embedder, vec![text]).await {
            Ok(mut one) => one.pop(),
            Err(EmbedFault::Closed) => return Err(EmbedFault::Closed),
            Err(EmbedFault::Busy | EmbedFault::Model(_)) => None,
        });
    }
    // It may have gone meanwhile.
    if vectors.contains(&None) {
        probe(embedder).await?;
    }
    Ok(vectors)
}

/// Vectors of texts; `None` where the model fails on them and answers otherwise.
async fn embed_together(embedder: &dyn Embedder, texts: Vec<String>) -> Result<Option<Vec<Vector>>, EmbedFault> {
    match embed_patiently(embedder, texts).await {
        Ok(vectors) => Ok(Some(vectors)),
        Err(EmbedFault::Closed) => Err(EmbedFault::Closed),
        Err(EmbedFault::Busy | EmbedFault::Model(_)) => probe(embedder).await.map(|()| None),
    }
}

/// Says whether the model answers at all.
async fn probe(embedder: &dyn Embedder) -> Result<(), EmbedFault> {
    loop {
        match embedder.probe().await {
            Err(EmbedFault::Busy) => tokio::time::sleep(EMBED_PAUSE).await,
            outcome => return outcome,
        }
    }
}

/// Says of a model that cannot be asked that what rests on it waits.
fn report_gone(fault: &EmbedFault) {
    if *fault != EmbedFault::Closed {
        tracing::warn!(%fault, "the embedding model answers nothing: what is to be read waits, and it is asked again with the timer");
    }
}

async fn embed_patiently(embedder: &dyn Embedder, texts: Vec<String>) -> Result<Vec<Vector>, EmbedFault> {
    loop {
        match embedder.embed(texts.clone()).await {
            Err(EmbedFault::Busy) => tokio::time::sleep(EMBED_PAUSE).await,
            outcome => return outcome,
        }
    }
}

/// What the multilingual model tells of a cluster's fragments; `None` when the process is ending. A model that fails is not asked
/// again: what it should have told is left to a person.
pub async fn read_by_multilingual(embedder: &dyn Embedder, texts: Vec<String>) -> Option<Multilingual> {
    let model = embedder.multilingual();
    let Some((model, heads)) = model.and_then(|model| Some((model, model.heads()?))) else {
        return Some(Multilingual::Absent);
    };
    match embed_patiently(model, texts).await {
        Ok(vectors) => Some(Multilingual::Read(Told::by(heads, &vectors))),
        Err(EmbedFault::Closed) => None,
        Err(fault @ (EmbedFault::Busy | EmbedFault::Model(_))) => {
            tracing::error!(%fault, "the model that tells sensitive wishes and orders cannot be used: the key waits for a person");
            Some(Multilingual::Unread)
        }
    }
}

/// Reads back submissions that wait in the journal alone.
pub fn recall(handle: &Arc<ScenarioHandle>, deps: &Dependencies, policy: &Policy, done: Sender<Done>) {
    let wanted = Recall::wanted(&handle.state(), policy);
    let (journal, name) = (Arc::clone(&deps.journal), handle.journal.clone());
    begin(&deps.learning, vec![Effect::Recall], done, async move {
        let Some(recall) = wanted else {
            return Some(Vec::new());
        };
        match apart(move || recalled(journal.as_ref(), &name, recall)).await? {
            Ok(recall) => Some(vec![recall.finish()]),
            Err(fault) => {
                tracing::error!(%fault, "what waits to be read cannot be read back");
                None
            }
        }
    });
}

fn recalled(journal: &dyn Journal, name: &JournalName, mut recall: Recall) -> Result<Recall, JournalFault> {
    for _ in 0..RECALL_READS_MAX {
        let count = usize::try_from(READ_TOGETHER).unwrap_or(usize::MAX);
        let records = journal.read(name, recall.next(), count)?;
        if records.is_empty() {
            break;
        }
        for record in records {
            let submitted = match record.kind {
                Kind::Decision => None,
                Kind::Fact => match restore::entry(name, &record)?.event {
                    Event::Submitted(submitted) => Some(submitted),
                    _ => None,
                },
            };
            if !recall.take(record.seq, record.at, submitted.as_ref(), record.erased) {
                return Ok(recall);
            }
        }
    }
    Ok(recall)
}

/// Looks at a copy of the pool.
pub fn look(handle: &Arc<ScenarioHandle>, deps: &Dependencies, policy: &Policy, done: Sender<Done>) {
    let pool = handle.state().pool.clone();
    let policy = models::calibrated(deps.embedder.as_ref(), &pool, &policy.pool);
    begin(&deps.learning, vec![Effect::Recluster], done, async move {
        let looked = apart(move || recluster::recluster(&pool, &policy)).await;
        Some(looked.map(Command::Regroup).into_iter().collect())
    });
}

/// Induces a key from a triggered cluster.
pub fn induce(
    handle: &Arc<ScenarioHandle>,
    deps: &Arc<Dependencies>,
    cluster: ClusterId,
    audience: &Audience,
    policy: &Policy,
    done: Sender<Done>,
) {
    let wanted = inducement::wanted(&handle.state(), cluster, audience, policy);
    let effects = vec![Effect::Induce {
        cluster,
        audience: audience.clone(),
    }];
    let (handle, deps, policy) = (Arc::clone(handle), Arc::clone(deps), Arc::new(policy.clone()));
    let learning = deps.learning.clone();
    begin(&learning, effects, done, async move {
        let ended = induced(handle, deps, policy, wanted)
            .await
            .inspect_err(report_gone)
            .ok()?;
        Some(ended.into_iter().collect())
    });
}

/// What an induction ends in; `None` without a template in force, or when the process is ending.
async fn induced(
    handle: Arc<ScenarioHandle>,
    deps: Arc<Dependencies>,
    policy: Arc<Policy>,
    wanted: Wanted,
) -> Result<Option<Command>, EmbedFault> {
    let gathered = {
        let (handle, deps, policy) = (Arc::clone(&handle), Arc::clone(&deps), Arc::clone(&policy));
        apart(move || {
            let ids = wanted.members.iter().chain(&wanted.background);
            let sources = read_sources(deps.journal.as_ref(), &handle.journal, ids);
            inducement::gather(&handle.state(), &wanted, &|id| sources.get(&id).cloned(), &policy)
        })
    };
    let Some(work) = gathered.await.flatten() else {
        return Ok(None);
    };
    let embedder = models::of_pool(deps.embedder.as_ref(), &handle.state());
    let vectors = embed_together(embedder, work.texts()).await?;
    let heads = embedder.heads().cloned();
    let Some(multilingual) = read_by_multilingual(deps.embedder.as_ref(), work.texts()).await else {
        return Ok(None);
    };
    let Some(command) = apart(move || work.settle(vectors.as_deref(), heads.as_deref(), multilingual)).await else {
        return Ok(None);
    };
    let untried = command.clone();
    let rehearsed = apart(move || rehearse(&handle, deps.journal.as_ref(), command, &policy)).await;
    Ok(Some(rehearsed.unwrap_or(untried)))
}

/// Tries the key that a command will come to on the scenario's history. One that cannot be read leaves the key untried.
fn rehearse(handle: &ScenarioHandle, journal: &dyn Journal, command: Command, policy: &Policy) -> Command {
    let rehearsal = rehearsal::prepare(&handle.state(), &command, policy);
    match rehearsal.and_then(|rehearsal| read_back(handle, journal, rehearsal)) {
        Some(rehearsal) => rehearsal.finish(command),
        None => command,
    }
}

/// Gathers a scenario's history for a rehearsal, newest first; `None` where it cannot be read.
pub fn read_back(handle: &ScenarioHandle, journal: &dyn Journal, mut rehearsal: Rehearsal) -> Option<Rehearsal> {
    let mut before = handle.state().seq.saturating_add(1);
    let mut wanted = true;
    while wanted && before > 1 {
        let from = before.saturating_sub(READ_TOGETHER).max(1);
        let count = usize::try_from(before - from).unwrap_or(usize::MAX);
        let records = match journal.read(&handle.journal, from, count) {
            Ok(records) => records,
            Err(fault) => {
                tracing::error!(%fault, "the history that a key is tried on cannot be read");
                return None;
            }
        };
        for record in records.into_iter().rev() {
            let Ok(event) = event::read(&record.open) else { continue };
            let sealed = || match &event {
                Event::Submitted(submitted) if submitted.continued > 0 && !record.erased => {
                    sealed::read(journal, &handle.journal, record.seq)
                        .ok()
                        .map(|kept| kept.sealed)
                }
                _ => Sealed::parse(&record.sealed),
            };
            wanted = wanted && rehearsal.take(record.seq, record.at, &event, sealed);
        }
        before = from;
    }
    Some(rehearsal)
}

/// Texts of fragments, out of the sealed parts of their submissions.
pub fn read_sources<'a>(
    journal: &dyn Journal,
    name: &JournalName,
    ids: impl Iterator<Item = &'a FragmentId>,
) -> BTreeMap<FragmentId, Source> {
    let mut wanted: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for id in ids {
        wanted.entry(id.submission).or_default().push(id.ordinal);
    }
    let mut sources = BTreeMap::new();
    for (submission, ordinals) in wanted {
        let Ok(kept) = sealed::read(journal, name, submission) else {
            continue;
        };
        for ordinal in ordinals {
            let text = usize::try_from(ordinal)
                .ok()
                .and_then(|at| kept.sealed.fragments.get(at));
            if let Some(text) = text {
                let source = Source {
                    text: text.clone(),
                    client: kept.submitted.client.clone(),
                    at: kept.at,
                };
                sources.insert(FragmentId { submission, ordinal }, source);
            }
        }
    }
    sources
}

/// Micro-clusters of one step: their means, of a thousand components each, fit one record of the journal.
const MICROS_MAX: usize = 16;
/// Texts that are embedded together, so that other scenarios' submissions find room in between.
const TEXTS_MAX: usize = 64;

/// Embeds the next micro-clusters of the pool anew.
pub fn reembed(handle: &Arc<ScenarioHandle>, deps: &Arc<Dependencies>, done: Sender<Done>) {
    let model = models::of_pool(deps.embedder.as_ref(), &handle.state())
        .model()
        .to_owned();
    let stale = handle.state().pool.next_stale(&model, MICROS_MAX);
    let (deps, journal) = (Arc::clone(deps), handle.journal.clone());
    let learning = deps.learning.clone();
    begin(&learning, vec![Effect::Reembed], done, async move {
        let reader = Arc::clone(&deps);
        let read = apart(move || {
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
        let micros = micros.inspect_err(report_gone).ok()?;
        Some(vec![Command::Reembed { model, micros }])
    });
}

/// What of these fragments can be read, in order.
fn texts(sources: &BTreeMap<FragmentId, Source>) -> Vec<String> {
    sources.values().map(|source| source.text.clone()).collect()
}

/// Micro-clusters with their new means.
async fn anew(embedder: &dyn Embedder, read: Vec<(Stale, Vec<String>)>) -> Result<Vec<Anew>, EmbedFault> {
    let all: Vec<String> = read.iter().flat_map(|(_, said)| said.iter().cloned()).collect();
    let mut vectors: Vec<Option<Vector>> = Vec::with_capacity(all.len());
    for some in all.chunks(TEXTS_MAX) {
        vectors.extend(embed_each(embedder, some.to_vec()).await?);
    }
    let mut vectors = vectors.into_iter();
    let anew = read.into_iter().map(|(stale, said)| {
        let own: Vec<Vector> = vectors.by_ref().take(said.len()).flatten().collect();
        Anew {
            micro: stale.micro,
            mean: Mean::of(&own),
        }
    });
    Ok(anew.collect())
}

/// Says at the start of a scenario that its pool is of another model.
pub fn announce_reembedding(state: &State, scenario: &str, model: &str) {
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
pub fn report_reembedding(state: &State, scenario: &str, model: &str, step: &[Anew]) {
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
