//! What a template that is not published would do to those who use its scenario: their newest submissions, as far as their texts are
//! kept, held against it.
//!
//! Reads the journal from its end back, one reading at a time, bounded in number and in time. Invariants: told are counts, names of
//! clients, and names of keys that a template of the scenario has, no value and no name that a client made up; what was refused when it
//! came, or is refused by its own version now, is broken by nobody.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::api::clients::BrokenClient;
use crate::api::clients::WouldBreak;
use crate::app::application::App;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::ports::Clock;
use crate::app::sealed;
use crate::app::validation;
use crate::app::view::ScenarioView;
use engine::scenario::event;
use engine::scenario::event::Event;
use engine::scenario::layer;
use engine::scenario::submission::Sealed;
use engine::scenario::submission::Submitted;
use schema::effective::EffectiveTemplate;
use schema::exchange::validator::Validator;
use schema::name::ClientId;
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

/// How much is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub days: i64,
    /// Newest submissions of one client: enough to show its habits, and nobody's use up the whole.
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

/// Holds what clients of its scenario submitted against a template.
///
/// # Errors
/// [`ServiceError::Busy`] where other checks go on for long, or a fault.
pub async fn would_break(app: &App, template: &SchemaTemplate) -> Result<WouldBreak, ServiceError> {
    let deps = Arc::clone(&app.registry().deps);
    let Some(handle) = app.registry().scenario(template.scenario_key().as_str()) else {
        let since = BOUNDS.since(deps.clock.now());
        return Ok(told(BTreeMap::new(), since));
    };
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
    looked.await?
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
    let mut candidate = Candidate {
        journal,
        handle,
        view: handle.view.load_full(),
        template,
        validators: BTreeMap::new(),
    };
    let mut clients: BTreeMap<Option<ClientId>, Tally> = BTreeMap::new();
    let (mut in_all, mut reached, mut before) = (0, now, head + 1);
    while before > 1 {
        if clock.now().since_ms(begun) > bounds.time_ms {
            return Ok(told(clients, reached));
        }
        let from = before.saturating_sub(TOGETHER).max(1);
        let count = usize::try_from(before - from).unwrap_or(usize::MAX);
        for record in journal.read(&handle.journal, from, count)?.into_iter().rev() {
            if record.at < since {
                return Ok(told(clients, since));
            }
            let Ok(Event::Submitted(submitted)) = event::read(&record.open) else {
                continue;
            };
            let tally = clients
                .entry(submitted.client.clone())
                .or_insert_with(|| Tally::new(candidate.validator(submitted.client.as_ref())));
            if submitted.requested || tally.looked_at + tally.gone >= bounds.of_client {
                continue;
            }
            if in_all >= bounds.in_all {
                return Ok(told(clients, reached));
            }
            in_all += 1;
            reached = record.at;
            candidate.judge(tally, record, &submitted)?;
        }
        before = from;
    }
    Ok(told(clients, since))
}

impl Bounds {
    fn since(self, now: At) -> At {
        now.plus_ms(-self.days * DAY_MS)
    }
}

/// What one client's submissions came to.
struct Tally {
    /// With the patches of this client over it.
    validator: Arc<Validator>,
    looked_at: u64,
    gone: u64,
    refused: u64,
    keys: BTreeSet<String>,
}

impl Tally {
    fn new(validator: Arc<Validator>) -> Tally {
        Tally {
            validator,
            looked_at: 0,
            gone: 0,
            refused: 0,
            keys: BTreeSet::new(),
        }
    }
}

/// A template that is not published, beside what is.
struct Candidate<'a> {
    journal: &'a dyn Journal,
    handle: &'a ScenarioHandle,
    view: Arc<ScenarioView>,
    template: SchemaTemplate,
    /// By the patches that lie over it.
    validators: BTreeMap<Vec<PatchId>, Arc<Validator>>,
}

impl Candidate<'_> {
    fn validator(&mut self, client: Option<&ClientId>) -> Arc<Validator> {
        let to = self.view.policy.cohorts.addressee(client);
        let laid = layer::layer(&self.handle.state(), &self.template, to);
        let patches = laid.iter().map(|change| change.patch_id.clone()).collect();
        let compiled = self.validators.entry(patches).or_insert_with(|| {
            let effective = EffectiveTemplate::compose(&self.template, &laid, 0);
            Arc::new(Validator::compile(&effective, self.view.limits()))
        });
        Arc::clone(compiled)
    }

    fn judge(&self, tally: &mut Tally, record: Record, submitted: &Submitted) -> Result<(), ServiceError> {
        let (journal, name) = (self.journal, &self.handle.journal);
        let kept = match record.erased {
            true => None,
            // A part that was erased a moment ago makes the whole unreadable.
            false => Sealed::parse(&sealed::whole(journal, name, record, submitted.continued)?),
        };
        let Some(kept) = kept else {
            tally.gone += 1;
            return Ok(());
        };
        tally.looked_at += 1;
        let client = submitted.client.as_ref();
        let own = self.view.compiled(&submitted.schema_id, client);
        let Some(own) = own.filter(|_| submitted.accepted) else {
            return Ok(());
        };
        let payload = kept.payload.to_string();
        let refusing = |validator: &Validator| -> Vec<String> {
            let verdict = validation::verdict(self.handle, client, validator, &payload);
            let violations = verdict.map(|verdict| verdict.violations).unwrap_or_default();
            let keys = violations.into_iter().map(|violation| violation.key);
            // What took the place of a secret was said by nobody.
            keys.filter(|key| kept.payload[key] != MARK).collect()
        };
        let keys = refusing(&tally.validator);
        // A key that came to be enforced since refuses by its own version as well.
        if keys.is_empty() || !refusing(&own.validator).is_empty() {
            return Ok(());
        }
        tally.refused += 1;
        let known = |key: &String| tally.validator.has(key) || own.validator.has(key);
        tally.keys.extend(keys.into_iter().filter(known));
        Ok(())
    }
}

fn told(clients: BTreeMap<Option<ClientId>, Tally>, looked_back_to: At) -> WouldBreak {
    let (looked_at, gone) = clients.values().fold((0, 0), |(looked_at, gone), tally| {
        (looked_at + tally.looked_at, gone + tally.gone)
    });
    let broken = clients.into_iter().filter(|(_, tally)| tally.refused > 0);
    let mut broken: Vec<BrokenClient> = broken
        .map(|(client, tally)| BrokenClient {
            client: client.map(|client| client.to_string()),
            submissions: tally.looked_at,
            refused: tally.refused,
            keys: tally.keys.into_iter().collect(),
        })
        .collect();
    // A stable sort: those who are refused as often stay in the order of their names.
    broken.sort_by_key(|client| std::cmp::Reverse(client.refused));
    WouldBreak {
        looked_at,
        gone,
        looked_back_to: looked_back_to.rfc3339(),
        clients: broken,
    }
}
