//! A scenario to test with: what happens to it goes through `decide` and `evolve`, and every invariant is checked after
//! each entry.

pub(crate) mod check;

pub(crate) mod events;

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::json;

use engine::evolution::induction::Abstention;
use engine::evolution::ledger::Basis;
use engine::evolution::ledger::KeyReading;
use engine::evolution::operator_action::OperatorAction;
use engine::evolution::operator_action::OperatorRequest;
use engine::evolution::patch::Patch;
use engine::evolution::policy::Autonomy;
use engine::evolution::stage::Reason;
use engine::pool::analysis::Analysis;
use engine::pool::assignment::Embedded;
use engine::pool::cohort::Cohorts;
use engine::pool::gate::Audience;
use engine::pool::micro::ClusterId;
use engine::pool::proposal::Proposal;
use engine::pool::rationale::Rationale;
use engine::pool::reclustering::Group;
use engine::pool::reclustering::Reclustering;
use engine::scenario::command::Command;
use engine::scenario::command::Digested;
use engine::scenario::command::Digestion;
use engine::scenario::command::Induced;
use engine::scenario::command::Refusal;
use engine::scenario::decide::decide;
use engine::scenario::effect;
use engine::scenario::effect::Effect;
use engine::scenario::event::Entry;
use engine::scenario::event::Event;
use engine::scenario::event::Judgement;
use engine::scenario::event::Settlement;
use engine::scenario::evolve::evolve;
use engine::scenario::layer;
use engine::scenario::policy::Policy;
use engine::scenario::state::State;
use engine::scenario::submission::Submitted;
use schema::effective::EffectiveTemplate;
use schema::exchange::verdict::Observed;
use schema::name::ClientId;
use schema::name::CohortId;
use schema::name::KeyName;
use schema::name::PatchId;
use schema::name::ScenarioKey;
use schema::name::SchemaId;
use schema::template::SchemaTemplate;
use schema::time::At;
use schema::time::DAY_MS;
use schema::time::HOUR_MS;
use text::vector::Vector;

/// Noon of some day.
pub(crate) const START: At = At(20_000 * DAY_MS + 12 * HOUR_MS);
/// The model of every vector.
pub(crate) const MODEL: &str = "test/64";
/// Names that no two of which mean the same.
pub(crate) const NAMES: [&str; 12] = [
    "seat_preference",
    "meal_choice",
    "pet_travel",
    "priority_boarding",
    "wifi_access",
    "lounge_entry",
    "blanket_colour",
    "music_genre",
    "shuttle_transfer",
    "newspaper_title",
    "umbrella_rental",
    "kitchen_style",
];

/// A scenario with its journal.
#[derive(Clone)]
pub(crate) struct Scene {
    pub(crate) state: State,
    pub(crate) entries: Vec<Entry>,
    pub(crate) policy: Policy,
    pub(crate) at: At,
    /// Intents voiced so far.
    pub(crate) themes: usize,
}

/// What a trial sees of a key: counts out of counts.
#[derive(Clone, Copy)]
pub(crate) struct Traffic {
    pub(crate) payloads: u64,
    pub(crate) with_key: u64,
    pub(crate) type_ok: u64,
    pub(crate) judged: u64,
    pub(crate) aligned: u64,
}

/// Promoted on it.
pub(crate) const GOOD: Traffic = Traffic {
    payloads: 40,
    with_key: 20,
    type_ok: 20,
    judged: 20,
    aligned: 20,
};
/// Neither promoted nor deprecated on it: usage of ten of a hundred.
pub(crate) const MIDDLING: Traffic = Traffic {
    payloads: 100,
    with_key: 10,
    type_ok: 10,
    judged: 10,
    aligned: 10,
};

pub(crate) fn client(name: &str) -> ClientId {
    ClientId::parse(name).expect("a client")
}

pub(crate) fn key_name(name: &str) -> KeyName {
    KeyName::parse(name).expect("a key name")
}

