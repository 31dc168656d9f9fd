//! The backtest: what a candidate would have met in the scenario's history, had it been there, and what that foretells.
//!
//! Counts payloads that ask for the key, by membership in its cluster or by the rule that credits covered demand to keys;
//! reads a value out of each; and lets the rule that ends trials say what such counts would come to. Reads no journal and
//! decides nothing: a key goes on trial whatever is foretold. Invariant: no part is greater than its whole.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;
use text::analysis::Analysis;
use text::number;
use text::phrase::Phrase;
use utoipa::ToSchema;

use crate::evolution::ledger::KeyReading;
use crate::evolution::policy::EvolutionPolicy;
use crate::evolution::share::ratio;
use crate::evolution::stage::Reason;
use crate::evolution::trial;
use crate::evolution::trial::Assessment;
use crate::pool::coverage;
use crate::pool::gate::Audience;
use schema::closed_list;
use schema::effective::EffectiveKey;
use schema::key::KeyDefinition;
use schema::key::KeyType;
use schema::name::ClientId;
use schema::name::KeyName;
use schema::time::At;
use schema::time::DAY_MS;

/// One accepted submission of the past.
#[derive(Clone, Debug, PartialEq)]
pub struct Past {
    pub at: At,
    pub client: Option<ClientId>,
    /// Whether it carried the key already, and if so, whether its value conformed.
    pub carried: Option<bool>,
    /// What it said that no key took.
    pub said: Vec<Said>,
}

/// One fragment of the past.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    pub text: String,
    /// Whether it is in the candidate's cluster.
    pub is_member: bool,
}

/// What is known of the scenario's other keys, where there were any to learn from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Experience {
    /// The share of the payloads foretold for them that came with the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = f64)]
    pub adoption: Option<f64>,
    /// Aligned over judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = f64)]
    pub alignment: Option<f64>,
    /// Values of right type over payloads with the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = f64)]
    pub value_type_correctness: Option<f64>,
}

/// What the rule that ends trials would say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TrialVerdict)]
pub enum Verdict {
    Promote,
    Deprecate,
    /// Neither: the trial is prolonged, and the key goes in the end.
    Extend,
    /// Too little data.
    Wait,
}

/// What is foretold for the trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Prediction {
    /// Of all payloads that it was tried on: those that ask for it, hold a value that fits, and would come with it. For a key of
    /// a cohort or of one client these are the payloads of whom it is for, so that its usage means what it will (Z-162).
    pub usage: f64,
    pub value_type_correctness: Option<f64>,
    pub verdict: Verdict,
    /// Why it would go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Reason)]
    pub reason: Option<Reason>,
}

/// A candidate over the history before its trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Backtest {
    /// When it was made.
    pub at: At,
    /// The key as it was then.
    pub key_name: KeyName,
    /// The oldest submission that was looked at.
    pub since: At,
    /// Accepted submissions that were looked at, and those that ask for the key.
    pub payloads: u64,
    pub asked: u64,
    /// Known clients that ask for it.
    pub clients: u64,
    /// Of the payloads that ask: those out of which a value was read that fits type and constraints.
    pub fitting: u64,
    /// Asked over payloads; undefined without payloads.
    pub share: Option<f64>,
    #[serde(flatten)]
    pub experience: Experience,
    /// If every client took it up that asks for it and has a value for it.
    pub if_all: Option<Prediction>,
    /// If as many did as took up the other keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_adoption: Option<Prediction>,
}

impl Backtest {
    /// What is foretold: at the adoption that was measured where there is one, else if everybody took it up.
    pub fn prediction(&self) -> Option<&Prediction> {
        self.at_adoption.as_ref().or(self.if_all.as_ref())
    }
}

/// Tries a candidate on the past.
pub fn backtest(
    key: &KeyDefinition,
    history: &[Past],
    experience: Experience,
    at: At,
    policy: &EvolutionPolicy,
) -> Backtest {
    let candidate = [EffectiveKey::bare(key.clone())];
    let (mut asked, mut fitting) = (0_u64, 0_u64);
    let mut clients: BTreeSet<&ClientId> = BTreeSet::new();
    for past in history {
        let asking = || {
            let said = past.said.iter();
            said.filter(|said| said.is_member || coverage::covering(&Analysis::of(&said.text), &candidate).is_some())
        };
        let fits = match past.carried {
            Some(type_ok) => Some(type_ok),
            None => asking().map(|said| fits(key, &said.text)).max(),
        };
        if let Some(fits) = fits {
            asked += 1;
            fitting += u64::from(fits);
            clients.extend(past.client.as_ref());
        }
    }
    let payloads = history.len() as u64;
    let since = history.iter().map(|past| past.at).min().unwrap_or(at);
    let counts = Counts {
        payloads,
        fitting,
        grown_by: grown_by(since, at, policy),
    };
    Backtest {
        at,
        key_name: key.key_name.clone(),
        since,
        payloads,
        asked,
        clients: clients.len() as u64,
        fitting,
        share: ratio(asked, payloads),
        experience,
        if_all: counts.foretell(1.0, experience, policy),
        at_adoption: experience
            .adoption
            .and_then(|adoption| counts.foretell(adoption, experience, policy)),
    }
}

