//! A submission as a fact, and how its execution ended (Z-007, docs/design.md §4): what stands open in the journal, and what is
//! personal and therefore sealed.
//!
//! Invariant: of each submission that is to be executed, either no ending is on record, so that it is executed again after a
//! crash, or its last one says what its caller was told.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::value::RawValue;
use strum::IntoStaticStr;
use strum::VariantArray;

use crate::pool::policy::PoolPolicy;
use schema::exchange::verdict::Observed;
use schema::exchange::verdict::Verdict;
use schema::name::ClientId;
use schema::name::CohortId;
use schema::name::OTHER;
use schema::name::SchemaId;
use schema::template::SchemaTemplate;
use schema::time::At;
use text::placeholder;
use text::secrets::remainder::remainder;

/// An idempotency key as it was used: principal, key, and the digest of the body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idempotency {
    /// The principal's name; empty for an anonymous one.
    pub scope: String,
    pub key: String,
    /// SHA-256 of the body, hexadecimal.
    pub digest: String,
}

/// The open part: names and counts, no value of the payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submitted {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientId>,
    pub schema_id: SchemaId,
    /// The revision that judged it.
    pub revision: u64,
    pub accepted: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub with_other: bool,
    /// Fragments in the sealed part.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fragments: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<Observed>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency: Option<Idempotency>,
    /// The cohort that the client was in then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cohort: Option<CohortId>,
    /// Records after this one that hold the rest of the sealed part.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub continued: u32,
    /// The revision that the reply suggested, if it suggested one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested: Option<u64>,
    /// Whether an executor is called with it; an [`Executed`] says how that ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executes: bool,
    /// Whether it is an extension request: wishes alone, which no ledger counts and nothing executes (Z-022).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requested: bool,
    /// Records after those that hold what its executor gets as it was said, where that is not what is kept of it. They are erased
    /// once its execution has ended.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub as_said: u32,
    /// Which keys of its schema it filled, `other` aside, by their places in the template as it was published, rightly or not;
    /// `None` where that was not kept yet, and of an extension request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filled: Option<Vec<u16>>,
}

impl Submitted {
    /// Whether anything of it is to be looked at after the reply.
    pub fn is_to_be_read(&self) -> bool {
        self.fragments > 0 || !self.observed.is_empty()
    }
}

/// A submission, or an extension request, whose fragments or patch values were not looked at yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    pub at: At,
    pub client: Option<ClientId>,
    pub schema_id: SchemaId,
    pub fragments: u32,
    pub observed: Vec<Observed>,
    /// Whether it is an extension request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requested: bool,
}

impl Pending {
    /// What of a submission, made at that moment, is to be looked at; `None` where nothing is.
    pub fn of(submitted: &Submitted, at: At) -> Option<Pending> {
        submitted.is_to_be_read().then(|| Pending {
            at,
            client: submitted.client.clone(),
            schema_id: submitted.schema_id.clone(),
            fragments: submitted.fragments,
            observed: submitted.observed.clone(),
            requested: submitted.requested,
        })
    }
}

/// What an executor gets, as it was said: what lies in those records.
#[derive(Debug, Serialize, Deserialize)]
pub struct AsSaid {
    pub payload: Map<String, Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// The sealed part as it is written; borrows what came in.
#[derive(Debug, Serialize)]
pub struct SealedDraft<'a> {
    pub payload: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utterance: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub fragments: &'a [String],
    /// The reply, kept when an idempotency key came with the submission, or as it stands before an executor is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<&'a Value>,
}

/// The sealed part as it is read.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Sealed {
    pub payload: Value,
    pub utterance: Option<String>,
    pub fragments: Vec<String>,
    pub reply: Option<Value>,
}

impl Sealed {
    /// Reads a sealed part; `None` when it is not one.
    pub fn parse(bytes: &[u8]) -> Option<Sealed> {
        serde_json::from_slice(bytes).ok()
    }
}

