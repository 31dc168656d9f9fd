//! Replays a stream of submissions through the real engine: no server, virtual time, effects inline and in order.

pub mod adopter;
pub mod plain;
pub mod report;
pub mod stream;
pub mod tally;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

use crate::app::effects;
use crate::app::models;
use crate::app::pool_review;
use crate::app::pool_review::Reader;
use crate::app::ports::Clock;
use crate::app::ports::Embedder;
use crate::app::ports::Model;
use crate::app::replay::adopter::Adopter;
use crate::app::replay::report::Report;
use crate::app::replay::report::Seconds;
use crate::app::replay::stream::Backwards;
use crate::app::replay::stream::BadLine;
use crate::app::replay::stream::Line;
use crate::app::replay::stream::Refused;
use crate::app::replay::stream::parse;
use crate::app::replay::stream::told;
use crate::app::replay::tally::Tally;
use crate::app::secrets;
use crate::app::validation::without_secrets;
use crate::app::view::ScenarioView;
use engine::evolution::patch::Patch;
use engine::evolution::review::material;
use engine::pool::gate::Audience;
use engine::pool::micro::ClusterId;
use engine::pool::micro::FragmentId;
use engine::pool::recluster;
use engine::pool::reembed::Anew;
use engine::scenario::command::Command;
use engine::scenario::decide;
use engine::scenario::digest;
use engine::scenario::effect;
use engine::scenario::effect::Effect;
use engine::scenario::event::Entry;
use engine::scenario::event::Event;
use engine::scenario::event::Via;
use engine::scenario::evolve;
use engine::scenario::inducement;
use engine::scenario::inducement::Source;
use engine::scenario::policy::Policy;
use engine::scenario::recall::Recall;
use engine::scenario::rehearsal;
use engine::scenario::review as gathering;
use engine::scenario::state::State;
use engine::scenario::submission;
use engine::scenario::submission::Sealed;
use engine::scenario::submission::SealedDraft;
use engine::scenario::submission::Submitted;
use schema::exchange::other::OtherLimits;
use schema::exchange::verdict::Verdict;
use schema::json_text;
use schema::name::ClientId;
use schema::name::PatchId;
use schema::name::SchemaId;
use schema::template::SchemaTemplate;
use schema::time::At;
use text::vector::Mean;
use text::vector::Vector;

/// Decisions in a row after which something must be wrong.
const FIXPOINT_MAX: usize = 100_000;
/// Texts embedded together before the replay begins.
const WARM_BATCH: usize = 256;

/// What a replay is made with.
pub struct Replay<'a> {
    pub template: &'a SchemaTemplate,
    /// Blank ones are passed over.
    pub lines: &'a [&'a str],
    pub policy: &'a Policy,
    pub limits: OtherLimits,
    /// Lines that are longer are refused, as their bodies would be.
    pub body: usize,
    /// Whether clients fetch the template before they submit.
    pub deliver: bool,
    /// Rewrites what clients submit; `None` replays the stream as it stands.
    pub adopt: Option<&'a dyn Adopter>,
    /// Whether the report tells every decision.
    pub explain: bool,
    pub embedder: &'a dyn Embedder,
    /// Judges values; two replays with one may differ.
    pub model: Option<&'a dyn Model>,
    /// Reads what was said, where the policy gives it the seat.
    pub reader: Option<&'a dyn Reader>,
    /// Measures, never decides: for `seconds` in the report.
    pub stopwatch: &'a dyn Clock,
}

/// Why a replay stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayFault {
    #[error(transparent)]
    Line(#[from] BadLine),
    #[error("the policy in the template: {0}")]
    Policy(String),
    #[error("the embedder failed: {0}")]
    Embedder(String),
    #[error("an invariant does not hold after line {line}: {what}")]
    Invariant { line: usize, what: String },
}

struct Engine<'a> {
    replay: &'a Replay<'a>,
    state: State,
    view: ScenarioView,
    entries: Vec<(Entry, Vec<u8>)>,
    sources: BTreeMap<u64, (Sealed, Option<ClientId>, At)>,
    /// By the model that made them.
    vectors: BTreeMap<String, BTreeMap<String, Vector>>,
    tally: Tally,
}

/// The whole replay: the report, the state, and every entry with its sealed part, for a journal.
pub struct Replayed {
    pub report: Report,
    pub state: State,
    pub entries: Vec<(Entry, Vec<u8>)>,
    pub backwards: Option<Backwards>,
    pub refused: Refused,
}

