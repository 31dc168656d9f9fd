//! The actor of one scenario: applies what is committed, in order, and is the only one who decides for it.
//!
//! Facts are appended by anyone; decisions only by the actor, by compare-and-set on the last decision. Nothing is
//! applied that is not on disk. Effects run beside it; their results come back as commands.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::sync::oneshot;

use crate::app::background::Done;
use crate::app::dependencies::Dependencies;
use crate::app::effects;
use crate::app::error::ServiceError;
use crate::app::handle::Asked;
use crate::app::handle::Request;
use crate::app::handle::ScenarioHandle;
use crate::app::models;
use crate::app::pool_review;
use crate::app::reported;
use crate::app::sealed;
use crate::app::used_keys;
use crate::app::view::ScenarioView;
use engine::scenario::change_feed;
use engine::scenario::command::Command;
use engine::scenario::command::Refusal;
use engine::scenario::decide;
use engine::scenario::effect;
use engine::scenario::effect::Effect;
use engine::scenario::event;
use engine::scenario::event::Entry;
use engine::scenario::event::Event;
use engine::scenario::evolve;
use engine::scenario::policy::Policy;
use engine::scenario::state::State;
use schema::act::By;
use store::journal::JournalFault;
use store::journal::Record;
use store::journal::Snapshot;
use store::journal::Tail;

/// Submissions digested together, for one look at the gates: in longer steps what is said is read no faster, and who submits meanwhile
/// waits longer for the scenario.
const DIGESTS_MAX: usize = 64;
/// `Tick` commands that the actor executes in a row before it reads its mailbox again: far more than one moment makes due.
const TICKS_MAX: usize = 1_000;
/// Attempts to append a decision before the caller is told to try again: each failed one means that somebody else decided meanwhile.
const ATTEMPTS_MAX: u32 = 8;
/// Results of effects that wait for the actor; who has a further one waits with it.
const RESULTS_WAITING_MAX: usize = 64;
/// How long the actor waits where the committer's queue is full: about as long as one sync takes.
const BUSY_PAUSE: Duration = Duration::from_millis(2);
/// Records read at once, to be caught up with.
const RECORDS_READ_MAX: usize = 1_024;

/// Owns the writing side of one scenario.
pub struct ScenarioActor {
    pub handle: Arc<ScenarioHandle>,
    pub deps: Arc<Dependencies>,
    pub tail: Tail,
    pub requests: mpsc::Receiver<Request>,
    /// Hash of the last applied record.
    pub hash: [u8; 32],
    /// Sequence of the last snapshot.
    pub snapshot_seq: u64,
    done: (mpsc::Sender<Done>, mpsc::Receiver<Done>),
    running: BTreeSet<Effect>,
    /// Sealed parts of submissions not digested yet, so that they need not be read back.
    sealed: BTreeMap<u64, Vec<u8>>,
    settling: Vec<oneshot::Sender<()>>,
    /// Effects that panicked, or whose result could not be recorded. They stay in `running`, so that they do not start again before the
    /// next tick of the timer.
    retry: Vec<Effect>,
    /// A `Tick` command is due: at the start, after a decision or a finished effect, and when the timer ticks.
    tick_due: bool,
    failed: bool,
}

impl ScenarioActor {
    /// An actor over a scenario that is restored up to `hash`.
    pub fn new(
        handle: Arc<ScenarioHandle>,
        deps: Arc<Dependencies>,
        tail: Tail,
        requests: mpsc::Receiver<Request>,
        hash: [u8; 32],
        snapshot_seq: u64,
    ) -> ScenarioActor {
        ScenarioActor {
            handle,
            deps,
            tail,
            requests,
            hash,
            snapshot_seq,
            done: mpsc::channel(RESULTS_WAITING_MAX),
            running: BTreeSet::new(),
            sealed: BTreeMap::new(),
            settling: Vec::new(),
            retry: Vec::new(),
            tick_due: true,
            failed: false,
        }
    }

    /// Works beside everything else until it is closed. A panic is a fault of the program: the scenario stands still, and
    /// says so to whoever asks or watches.
    pub fn begin(self) {
        let handle = Arc::clone(&self.handle);
        let worker = tokio::spawn(self.run());
        tokio::spawn(async move {
            if worker.await.is_err_and(|error| error.is_panic()) {
                handle.stand_still();
                tracing::error!(scenario = %handle.key, "the scenario stands still until the next start: its worker panicked");
            }
        });
    }

    async fn run(mut self) {
        let closed = self.attend().await;
        self.handle.end();
        if let Some(reply) = closed {
            let _ = reply.send(());
        }
    }

