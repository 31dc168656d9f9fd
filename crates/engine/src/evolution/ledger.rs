//! The ledger: what became of every patch key on real traffic, in daily buckets (Z-132 … Z-139, Z-158 … Z-164).
//!
//! Counts; decides nothing. Every ratio has its own denominator, and an undefined one is `None`. Invariants: no part is
//! greater than its whole, so no ratio exceeds one; who used a key is among those who received it. Memory is bounded:
//! buckets are forgotten by [`Ledger::forget_before`], and a set names at most [`CLIENTS_TRACKED_MAX`] clients.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;
use strum::IntoStaticStr;
use strum::VariantArray;
use utoipa::ToSchema;

use crate::evolution::share;
use crate::evolution::share::CLIENTS_AVERAGED_MAX;
use crate::evolution::share::ratio;
use crate::pool::gate::Audience;
use crate::pool::source::Source;
use schema::exchange::verdict::Observed;
use schema::name::ClientId;
use schema::name::PatchId;
use schema::time::At;
use schema::time::Day;

/// Clients that one set names. Beyond it a count still grows, by an overflow that no longer tells clients apart.
pub const CLIENTS_TRACKED_MAX: usize = 100_000;

/// Who or what judged an alignment.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr, VariantArray, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schema(as = JudgementBasis)]
pub enum Basis {
    Lexical,
    Proxy,
    Llm,
    Audit,
}

/// Counts of one day for the scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DayTotals {
    /// Accepted and refused submissions, each once.
    pub payloads: u64,
    /// Those of them that were refused; 0 in a snapshot of a time before it was kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused: u64,
    pub with_other: u64,
    pub clients: BTreeSet<ClientId>,
    /// Submissions of clients that the full set could not name.
    #[serde(default)]
    pub clients_overflow: u64,
    /// Those of them that came on no later day, so that the days of a window add up to its clients; `None` in a snapshot of a time
    /// before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients_last: Option<u64>,
    /// Payloads of each source, of the first [`CLIENTS_AVERAGED_MAX`] clients and the anonymous ones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_client: BTreeMap<Source, u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl DayTotals {
    /// Distinct clients with a name; beyond those that are told apart each submission counts as one.
    pub fn count_clients(&self) -> u64 {
        (self.clients.len() as u64).saturating_add(self.clients_overflow)
    }
}

/// What one source did with one key on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Own {
    pub payloads_with_key: u64,
    pub type_ok: u64,
    pub aligned: u64,
    pub judged: u64,
}

/// Counts of one day for one patch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DayCounts {
    pub payloads_with_key: u64,
    /// Payloads of clients that had received the patch (Z-162), with or without the key.
    pub payloads_of_recipients: u64,
    pub recipients_with_key: u64,
    pub type_ok: u64,
    /// Basis -> (aligned, judged).
    pub judged: BTreeMap<Basis, (u64, u64)>,
    /// Of the sources that the day's totals tell apart, those that used it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_client: BTreeMap<Source, Own>,
}

/// What is kept for one patch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeyLedger {
    pub since: At,
    /// Payloads of the scenario on the opening day before the ledger opened: they are not this key's (Z-158).
    #[serde(default)]
    pub payloads_before: u64,
    /// The same of each source.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_client_before: BTreeMap<Source, u64>,
    pub days: BTreeMap<Day, DayCounts>,
    pub received: BTreeSet<ClientId>,
    /// Those of them that were told of it in a reply alone: they have neither fetched nor used it (Z-074).
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub suggested: BTreeSet<ClientId>,
    /// Receipts of clients that the full set could not name.
    #[serde(default)]
    pub received_overflow: u64,
    /// Clients whose submission with a right value was accepted; always among `received`.
    pub used: BTreeSet<ClientId>,
}

/// The ledger of one scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    pub days: BTreeMap<Day, DayTotals>,
    pub keys: BTreeMap<PatchId, KeyLedger>,
}

/// The mean over clients of each one's own ratio, the anonymous ones as one client. Of nothing it is null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ClientMean {
    /// Sources that sent a payload, the anonymous ones as one.
    #[serde(default)]
    pub clients: u64,
    pub usage_frequency: Option<f64>,
    /// Over clients that received the patch.
    pub usage_among_recipients: Option<f64>,
    pub semantic_alignment_accuracy: Option<f64>,
    pub value_type_correctness: Option<f64>,
    /// The last two without the client whose own is the lowest; undefined for one client.
    pub semantic_alignment_but_lowest: Option<f64>,
    pub value_type_but_lowest: Option<f64>,
}

