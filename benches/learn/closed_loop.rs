//! The closed loop: clients that adopt offered keys, over 60 days, through the real engine.
//!
//! 70 % of the clients put what they want into the keys that they are offered; two values in a hundred are wrong; the
//! stream comes again until the days are full. What becomes of the keys is read from the journal.

pub mod ends;

pub mod recorded;

pub mod report;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::BTreeSet;

use engine::evolution::explanation;
use engine::evolution::judge;
use engine::evolution::ledger::KeyReading;
use engine::evolution::outcome::Outcome;
use engine::evolution::patch::Patch;
use engine::evolution::stage::Reason;
use engine::pool::gate::Audience;
use engine::scenario::event::Event;
use engine::scenario::policy::Policy;
use otherwise::app::pool_review::Reader;
use otherwise::app::ports::Embedder;
use otherwise::app::replay::Replayed;
use otherwise::app::replay::adopter::Adopter;
use otherwise::app::replay::stream::Line;
use schema::effective::EffectiveTemplate;
use schema::effective::KeyChange;
use schema::effective::Standing;
use schema::key::KeyDefinition;
use schema::name::OTHER;
use schema::name::PatchId;
use schema::time::At;
use schema::time::DAY_MS;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;

use crate::closed_loop::ends::End;
use crate::data::Said;
use crate::data::Scenario;
use crate::express;
use crate::express::Form;
use crate::stream::replayed;

const DAYS: i64 = 60;
const ADOPTING_PERCENT: u64 = 70;
const WRONG_PERCENT: u64 = 2;
/// A key is of a slot when most of its members are; spurious below this, as in the score.
const PURITY_MIN: f64 = 0.70;
const MEMBERS_MIN: usize = 10;
/// Particulars of one key that are noted.
const MISJUDGED_MAX: usize = 4;
/// Traffic times adoption from which a slot can be promoted at all.
const WORTH_MIN: f64 = 0.15;
const MONTH_MS: i64 = 30 * DAY_MS;

/// What a key is of: the slot of most of the members that it was learned from; spurious where they are too mixed.
#[derive(Clone, Debug, PartialEq)]
pub enum Meaning {
    Slot(String),
    Spurious,
}

/// What became of one hidden slot.
#[derive(Clone, Debug)]
struct SlotFate {
    /// Share of the stream's lines, times the share of them that come from adopting clients.
    expected: f64,
    covered: bool,
    stable: bool,
}

/// What became of one scenario.
#[derive(Debug, Default)]
pub struct Fate {
    slots: Vec<SlotFate>,
    stable: usize,
    stable_spurious: usize,
    /// Stable keys whose cluster is of something else at the end.
    stable_drifted: usize,
    on_trial: usize,
    deprecated: usize,
    waiting: usize,
    trials: usize,
    wasted: usize,
    /// Of the wasted ones, those of slots that no client base like this could have carried to promotion.
    hopeless: usize,
    /// Most changes of stage of one key within 30 days.
    changes_max: usize,
    /// Usage as foretold, at the adoption of the other keys and if all took it up, as measured at the first verdict, and
    /// whether that verdict was the one foretold.
    foretold: Vec<(f64, f64, f64, bool)>,
    /// (hidden slots that lines say, of them in a key) of each week.
    weeks: Vec<(usize, usize)>,
    pub details: Vec<String>,
    /// The scenario, and what became of each of its slots.
    pub ends: (String, Vec<End>),
}

struct Clients<'a> {
    scenario: &'a Scenario,
    meanings: RefCell<BTreeMap<PatchId, Meaning>>,
    /// Right values that the judge called wrong, a few of each key.
    misjudged: RefCell<BTreeMap<String, Vec<String>>>,
    /// For each line of the long stream that says hidden slots: how many, and how many of them a key took.
    taken: RefCell<BTreeMap<usize, (usize, usize)>>,
}

/// FNV-1a: the same on every machine.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A share of a hundred by a text; the multiplier spreads what FNV leaves in the low bits.
fn percent(text: &str) -> u64 {
    (hash(text).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) % 100
}

fn adopts(client: &str) -> bool {
    percent(client) < ADOPTING_PERCENT
}

impl Clients<'_> {
    /// The key that is offered for a slot and in which the value can be written.
    fn place(&self, slot: &str, said: &Said, template: &EffectiveTemplate) -> Option<(String, Value)> {
        let meanings = self.meanings.borrow();
        template.keys.iter().find_map(|key| {
            let (patch, standing) = key.patch.as_ref()?;
            let open = matches!(standing, Standing::Experimental | Standing::Stable);
            let same = meanings.get(patch) == Some(&Meaning::Slot(slot.to_owned()));
            let value = (open && same).then(|| written(said, &key.definition)).flatten()?;
            let value = if self.is_negated(slot, &key.definition) {
                negated(value)
            } else {
                value
            };
            Some((key.definition.key_name.as_str().to_owned(), value))
        })
    }
}