/// Replays a stream. `progress` is called with the number of lines done, and with 0 once everything is embedded.
///
/// # Errors
/// The first line that is none, or a failing embedder.
pub async fn replay(replay: &Replay<'_>, progress: &dyn Fn(usize)) -> Result<Replayed, ReplayFault> {
    let begin = replay.stopwatch.now();
    if let Some(overrides) = replay.template.policy()
        && let Some(defect) = replay.policy.taking(overrides).defects.into_iter().next()
    {
        return Err(ReplayFault::Policy(defect.message));
    }
    let mut engine = Engine::new(replay);
    let start = match told(replay.lines).next() {
        Some((number, text)) => parse(text, number)?.1,
        None => At::default(),
    };
    let publish = Command::Publish {
        template: Box::new(replay.template.clone()),
        unproved: false,
    };
    engine.command(publish, start);
    engine.warm().await?;
    let embedded = replay.stopwatch.now();
    progress(0);
    let mut latest = start;
    let mut backwards: Option<Backwards> = None;
    for (done, (number, text)) in told(replay.lines).enumerate() {
        let (line, at) = parse(text, number)?;
        Backwards::note(&mut backwards, number, at < latest);
        latest = latest.max(at);
        engine.timers(at).await?;
        engine.submit(number, &line, at)?;
        engine.settle(at).await?;
        progress(done + 1);
    }
    let end = replay.stopwatch.now();
    let seconds = |from: At, to: At| Duration::from_millis(to.since_ms(from).unsigned_abs()).as_secs_f64();
    let seconds = Seconds {
        embed: seconds(begin, embedded),
        engine: seconds(embedded, end),
        total: seconds(begin, end),
    };
    let refused = engine.tally.refused().clone();
    let report = engine.tally.report(&engine.state, replay, seconds);
    Ok(Replayed {
        report,
        state: engine.state,
        entries: engine.entries,
        backwards,
        refused,
    })
}

fn schema_id(line: &Line<'_>, number: usize) -> Result<SchemaId, BadLine> {
    SchemaId::parse(&line.schema_id).ok_or_else(|| BadLine::whole(number, "`schema_id` is none"))
}