pub(crate) fn cohort(name: &str) -> Audience {
    Audience::Cohort(CohortId::parse(name).expect("a cohort"))
}

pub(crate) fn alone(name: &str) -> Audience {
    Audience::Client(client(name))
}

/// The n-th patch of flight booking.
pub(crate) fn patch_id(n: u64) -> PatchId {
    PatchId::numbered(&ScenarioKey::parse("flight_booking").expect("a scenario"), n)
}

pub(crate) fn schema_id(id: &str) -> SchemaId {
    SchemaId::parse(id).expect("an id")
}

/// Flight booking with a required key, one with a default, a switch, and these keys.
pub(crate) fn template(id: &str, version: &str, added: &[Value]) -> SchemaTemplate {
    let mut keys = vec![
        json!({"key_name": "origin", "key_type": "string", "required": true, "semantic_description": "Where from."}),
        json!({"key_name": "cabin_class", "key_type": "string", "required": false, "default_value": "economy",
            "semantic_description": "Cabin class. Examples: 'in business' -> business."}),
        json!({"key_name": "legroom", "key_type": "boolean", "required": false,
            "semantic_description": "Whether more legroom is wanted."}),
    ];
    keys.extend_from_slice(added);
    let document = json!({"schema_id": id, "scenario": "flight booking", "version": version, "keys": keys});
    SchemaTemplate::parse(&document).expect("a template").0
}

/// A candidate as induction hands it over.
pub(crate) fn candidate(name: &str) -> Box<Induced> {
    candidate_of(&json!({
        "key_name": name, "key_type": "string", "required": false,
        "semantic_description": format!("What is wanted as {name}. Examples: 'give me {name}' -> {name}."),
    }))
}

/// One with a description of its own.
pub(crate) fn described(name: &str, description: &str) -> Box<Induced> {
    candidate_of(&json!({
        "key_name": name, "key_type": "string", "required": false, "semantic_description": description,
    }))
}

pub(crate) fn candidate_of(key: &Value) -> Box<Induced> {
    Box::new(Induced {
        proposal: Proposal {
            read: None,
            key: serde_json::from_value(key.clone()).expect("a key"),
            surfaces: vec!["a".to_owned()],
            examples: vec!["give me that".to_owned()],
            sensitive: None,
            grounds: Rationale::default(),
            holds: Vec::new(),
            about: String::new(),
            shown: Vec::new(),
        },
        backtest: None,
        served: 0,
    })
}

/// A fragment of some intent; two intents have nothing in common.
pub(crate) fn fragment(theme: usize) -> Digested {
    let mut values = [0.0_f32; 64];
    values[theme] = 1.0;
    Digested::Embedded(Box::new(Embedded {
        reading: Analysis::default(),
        vector: Vector::quantise(&values).expect("a vector"),
        covered_by: None,
    }))
}

impl Scene {
    /// Flight booking, published at [`START`].
    pub(crate) fn new() -> Scene {
        Scene::with(Policy::default())
    }

    pub(crate) fn with(policy: Policy) -> Scene {
        let mut scene = Scene {
            state: State::default(),
            entries: Vec::new(),
            policy,
            at: START,
            themes: 0,
        };
        scene.publish(template("flight_v1", "1.0.0", &[]));
        scene
    }

    /// One in which every key waits for a person.
    pub(crate) fn reviewed() -> Scene {
        let mut scene = Scene::new();
        scene.policy.evolution.autonomy = Autonomy::Review;
        scene
    }

    /// One whose clients `a…` and `b…` are cohorts; there is a client outside of both.
    pub(crate) fn cohorts() -> Scene {
        let cohorts = Cohorts::declare([("a", ["a*"]), ("b", ["b*"])]).expect("cohorts");
        let mut scene = Scene::with(Policy {
            cohorts,
            ..Policy::default()
        });
        scene.send("zoe");
        scene
    }

