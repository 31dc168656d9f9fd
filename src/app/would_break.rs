//! Holds the newest stored submissions of a scenario against a template that is not published (`would_break`).
//!
//! Reads the journal from its end back, one reading at a time, bounded in number and in time. Invariants: what was refused when it
//! came, or is refused by its own version now, is broken by no candidate. A publisher writes any number of candidates, so the answer
//! must not depend on what one client sent: a client is named by which declared keys its payloads fill and by their JSON types, which
//! no value decides, or by a value that [`CLIENTS_MIN`] clients sent alike. Values that fewer clients share are compared with nothing, so
//! neither a constraint nor the difference of two counts tells one of them. Keys that any version or patch marks as sensitive are left
//! out, and names that clients made up count as unknown whatever keys the candidate has.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Map;
use serde_json::Value;
use sha2::Digest;
use sha2::Sha256;

use crate::api::clients::BrokenClient;
use crate::api::clients::WouldBreak;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::lock::locked;
use crate::app::ports::Clock;
use crate::app::sealed;
use crate::app::validation;
use crate::app::view::ScenarioView;
use engine::scenario::command::Command;
use engine::scenario::event;
use engine::scenario::event::Event;
use engine::scenario::layer;
use engine::scenario::state::State;
use engine::scenario::submission::Sealed;
use engine::scenario::submission::Submitted;
use schema::effective::EffectiveTemplate;
use schema::effective::KeyChange;
use schema::exchange::key_check::Found;
use schema::exchange::key_check::KeyCheck;
use schema::key::KeyDefinition;
use schema::key::KeyType;
use schema::name::ClientId;
use schema::name::OTHER;
use schema::name::PatchId;
use schema::template::SchemaTemplate;
use schema::time::At;
use schema::time::DAY_MS;
use store::journal::Journal;
use store::journal::Record;
use text::secrets::prose::MARK;

/// Records that are read together.
const TOGETHER: u64 = 256;
/// How long a check waits for the reading before it, somewhat longer than one takes.
const TURN_S: u64 = 10;

/// Clients that must have sent the same value before a refusal of it is reported: the default of `gate_clients_min` (Z-095). A scenario's
/// own `gate_clients_min` counts where it is higher, and never where it is lower: its publisher sets it.
pub const CLIENTS_MIN: u64 = 5;

/// How much is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub days: i64,
    /// Newest submissions of one client: enough to show its habits without using up the whole.
    pub of_client: u64,
    /// Submissions in all: some seconds of judging at most.
    pub in_all: u64,
    /// Milliseconds of reading after which it ends with what it has.
    pub time_ms: i64,
}

/// What a check looks at.
pub const BOUNDS: Bounds = Bounds {
    days: 30,
    of_client: 200,
    in_all: 10_000,
    time_ms: 5_000,
};

/// Holds what clients of its scenario submitted against a template. The check is on the scenario's decision log before anything is read;
/// `None` where it cannot be recorded, since then nothing is answered either.
///
/// # Errors
/// [`ServiceError::LimitReachedFor`] for a publisher that checks too often (operators are not limited), [`ServiceError::Busy`] where
/// other checks go on for long, or a fault.
pub async fn would_break(
    app: &App,
    caller: &Caller,
    template: &SchemaTemplate,
) -> Result<Option<WouldBreak>, ServiceError> {
    let deps = Arc::clone(&app.registry().deps);
    let now = deps.clock.now();
    let Some(handle) = app.registry().scenario(template.scenario_key().as_str()) else {
        return Ok(Some(Tallies::default().report(CLIENTS_MIN, BOUNDS.since(now))));
    };
    if !caller.may(Permission::Operate) {
        locked(app.check_limiter()).pass(&caller.by().to_string(), now)?;
    }
    let recorded = handle.command_by(Command::Check(template.schema_id.clone()), Some(caller.by()));
    match recorded.await {
        Err(ServiceError::ReadOnly | ServiceError::DiskFull) => return Ok(None),
        recorded => recorded?,
    }
    let turn = Arc::clone(app.checks()).acquire_owned();
    let turn = tokio::time::timeout(Duration::from_secs(TURN_S), turn).await;
    let Ok(Ok(turn)) = turn else {
        return Err(ServiceError::Busy { retry_after_s: 1 });
    };
    let template = template.clone();
    let looked = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        look(deps.journal.as_ref(), deps.clock.as_ref(), &handle, template, BOUNDS)
    });
    looked.await?.map(Some)
}