impl Clients<'_> {
    /// Whether a key means the opposite of a slot.
    fn is_negated(&self, slot: &str, key: &KeyDefinition) -> bool {
        let hidden = self.scenario.hidden.iter().find(|hidden| hidden.name == slot);
        hidden.is_some_and(|hidden| hidden.negated_names.iter().any(|name| name == key.key_name.as_str()))
    }

    /// Another value of the same slot, as the next line that says one has it.
    fn another<'s>(&'s self, index: usize, said: &Said) -> Option<&'s Said> {
        let gold = &self.scenario.gold;
        let rest = gold.iter().cycle().skip(index + 1).take(gold.len());
        rest.flat_map(|gold| &gold.values)
            .find(|value| value.slot == said.slot && !value.canonical.eq_ignore_ascii_case(&said.canonical))
    }

    /// Notes where the judge would call a right value wrong.
    fn judge(&self, name: &str, value: &Value, line: &Line<'_>, template: &EffectiveTemplate) {
        let Some(key) = template
            .keys
            .iter()
            .find(|key| key.definition.key_name.as_str() == name)
        else {
            return;
        };
        let case = judge::Case {
            key: &key.definition,
            value,
            utterance: line.utterance.as_deref(),
            other: &[],
        };
        if let Some((false, _)) = judge::judge(&case) {
            let mut misjudged = self.misjudged.borrow_mut();
            let few = misjudged.entry(name.to_owned()).or_default();
            if few.len() < MISJUDGED_MAX {
                few.push(format!(
                    "{value} in {:?} ({})",
                    line.utterance.as_deref().unwrap_or_default(),
                    key.definition.semantic_description
                ));
            }
        }
    }
}

fn negated(value: Value) -> Value {
    match value {
        Value::Bool(value) => json!(!value),
        value => value,
    }
}

/// The value as a client writes it; no learned key takes a date.
fn written(said: &Said, key: &KeyDefinition) -> Option<Value> {
    if express::form(key) == Form::Date {
        return None;
    }
    let value = express::express(said, key, false)?;
    let bound = |name: &str| key.constraints.get(name).and_then(Value::as_f64);
    let number = value.as_f64();
    let low = number
        .zip(bound("minimum"))
        .is_some_and(|(number, bound)| number < bound);
    let high = number
        .zip(bound("maximum"))
        .is_some_and(|(number, bound)| number > bound);
    (!low && !high).then_some(value)
}

impl Adopter for Clients<'_> {
    fn proposed(&self, patch: &Patch, members: &[usize]) {
        let meaning = scored(self.scenario, members, 1);
        self.meanings.borrow_mut().insert(patch.patch_id.clone(), meaning);
    }

    fn adopt(&self, number: usize, line: &Line<'_>, _at: At, template: &EffectiveTemplate) -> Option<Box<RawValue>> {
        let index = number % self.scenario.gold.len();
        let gold = &self.scenario.gold[index];
        let said: Vec<&Said> = gold
            .labels()
            .filter(|label| self.scenario.hidden.iter().any(|hidden| hidden.name == *label))
            .filter_map(|label| gold.values.iter().find(|value| value.slot == label))
            .collect();
        if said.is_empty() {
            return None;
        }
        self.taken.borrow_mut().insert(number, (said.len(), 0));
        if !adopts(&line.client) {
            return None;
        }
        let mut payload: Map<String, Value> = serde_json::from_str(line.payload.get()).ok()?;
        let mut taken: BTreeSet<&str> = BTreeSet::new();
        for said in said {
            let turn = format!("{} {number}", line.client);
            let wrong = percent(&turn) < WRONG_PERCENT;
            let meant = if wrong {
                self.another(index, said).unwrap_or(said)
            } else {
                said
            };
            let Some((key, value)) = self.place(&said.slot, meant, template) else {
                continue;
            };
            if !wrong {
                self.judge(&key, &value, line, template);
            }
            payload.insert(key, value);
            taken.insert(&said.slot);
        }
        if taken.is_empty() {
            return None;
        }
        let is_taken = |label: &str| taken.contains(label);
        let left = gold
            .fragments
            .iter()
            .filter(|fragment| !fragment.labels().all(is_taken));
        let left: Vec<&str> = left.map(|fragment| fragment.text.as_str()).collect();
        match left.as_slice() {
            [] => payload.remove(OTHER),
            [one] => payload.insert(OTHER.to_owned(), json!(one)),
            several => payload.insert(OTHER.to_owned(), json!(several)),
        };
        self.taken.borrow_mut().entry(number).or_default().1 = taken.len();
        serde_json::value::to_raw_value(&payload).ok()
    }
}