    /// Works until it is closed; whoever closed it waits for the answer.
    async fn attend(&mut self) -> Option<oneshot::Sender<()>> {
        loop {
            self.work().await;
            tokio::select! {
                biased;
                changed = self.tail.head.changed() => {
                    if changed.is_err() { return None; }
                    self.absorb();
                }
                Some(done) = self.done.1.recv() => self.finish(done).await,
                request = self.requests.recv() => match request {
                    None => return None,
                    Some(Request::Close(reply)) => {
                        self.absorb();
                        self.keep_snapshot();
                        return Some(reply);
                    }
                    Some(request) => self.answer(request).await,
                },
            }
        }
    }

    async fn answer(&mut self, request: Request) {
        match request {
            Request::Command(asked, reply) => {
                let Asked { command, by } = *asked;
                let outcome = self.execute(command, by.as_ref()).await;
                let _ = reply.send(outcome);
            }
            Request::Receive(client, schema_id, via) => {
                let schema_id = Some(schema_id);
                let _ = self.execute(Command::Receive { client, schema_id, via }, None).await;
            }
            Request::Tick(reply) => {
                self.tick_due = true;
                for effect in self.retry.drain(..) {
                    self.running.remove(&effect);
                }
                self.work().await;
                let _ = reply.send(());
            }
            Request::Settle(reply) => self.settling.push(reply),
            Request::Close(reply) => {
                let _ = reply.send(());
            }
        }
    }

    /// Does what is due, starts what is outstanding, keeps a snapshot when it is time.
    async fn work(&mut self) {
        self.absorb();
        let writable = self.is_writable();
        if self.tick_due && !self.failed && writable {
            self.tick_due = false;
            for _ in 0..TICKS_MAX {
                match self.execute(Command::Tick, None).await {
                    Ok(()) if self.tick_due => self.tick_due = false,
                    Ok(()) | Err(_) => break,
                }
            }
        }
        if !self.failed && writable {
            self.launch();
        }
        if self.handle.state().seq >= self.snapshot_seq + self.deps.options.snapshot_every_records {
            self.keep_snapshot();
        }
        if self.running.is_empty() && !self.settling.is_empty() && self.is_settled() {
            for reply in self.settling.drain(..) {
                let _ = reply.send(());
            }
        }
    }

    /// Whether an append would pass: what is due waits until one does.
    fn is_writable(&self) -> bool {
        self.deps.write_gate.are_open() && self.deps.journal.broken().is_none()
    }

    fn is_settled(&self) -> bool {
        let state = self.handle.state();
        self.failed
            || !self.is_writable()
            || (state.seq >= *self.tail.head.borrow()
                && self.outstanding(&state, &self.handle.view.load().policy, 1).is_empty())
    }

    fn outstanding(&self, state: &State, policy: &Policy, max: usize) -> Vec<Effect> {
        let model = models::of_pool(self.deps.embedder.as_ref(), state).model();
        effect::outstanding(state, policy, model, max)
    }

    /// Decides, appends, waits until it is applied.
    async fn execute(&mut self, command: Command, by: Option<&By>) -> Result<(), ServiceError> {
        self.attempt(command, by).await?.map_err(ServiceError::from)
    }

    /// The same; what the rules refuse is told apart from what could not be recorded.
    async fn attempt(&mut self, command: Command, by: Option<&By>) -> Result<Result<(), Refusal>, ServiceError> {
        if self.failed {
            return Err(ServiceError::Fault(
                "the scenario stands still: its journal cannot be read".to_owned(),
            ));
        }
        for _ in 0..ATTEMPTS_MAX {
            let view = self.handle.view.load_full();
            let at = self.deps.clock.now();
            let (events, decided) = {
                let state = self.handle.state();
                let events = match decide::decide(&state, command.clone(), at, &view.policy) {
                    Ok(events) => events,
                    Err(refusal) => return Ok(Err(refusal)),
                };
                let events: Vec<Event> = events.into_iter().map(|event| event.done_by(by)).collect();
                (events, state.decided)
            };
            if events.is_empty() {
                return Ok(Ok(()));
            }
            let only_facts = events.iter().all(Event::is_fact);
            let drafts = sealed::decided(&events, at);
            let count = drafts.len() as u64;
            let expected = (!only_facts).then_some(decided);
            let queued = {
                let _pass = self.deps.write_gate.pass()?;
                self.deps.journal.append(&self.handle.journal, drafts, expected)
            };
            let outcome = match queued {
                Ok(answer) => answer.await.unwrap_or(Err(JournalFault::Closed)),
                Err(fault) => Err(fault),
            };
            match outcome {
                Ok(appended) => {
                    self.catch_up(appended.first_seq + count - 1).await;
                    return Ok(Ok(()));
                }
                Err(JournalFault::Moved { .. }) => self.absorb(),
                Err(JournalFault::Busy) => tokio::time::sleep(BUSY_PAUSE).await,
                Err(fault) => return Err(fault.into()),
            }
        }
        Err(ServiceError::Busy { retry_after_s: 1 })
    }