/// The same within other bounds, at once.
pub fn look(
    journal: &dyn Journal,
    clock: &dyn Clock,
    handle: &ScenarioHandle,
    template: SchemaTemplate,
    bounds: Bounds,
) -> Result<WouldBreak, ServiceError> {
    let (head, now) = {
        let state = handle.state();
        (state.seq, clock.now().max(state.at))
    };
    let (begun, since) = (clock.now(), bounds.since(now));
    let view = handle.view.load_full();
    let clients_min = view.policy.pool.gate_clients_min.max(CLIENTS_MIN);
    let mut candidate = Candidate {
        journal,
        handle,
        sensitive: sensitive_names(&handle.state(), &template),
        view,
        template,
        checks: BTreeMap::new(),
    };
    let mut tallies = Tallies {
        value_keys: candidate.value_keys(),
        sensitive_keys: candidate.sensitive_keys(),
        ..Tallies::default()
    };
    let (mut in_all, mut reached, mut before) = (0, now, head + 1);
    while before > 1 {
        if clock.now().since_ms(begun) > bounds.time_ms {
            return Ok(tallies.report(clients_min, reached));
        }
        let from = before.saturating_sub(TOGETHER).max(1);
        let count = usize::try_from(before - from).unwrap_or(usize::MAX);
        for record in journal.read(&handle.journal, from, count)?.into_iter().rev() {
            if record.at < since {
                return Ok(tallies.report(clients_min, since));
            }
            let Ok(Event::Submitted(submitted)) = event::read(&record.open) else {
                continue;
            };
            let tally = tallies.clients.entry(submitted.client.clone()).or_default();
            if submitted.requested || tally.looked_at + tally.gone >= bounds.of_client {
                continue;
            }
            if in_all >= bounds.in_all {
                return Ok(tallies.report(clients_min, reached));
            }
            in_all += 1;
            reached = record.at;
            let refused = candidate.judge(tally, record, &submitted)?;
            tallies.refused.extend(refused);
        }
        before = from;
    }
    Ok(tallies.report(clients_min, since))
}

impl Bounds {
    fn since(self, now: At) -> At {
        now.plus_ms(-self.days * DAY_MS)
    }
}

/// One client's submissions.
#[derive(Default)]
struct Tally {
    looked_at: u64,
    gone: u64,
}

/// A value under a key, by its digest, so that large values are not held.
type HeldValue = (String, [u8; 32]);

/// A submission that the candidate refuses.
struct RefusedSubmission {
    client: Option<ClientId>,
    /// True if it is refused without any value: a required key is missing, a type is another one, or a key is gone.
    by_shape: bool,
    /// The keys that refuse it so, those of its own version or the candidate alone.
    shape_keys: BTreeSet<String>,
    /// The values that the candidate's constraints refuse.
    values: Vec<HeldValue>,
}

/// All that was looked at.
#[derive(Default)]
struct Tallies {
    clients: BTreeMap<Option<ClientId>, Tally>,
    refused: Vec<RefusedSubmission>,
    value_keys: Vec<String>,
    sensitive_keys: Vec<String>,
}

impl Tallies {
    fn report(self, clients_min: u64, looked_back_to: At) -> WouldBreak {
        let mut holders: BTreeMap<&HeldValue, BTreeSet<&ClientId>> = BTreeMap::new();
        for refused in &self.refused {
            for value in &refused.values {
                holders.entry(value).or_default().extend(&refused.client);
            }
        }
        let is_shared = |value: &&HeldValue| {
            let clients = holders.get(value).map_or(0, BTreeSet::len);
            u64::try_from(clients).is_ok_and(|clients| clients >= clients_min)
        };
        let mut broken: BTreeMap<&Option<ClientId>, (u64, BTreeSet<&String>)> = BTreeMap::new();
        for refused in &self.refused {
            let shared: Vec<&String> = refused.values.iter().filter(is_shared).map(|(key, _)| key).collect();
            if refused.by_shape || !shared.is_empty() {
                let (count, keys) = broken.entry(&refused.client).or_default();
                *count += 1;
                keys.extend(refused.shape_keys.iter().chain(shared));
            }
        }
        let mut clients: Vec<BrokenClient> = broken
            .into_iter()
            .map(|(client, (refused, keys))| BrokenClient {
                client: client.as_ref().map(ToString::to_string),
                submissions: self.clients.get(client).map_or(0, |tally| tally.looked_at),
                refused,
                keys: keys.into_iter().cloned().collect(),
            })
            .collect();
        // A stable sort: those who are refused as often stay in the order of their names.
        clients.sort_by_key(|client| std::cmp::Reverse(client.refused));
        WouldBreak {
            looked_at: self.clients.values().map(|tally| tally.looked_at).sum(),
            gone: self.clients.values().map(|tally| tally.gone).sum(),
            looked_back_to: looked_back_to.rfc3339(),
            clients,
            clients_min,
            value_keys: self.value_keys,
            sensitive_keys: self.sensitive_keys,
        }
    }
}