    /// One with a key that was promoted by rule.
    pub(crate) fn promoted() -> (Scene, PatchId) {
        let mut scene = Scene::new();
        let id = scene.propose("seat_preference");
        scene.traffic(&id, GOOD);
        scene.pass(7 * DAY_MS);
        assert_eq!(scene.staged(), [("stable", Reason::Promoted)]);
        (scene, id)
    }

    pub(crate) fn publish(&mut self, template: SchemaTemplate) {
        self.happens(Command::Publish {
            template: Box::new(template),
            unproved: false,
        });
    }

    pub(crate) fn pass(&mut self, ms: i64) {
        self.at = self.at.plus_ms(ms);
    }

    /// Decides, applies, checks.
    pub(crate) fn command(&mut self, command: Command) -> Result<Vec<Event>, Refusal> {
        let events = decide(&self.state, command, self.at, &self.policy)?;
        for event in &events {
            let entry = Entry {
                seq: self.state.seq + 1,
                at: self.at,
                event: event.clone(),
            };
            evolve(&mut self.state, &entry);
            self.entries.push(entry);
            assert_eq!(check::check(&self.state, &self.policy), Ok(()), "after {event:?}");
        }
        Ok(events)
    }

    pub(crate) fn happens(&mut self, command: Command) -> Vec<Event> {
        self.command(command).expect("nothing stands against it")
    }

    /// Ticks until nothing comes back.
    pub(crate) fn rest(&mut self) -> Vec<Event> {
        let mut all = Vec::new();
        for _ in 0..200 {
            let events = self.happens(Command::Tick);
            if events.is_empty() {
                return all;
            }
            all.extend(events);
        }
        panic!("never at rest: {all:?}");
    }

    /// Changes of stage that time brings now.
    pub(crate) fn staged(&mut self) -> Vec<(&'static str, Reason)> {
        events::staged(&self.rest())
    }

    /// A submission as it would be recorded.
    pub(crate) fn submitted(&self, client: Option<&str>) -> Submitted {
        Submitted {
            client: client.and_then(ClientId::parse),
            schema_id: schema_id("flight_v1"),
            revision: self.state.seq,
            accepted: true,
            with_other: false,
            fragments: 0,
            observed: Vec::new(),
            idempotency: None,
            cohort: client
                .and_then(ClientId::parse)
                .and_then(|client| self.policy.cohorts.of(&client).cloned()),
            continued: 0,
            suggested: None,
            executes: false,
            requested: false,
            as_said: 0,
            filled: Some(Vec::new()),
        }
    }

    /// Records a submission; its sequence.
    pub(crate) fn submit(&mut self, submitted: Submitted) -> u64 {
        self.happens(Command::Submit(submitted));
        self.state.seq
    }

    /// One client submits, and says nothing of note.
    pub(crate) fn send(&mut self, client: &str) -> u64 {
        let submitted = self.submitted(Some(client));
        self.submit(submitted)
    }

    /// A payload with a patch's key; its sequence.
    pub(crate) fn carry(&mut self, client: &str, id: &PatchId, type_ok: bool) -> u64 {
        let mut submitted = self.submitted(Some(client));
        submitted.observed.push(self.observed(id, type_ok));
        self.submit(submitted)
    }

    /// The same, digested and judged so.
    pub(crate) fn carry_judged(
        &mut self,
        client: &str,
        id: &PatchId,
        type_ok: bool,
        judged: Option<(bool, Basis)>,
    ) -> u64 {
        let of = self.carry(client, id, type_ok);
        let judgement = judged.map(|(aligned, basis)| Judgement {
            patch_id: id.clone(),
            aligned,
            basis,
        });
        self.digest(of, Vec::new(), judgement.into_iter().collect())
            .expect("it is pending");
        of
    }

    /// A submission with something to read, which waits for it.
    pub(crate) fn pending(&mut self, client: &str, fragments: u32, requested: bool) -> u64 {
        self.submit(Submitted {
            fragments,
            requested,
            ..self.submitted(Some(client))
        })
    }

