//! Who uses a scenario: each client by its name, when it was seen last, by which schema it submits, and which keys it fills.
//!
//! Counts; decides nothing, and holds no value of a payload. Memory is bounded: [`CLIENTS_MAX`] clients, and of each the days of a
//! week and its newest [`SAMPLE_MAX`] submissions, one bit for each key. Clients without a name are nobody's row.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ops::Bound;

use serde::Deserialize;
use serde::Serialize;

use crate::scenario::submission::Submitted;
use schema::name::ClientId;
use schema::name::KeyName;
use schema::name::SchemaId;
use schema::template::SchemaTemplate;
use schema::time::At;
use schema::time::DAY_MS;
use schema::time::Day;

/// Clients that are known at once: some tens of megabytes. Beyond it those that were not seen for longest are forgotten.
pub const CLIENTS_MAX: usize = 50_000;
/// Which part of them is forgotten together, so that a flood of names does not sort all of them for each new one.
const FORGOTTEN_PART: usize = 10;
/// Newest submissions of a client that its shares are of: the bits of one word.
pub const SAMPLE_MAX: u32 = u64::BITS;
/// Days that submissions are counted over, today included.
pub const COUNTED_DAYS: i64 = 7;
/// Days after which a client that was not seen is stale: who comes on working days alone, or once a week, is not.
pub const STALE_DAYS: i64 = 7;
/// Days after which it is silent: who comes once a month is not.
pub const SILENT_DAYS: i64 = 30;

/// Whether a client is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    Active,
    Stale,
    Silent,
}

/// What is known of one client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Client {
    /// Its last submission, extension request, or receipt of patches.
    pub seen: At,
    /// By which it submitted last; before its first submission the one in force when it was given patches.
    pub schema_id: SchemaId,
    /// That judged its last submission, or that it was given since.
    pub revision: u64,
    /// Submissions of each day of the week that ends with its last one.
    days: Vec<(Day, u64)>,
    /// Submissions that the bits below tell of.
    sample: u32,
    /// The newest submission is the lowest bit: whether it said something in `other`.
    other: u64,
    /// The same of each key that one of them filled.
    filled: BTreeMap<KeyName, u64>,
}

/// Every client that is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Clients(BTreeMap<ClientId, Client>);

impl Client {
    fn new(at: At, schema_id: SchemaId, revision: u64) -> Client {
        Client {
            seen: at,
            schema_id,
            revision,
            days: Vec::new(),
            sample: 0,
            other: 0,
            filled: BTreeMap::new(),
        }
    }

    /// Whether it is still there at a moment.
    pub fn activity(&self, now: At) -> Activity {
        match now.since_ms(self.seen) {
            unseen if unseen >= SILENT_DAYS * DAY_MS => Activity::Silent,
            unseen if unseen >= STALE_DAYS * DAY_MS => Activity::Stale,
            _ => Activity::Active,
        }
    }

    /// Its submissions of the last [`COUNTED_DAYS`] days.
    pub fn submissions(&self, now: At) -> u64 {
        let counted = self.days.iter().filter(|(day, _)| is_counted(*day, now));
        counted.map(|(_, submissions)| submissions).sum()
    }

    /// Of how many of its newest submissions the shares are.
    pub fn sample(&self) -> u32 {
        self.sample
    }

    /// The share of them that said something in `other`.
    pub fn other(&self) -> Option<f64> {
        (self.sample > 0).then(|| self.share(self.other))
    }

    /// The share of them that filled each key; a key that none of them filled is left out.
    pub fn filled(&self) -> impl Iterator<Item = (&KeyName, f64)> {
        self.filled.iter().map(|(key, bits)| (key, self.share(*bits)))
    }

    fn share(&self, bits: u64) -> f64 {
        f64::from(bits.count_ones()) / f64::from(self.sample.max(1))
    }

    fn submitted(&mut self, at: At, submitted: &Submitted, template: &SchemaTemplate) {
        (self.schema_id, self.revision) = (submitted.schema_id.clone(), submitted.revision);
        match self.days.last_mut() {
            Some((day, submissions)) if *day == at.day() => *submissions += 1,
            _ => self.days.push((at.day(), 1)),
        }
        self.days.retain(|(day, _)| is_counted(*day, at));
        // One of a time before it was kept tells nothing of its keys.
        let Some(filled) = &submitted.filled else { return };
        self.sample = (self.sample + 1).min(SAMPLE_MAX);
        self.other = self.other << 1 | u64::from(submitted.with_other);
        for bits in self.filled.values_mut() {
            *bits <<= 1;
        }
        let own = filled.iter().filter_map(|place| template.keys.get(usize::from(*place)));
        let learned = submitted.observed.iter().map(|observed| &observed.key);
        for key in own.map(|key| &key.key_name).chain(learned) {
            *self.filled.entry(key.clone()).or_default() |= 1;
        }
        self.filled.retain(|_, bits| *bits != 0);
    }
}

fn is_counted(day: Day, now: At) -> bool {
    now.day().0 - day.0 < COUNTED_DAYS
}

impl Clients {
    /// Notes a submission, which the template of its schema tells the keys of. An extension request says that the client is
    /// there, and nothing of keys.
    pub fn submitted(&mut self, at: At, client: &ClientId, submitted: &Submitted, template: &SchemaTemplate) {
        let known = self.seen(at, client, &submitted.schema_id, submitted.revision);
        if !submitted.requested {
            known.submitted(at, submitted, template);
        }
    }

    /// Notes that a client was given patches, over the schema in force.
    pub fn received(&mut self, at: At, client: &ClientId, in_force: &SchemaId, revision: u64) {
        self.seen(at, client, in_force, revision).revision = revision;
    }

    fn seen(&mut self, at: At, client: &ClientId, schema_id: &SchemaId, revision: u64) -> &mut Client {
        if self.0.len() >= CLIENTS_MAX && !self.0.contains_key(client) {
            self.make_room();
        }
        let new = || Client::new(at, schema_id.clone(), revision);
        let known = self.0.entry(client.clone()).or_insert_with(new);
        known.seen = at;
        known
    }

    fn make_room(&mut self) {
        let mut seen: Vec<(At, ClientId)> = self.0.iter().map(|(id, client)| (client.seen, id.clone())).collect();
        seen.sort_unstable();
        seen.truncate(CLIENTS_MAX / FORGOTTEN_PART);
        let forgotten: BTreeSet<ClientId> = seen.into_iter().map(|(_, id)| id).collect();
        self.0.retain(|id, _| !forgotten.contains(id));
    }

    /// How many are known.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Those whose names come after this one, in the order of names.
    pub fn after(&self, after: Option<&ClientId>) -> impl Iterator<Item = (&ClientId, &Client)> {
        let first = after.map_or(Bound::Unbounded, Bound::Excluded);
        self.0.range::<ClientId, _>((first, Bound::Unbounded))
    }

    /// How many used each schema last.
    pub fn by_schema(&self) -> BTreeMap<&SchemaId, u64> {
        let mut counted = BTreeMap::new();
        for client in self.0.values() {
            *counted.entry(&client.schema_id).or_default() += 1;
        }
        counted
    }
}

#[cfg(test)]
mod tests;