/// The ledger of one key, read over a window. Undefined ratios are null, never zero (Z-160).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct KeyReading {
    pub payloads: u64,
    pub payloads_with_key: u64,
    /// Z-135: payloads with the key over all payloads of the scenario.
    pub usage_frequency: Option<f64>,
    /// Z-162: the same among clients that received the patch; it decides about keys of a cohort or of one client.
    pub usage_among_recipients: Option<f64>,
    pub payloads_of_recipients: u64,
    pub aligned: u64,
    pub judged: u64,
    pub basis: BTreeMap<Basis, u64>,
    /// As observed: aligned over judged.
    pub semantic_alignment_accuracy: Option<f64>,
    /// Payloads whose value conforms to type and constraints.
    #[serde(default)]
    pub type_ok: u64,
    /// Z-138, over payloads with the key (Z-161).
    pub value_type_correctness: Option<f64>,
    pub received: u64,
    pub used: u64,
    pub client_adoption_rate: Option<f64>,
    #[serde(default)]
    pub client_mean: ClientMean,
}

impl KeyReading {
    /// The usage of a key for that audience: over all payloads (Z-135), or over those of whom it is for (Z-162).
    pub fn usage(&self, audience: &Audience) -> Option<f64> {
        match audience {
            Audience::Global => self.usage_frequency,
            Audience::Cohort(_) | Audience::Client(_) => self.usage_among_recipients,
        }
    }

    /// The payloads that this usage is over.
    pub fn payloads_of(&self, audience: &Audience) -> u64 {
        match audience {
            Audience::Global => self.payloads,
            Audience::Cohort(_) | Audience::Client(_) => self.payloads_of_recipients,
        }
    }
}

impl Basis {
    /// The name as it is published.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl KeyLedger {
    /// Notes a receipt; whether the client is named among the recipients afterwards.
    fn receive(&mut self, client: &ClientId) -> bool {
        let is_named = self.received.contains(client);
        if !is_named && self.received.len() < CLIENTS_TRACKED_MAX {
            return self.received.insert(client.clone());
        }
        self.received_overflow = self.received_overflow.saturating_add(u64::from(!is_named));
        is_named
    }

    /// Notes that a client fetched it or used it; whether it is named among the recipients afterwards.
    fn meet(&mut self, client: &ClientId) -> bool {
        self.suggested.remove(client);
        self.receive(client)
    }

    /// Whether a client has fetched it or used it.
    pub fn is_known_to(&self, client: &ClientId) -> bool {
        self.received.contains(client) && !self.suggested.contains(client)
    }
}

impl Ledger {
    /// Opens the ledger of a patch; opening it again starts it anew (a revival), but remembers who received it.
    pub fn open(&mut self, patch: &PatchId, at: At) {
        let today = self.days.get(&at.day());
        let payloads_before = today.map_or(0, |totals| totals.payloads);
        let by_client_before = today.map(|totals| totals.by_client.clone()).unwrap_or_default();
        let ledger = self.keys.entry(patch.clone()).or_default();
        *ledger = KeyLedger {
            since: at,
            payloads_before,
            by_client_before,
            days: BTreeMap::new(),
            received: std::mem::take(&mut ledger.received),
            suggested: std::mem::take(&mut ledger.suggested),
            received_overflow: ledger.received_overflow,
            used: BTreeSet::new(),
        };
    }

