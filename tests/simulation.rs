//! Seeded simulation of the core: random histories, every invariant after every step, replay equals live.
//!
//! A failure prints its seed; `SIMULATION_SEED=n` runs that history alone, `SIMULATION_HISTORIES=n` runs more.

#[path = "../crates/engine/tests/support/check.rs"]
pub mod check;
mod naive;
mod recalled;
mod speech;

use engine::bound::Range;
use engine::evolution::audit::Verdict;
use engine::evolution::edit::Edit;
use engine::evolution::operator_action::OperatorAction;
use engine::evolution::operator_action::OperatorRequest;
use engine::evolution::operator_action::Scope;
use engine::evolution::policy::Autonomy;
use engine::evolution::stage::Stage;
use engine::pool::cohort::Cohorts;
use engine::pool::recluster;
use engine::pool::reembed::Anew;
use engine::pool::source::Source;
use engine::scenario::command::Command;
use engine::scenario::command::Digested;
use engine::scenario::command::Digestion;
use engine::scenario::command::Opinion;
use engine::scenario::decide;
use engine::scenario::decide::upkeep;
use engine::scenario::effect;
use engine::scenario::effect::Effect;
use engine::scenario::event;
use engine::scenario::event::Entry;
use engine::scenario::event::Judged;
use engine::scenario::event::Judgement;
use engine::scenario::event::Via;
use engine::scenario::evolve;
use engine::scenario::layer;
use engine::scenario::policy::Policy;
use engine::scenario::policy::bounds;
use engine::scenario::state::State;
use engine::scenario::submission::Idempotency;
use engine::scenario::submission::Submitted;
use schema::exchange::verdict::Observed;
use schema::name::ClientId;
use schema::name::SchemaId;
use schema::template::SchemaTemplate;
use schema::time::At;
use serde_json::json;
use text::vector::Mean;

use self::naive::Naive;
use crate::support::random::Random;

/// Histories in a test run.
const HISTORIES: u64 = 2_000;
/// Policies at the ends of their ranges in a test run.
const POLICIES: u64 = 600;
/// Steps of one history.
const STEPS: usize = 60;
/// Intents that clients voice.
const THEMES: usize = 5;
const KEY_NAMES: [&str; 5] = [
    "seat_preference",
    "meal_choice",
    "payment_card",
    "baggage_count",
    "quiet_cabin",
];

struct History {
    seed: u64,
    random: Random,
    state: State,
    entries: Vec<Entry>,
    policy: Policy,
    at: At,
    /// How often the model was changed.
    models: u64,
    /// How often something was read back.
    recalled: u64,
    naive: Naive,
}

/// Says which history it was that failed.
impl Drop for History {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {}", self.seed);
        }
    }
}