impl<'a> Engine<'a> {
    fn new(replay: &'a Replay<'a>) -> Engine<'a> {
        let state = State::default();
        let view = ScenarioView::build(&state, replay.policy, replay.limits);
        Engine {
            replay,
            state,
            view,
            entries: Vec::new(),
            sources: BTreeMap::new(),
            vectors: BTreeMap::new(),
            tally: Tally::default(),
        }
    }

    /// Embeds everything that the stream says in `other` beforehand, in large batches.
    async fn warm(&mut self) -> Result<(), ReplayFault> {
        let policy = self.view.policy.pool.clone();
        let mut texts: Vec<String> = Vec::new();
        for (number, text) in told(self.replay.lines) {
            let (line, _) = parse(text, number)?;
            if let Ok(Ok(verdict)) = self.check(&line, number) {
                texts.extend(submission::fragments_of(&verdict, &policy).0);
            }
        }
        texts.sort();
        texts.dedup();
        for batch in texts.chunks(WARM_BATCH) {
            self.embed(self.replay.embedder, batch.to_vec()).await?;
        }
        Ok(())
    }

    /// Vectors of texts, out of what is known or from the model.
    async fn embed(&mut self, embedder: &dyn Embedder, texts: Vec<String>) -> Result<Vec<Option<Vector>>, ReplayFault> {
        let model = embedder.model().to_owned();
        let known = self.vectors.entry(model).or_default();
        let missing: Vec<String> = texts
            .iter()
            .filter(|text| !known.contains_key(*text))
            .cloned()
            .collect();
        let vectors = effects::embed_each(embedder, missing.clone())
            .await
            .map_err(|fault| ReplayFault::Embedder(fault.to_string()))?;
        for (text, vector) in missing.into_iter().zip(vectors) {
            if let Some(vector) = vector {
                known.insert(text, vector);
            }
        }
        Ok(texts.iter().map(|text| known.get(text).cloned()).collect())
    }

    /// Checks a line; within, why it is not even taken, as the service would not take it.
    fn check(&self, line: &Line<'_>, number: usize) -> Result<Result<Verdict, String>, ReplayFault> {
        let fault = |what: String| ReplayFault::Line(BadLine::whole(number, what));
        let client = ClientId::parse(&line.client);
        let schema_id = schema_id(line, number)?;
        let compiled = self
            .view
            .compiled(&schema_id, client.as_ref())
            .ok_or_else(|| fault(format!("schema {schema_id} is not the template's")))?;
        let received = |patch: &PatchId| {
            let ledger = self.state.ledger.keys.get(patch);
            client
                .as_ref()
                .is_some_and(|client| ledger.is_some_and(|ledger| ledger.is_known_to(client)))
        };
        let most = self.replay.body;
        if line.body_bytes() > most as u64 {
            return Ok(Err(format!("a body may have {most} bytes (server.body_bytes_max)")));
        }
        if let Err(too_deep) = json_text::check_depth(line.payload.get().as_bytes()) {
            return Ok(Err(format!("payload: {too_deep}")));
        }
        let check = |payload: &RawValue| {
            let checked = compiled.validator.check(payload.get(), &received, false);
            checked.map_err(|what| format!("payload: {}", json_text::unplaced(&what)))
        };
        let checked = check(line.payload).and_then(|mut verdict| {
            let declares = secrets::declared_by(Some(Arc::clone(&compiled)));
            if let Some(clean) = line.scrubbed_payload(&declares) {
                let clean = check(&clean)?;
                (verdict.other, verdict.unknown) = (clean.other, clean.unknown);
            }
            verdict.unknown = without_secrets(&compiled.validator, verdict.unknown);
            Ok(verdict)
        });
        Ok(checked)
    }

    fn submit(&mut self, number: usize, line: &Line<'_>, at: At) -> Result<(), ReplayFault> {
        let client = ClientId::parse(&line.client);
        let fetches = || {
            self.replay
                .adopt
                .is_none_or(|adopter| adopter.fetches(number, line, at))
        };
        if let Some(client) = client.clone().filter(|_| self.replay.deliver && fetches()) {
            self.command(
                Command::Receive {
                    client,
                    schema_id: None,
                    via: Via::Fetch,
                },
                at,
            );
        }
        let rewritten = self.rewritten(number, line, at);
        let line = &Line {
            payload: rewritten.as_deref().unwrap_or(line.payload),
            at: line.at,
            client: line.client.clone(),
            schema_id: line.schema_id.clone(),
            utterance: line.utterance.clone(),
        };
        let verdict = match self.check(line, number)? {
            Ok(verdict) => verdict,
            Err(why) => {
                self.tally.turned_away(number, why);
                return Ok(());
            }
        };
        let (fragments, _) = submission::fragments_of(&verdict, &self.view.policy.pool);
        let schema_id = schema_id(line, number)?;
        let compiled = self.view.compiled(&schema_id, client.as_ref());
        let clean = line.scrubbed_payload(&secrets::declared_by(compiled.clone()));
        let utterance = line.scrubbed_utterance();
        let sealed = serde_json::to_vec(&SealedDraft {
            payload: clean.as_deref().unwrap_or(line.payload),
            utterance: utterance.as_deref().or(line.utterance.as_deref()),
            fragments: &fragments,
            reply: None,
        })
        .unwrap_or_default();
        let seq = self.state.seq + 1;
        self.tally.submitted(seq, number, client.as_ref(), &verdict);
        let base = self.view.bases.get(&schema_id);
        let filled = base.map(|base| submission::filled(&base.template, &verdict));
        let submitted = Submitted {
            client: client.clone(),
            revision: compiled.map_or(0, |found| found.effective.revision),
            schema_id,
            accepted: verdict.accepted(),
            with_other: !verdict.other.is_empty(),
            fragments: u32::try_from(fragments.len()).unwrap_or(u32::MAX),
            observed: verdict.observed,
            idempotency: None,
            cohort: self.view.policy.cohorts.addressee(client.as_ref()).cohort.cloned(),
            continued: 0,
            suggested: None,
            executes: false,
            requested: false,
            as_said: 0,
            filled,
        };
        if let Some(parsed) = Sealed::parse(&sealed) {
            self.sources.insert(seq, (parsed, client, at.max(self.state.at)));
        }
        self.append(Event::Submitted(submitted), at, sealed);
        Ok(())
    }

    /// What the adopter makes of a line, if there is one.
    fn rewritten(&self, number: usize, line: &Line<'_>, at: At) -> Option<Box<RawValue>> {
        let adopter = self.replay.adopt?;
        let client = ClientId::parse(&line.client);
        let compiled = self
            .view
            .compiled(&SchemaId::parse(&line.schema_id)?, client.as_ref())?;
        adopter.adopt(number, line, at, &compiled.effective)
    }

    /// Tells the adopter of a proposal.
    fn tell(&self, patch: &Patch) {
        let Some(adopter) = self.replay.adopt else { return };
        let members = self.tally.members(&self.state, patch.cluster);
        adopter.proposed(patch, &members.into_iter().collect::<Vec<_>>());
    }

    /// Decides and applies; whether anything happened.
    fn command(&mut self, command: Command, at: At) -> bool {
        let policy = self.view.policy.clone();
        let events = decide::decide(&self.state, command, at, &policy).unwrap_or_default();
        let happened = !events.is_empty();
        for event in events {
            self.append(event, at, Vec::new());
        }
        happened
    }

    fn append(&mut self, event: Event, at: At, sealed: Vec<u8>) {
        let entry = Entry {
            seq: self.state.seq + 1,
            at: at.max(self.state.at),
            event,
        };
        evolve::evolve(&mut self.state, &entry);
        if entry.event.changes_templates() {
            self.view = ScenarioView::build(&self.state, self.replay.policy, self.replay.limits);
        }
        if let Event::Digested { of, placements, .. } = &entry.event {
            let fragments = self.sources.get(of).map_or(&[][..], |(sealed, _, _)| &sealed.fragments);
            self.tally
                .digested(*of, placements, fragments, &self.state, &self.view.policy.pool);
        }
        if let Some(patch) = self.state.put_forward(&entry.event) {
            self.tell(patch);
        }
        if self.replay.explain {
            self.tally.decided(&entry, &self.state);
        }
        self.entries.push((entry, sealed));
    }

    /// Fires every timer that is due before a moment, each at its own time.
    async fn timers(&mut self, until: At) -> Result<(), ReplayFault> {
        for _ in 0..FIXPOINT_MAX {
            let due = effect::next_due(&self.state).filter(|due| *due <= until);
            let Some(due) = due else { return Ok(()) };
            let at = due.max(self.state.at);
            if !self.command(Command::Tick, at) {
                return Ok(());
            }
            self.settle(at).await?;
        }
        Ok(())
    }

    /// Runs effects and ticks until nothing is left to do.
    async fn settle(&mut self, at: At) -> Result<(), ReplayFault> {
        for _ in 0..FIXPOINT_MAX {
            if self.command(Command::Tick, at) {
                continue;
            }
            let embedder = models::of_pool(self.replay.embedder, &self.state);
            let next = effect::outstanding(&self.state, &self.view.policy, embedder.model(), 1)
                .into_iter()
                .next();
            let Some(next) = next else { return Ok(()) };
            match next {
                Effect::Digest { of } => self.digest(of, at).await?,
                Effect::Recall => self.recall(at),
                Effect::Reembed => self.reembed(embedder, at).await?,
                Effect::Recluster => {
                    let pool = &self.state.pool;
                    let policy = models::calibrated(self.replay.embedder, pool, &self.view.policy.pool);
                    let regrouping = recluster::recluster(pool, &policy);
                    self.command(Command::Regroup(regrouping), at);
                }
                Effect::Review => self.review(at).await,
                Effect::Induce { cluster, audience } => self.induce(cluster, &audience, at).await?,
            }
        }
        Ok(())
    }

    async fn digest(&mut self, of: u64, at: At) -> Result<(), ReplayFault> {
        let (Some(pending), Some((sealed, _, _))) = (self.state.pending.get(&of).cloned(), self.sources.get(&of))
        else {
            return Ok(());
        };
        let Some(compiled) = self.view.compiled(&pending.schema_id, pending.client.as_ref()) else {
            return Ok(());
        };
        let patches: Vec<Patch> = pending
            .observed
            .iter()
            .filter_map(|seen| self.state.patch(&seen.patch_id).cloned())
            .collect();
        let prepared = digest::prepare(&pending, sealed, &compiled.effective, &patches);
        let texts = prepared.texts(sealed);
        let share = models::judge_share(self.replay.model, &self.view.policy);
        let asked = digest::undecided(of, &pending, sealed, &compiled.effective, &patches, share);
        let embedder = models::of_pool(self.replay.embedder, &self.state);
        let vectors = self.embed(embedder, texts).await?;
        let heads = models::demand_of_pool(self.replay.embedder, &self.state);
        let digestion = prepared.into_digestion(of, vectors, heads.map(AsRef::as_ref));
        let digest = Command::Digest {
            model: embedder.model().to_owned(),
            digestions: vec![digestion],
        };
        self.command(digest, at);
        for undecided in asked {
            for judged in models::judgement(self.replay.model, undecided).await {
                self.command(judged, at);
            }
        }
        Ok(())
    }

    /// Reads back submissions of which a policy holds fewer than were said at once.
    fn recall(&mut self, at: At) {
        let Some(mut recall) = Recall::wanted(&self.state, &self.view.policy) else {
            return;
        };
        let from = self.entries.partition_point(|(entry, _)| entry.seq < recall.next());
        for (entry, _) in self.entries.iter().skip(from) {
            let submitted = match &entry.event {
                Event::Submitted(submitted) => Some(submitted),
                _ => None,
            };
            if !recall.take(entry.seq, entry.at, submitted, false) {
                break;
            }
        }
        self.command(recall.finish(), at);
    }

    /// Embeds all of the pool anew, by the model that reads its language.
    async fn reembed(&mut self, embedder: &dyn Embedder, at: At) -> Result<(), ReplayFault> {
        let stale = self.state.pool.next_stale(embedder.model(), usize::MAX);
        let mut micros = Vec::with_capacity(stale.len());
        for stale in stale {
            let text = |id: &FragmentId| {
                let (sealed, ..) = self.sources.get(&id.submission)?;
                sealed.fragments.get(usize::try_from(id.ordinal).ok()?).cloned()
            };
            let texts = stale.examples.iter().filter_map(text).collect();
            let vectors: Vec<Vector> = self.embed(embedder, texts).await?.into_iter().flatten().collect();
            micros.push(Anew {
                micro: stale.micro,
                mean: Mean::of(&vectors),
            });
        }
        let model = embedder.model().to_owned();
        self.command(Command::Reembed { model, micros }, at);
        Ok(())
    }

    async fn review(&mut self, at: At) {
        let wanted = material::wanted(&self.state.pool);
        let text = |id: FragmentId| {
            let (sealed, client, _) = self.sources.get(&id.submission)?;
            let text = sealed.fragments.get(usize::try_from(id.ordinal).ok()?)?;
            Some((text.clone(), client.clone()))
        };
        let said = gathering::said(&wanted, &text, self.view.policy.evolution.example_clients_min);
        let Some(mut material) = gathering::material(&self.state, said) else {
            return;
        };
        // Ids by line, so that a recorded answer outlives a change of what is decided in between.
        for fragment in &mut material.fragments {
            let line = material::long(&fragment.id).and_then(|id| Some((self.tally.line(id.submission)?, id.ordinal)));
            if let Some((line, ordinal)) = line {
                fragment.id = format!("{line}.{ordinal}");
            }
        }
        let mut command = pool_review::reviewed(self.replay.reader, &material).await;
        if let Command::Review { answer, .. } = &mut command {
            for id in answer.ids_mut() {
                let line = material::long(id).and_then(|id| Some((usize::try_from(id.submission).ok()?, id.ordinal)));
                if let Some((submission, ordinal)) =
                    line.and_then(|(line, ordinal)| Some((self.tally.submission(line)?, ordinal)))
                {
                    *id = format!("{submission}.{ordinal}");
                }
            }
        }
        self.command(command, at);
    }

    async fn induce(&mut self, cluster: ClusterId, audience: &Audience, at: At) -> Result<(), ReplayFault> {
        let wanted = inducement::wanted(&self.state, cluster, audience, &self.view.policy);
        let source = |id: FragmentId| {
            let (sealed, client, at) = self.sources.get(&id.submission)?;
            let text = sealed.fragments.get(usize::try_from(id.ordinal).ok()?)?.clone();
            Some(Source {
                text,
                client: client.clone(),
                at: *at,
            })
        };
        let Some(work) = inducement::gather(&self.state, &wanted, &source, &self.view.policy) else {
            return Ok(());
        };
        let embedder = models::of_pool(self.replay.embedder, &self.state);
        let vectors: Option<Vec<Vector>> = self.embed(embedder, work.texts()).await?.into_iter().collect();
        let multilingual = effects::read_by_multilingual(self.replay.embedder, work.texts())
            .await
            .ok_or_else(|| ReplayFault::Embedder("it is closed".to_owned()))?;
        let command = work.settle(vectors.as_deref(), embedder.heads().map(AsRef::as_ref), multilingual);
        let command = self.rehearse(command);
        self.command(command, at);
        Ok(())
    }

    /// Tries the key that a command will come to on what was replayed so far.
    fn rehearse(&self, command: Command) -> Command {
        let Some(mut rehearsal) = rehearsal::prepare(&self.state, &command, &self.view.policy) else {
            return command;
        };
        for (entry, _) in self.entries.iter().rev() {
            let sealed = || self.sources.get(&entry.seq).map(|(sealed, _, _)| sealed.clone());
            if !rehearsal.take(entry.seq, entry.at, &entry.event, sealed) {
                break;
            }
        }
        rehearsal.finish(command)
    }
}