    /// Counts one submission. `active` are the patches in force for its client. First use counts as receipt. A patch
    /// without an open ledger is passed over.
    pub fn submitted(
        &mut self,
        at: At,
        client: Option<&ClientId>,
        with_other: bool,
        accepted: bool,
        observed: &[Observed],
        active: &[PatchId],
    ) {
        let source = Source::of(client);
        let told_apart = self.count_totals(at, client, &source, with_other, accepted);
        // A patch is counted once per submission, however often it is named.
        let mut patches: BTreeMap<&PatchId, Option<bool>> = active.iter().map(|patch| (patch, None)).collect();
        for seen in observed {
            let type_ok = patches.entry(&seen.patch_id).or_default();
            *type_ok = Some(type_ok.unwrap_or(true) && seen.type_ok);
        }
        for (patch, seen) in patches {
            let Some(ledger) = self.keys.get_mut(patch).filter(|ledger| ledger.since <= at) else {
                continue;
            };
            let recipient = match (client, seen) {
                (None, _) => false,
                (Some(client), Some(_)) => ledger.meet(client),
                (Some(client), None) => ledger.received.contains(client),
            };
            if seen.is_none() && !recipient {
                continue;
            }
            let day = ledger.days.entry(at.day()).or_default();
            day.payloads_of_recipients += u64::from(recipient);
            if let Some(type_ok) = seen {
                day.payloads_with_key += 1;
                day.recipients_with_key += u64::from(recipient);
                day.type_ok += u64::from(type_ok);
                if told_apart {
                    let own = day.by_client.entry(source.clone()).or_default();
                    own.payloads_with_key += 1;
                    own.type_ok += u64::from(type_ok);
                }
                if let (Some(client), true) = (client, recipient && type_ok && accepted) {
                    ledger.used.insert(client.clone());
                }
            }
        }
    }

    /// Counts a payload of the scenario; whether its source is told apart that day.
    fn count_totals(
        &mut self,
        at: At,
        client: Option<&ClientId>,
        source: &Source,
        with_other: bool,
        accepted: bool,
    ) -> bool {
        if let Some(client) = client {
            self.count_client(at.day(), client);
        }
        let totals = self.day(at.day());
        let full = totals.by_client.len() >= CLIENTS_AVERAGED_MAX;
        let told_apart = !full || source.is_anonymous() || totals.by_client.contains_key(source);
        if told_apart {
            *totals.by_client.entry(source.clone()).or_default() += 1;
        }
        totals.payloads += 1;
        totals.refused += u64::from(!accepted);
        totals.with_other += u64::from(with_other);
        told_apart
    }

    fn day(&mut self, day: Day) -> &mut DayTotals {
        self.days.entry(day).or_insert_with(|| DayTotals {
            clients_last: Some(0),
            ..DayTotals::default()
        })
    }

    /// Counts a client on a day, once.
    fn count_client(&mut self, day: Day, client: &ClientId) {
        let totals = self.day(day);
        if totals.clients.contains(client) {
            return;
        }
        if totals.clients.len() >= CLIENTS_TRACKED_MAX {
            totals.clients_overflow = totals.clients_overflow.saturating_add(1);
            return;
        }
        totals.clients.insert(client.clone());
        let came = |(_, totals): &(&Day, &mut DayTotals)| totals.clients.contains(client);
        let mut others = self.days.iter_mut().rev().filter(|(other, _)| **other != day);
        let last = others.find(came);
        // One that came later already, by a clock that was set back, is counted there.
        if last.as_ref().is_some_and(|(other, _)| **other > day) {
            return;
        }
        if let Some((_, totals)) = last {
            totals.clients_last = totals.clients_last.map(|last| last.saturating_sub(1));
        }
        let totals = self.day(day);
        totals.clients_last = totals.clients_last.map(|last| last + 1);
    }

    /// Records that a client received patches; once per client and patch counts.
    pub fn received(&mut self, client: &ClientId, patches: &[PatchId]) {
        for patch in patches.iter().collect::<BTreeSet<_>>() {
            if let Some(ledger) = self.keys.get_mut(patch) {
                ledger.meet(client);
            }
        }
    }

    /// Records that a client was told of patches in a reply: a receipt as any other (Z-139), and yet it need not have read it (Z-074).
    pub fn suggested(&mut self, client: &ClientId, patches: &[PatchId]) {
        for patch in patches.iter().collect::<BTreeSet<_>>() {
            if let Some(ledger) = self.keys.get_mut(patch)
                && !ledger.received.contains(client)
                && ledger.receive(client)
            {
                ledger.suggested.insert(client.clone());
            }
        }
    }