    /// Applies until a sequence is reached.
    async fn catch_up(&mut self, seq: u64) {
        loop {
            self.absorb();
            if self.failed || self.handle.state().seq >= seq {
                return;
            }
            if self.tail.head.changed().await.is_err() {
                return;
            }
        }
    }

    /// Applies what is committed: from the tail, and from the journal where the tail has a gap.
    fn absorb(&mut self) {
        let mut changed = false;
        while let Ok(record) = self.tail.records.try_recv() {
            changed |= self.take(record);
        }
        let head = *self.tail.head.borrow_and_update();
        while !self.failed && self.handle.state().seq < head {
            let from = self.handle.state().seq + 1;
            match self.deps.journal.read(&self.handle.journal, from, RECORDS_READ_MAX) {
                Ok(records) if records.is_empty() => break,
                Ok(records) => {
                    for record in records {
                        changed |= self.apply(record);
                    }
                }
                Err(fault) => self.fail(&fault.to_string()),
            }
        }
        if changed {
            let view = ScenarioView::build(
                &self.handle.state(),
                &self.deps.policy,
                self.deps.options.other_limits(),
            );
            self.handle.show(view);
        }
        if !self.failed {
            let seq = self.handle.state().seq;
            self.handle.applied(seq);
        }
    }

    /// A record of the tail: applied if it is the next; an earlier one was applied, a later one waits for the journal.
    fn take(&mut self, record: Record) -> bool {
        let next = self.handle.state().seq + 1;
        record.seq == next && self.apply(record)
    }

    fn apply(&mut self, record: Record) -> bool {
        let event = match event::read(&record.open) {
            Ok(event) => event,
            Err(what) => {
                self.fail(&what);
                return false;
            }
        };
        let entry = Entry {
            seq: record.seq,
            at: record.at,
            event,
        };
        let held = {
            let mut state = self.handle.state();
            evolve::evolve(&mut state, &entry);
            state.pending.len()
        };
        self.hash = record.hash;
        used_keys::note(&self.deps, &self.handle.journal, &record, &entry.event);
        if change_feed::tells(&entry.event) {
            self.handle.ring();
        }
        self.handle.tell(&entry);
        reported::report(&self.handle, self.deps.observer.as_ref(), &entry);
        match &entry.event {
            Event::Submitted(submitted) => {
                let whole = submitted.continued == 0;
                let has_work = whole && self.handle.state().pending.contains_key(&entry.seq);
                if has_work && self.sealed.len() < self.deps.options.tail_records_max {
                    self.sealed.insert(entry.seq, record.sealed);
                }
                // What is too much to be held is let go of.
                self.tick_due |= held > self.handle.view.load().policy.pool.pending_max;
                // What is executed is still in flight; whoever executes it lets the key go.
                if let Some(used) = submitted.idempotency.as_ref().filter(|_| !submitted.executes) {
                    self.handle.release(&used.scope, &used.key);
                }
            }
            Event::Digested { of, .. } => {
                self.sealed.remove(of);
                self.tick_due = true;
            }
            Event::Judged(_) | Event::Audited(_) => self.tick_due = true,
            Event::Deferred { .. } | Event::Erased { .. } => {
                let state = self.handle.state();
                self.sealed.retain(|seq, _| state.pending.contains_key(seq));
            }
            Event::Recalled { .. }
            | Event::Continued
            | Event::Executed(_)
            | Event::Redacted { .. }
            | Event::Received { .. }
            | Event::SchemaChecked { .. }
            | Event::Trimmed { .. } => {}
            Event::BasePublished { .. }
            | Event::BaseRetired { .. }
            | Event::BaseRestored { .. }
            | Event::BaseDeprecated { .. }
            | Event::Regrouped(_)
            | Event::Reviewed(_)
            | Event::ReviewFailed { .. }
            | Event::Rehomed { .. }
            | Event::Reembedded { .. }
            | Event::Triggered { .. }
            | Event::Settled { .. }
            | Event::Proposed { .. }
            | Event::Revived { .. }
            | Event::Edited { .. }
            | Event::Staged { .. }
            | Event::Frozen { .. }
            | Event::Thawed { .. }
            | Event::Dismissed { .. } => self.tick_due = true,
        }
        entry.event.changes_templates()
    }