/// Names that a payload may call a key by.
fn names(key: &KeyDefinition) -> impl Iterator<Item = &str> {
    let wired = key.unknown.get("wire_name").and_then(Value::as_str);
    std::iter::once(key.key_name.as_str()).chain(wired)
}

/// Names of the keys that any version of the scenario, any patch or the candidate marks as sensitive: dropping the mark in a candidate
/// or in a version opens nothing.
fn sensitive_names(state: &State, template: &SchemaTemplate) -> BTreeSet<String> {
    let bases = state.bases.values().map(|base| &base.template).chain([template]);
    let declared = bases.flat_map(|base| &base.keys).filter(|key| key.sensitive.is_some());
    let learned = state.patches.iter().filter_map(|patch| match &patch.change {
        KeyChange::Add(key) => Some(key).filter(|key| key.sensitive.is_some() || patch.sensitive.is_some()),
        KeyChange::Refine { .. } => None,
    });
    declared.chain(learned).flat_map(names).map(str::to_owned).collect()
}

/// Returns whether a key reads what a sensitive one is called.
fn is_sensitive(key: &KeyDefinition, sensitive: &BTreeSet<String>) -> bool {
    names(key).any(|name| sensitive.contains(name))
}

/// The keys of a candidate as one client would be served them.
struct Checks {
    keys: Vec<(KeyCheck, KeyDefinition)>,
    /// Every name that is declared, learned keys included.
    names: BTreeSet<String>,
}

/// A template that is not published, beside what is.
struct Candidate<'a> {
    journal: &'a dyn Journal,
    handle: &'a ScenarioHandle,
    view: Arc<ScenarioView>,
    template: SchemaTemplate,
    sensitive: BTreeSet<String>,
    /// By the patches that lie over it.
    checks: BTreeMap<Vec<PatchId>, Arc<Checks>>,
}