#[test]
fn random_histories_keep_every_invariant_and_replay_to_the_same_state_z004_z106_z107_z154() {
    if let Some(seed) = std::env::var("SIMULATION_SEED").ok().and_then(|seed| seed.parse().ok()) {
        History::new(seed).run();
        return;
    }
    let histories = std::env::var("SIMULATION_HISTORIES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(HISTORIES);
    let mut proposed = 0;
    let mut stable = 0;
    let mut recalled = 0;
    let (mut personal, mut shared, mut renewed) = (0, 0, 0);
    for seed in 0..histories {
        let (state, recalls) = History::new(seed).run();
        recalled += recalls;
        proposed += state.patches.len();
        stable += state
            .patches
            .iter()
            .filter(|patch| matches!(patch.stage, Stage::Stable { .. }))
            .count();
        personal += usize::from(state.triggers_client > 0);
        shared += usize::from(state.triggers_cohort > 0);
        renewed += usize::from(state.pool.model.as_str() > "test-0/8");
    }
    // A simulation in which nothing ever comes of anything would hold every invariant too.
    assert!(
        proposed as u64 > histories,
        "only {proposed} patches in {histories} histories"
    );
    assert!(
        stable as u64 * 50 > histories,
        "only {stable} stable keys in {histories} histories"
    );
    assert!(personal > 0, "no client ever triggered alone");
    assert!(shared > 0, "no cohort ever triggered alone");
    assert!(recalled > histories, "only {recalled} recalls in {histories} histories");
    assert!(renewed > 0, "no pool was ever embedded anew");
}

#[test]
fn under_whatever_policy_a_template_may_have_nothing_panics_z004_z073() {
    for seed in 0..POLICIES {
        let mut random = Random::new(seed);
        let mut overrides = json!({"pool": {}, "evolution": {}});
        for bound in bounds() {
            let (section, name) = bound.path[7..].split_once('.').expect("a path");
            let ends = match bound.range {
                Range::Flag => [json!(true), json!(false)],
                Range::Whole(low, high) => [json!(low), json!(high)],
                Range::Real(low, high) => [json!(low), json!(high)],
                Range::Word(words) => [json!(words.first()), json!(words.last())],
            };
            // Some at the lower end, some at the upper one, and enough as they are for keys to come of it.
            if let Some(end) = ends.get(usize::try_from(random.below(if seed % 2 == 0 { 4 } else { 12 })).unwrap_or(2))
            {
                overrides[section][name] = end.clone();
            }
        }
        let mut history = History::new(seed);
        let taken = history.policy.taking(&overrides);
        assert_eq!(taken.defects, []);
        history.policy = taken.policy;
        history.run();
    }
}

impl History {
    fn new(seed: u64) -> History {
        let mut random = Random::new(seed);
        let mut policy = Policy::default();
        policy.pool.gate_clients_min = random.between(2, 5);
        policy.pool.gate_occurrences_min = random.between(4, 10);
        policy.pool.look_every_fragments = random.between(4, 64);
        policy.pool.mature_members_min = random.between(3, 10);
        policy.pool.heat_threshold = 40.0;
        // A step brings up to six submissions.
        policy.pool.pending_max = usize::try_from(seed % 8 + 1).unwrap_or(1);
        policy.evolution.trial_payloads_min = random.between(1, 10);
        policy.evolution.trial_judgements_min = random.between(0, 5);
        policy.evolution.experimental_max = usize::try_from(random.between(1, 3)).unwrap_or(1);
        policy.evolution.experimental_per_template_max = policy.evolution.experimental_max;
        policy.evolution.personal_max = 2;
        policy.evolution.autonomy = match random.below(8) {
            0 => Autonomy::Review,
            1 => Autonomy::Auto,
            _ => Autonomy::Certain,
        };
        if random.one_in(2) {
            policy.cohorts = Cohorts::declare([("low", ["c0", "c1", "c2"])]).expect("a cohort");
            policy.pool.gate_cohort_share_max = 0.5;
        }
        policy.evolution.audit_share = 0.3;
        policy.evolution.audits_max = u32::try_from(random.below(8)).unwrap_or(0);
        policy.evolution.examples_kept_days = i64::from(random.one_in(2));
        let at = At(1_800_000_000_000);
        let naive = Naive::default();
        History {
            seed,
            random,
            state: State::default(),
            entries: Vec::new(),
            policy,
            at,
            models: 0,
            recalled: 0,
            naive,
        }
    }

    /// The state that it comes to, and how often something was read back.
    fn run(mut self) -> (State, u64) {
        self.command(published("flight_v1"));
        for _ in 0..STEPS {
            self.step();
        }
        let mut replayed = State::default();
        for entry in &self.entries {
            let written = event::write(&entry.event);
            let event = event::read(&written).unwrap_or_else(|what| panic!("{what}"));
            evolve::evolve(&mut replayed, &Entry { event, ..entry.clone() });
        }
        assert_eq!(bytes(&replayed), bytes(&self.state), "replay differs from live");
        let restored: State = serde_json::from_str(&bytes(&self.state)).expect("a snapshot reads back");
        assert_eq!(
            bytes(&restored),
            bytes(&self.state),
            "a snapshot reads back differently"
        );
        // An entry that was applied is not applied again.
        if let Some(last) = self.entries.last() {
            evolve::evolve(&mut replayed, last);
            assert_eq!(bytes(&replayed), bytes(&self.state), "an entry was applied twice");
        }
        (std::mem::take(&mut self.state), self.recalled)
    }

    fn step(&mut self) {
        let pause = match self.random.below(10) {
            0 => self.random.between(1, 10) * 86_400_000,
            1..4 => self.random.between(1, 20) * 3_600_000,
            _ => self.random.between(0, 600_000),
        };
        self.at = self.at.plus_ms(i64::try_from(pause).unwrap_or(0));
        // A third of a frozen scenario's steps let it go on, so that it does not stay so for the rest of its history.
        if self.random.one_in(if self.state.frozen.is_some() { 3 } else { 25 }) {
            self.turn();
        }
        match self.random.below(20) {
            0 => self.command(published("flight_v2")),
            1 => self.command(Command::Tick),
            2 => {
                let client = self.client();
                self.command(Command::Receive {
                    client,
                    schema_id: None,
                    via: Via::Poll,
                });
            }
            // The next process has another model; sometimes an older one again.
            6 if self.random.one_in(4) => self.models = self.random.below(self.models + 2),
            3 => self.operate(),
            5 => self.erase(),
            4 if self.random.one_in(10) => {
                let schema_id = SchemaId::parse("flight_v1").expect("an id");
                self.command(Command::Retire(schema_id));
            }
            _ => {
                for _ in 0..self.random.between(1, 6) {
                    self.submit();
                }
            }
        }
        self.settle();
    }

    fn client(&mut self) -> ClientId {
        ClientId::parse(&format!("c{}", self.random.below(7))).expect("a client")
    }

    fn submit(&mut self) {
        let client = (!self.random.one_in(10)).then(|| self.client());
        let schema = if self.random.one_in(4) {
            "flight_v2"
        } else {
            "flight_v1"
        };
        let mut observed = Vec::new();
        for patch in layer::in_force(&self.state, self.policy.cohorts.addressee(client.as_ref()))
            .cloned()
            .collect::<Vec<_>>()
        {
            if self.random.one_in(3) {
                let type_ok = !self.random.one_in(6);
                observed.push(Observed {
                    patch_id: patch.patch_id,
                    key: patch.change.key_name().clone(),
                    type_ok,
                });
            }
        }
        let idempotency = self.random.one_in(5).then(|| Idempotency {
            scope: client.as_ref().map(ToString::to_string).unwrap_or_default(),
            key: format!("k{}", self.random.below(50)),
            digest: String::new(),
        });
        let fragments = u32::try_from(self.random.below(3)).unwrap_or(0);
        let requested = observed.is_empty() && self.random.one_in(12);
        let cohort = self.policy.cohorts.addressee(client.as_ref()).cohort.cloned();
        // Some are of a time before it was kept.
        let seq = self.state.seq;
        let origin = (!seq.is_multiple_of(3)).then_some(0);
        let filled = (!requested && !seq.is_multiple_of(11)).then(|| origin.into_iter().collect());
        let submitted = Submitted {
            client,
            schema_id: SchemaId::parse(schema).expect("an id"),
            revision: self.state.seq,
            accepted: !self.random.one_in(8),
            with_other: fragments > 0,
            fragments,
            observed,
            idempotency,
            cohort,
            continued: 0,
            suggested: self.random.one_in(6).then_some(self.state.seq),
            executes: false,
            requested,
            as_said: 0,
            filled,
        };
        self.command(Command::Submit(submitted));
    }

    fn operate(&mut self) {
        if self.state.patches.is_empty() {
            return;
        }
        let patch = self.random.below(self.state.patches.len() as u64);
        let patch_id = self.state.patches[usize::try_from(patch).unwrap_or(0)].patch_id.clone();
        let edit = self
            .random
            .one_in(4)
            .then(|| json!({"key_name": format!("edited_{}", patch % 3), "title": "Edited"}));
        let edit = edit.and_then(|edit| Edit::parse(&edit).ok()).map(Box::new);
        let scope = Scope::ALL[usize::from(self.random.one_in(2))];
        let because = self.random.one_in(2).then(|| "for a reason".to_owned());
        let hand =
            OperatorAction::ALL[usize::try_from(self.random.below(OperatorAction::ALL.len() as u64)).unwrap_or(0)];
        self.command(Command::Operate {
            patch_id,
            order: OperatorRequest {
                scope,
                edit,
                ..OperatorRequest::of(hand, "op".into(), because)
            },
        });
    }

    /// Erases what may be, which is nothing that still has to be read but what has waited twice as long, and notes it.
    fn erase(&mut self) {
        let Some((through, before)) = upkeep::erasable(&self.state, self.at, 1, 1) else {
            return;
        };
        let is_erased = |entry: &&Entry| entry.seq <= through && entry.at < before;
        let Some(through) = self.entries.iter().rev().find(is_erased).map(|entry| entry.seq) else {
            return;
        };
        let kept = self.at.plus_ms(-2 * 86_400_000);
        let mut unread = self.state.pending.iter();
        assert!(
            unread.all(|(seq, pending)| through < *seq || pending.at < kept),
            "{through} is still to be read"
        );
        if through <= self.state.erased_through {
            return;
        }
        assert!(self.happens(Command::Erased { through }), "nothing was noted");
        assert!(!self.happens(Command::Erased { through }), "noted twice");
    }

    /// Freezes, or thaws; a second time does nothing.
    fn turn(&mut self) {
        let by = "op".into();
        let command = match self.state.frozen {
            None => Command::Freeze { by, reason: None },
            Some(_) => Command::Thaw { by, reason: None },
        };
        assert!(self.happens(command.clone()), "nothing was turned");
        assert!(!self.happens(command), "turned twice");
    }

    /// Effects and ticks until nothing is left; sometimes an effect waits, as it does in a busy process.
    fn settle(&mut self) {
        for _ in 0..500 {
            if self.happens(Command::Tick) {
                continue;
            }
            let Some(next) = effect::outstanding(&self.state, &self.policy, &self.model(), 4)
                .into_iter()
                .next()
            else {
                return;
            };
            if self.random.one_in(12) {
                return;
            }
            match next {
                Effect::Digest { of } => self.digest(of),
                Effect::Recall => self.recall(),
                Effect::Reembed => self.reembed(),
                Effect::Review => unreachable!("nobody has the reader's seat here"),
                Effect::Recluster => {
                    let regrouping = recluster::recluster(&self.state.pool, &self.policy.pool);
                    // Joins that come after the look was taken are kept.
                    if self.random.one_in(3) {
                        self.submit();
                        if let Some(of) = self.state.pending.keys().next().copied() {
                            self.digest(of);
                        }
                    }
                    self.command(Command::Regroup(regrouping));
                }
                Effect::Induce { cluster, audience } => {
                    let outcome = self.induced();
                    self.command(Command::Induce {
                        cluster,
                        audience,
                        outcome,
                    });
                }
            }
        }
        panic!("the core never comes to rest");
    }

    fn model(&self) -> String {
        format!("test-{}/8", self.models)
    }

    /// A step of embedding the pool anew; of some micro-clusters nothing can be read any more.
    fn reembed(&mut self) {
        let model = self.model();
        let before = self.state.pool.clone();
        let stale = before.next_stale(&model, 3);
        let micros: Vec<Anew> = stale
            .iter()
            .map(|stale| {
                let vector = match self.fragment() {
                    Digested::Embedded(embedded) => Some(embedded.vector),
                    Digested::NoDemand(_) | Digested::Covered(_) | Digested::Failed => None,
                };
                let mean = vector.and_then(|vector| Mean::of(&[vector]));
                Anew {
                    micro: stale.micro,
                    mean,
                }
            })
            .collect();
        let command = Command::Reembed {
            model: model.clone(),
            micros,
        };
        assert!(self.happens(command.clone()), "nothing was embedded anew");
        assert!(!self.happens(command), "embedded anew twice");
        let after = &self.state.pool;
        assert!(
            after.model == model || after.sum == before.sum,
            "two models in one pool (Z-103)"
        );
        assert_eq!(after.clusters, before.clusters, "clusters stay");
        for (id, micro) in &after.micros {
            let was = &before.micros[id];
            assert_eq!((micro.members, micro.heat), (was.members, was.heat));
        }
    }

    fn digest(&mut self, of: u64) {
        let Some(pending) = self.state.pending.get(&of).cloned() else {
            return;
        };
        let fragments = (0..pending.fragments).map(|_| self.fragment()).collect();
        let judgements: Vec<Judgement> = pending
            .observed
            .iter()
            .map(|seen| Judgement {
                patch_id: seen.patch_id.clone(),
                aligned: !self.random.one_in(5),
                basis: engine::evolution::ledger::Basis::Lexical,
            })
            .collect();
        let digest = Command::Digest {
            model: self.model(),
            digestions: vec![Digestion {
                of,
                fragments,
                judgements: judgements.clone(),
            }],
        };
        self.command(digest.clone());
        assert!(!self.state.pending.contains_key(&of), "{of} is still pending");
        // The same result a second time, as after a crash between append and acknowledgement, does nothing.
        assert!(!self.happens(digest), "{of} was digested twice");
        // A model has its say about some of the values, later.
        if let Some(judgement) = judgements.into_iter().next().filter(|_| of.is_multiple_of(4)) {
            let instead = Some((judgement.aligned, judgement.basis));
            let judged = Judged {
                of,
                said_at: pending.at,
                source: Some(Source::of(pending.client.as_ref())),
                judgement: Judgement {
                    aligned: of.is_multiple_of(8),
                    basis: engine::evolution::ledger::Basis::Llm,
                    ..judgement
                },
                instead,
                by: "model".to_owned(),
            };
            self.happens(Command::Judge(judged));
        }
        self.look();
    }

    /// A person looks at a value that waits now and then; the first word stands.
    fn look(&mut self) {
        if !self.random.one_in(3) {
            return;
        }
        let Some(waiting) = self.state.audits.waiting.first().cloned() else {
            return;
        };
        let opinion = Opinion {
            of: waiting.of,
            patch_id: waiting.patch_id.clone(),
            verdict: Verdict::ALL[usize::try_from(self.random.below(3)).unwrap_or(0)],
            by: "reviewer".to_owned(),
            because: None,
        };
        let (judged, rest) = (self.judged(), self.state.audits.waiting.len());
        assert!(
            self.happens(Command::Audit(opinion.clone())),
            "{waiting:?} could not be audited"
        );
        assert_eq!(self.state.audits.waiting.len(), rest - 1, "it waits still");
        // A value that was judged is judged once; one of which no judge spoke may be added.
        let added = self.judged() - judged;
        assert!(added <= u64::from(waiting.judged.is_none()), "counted twice");
        assert!(!self.happens(Command::Audit(opinion)), "{waiting:?} was audited twice");
    }

    /// Judgements that the ledger holds.
    fn judged(&self) -> u64 {
        let days = self.state.ledger.keys.values().flat_map(|ledger| ledger.days.values());
        days.flat_map(|day| day.judged.values()).map(|(_, all)| all).sum()
    }

    fn command(&mut self, command: Command) {
        self.happens(command);
    }

    /// Decides, applies, checks; whether anything happened.
    fn happens(&mut self, command: Command) -> bool {
        let Ok(events) = decide::decide(&self.state, command, self.at, &self.policy) else {
            return false;
        };
        let happened = !events.is_empty();
        for event in events {
            let entry = Entry {
                seq: self.state.seq + 1,
                at: self.at.max(self.state.at),
                event,
            };
            self.naive.count(&entry);
            evolve::evolve(&mut self.state, &entry);
            self.entries.push(entry);
            if let Err(what) = check::check(&self.state, &self.policy) {
                panic!("entry {}: {what}", self.state.seq);
            }
            self.naive.compare(&self.state);
        }
        happened
    }
}

fn published(id: &str) -> Command {
    Command::Publish {
        template: Box::new(template(id)),
        unproved: false,
    }
}

fn template(id: &str) -> SchemaTemplate {
    let version = if id.ends_with('2') { "1.1.0" } else { "1.0.0" };
    let document = json!({
        "schema_id": id, "scenario": "flight booking", "version": version,
        "keys": [
            {"key_name": "origin", "key_type": "string", "required": true, "semantic_description": "Where from."},
            {"key_name": "other", "key_type": "string", "required": false, "semantic_description": "The rest."},
        ],
    });
    SchemaTemplate::parse(&document).expect("a template").0
}

fn bytes(state: &State) -> String {
    serde_json::to_string(state).expect("a state serialises")
}