/// By how much a history that is shorter than the ledger's window grows until it fills it: the ledger goes on counting
/// until there is enough to judge by.
fn grown_by(since: At, at: At, policy: &EvolutionPolicy) -> f64 {
    let length = at.since_ms(since).max(DAY_MS) as f64;
    (policy.window_days.max(1) as f64 * DAY_MS as f64 / length).max(1.0)
}

struct Counts {
    payloads: u64,
    fitting: u64,
    grown_by: f64,
}

impl Counts {
    /// What the rule that ends trials makes of these counts (whose payloads they are is settled before), with `adoption` of those who ask and have a value that fits
    /// using the key: what fits no value cannot come with it. How far values would mean what was said, and be of the right
    /// type where a client does write them, cannot be read off the past: it is taken from the other keys, else as right.
    fn foretell(&self, adoption: f64, experience: Experience, policy: &EvolutionPolicy) -> Option<Prediction> {
        let usage = ratio(self.fitting, self.payloads)? * adoption;
        let grown = |count: f64| (count * self.grown_by).round() as u64;
        let reading = KeyReading {
            payloads: grown(self.payloads as f64),
            usage_frequency: Some(usage),
            judged: grown(self.fitting as f64 * adoption),
            semantic_alignment_accuracy: Some(experience.alignment.unwrap_or(1.0)),
            value_type_correctness: Some(experience.value_type_correctness.unwrap_or(1.0)),
            ..KeyReading::default()
        };
        let (verdict, reason) = match trial::assess(&reading, &Audience::Global, 0, policy) {
            Assessment::Promote => (Verdict::Promote, None),
            Assessment::Deprecate(reason) => (Verdict::Deprecate, Some(reason)),
            Assessment::Extend | Assessment::Undecided(_) => (Verdict::Extend, None),
            Assessment::Wait => (Verdict::Wait, None),
        };
        Some(Prediction {
            usage,
            value_type_correctness: reading.value_type_correctness,
            verdict,
            reason,
        })
    }
}

/// Whether a value that fits the key can be read out of a text: a number where it takes one, else that it was said at all.
pub fn fits(key: &KeyDefinition, text: &str) -> bool {
    misfit(key, text).is_none()
}

/// The place within the definition by which no value can be read out of a text; none where one can.
pub fn misfit(key: &KeyDefinition, text: &str) -> Option<&'static str> {
    match key.key_type {
        KeyType::Integer | KeyType::Number => number::said(&Analysis::of(text)).is_empty().then_some("/key_type"),
        KeyType::String => {
            let values = closed_list::values(&key.constraints)?;
            let said = Phrase::read(text).content();
            let is_said = |value: &&str| !Phrase::read(value).content().is_disjoint(&said);
            (!values.iter().any(is_said)).then_some("/constraints/enum")
        }
        KeyType::Boolean | KeyType::Array | KeyType::Object | KeyType::Null => None,
    }
}

#[cfg(test)]
pub(crate) mod sample {
    use super::Backtest;
    use super::Experience;
    use super::Prediction;
    use super::Verdict;
    use schema::name::KeyName;
    use schema::time::At;

    /// 40 of 200 payloads of 9 clients asked, and a value was read out of 38.
    pub(crate) fn backtest(at: At) -> Backtest {
        Backtest {
            at,
            key_name: KeyName::parse("seat_preference").expect("a name"),
            since: At(0),
            payloads: 200,
            asked: 40,
            clients: 9,
            fitting: 38,
            share: Some(0.2),
            experience: Experience::default(),
            if_all: Some(Prediction {
                usage: 0.19,
                value_type_correctness: Some(1.0),
                verdict: Verdict::Promote,
                reason: None,
            }),
            at_adoption: None,
        }
    }
}

#[cfg(test)]
mod tests;