impl Candidate<'_> {
    fn checks(&mut self, client: Option<&ClientId>) -> Arc<Checks> {
        let to = self.view.policy.cohorts.addressee(client);
        let laid = layer::layer(&self.handle.state(), &self.template, to);
        let patches = laid.iter().map(|change| change.patch_id.clone()).collect();
        let (template, sensitive) = (&self.template, &self.sensitive);
        let checks = self.checks.entry(patches).or_insert_with(|| {
            let effective = EffectiveTemplate::compose(template, &laid, 0);
            let all = || effective.keys.iter().chain(&effective.withdrawn);
            // A learned key refuses by the client's own version alike.
            let own = all().filter(|key| key.patch.is_none() && !is_sensitive(&key.definition, sensitive));
            Arc::new(Checks {
                keys: own
                    .map(|key| (KeyCheck::compile(key), key.definition.clone()))
                    .collect(),
                names: all()
                    .flat_map(|key| names(&key.definition))
                    .map(str::to_owned)
                    .collect(),
            })
        });
        Arc::clone(checks)
    }

    /// The candidate's keys that are left out.
    fn sensitive_keys(&self) -> Vec<String> {
        let left_out = self
            .template
            .keys
            .iter()
            .filter(|key| is_sensitive(key, &self.sensitive));
        left_out.map(|key| key.key_name.to_string()).collect()
    }

    /// The candidate's keys whose values decide: they are constrained otherwise than in the schema in force. No payload is looked at.
    fn value_keys(&self) -> Vec<String> {
        let state = self.handle.state();
        let in_force = state.base_in_force().map(|base| &base.template);
        let is_narrower = |key: &&KeyDefinition| {
            let known = in_force.and_then(|base| base.key(&key.key_name));
            let becomes_whole =
                |known: &KeyDefinition| (known.key_type, key.key_type) == (KeyType::Number, KeyType::Integer);
            match known {
                Some(known) => known.constraints != key.constraints || becomes_whole(known),
                None => !key.constraints.is_empty(),
            }
        };
        let keys = self.template.keys.iter().filter(is_narrower);
        let keys = keys.filter(|key| !is_sensitive(key, &self.sensitive));
        keys.map(|key| key.key_name.to_string()).collect()
    }

    /// Judges one stored submission; `None` where nothing of it breaks.
    fn judge(
        &mut self,
        tally: &mut Tally,
        record: Record,
        submitted: &Submitted,
    ) -> Result<Option<RefusedSubmission>, ServiceError> {
        let (journal, name) = (self.journal, &self.handle.journal);
        let kept = match record.erased {
            true => None,
            // A part that was erased a moment ago makes the whole unreadable.
            false => Sealed::parse(&sealed::whole(journal, name, record, submitted.continued)?),
        };
        let Some(kept) = kept else {
            tally.gone += 1;
            return Ok(None);
        };
        tally.looked_at += 1;
        let client = submitted.client.as_ref();
        let view = Arc::clone(&self.view);
        let own = view.compiled(&submitted.schema_id, client);
        let (Some(own), Some(payload)) = (own.filter(|_| submitted.accepted), kept.payload.as_object()) else {
            return Ok(None);
        };
        let checks = self.checks(client);
        let is_declared = |name: &str| own.validator.has(name);
        let refused = self.refused(&checks, payload, &is_declared);
        if !refused.by_shape && refused.values.is_empty() {
            return Ok(None);
        }
        // A key that came to be enforced since refuses by its own version as well.
        let verdict = validation::verdict(self.handle, client, &own.validator, &kept.payload.to_string());
        let mut violations = verdict
            .map(|verdict| verdict.violations)
            .unwrap_or_default()
            .into_iter();
        // What took the place of a secret was sent by no client.
        let fits_its_own = violations.all(|violation| kept.payload[&violation.key] == MARK);
        Ok(fits_its_own.then_some(RefusedSubmission {
            client: submitted.client.clone(),
            ..refused
        }))
    }

    /// Lists the violations of a payload by the candidate. `is_declared` knows the names of the payload's own version.
    fn refused(
        &self,
        checks: &Checks,
        payload: &Map<String, Value>,
        is_declared: &dyn Fn(&str) -> bool,
    ) -> RefusedSubmission {
        let mut refused = RefusedSubmission {
            client: None,
            by_shape: false,
            shape_keys: BTreeSet::new(),
            values: Vec::new(),
        };
        for (check, definition) in &checks.keys {
            let held = names(definition).find_map(|name| payload.get_key_value(name));
            let value = held.map(|(_, value)| value).filter(|value| **value != MARK);
            // A name that the client made up must not be found by trying it as a key: it counts as absent.
            let shown = value.filter(|_| held.is_some_and(|(name, _)| is_declared(name)));
            let is_null = |value: &Value| value.is_null() && definition.key_type != KeyType::Null;
            let is_absent = shown.is_none_or(is_null) && held.is_none_or(|(_, value)| value != MARK);
            let is_other = definition.key_name.as_str() == OTHER;
            let is_of_type = |value: &Value| match definition.key_type {
                _ if is_other => value.is_string() || value.is_array(),
                // Whether a number is a whole one is told by its value.
                KeyType::Integer => value.is_number(),
                key_type => key_type.holds(value),
            };
            if (is_absent && check.required) || shown.is_some_and(|value| !is_null(value) && !is_of_type(value)) {
                refused.by_shape = true;
                refused.shape_keys.insert(definition.key_name.to_string());
            } else if let Some(value) = value.filter(|value| !is_other && is_of_type(value))
                && matches!(check.look(value.clone()), Found::Wrong(_))
            {
                let digest = Sha256::digest(value.to_string()).into();
                refused.values.push((definition.key_name.to_string(), digest));
            }
        }
        if self.template.strict() {
            for name in payload.keys().filter(|name| !self.sensitive.contains(*name)) {
                let declared = is_declared(name);
                if !declared || !checks.names.contains(name) {
                    refused.by_shape = true;
                    refused.shape_keys.extend(declared.then(|| name.clone()));
                }
            }
        }
        refused
    }
}