    pub(crate) fn digest(
        &mut self,
        of: u64,
        fragments: Vec<Digested>,
        judgements: Vec<Judgement>,
    ) -> Result<Vec<Event>, Refusal> {
        let digestions = vec![Digestion {
            of,
            fragments,
            judgements,
        }];
        let model = MODEL.to_owned();
        self.command(Command::Digest { model, digestions })
    }

    /// One client says something of an intent, and it is placed.
    pub(crate) fn say(&mut self, client: Option<&str>, theme: usize) {
        self.say_all(client, vec![fragment(theme)]);
    }

    pub(crate) fn say_all(&mut self, client: Option<&str>, fragments: Vec<Digested>) {
        let submitted = Submitted {
            with_other: true,
            fragments: u32::try_from(fragments.len()).expect("few"),
            ..self.submitted(client)
        };
        let of = self.submit(submitted);
        self.digest(of, fragments, Vec::new()).expect("it is pending");
    }

    /// A look that leaves every cluster as it is.
    pub(crate) fn look(&mut self) {
        let groups = self
            .state
            .pool
            .clusters
            .values()
            .map(|cluster| Group {
                cluster: cluster.id,
                micros: cluster.micros.clone(),
                heading: None,
            })
            .collect();
        self.regroup(groups, BTreeMap::new());
    }

    fn regroup(&mut self, groups: Vec<Group>, absorbed: BTreeMap<ClusterId, ClusterId>) {
        self.happens(Command::Regroup(Reclustering {
            looked_at: self.state.pool.demand,
            next_id: self.state.pool.next_id,
            groups,
            absorbed,
            dropped: Vec::new(),
            more: false,
        }));
    }

    /// A look that finds the cluster of one key in that of another.
    pub(crate) fn absorb(&mut self, from: ClusterId, into: ClusterId) {
        let clusters = &self.state.pool.clusters;
        let mut micros = [&clusters[&from].micros[..], &clusters[&into].micros].concat();
        micros.sort_unstable();
        let group = Group {
            cluster: into,
            micros,
            heading: None,
        };
        self.regroup(vec![group], BTreeMap::from([(from, into)]));
    }

    /// Five clients voice an intent at the same moment.
    pub(crate) fn voice(&mut self, theme: usize) {
        self.all_say(["c1", "c2", "c3", "c4", "c5"], theme);
    }