/// The stream again and again until the days are full.
fn long_stream(scenario: &Scenario) -> Vec<String> {
    let moments: Vec<At> = scenario
        .lines
        .iter()
        .map(|line| At::parse(&line.at).unwrap_or_default())
        .collect();
    let (Some(first), Some(last)) = (moments.first(), moments.last()) else {
        return Vec::new();
    };
    let length = (last.since_ms(*first) / DAY_MS + 1) * DAY_MS;
    let mut stream = Vec::new();
    for turn in 0..=DAYS * DAY_MS / length {
        for (line, at) in scenario.lines.iter().zip(&moments) {
            let at = At(at.0 + turn * length);
            if at.since_ms(*first) >= DAYS * DAY_MS {
                return stream;
            }
            stream.push(
                json!({"at": at.rfc3339(), "client": line.client, "schema_id": line.schema_id,
                    "payload": line.payload, "utterance": line.utterance})
                .to_string(),
            );
        }
    }
    stream
}

/// Runs the loop over one scenario.
///
/// # Errors
/// What stopped the replay.
pub async fn run(
    scenario: &Scenario,
    policy: &Policy,
    reader: Option<&dyn Reader>,
    embedder: &dyn Embedder,
) -> Result<Fate, String> {
    let stream = long_stream(scenario);
    let clients = Clients {
        scenario,
        meanings: RefCell::new(BTreeMap::new()),
        misjudged: RefCell::new(BTreeMap::new()),
        taken: RefCell::new(BTreeMap::new()),
    };
    let replayed = replayed(scenario, &stream, policy, &clients, reader, embedder).await?;
    Ok(fate(scenario, &clients, &replayed))
}

fn fate(scenario: &Scenario, clients: &Clients<'_>, replayed: &Replayed) -> Fate {
    let mut fate = Fate::default();
    let meanings = clients.meanings.borrow();
    let mut changes: BTreeMap<&PatchId, Vec<At>> = BTreeMap::new();
    let mut stage_of: BTreeMap<&PatchId, &'static str> = BTreeMap::new();
    let mut tried: BTreeMap<&PatchId, bool> = BTreeMap::new();
    for (entry, _) in &replayed.entries {
        let (patch, stage) = match &entry.event {
            Event::Proposed { patch } => (&patch.patch_id, patch.stage.name()),
            Event::Revived { patch_id, stage, .. } | Event::Staged { patch_id, stage, .. } => (patch_id, stage.name()),
            _ => continue,
        };
        if stage == "experimental" {
            tried.insert(patch, true);
        }
        let before = stage_of.insert(patch, stage);
        if before.is_some_and(|before| before != stage) {
            changes.entry(patch).or_default().push(entry.at);
        }
    }
    for times in changes.values() {
        for (n, from) in times.iter().enumerate() {
            let within = times[n..].iter().take_while(|at| at.since_ms(*from) < MONTH_MS).count();
            fate.changes_max = fate.changes_max.max(within);
        }
    }
    let end = replayed.state.at;
    let mut stable_of: BTreeMap<String, usize> = BTreeMap::new();
    let both = replayed.state.patches.iter().zip(&replayed.report.keys);
    for (patch, reported) in both.filter(|(patch, _)| matches!(patch.change, KeyChange::Add(_))) {
        let stage = patch.stage.name();
        let meaning = meanings.get(&patch.patch_id).unwrap_or(&Meaning::Spurious);
        // Once clients fill the key, only what they leave in `other` comes to its cluster.
        let ends = scored(scenario, &reported.members, MEMBERS_MIN);
        let reading = replayed.state.ledger.read(&patch.patch_id, end, 30);
        fate.foretold.extend(foretold(patch, &reading));
        let reasons: Vec<String> = patch
            .history
            .iter()
            .map(|change| format!("{:?}", change.reason))
            .collect();
        fate.details.push(format!(
            "loop {} {} {:?} learned from {meaning:?}, its cluster ends as {ends:?}, {stage}: usage {:?} aligned {:?} type {:?} credited {} ({}) {:?} {:?}",
            scenario.name,
            patch.change.key_name(),
            patch.audience,
            reading.usage(&patch.audience),
            reading.semantic_alignment_accuracy,
            reading.value_type_correctness,
            patch.credited,
            reasons.join(", "),
            patch.backtest.as_deref().map(explanation::foretold),
            explanation::compared(patch, &reading),
        ));
        fate.trials += usize::from(tried.contains_key(&patch.patch_id));
        let left = patch
            .history
            .iter()
            .any(|change| change.to == "deprecated" && !matches!(change.reason, Reason::Operator));
        let wasted = left && tried.contains_key(&patch.patch_id);
        fate.wasted += usize::from(wasted);
        let hopeless = matches!(meaning, Meaning::Slot(slot) if expected(scenario, slot) < WORTH_MIN);
        fate.hopeless += usize::from(wasted && hopeless);
        match stage {
            "stable" => {
                fate.stable += 1;
                fate.stable_drifted += usize::from(ends != *meaning);
                match meaning {
                    Meaning::Slot(slot) => {
                        let count = stable_of.entry(slot.clone()).or_default();
                        *count += 1;
                        let duplicate = *count > 1 && patch.audience == Audience::Global;
                        fate.stable_spurious += usize::from(duplicate);
                    }
                    Meaning::Spurious => fate.stable_spurious += 1,
                }
            }
            "experimental" => fate.on_trial += 1,
            "deprecated" | "withdrawn" | "expired" => fate.deprecated += 1,
            _ => fate.waiting += 1,
        }
    }
    for hidden in &scenario.hidden {
        let covered = meanings
            .values()
            .any(|meaning| *meaning == Meaning::Slot(hidden.name.clone()));
        let slot = SlotFate {
            expected: expected(scenario, &hidden.name),
            covered,
            stable: stable_of.contains_key(hidden.name.as_str()),
        };
        fate.details.push(format!(
            "loop {} slot {}: traffic times adoption {:.3}, covered {}, stable {}",
            scenario.name, hidden.name, slot.expected, slot.covered, slot.stable
        ));
        fate.slots.push(slot);
    }
    for (key, few) in clients.misjudged.borrow().iter() {
        for one in few {
            fate.details
                .push(format!("loop {} misjudged {key} = {one}", scenario.name));
        }
    }
    fate.weeks = weeks(scenario, clients);
    let meaning = |patch: &Patch| meanings.get(&patch.patch_id).cloned().unwrap_or(Meaning::Spurious);
    fate.ends = (scenario.name.clone(), ends::of(scenario, &meaning, replayed));
    fate
}