    fn fail(&mut self, what: &str) {
        self.failed = true;
        // Nobody waits for what will not come.
        self.handle.stand_still();
        tracing::error!(scenario = %self.handle.key, what, "the scenario stands still: its journal cannot be read");
    }

    /// Starts the effects that are outstanding and not running.
    fn launch(&mut self) {
        let view = self.handle.view.load_full();
        let policy = &view.policy;
        let digesting = self
            .running
            .iter()
            .any(|effect| matches!(effect, Effect::Digest { .. }));
        let digests_max = if digesting { 0 } else { DIGESTS_MAX };
        let wanted = self.outstanding(&self.handle.state(), policy, digests_max);
        let mut digests = Vec::new();
        for effect in wanted {
            match &effect {
                Effect::Digest { of } if !digesting => digests.push(*of),
                Effect::Digest { .. } => {}
                Effect::Recall | Effect::Recluster | Effect::Reembed | Effect::Review
                    if self.running.contains(&effect) => {}
                Effect::Recall => {
                    self.running.insert(effect);
                    effects::recall(&self.handle, &self.deps, policy, self.done.0.clone());
                }
                Effect::Reembed => {
                    self.running.insert(effect);
                    effects::reembed(&self.handle, &self.deps, self.done.0.clone());
                }
                Effect::Recluster => {
                    self.running.insert(effect);
                    effects::look(&self.handle, &self.deps, policy, self.done.0.clone());
                }
                Effect::Review => {
                    self.running.insert(effect);
                    pool_review::review(&self.handle, &self.deps, self.done.0.clone());
                }
                Effect::Induce { .. } if self.running.contains(&effect) => {}
                Effect::Induce { cluster, audience } => {
                    effects::induce(
                        &self.handle,
                        &self.deps,
                        *cluster,
                        audience,
                        policy,
                        self.done.0.clone(),
                    );
                    self.running.insert(effect);
                }
            }
        }
        if !digests.is_empty() {
            self.running.extend(digests.iter().map(|of| Effect::Digest { of: *of }));
            let sealed = digests
                .iter()
                .filter_map(|of| Some((*of, self.sealed.get(of)?.clone())))
                .collect();
            effects::digest(&self.handle, &self.deps, digests, sealed, self.done.0.clone());
        }
    }

    /// Takes an effect's results.
    async fn finish(&mut self, done: Done) {
        if done.broke {
            // Tried again with the timer's next tick, and shown as a stall until it comes through.
            tracing::warn!(scenario = %self.handle.key, "work on what was said broke off; it is tried again with the timer");
            self.handle.stumble(true);
            self.retry.extend(done.effects);
            return;
        }
        if self.retry.is_empty() {
            self.handle.stumble(false);
        }
        let mut recorded = true;
        for mut command in done.commands {
            if let Command::Induce {
                outcome: Ok(induced), ..
            } = &mut command
            {
                induced.served = self.handle.served();
            }
            let error = match self.attempt(command, None).await {
                // What it was about is over meanwhile, and so is the effect.
                Ok(Ok(()) | Err(Refusal::Done)) => continue,
                Ok(Err(refusal)) => ServiceError::from(refusal),
                Err(error) => error,
            };
            recorded = false;
            if !error.is_stop() {
                tracing::warn!(scenario = %self.handle.key, %error, "an effect's result was not recorded");
            }
        }
        if recorded {
            for effect in done.effects {
                self.running.remove(&effect);
            }
        } else {
            self.retry.extend(done.effects);
        }
        self.tick_due = true;
    }

    fn keep_snapshot(&mut self) {
        if !self.is_writable() {
            return;
        }
        let (seq, bytes) = {
            let state = self.handle.state();
            (state.seq, serde_json::to_vec(&*state))
        };
        if seq == 0 || seq == self.snapshot_seq {
            return;
        }
        self.snapshot_seq = seq;
        let kept = bytes
            .map_err(|error| JournalFault::Store(error.to_string()))
            .and_then(|state| {
                self.deps.journal.keep_snapshot(
                    &self.handle.journal,
                    &Snapshot {
                        seq,
                        hash: self.hash,
                        state,
                    },
                )
            });
        if let Err(fault) = kept {
            tracing::warn!(scenario = %self.handle.key, %fault, "no snapshot was kept; the next start takes longer");
        }
    }
}