    /// Counts a judgement on the day of the submission. One of a submission before the ledger opened is not this
    /// key's any more and is passed over. `source` sent the value; `None` where that was not recorded.
    pub fn judged(&mut self, patch: &PatchId, at: At, source: Option<&Source>, aligned: bool, basis: Basis) {
        let Some(ledger) = self.keys.get_mut(patch).filter(|ledger| ledger.since <= at) else {
            return;
        };
        let counts = ledger.days.entry(at.day()).or_default();
        let (right, all) = counts.judged.entry(basis).or_default();
        *right += u64::from(aligned);
        *all += 1;
        if let Some(own) = source.and_then(|source| counts.by_client.get_mut(source)) {
            own.aligned += u64::from(aligned);
            own.judged += 1;
        }
    }

    /// Takes a judgement back that another takes the place of, where it was counted.
    pub fn unjudged(&mut self, patch: &PatchId, at: At, source: Option<&Source>, aligned: bool, basis: Basis) {
        let ledger = self.keys.get_mut(patch).filter(|ledger| ledger.since <= at);
        if let Some(counts) = ledger.and_then(|ledger| ledger.days.get_mut(&at.day()))
            && let Some((right, all)) = counts.judged.get_mut(&basis)
        {
            *right = right.saturating_sub(u64::from(aligned));
            *all = all.saturating_sub(1);
            if let Some(own) = source.and_then(|source| counts.by_client.get_mut(source)) {
                own.aligned = own.aligned.saturating_sub(u64::from(aligned));
                own.judged = own.judged.saturating_sub(1);
            }
        }
    }

    /// Whether so many judgements of this kind were counted on the day of a submission that one can be taken back.
    pub fn holds(&self, patch: &PatchId, at: At, aligned: bool, basis: Basis) -> bool {
        let found = self.keys.get(patch).filter(|ledger| ledger.since <= at);
        let counts = found.and_then(|ledger| ledger.days.get(&at.day())?.judged.get(&basis));
        counts.is_some_and(|(right, all)| if aligned { *right > 0 } else { right < all })
    }

    /// Whether any payload held the patch's key since its ledger opened.
    pub fn is_filled(&self, patch: &PatchId) -> bool {
        let days = self.keys.get(patch).map(|ledger| ledger.days.values());
        days.into_iter().flatten().any(|day| day.payloads_with_key > 0)
    }

    /// Returns whether a client received the patch or used its key.
    pub fn is_known(&self, patch: &PatchId) -> bool {
        let ledger = self.keys.get(patch);
        ledger.is_some_and(|ledger| !ledger.received.is_empty()) || self.is_filled(patch)
    }

    /// Reads one key over the last `window_days` days up to `at`, but not before its ledger opened (Z-158).
    pub fn read(&self, patch: &PatchId, at: At, window_days: i64) -> KeyReading {
        let Some(ledger) = self.keys.get(patch) else {
            return KeyReading::default();
        };
        let first = first_day(at, window_days);
        let opened = ledger.since.day();
        let payloads: u64 = self.within(first.max(opened), at).map(|totals| totals.payloads).sum();
        let mut reading = KeyReading {
            payloads: payloads.saturating_sub(if opened >= first { ledger.payloads_before } else { 0 }),
            received: (ledger.received.len() as u64).saturating_add(ledger.received_overflow),
            used: ledger.used.len() as u64,
            ..KeyReading::default()
        };
        let mut recipients_with_key = 0;
        for (_, day) in range(&ledger.days, first, at) {
            reading.payloads_with_key += day.payloads_with_key;
            reading.payloads_of_recipients += day.payloads_of_recipients;
            reading.type_ok += day.type_ok;
            recipients_with_key += day.recipients_with_key;
            for (basis, (right, all)) in &day.judged {
                reading.aligned += right;
                reading.judged += all;
                *reading.basis.entry(*basis).or_default() += all;
            }
        }
        reading.usage_frequency = ratio(reading.payloads_with_key, reading.payloads);
        reading.usage_among_recipients = ratio(recipients_with_key, reading.payloads_of_recipients);
        reading.semantic_alignment_accuracy = ratio(reading.aligned, reading.judged);
        reading.value_type_correctness = ratio(reading.type_ok, reading.payloads_with_key);
        // Only clients that can be told apart enter the ratio: beyond the cap it is that of the first ones.
        reading.client_adoption_rate = ratio(reading.used, ledger.received.len() as u64);
        reading.client_mean = self.client_mean(ledger, first, at);
        reading
    }