    pub(crate) fn all_say<'a>(&mut self, names: impl IntoIterator<Item = &'a str>, theme: usize) {
        for name in names {
            self.say(Some(name), theme);
        }
        self.look();
    }

    /// A new intent, voiced by five clients or by one alone, ten times.
    pub(crate) fn demand(&mut self, audience: &Audience) -> usize {
        let theme = self.themes;
        self.themes += 1;
        match audience {
            Audience::Global => self.voice(theme),
            // Declared as `a*`.
            Audience::Cohort(_) => self.all_say(["a1", "a2", "a3", "a4", "a5"], theme),
            Audience::Client(own) => self.all_say([own.as_str(); 10], theme),
        }
        theme
    }

    /// A new intent whose gate opens; the cluster that waits for its induction.
    pub(crate) fn wanted(&mut self, audience: &Audience) -> ClusterId {
        self.demand(audience);
        self.rest();
        self.induction().expect("a trigger").0
    }

    /// The first induction that is waited for.
    pub(crate) fn induction(&self) -> Option<(ClusterId, Audience)> {
        effect::outstanding(&self.state, &self.policy, MODEL, 0)
            .into_iter()
            .find_map(|effect| match effect {
                Effect::Induce { cluster, audience } => Some((cluster, audience)),
                Effect::Digest { .. } | Effect::Recall | Effect::Reembed | Effect::Recluster | Effect::Review => None,
            })
    }

    /// Ends the first induction that is waited for.
    pub(crate) fn induce(&mut self, induced: Box<Induced>) -> Vec<Event> {
        self.induced(Ok(induced))
    }

    pub(crate) fn abstain(&mut self, why: Abstention) -> Vec<Event> {
        self.induced(Err(why))
    }

    fn induced(&mut self, outcome: Result<Box<Induced>, Abstention>) -> Vec<Event> {
        let (cluster, audience) = self.induction().expect("a trigger");
        self.happens(Command::Induce {
            cluster,
            audience,
            outcome,
        })
    }

    /// What a new intent comes to, where it comes to no patch.
    pub(crate) fn settles(&mut self, induced: Box<Induced>) -> Option<Settlement> {
        self.wanted(&Audience::Global);
        events::settlement(&self.induce(induced))
    }

    /// The same candidate for everything that waits for an induction.
    pub(crate) fn induce_all(&mut self, name: &str) {
        self.rest();
        while self.induction().is_some() {
            self.induce(candidate(name));
        }
    }

    /// From a new intent to a patch.
    pub(crate) fn propose_for(&mut self, audience: &Audience, induced: Box<Induced>) -> PatchId {
        self.wanted(audience);
        self.induce(induced);
        self.last().patch_id.clone()
    }

    /// From a new intent to a patch for all.
    pub(crate) fn propose(&mut self, name: &str) -> PatchId {
        self.propose_for(&Audience::Global, candidate(name))
    }

    pub(crate) fn last(&self) -> &Patch {
        self.state.patches.last().expect("a patch")
    }

    pub(crate) fn patch(&self, id: &PatchId) -> &Patch {
        self.state.patch(id).expect("the patch")
    }

    pub(crate) fn stage(&self, id: &PatchId) -> &'static str {
        self.patch(id).stage.name()
    }

    pub(crate) fn operate(&mut self, id: &PatchId, hand: OperatorAction) -> Result<Vec<Event>, Refusal> {
        self.command(Command::Operate {
            patch_id: id.clone(),
            order: OperatorRequest::of(hand, "op".into(), Some("it was time".to_owned())),
        })
    }

    /// What the ledger reads of a key.
    pub(crate) fn reading(&self, id: &PatchId) -> KeyReading {
        self.state.ledger.read(id, self.at, 30)
    }

    pub(crate) fn freeze(&mut self) -> Vec<Event> {
        self.happens(Command::Freeze {
            by: "op".into(),
            reason: None,
        })
    }

    pub(crate) fn thaw(&mut self) -> Vec<Event> {
        self.happens(Command::Thaw {
            by: "op".into(),
            reason: None,
        })
    }

    /// One payload with a patch's key.
    pub(crate) fn observed(&self, id: &PatchId, type_ok: bool) -> Observed {
        Observed {
            patch_id: id.clone(),
            key: self.patch(id).change.key_name().clone(),
            type_ok,
        }
    }

    /// One recipient's payloads, some with the key, some of these judged.
    pub(crate) fn traffic(&mut self, id: &PatchId, traffic: Traffic) {
        for n in 0..traffic.payloads {
            let mut submitted = Submitted {
                suggested: (n == 0).then_some(self.state.seq),
                ..self.submitted(Some("r"))
            };
            if n < traffic.with_key {
                submitted.observed.push(self.observed(id, n < traffic.type_ok));
            }
            let of = self.submit(submitted);
            if n < traffic.with_key {
                let judgement = Judgement {
                    patch_id: id.clone(),
                    aligned: n < traffic.aligned,
                    basis: Basis::Lexical,
                };
                let judgements = (n < traffic.judged).then_some(judgement).into_iter().collect();
                self.digest(of, Vec::new(), judgements).expect("it is pending");
            }
        }
    }

    /// What a client is served.
    pub(crate) fn effective(&self, client: Option<&ClientId>) -> EffectiveTemplate {
        let base = self.state.base_in_force().expect("a base");
        layer::effective(&self.state, base, self.policy.cohorts.addressee(client))
    }

    /// Whether a key is served to a client.
    pub(crate) fn serves(&self, client: Option<&ClientId>, name: &str) -> bool {
        self.effective(client).key(&key_name(name)).is_some()
    }
}