/// Which keys of a template were filled, by their places in it; what `other` said is counted apart.
pub fn filled(template: &SchemaTemplate, verdict: &Verdict) -> Vec<u16> {
    let keys = (0..).zip(&template.keys);
    keys.filter(|(_, key)| key.key_name.as_str() != OTHER && verdict.filled.contains(&key.key_name))
        .map(|(place, _)| place)
        .collect()
}

/// What of a verdict is demand: the strings of `other`, split, then unknown keys as `key: value` (docs/design.md §4, Z-101).
/// What only fills a field is none (Z-065).
/// The second value says whether something was left out because there were more than `max`.
pub fn fragments_of(verdict: &Verdict, policy: &PoolPolicy) -> (Vec<String>, bool) {
    let max = policy.fragments_per_submission_max;
    let mut fragments = split_all(&verdict.other, policy);
    for (key, value) in asked_for(verdict) {
        let said = format!("{}: {value}", key.replace('_', " "));
        match beside_marks(&said) {
            Some(pieces) => fragments.extend(pieces),
            None => fragments.push(said),
        }
    }
    bounded(fragments, max)
}

/// The unknown keys that ask for something, each with its value as text.
pub fn asked_for(verdict: &Verdict) -> impl Iterator<Item = &(String, String)> {
    let unknown = verdict.unknown.iter();
    unknown.filter(|(_, value)| !placeholder::is_no_value(value))
}

/// What an extension request asks for: its wishes, split. The second value as for [`fragments_of`].
pub fn fragments_in(wishes: &[String], policy: &PoolPolicy) -> (Vec<String>, bool) {
    bounded(split_all(wishes, policy), policy.fragments_per_submission_max)
}

/// What a text asks for beside the secrets that were taken out of it, in clauses as they were said. `None` where none were, and
/// for one that says nothing else: it stays as it is, and is no demand.
fn beside_marks(text: &str) -> Option<Vec<String>> {
    remainder(text).filter(|pieces| !pieces.is_empty())
}

/// The fragments of texts; no more texts are read once there are more than `max`.
fn split_all(texts: &[String], policy: &PoolPolicy) -> Vec<String> {
    let max = policy.fragments_per_submission_max;
    let mut fragments = Vec::new();
    for text in texts {
        let demands = |text: &str| text::sentence::sentences(text, max.saturating_add(1));
        match beside_marks(text) {
            Some(pieces) => fragments.extend(pieces.iter().flat_map(|piece| demands(piece))),
            None => fragments.extend(demands(text)),
        }
        fragments.retain(|fragment| !placeholder::says_nothing(fragment));
        if fragments.len() > max {
            break;
        }
    }
    fragments
}

fn bounded(mut fragments: Vec<String>, max: usize) -> (Vec<String>, bool) {
    let deferred = fragments.len() > max;
    fragments.truncate(max);
    (fragments, deferred)
}

/// How one call of an executor ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Ending {
    /// Its result was passed on.
    Answered,
    /// It could not be reached, broke off, or failed by its own account.
    Failed,
    /// It refused, by a status that says so.
    Refused,
    /// Its result is not what the template promises.
    BadResult,
    /// It took too long.
    TimedOut,
    /// As many calls as may be were under way.
    Busy,
    /// It was left alone after failures in a row.
    Paused,
    /// Its address is not one that may be called.
    NotAllowed,
    /// It was not tried again after a crash, since too much time had passed; or who asked for it wanted no more of it.
    Abandoned,
}

impl Ending {
    pub const ALL: &'static [Ending] = Ending::VARIANTS;

    /// The word in metrics and logs.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The open part of an ending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executed {
    /// Sequence of the submission.
    pub of: u64,
    pub ending: Ending,
    /// Scope and key of its idempotency key, when its result is kept for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_for: Option<(String, String)>,
    /// Records after this one that hold the rest of the sealed part.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub continued: u32,
}

/// The sealed part of an ending as it is written.
#[derive(Debug, Serialize)]
pub struct SealedResultDraft<'a> {
    pub result: &'a Map<String, Value>,
}

/// The sealed part of an ending as it is read.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct SealedResult {
    pub result: Map<String, Value>,
}

#[cfg(test)]
mod tests;