/// What was foretold of a patch on trial beside what came of it; `None` while no verdict is given.
fn foretold(patch: &Patch, now: &KeyReading) -> Option<(f64, f64, f64, bool)> {
    let backtest = patch.backtest.as_deref()?;
    let (prediction, all) = (backtest.prediction()?, backtest.if_all.as_ref()?);
    let outcome = Outcome::of(patch, now);
    let (_, verdict) = outcome.decided?;
    let usage = outcome.reading.usage(&patch.audience)?;
    Some((prediction.usage, all.usage, usage, prediction.verdict == verdict))
}

/// A slot's share of the stream's lines, counting only those of adopting clients.
fn expected(scenario: &Scenario, slot: &str) -> f64 {
    let said = scenario.gold.iter().zip(&scenario.lines);
    let adopting = said
        .filter(|(gold, line)| gold.labels().any(|label| label == slot) && adopts(&line.client))
        .count();
    adopting as f64 / scenario.lines.len().max(1) as f64
}

/// What a key's members make of it, as the score has it.
fn scored(scenario: &Scenario, members: &[usize], least: usize) -> Meaning {
    // A line that came again is the same line: the score knows one turn of the stream.
    let lines: BTreeSet<usize> = members.iter().map(|member| member % scenario.gold.len()).collect();
    let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
    let mut several = 0;
    for line in &lines {
        let gold = scenario.gold[*line].gold.as_str();
        // A line that says several things agrees with any of them and decides nothing.
        if gold.contains('+') {
            several += 1;
        } else {
            *labels.entry(gold).or_default() += 1;
        }
    }
    match labels.into_iter().max_by_key(|(_, many)| *many) {
        Some((label, many))
            if label != "noise"
                && lines.len() >= least
                && (many + several) as f64 / lines.len() as f64 >= PURITY_MIN =>
        {
            Meaning::Slot(label.to_owned())
        }
        Some(_) | None => Meaning::Spurious,
    }
}

fn weeks(scenario: &Scenario, clients: &Clients<'_>) -> Vec<(usize, usize)> {
    let stream = long_stream(scenario);
    let moment = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        line.get("at")
            .and_then(Value::as_str)
            .and_then(At::parse)
            .unwrap_or_default()
    };
    let first = stream.first().map(|line| moment(line)).unwrap_or_default();
    let mut weeks: Vec<(usize, usize)> = Vec::new();
    for (number, (said, taken)) in clients.taken.borrow().iter() {
        let Some(line) = stream.get(*number) else { continue };
        let week = usize::try_from(moment(line).since_ms(first) / (7 * DAY_MS)).unwrap_or(0);
        weeks.resize(weeks.len().max(week + 1), (0, 0));
        weeks[week].0 += said;
        weeks[week].1 += taken;
    }
    weeks
}