    /// The mean over the sources that are told apart, over the same days as the ratios.
    fn client_mean(&self, ledger: &KeyLedger, first: Day, at: At) -> ClientMean {
        let opened = ledger.since.day();
        let mut payloads: BTreeMap<&Source, u64> = BTreeMap::new();
        for (day, totals) in range(&self.days, first.max(opened), at) {
            for (source, sent) in &totals.by_client {
                let before = ledger.by_client_before.get(source).filter(|_| *day == opened);
                *payloads.entry(source).or_default() += sent.saturating_sub(before.copied().unwrap_or(0));
            }
        }
        payloads.retain(|_, sent| *sent > 0);
        let mut did: BTreeMap<&Source, Own> = BTreeMap::new();
        for (source, own) in range(&ledger.days, first, at).flat_map(|(_, day)| &day.by_client) {
            let sum = did.entry(source).or_default();
            sum.payloads_with_key += own.payloads_with_key;
            sum.type_ok += own.type_ok;
            sum.aligned += own.aligned;
            sum.judged += own.judged;
        }
        let alignment = || did.values().map(|own| (own.aligned, own.judged));
        let types = || did.values().map(|own| (own.type_ok, own.payloads_with_key));
        let received = |source: &Source| source.client().is_some_and(|client| ledger.received.contains(&client));
        let usage = |(source, sent): (&&Source, &u64)| (did.get(source).map_or(0, |own| own.payloads_with_key), *sent);
        ClientMean {
            clients: payloads.len() as u64,
            usage_frequency: share::mean(payloads.iter().map(usage)),
            usage_among_recipients: share::mean(payloads.iter().filter(|(source, _)| received(source)).map(usage)),
            semantic_alignment_accuracy: share::mean(alignment()),
            value_type_correctness: share::mean(types()),
            semantic_alignment_but_lowest: share::mean_but_lowest(alignment()),
            value_type_but_lowest: share::mean_but_lowest(types()),
        }
    }

    /// Payloads, clients, and share of payloads with `other` over the window.
    pub fn totals(&self, at: At, window_days: i64) -> (u64, u64, Option<f64>) {
        let totals = || self.within(first_day(at, window_days), at);
        let payloads = totals().map(|day| day.payloads).sum();
        let with_other = totals().map(|day| day.with_other).sum();
        let overflow: u64 = totals().map(|day| day.clients_overflow).sum();
        let is_newest = self.days.keys().next_back().is_none_or(|newest| *newest <= at.day());
        let last: Option<u64> = totals().map(|day| day.clients_last.filter(|_| is_newest)).sum();
        let clients = last.unwrap_or_else(|| {
            let clients: BTreeSet<&ClientId> = totals().flat_map(|day| &day.clients).collect();
            clients.len() as u64
        });
        (payloads, clients.saturating_add(overflow), ratio(with_other, payloads))
    }

    /// Payloads over the last days.
    pub fn payloads(&self, at: At, window_days: i64) -> u64 {
        let days = self.within(first_day(at, window_days), at);
        days.map(|day| day.payloads).sum()
    }

    /// Share of payloads that were refused over the window.
    pub fn refused_ratio(&self, at: At, window_days: i64) -> Option<f64> {
        let days = self.within(first_day(at, window_days), at);
        let refused = days.map(|day| day.refused).sum();
        ratio(refused, self.payloads(at, window_days))
    }

    /// Forgets days before one.
    pub fn forget_before(&mut self, day: Day) {
        self.days = self.days.split_off(&day);
        for ledger in self.keys.values_mut() {
            ledger.days = ledger.days.split_off(&day);
            if ledger.since.day() < day {
                ledger.by_client_before.clear();
            }
        }
    }

    fn within(&self, first: Day, at: At) -> impl Iterator<Item = &DayTotals> {
        range(&self.days, first, at).map(|(_, totals)| totals)
    }
}

/// The first day of a window that ends with the day of `at`.
pub fn first_day(at: At, window_days: i64) -> Day {
    Day(at.day().0.saturating_sub(window_days.max(1) - 1))
}

/// Buckets from `first` to the day of `at`; none when the window lies after it.
fn range<T>(days: &BTreeMap<Day, T>, first: Day, at: At) -> impl Iterator<Item = (&Day, &T)> {
    let last = at.day();
    (first <= last).then(|| days.range(first..=last)).into_iter().flatten()
}

#[cfg(test)]
mod tests;
