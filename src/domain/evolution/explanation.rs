//! The explanation of a patch: its grounds, its backtest and its outcome in sentences that a person reads with ease.
//!
//! Owns the wording; decides nothing and reads nothing but the patch. Every sentence says what was noted when it was
//! decided, and where nothing was noted nothing is said.

use crate::domain::evolution::backtest::Backtest;
use crate::domain::evolution::backtest::Prediction;
use crate::domain::evolution::backtest::Verdict;
use crate::domain::evolution::edit;
use crate::domain::evolution::ledger::KeyReading;
use crate::domain::evolution::outcome;
use crate::domain::evolution::outcome::Outcome;
use crate::domain::evolution::patch::Patch;
use crate::domain::evolution::question::Part;
use crate::domain::evolution::stage::Reason;
use crate::domain::pool::gate::Audience;
use crate::domain::pool::grounds::Barred;
use crate::domain::pool::grounds::Feature;
use crate::domain::pool::grounds::Grounds;
use crate::domain::pool::grounds::NameSource;
use crate::domain::pool::grounds::NearRule;
use crate::domain::pool::grounds::Nearest;
use crate::domain::pool::grounds::Settled;
use crate::domain::pool::grounds::TypeRule;
use crate::domain::pool::grounds::ValueCount;
use crate::domain::pool::grounds::ValueKind;
use crate::domain::pool::grounds::ValuesRule;
use crate::domain::pool::heat::MICRO;
use crate::domain::pool::reading::ValueType;
use crate::domain::template::effective::KeyChange;
use crate::domain::template::name::SchemaId;

/// Share of the winner's score, or of what was needed, from which on a name that lost is told.
const RUNNER_UP_SHARE_MIN: f64 = 0.5;

/// Everything that can be said of a patch; `now` is the ledger as it stands, `taken_over_by` the base in force where that
/// says the same by itself.
pub fn of(patch: &Patch, now: &KeyReading, taken_over_by: Option<&SchemaId>) -> Vec<String> {
    let mut said = why(patch);
    said.extend(patch.backtest.as_deref().map(foretold));
    said.extend(compared(patch, now));
    said.extend(taken_over_by.map(|base| {
        format!("The base in force, `{base}`, says this by itself now: what is submitted under it is not counted here.")
    }));
    said
}

/// Why it was proposed, why so, and what it was nearest to.
pub fn why(patch: &Patch) -> Vec<String> {
    let mut said = vec![asked(patch)];
    if let Some(grounds) = patch.grounds.as_deref() {
        said.push(read(grounds));
        let advised = |part: Part, what: &str| {
            let model = patch.consulted.author(part)?;
            Some(format!(
                "{what} is the word of the model `{model}`; it passed the checks that the rules' own must pass."
            ))
        };
        said.extend(advised(Part::Name, "Its name").or_else(|| name(patch, grounds)));
        said.extend(advised(Part::Type, "Its type").or_else(|| kind(grounds)));
        said.extend(advised(Part::Values, "What it lists").or_else(|| values(grounds)));
        said.extend(features(&grounds.features));
        said.extend(grounds.nearest.as_ref().map(|nearest| near(patch, nearest)));
    }
    said.extend(
        patch
            .sensitive
            .as_ref()
            .map(|meaning| format!("Its meaning is sensitive ({}), so a person decides.", spoken(meaning))),
    );
    said.extend(
        patch
            .holds
            .iter()
            .map(|hold| format!("A person decides, since {}.", hold.reason())),
    );
    said.extend(edits(patch));
    if patch.is_wrong_key() {
        said.push("A person found it wrong for what was said, which is read anew.".to_owned());
    }
    said
}

/// What became of its definition since it was proposed.
fn edits(patch: &Patch) -> Option<String> {
    let last = patch.edits.last()?;
    let changed = edit::differing(patch.proposed(), &patch.change);
    let changed: Vec<String> = changed.iter().map(|member| format!("`{member}`")).collect();
    let who = match &last.by {
        Some(by) => format!("{by} edited it"),
        None => "It was made anew of what was said since".to_owned(),
    };
    Some(format!(
        "{who}: its {} {} what was proposed, as `{}`.",
        list(&changed, "and"),
        if changed.len() == 1 { "is not" } else { "are not" },
        patch.proposed().key_name()
    ))
}

fn asked(patch: &Patch) -> String {
    let gate = &patch.gate;
    let (whom, by, times, heat) = match &patch.audience {
        Audience::Global => (
            "for all",
            format!("{} asked", some(gate.clients, "known client", "known clients")),
            gate.occurrences,
            gate.capped_heat_micro,
        ),
        Audience::Cohort(_) => (
            "for one cohort of clients",
            format!("{} of that cohort asked", some(gate.clients, "client", "clients")),
            gate.occurrences,
            gate.capped_heat_micro,
        ),
        Audience::Client(_) => (
            "for one client alone",
            "that client asked".to_owned(),
            gate.top_occurrences,
            gate.top_heat_micro,
        ),
    };
    format!(
        "It was proposed {whom} because {by} for it {} within the gate's window, with a heat of {}.",
        some(times, "time", "times"),
        heat / MICRO
    )
}

fn read(grounds: &Grounds) -> String {
    format!(
        "It was made of {} of {}, held against {} of other wishes.",
        some(grounds.fragments, "fragment", "fragments"),
        some(grounds.clients, "known client", "known clients"),
        some(grounds.background, "fragment", "fragments"),
    )
}

fn name(patch: &Patch, grounds: &Grounds) -> Option<String> {
    let naming = &grounds.name;
    let reason = match naming.source {
        NameSource::Untold => return None,
        NameSource::Phrase => "these are the words that most of the fragments share",
        NameSource::Reader => "a reader calls it so",
        NameSource::Vocabulary => match naming.settled_by {
            Settled::Vectors => "of all general names its meaning is nearest to what was said",
            Settled::Words => "of all general names its words fit best what was said",
        },
        NameSource::Sibling => "it is the counterpart of a key that the service has",
        NameSource::Role => "that is the role which the fragments speak of",
        NameSource::Noun => noun(grounds.kind.value),
        NameSource::Pair => "these two words are often said together here and seldom elsewhere",
        NameSource::Counted => "that is what the numbers count",
        NameSource::Unit => "that is what the unit behind the numbers stands for",
        NameSource::Cue => "a word around the values tells what they are",
        NameSource::Prefix => "the service's own keys begin like this",
        NameSource::Party => "that is what such a service calls its people, and nobody said what the numbers count",
        NameSource::Service => "nothing that was said gives it a free name that tells more than the service's own noun",
        NameSource::Type => "nothing that was said gives it a free name that tells more than the type of its values",
    };
    let (subject, called, own) = match patch.proposed() {
        KeyChange::Add(key) => ("It is called", "it is called", key.key_name.as_str()),
        KeyChange::Refine { .. } => (
            "As a key of its own it would have been",
            "as a key of its own it would have been",
            naming.name.as_str(),
        ),
    };
    // What speaks for a name speaks for the one that was found, not for what was put behind it to tell two apart.
    let lengthened = naming.wanted.as_deref().filter(|wanted| is_lengthened(own, wanted));
    let mut sentence = match lengthened {
        Some(wanted) => format!("`{wanted}` was found for it because {reason}"),
        None => format!("{subject} `{own}` because {reason}"),
    };
    if let (Some(score), Some(needed)) = (naming.score, naming.needed) {
        sentence += &format!(" (it scored {score:.2}, and {needed:.2} is needed)");
    }
    // What scored far less than what was needed never came near.
    let least = naming
        .score
        .or(naming.needed)
        .map_or(0.0, |score| RUNNER_UP_SHARE_MIN * score);
    let others: Vec<String> = naming
        .runners_up
        .iter()
        .filter(|other| other.score >= least)
        .map(|other| format!("`{}` with {:.2}", other.name, other.score))
        .collect();
    if !others.is_empty() {
        sentence += &format!("; next came {}", list(&others, "and"));
    }
    match (&naming.wanted, lengthened) {
        (Some(_), Some(_)) => sentence += &format!("; that name was taken already, so {called} `{own}`"),
        (Some(wanted), None) => sentence += &format!("; `{wanted}`, which would have come first, was taken already"),
        (None, _) => {}
    }
    Some(sentence + ".")
}

/// What speaks for a noun: a choice, a share and a name are called after what stands beside them, all else after what is said.
fn noun(value: ValueKind) -> &'static str {
    match value {
        ValueKind::Choice | ValueKind::Percent | ValueKind::Person | ValueKind::Title => {
            "that is the noun which stands with the values"
        }
        ValueKind::Untold
        | ValueKind::Money
        | ValueKind::Date
        | ValueKind::Time
        | ValueKind::Duration
        | ValueKind::Number
        | ValueKind::Place
        | ValueKind::Contact
        | ValueKind::Level
        | ValueKind::Rhythm
        | ValueKind::Switch => "of the nouns in the fragments it is the most telling",
    }
}

/// Whether a name is another one with a word behind it.
fn is_lengthened(name: &str, other: &str) -> bool {
    name.strip_prefix(other).is_some_and(|rest| rest.starts_with('_'))
}

fn kind(grounds: &Grounds) -> Option<String> {
    let typing = &grounds.kind;
    let share = typing.share.map(percent).unwrap_or_default();
    let needed = typing
        .needed
        .filter(|needed| *needed > 0.0)
        .map_or_else(String::new, |needed| format!(" ({} are needed)", percent(needed)));
    let what = match typing.value {
        ValueKind::Untold => return None,
        ValueKind::Percent => "a percentage",
        ValueKind::Money => "an amount of money",
        ValueKind::Date => "a date",
        ValueKind::Time => "a time of day",
        ValueKind::Duration => "a duration",
        ValueKind::Number => "a number",
        ValueKind::Place => "a place",
        ValueKind::Person => "a person's name",
        ValueKind::Title => "a name or title",
        ValueKind::Contact => "a way to be reached",
        // What no test claimed and what lists nothing is text.
        ValueKind::Choice
            if typing.rule == TypeRule::Text
                && matches!(grounds.values.rule, ValuesRule::TooFew | ValuesRule::Unproven) =>
        {
            "text"
        }
        ValueKind::Choice => "a choice",
        ValueKind::Level => "a degree",
        ValueKind::Rhythm => "a rhythm",
        ValueKind::Switch => "a switch",
    };
    let reason = match typing.rule {
        TypeRule::Untold => return None,
        TypeRule::Dominant => format!("{share} of the fragments hold a value of its kind{needed}"),
        TypeRule::DurationWithNumbers => {
            format!("{share} of the fragments hold a duration or a bare number beside such{needed}")
        }
        TypeRule::Addresses => format!("{share} of the fragments hold an address{needed}"),
        TypeRule::Places => format!("{share} of the fragments name a place{needed}"),
        TypeRule::People => format!("{share} of the fragments name a person{needed}"),
        TypeRule::ProperNames => format!("{share} of the fragments hold a name that is no ordinary word{needed}"),
        TypeRule::NewWords => format!("{share} of the fragments hold a word never heard elsewhere{needed}"),
        TypeRule::NameCues => format!("{share} of the fragments hold a word such as `called`{needed}"),
        TypeRule::NamesWithoutValues => format!("{share} of the fragments hold a name{needed}, and no value recurs"),
        TypeRule::Degrees => format!("{share} of the fragments say how much of one thing{needed}"),
        TypeRule::Rhythms => format!("{share} of the fragments say how often{needed}"),
        TypeRule::YesOrNo => format!("{share} of the fragments say yes or no to it{needed}"),
        TypeRule::Opposites => "there are two values, and one denies the other".to_owned(),
        TypeRule::NearerToSwitch => match typing.settled_by {
            Settled::Vectors => "by its meaning it is nearer to a switch than to any list".to_owned(),
            Settled::Words => "its words fit a switch at least as well as any list".to_owned(),
        },
        TypeRule::List => format!("values that exclude each other cover {share} of the fragments{needed}"),
        TypeRule::Text => "it is neither a value with a type, nor a name, nor a switch".to_owned(),
    };
    let borne_out = match typing.rule {
        // Whatever is said for a switch can be read as one: that proves nothing.
        _ if typing.value == ValueKind::Switch => String::new(),
        _ => {
            let sure = typing
                .confidence
                .map_or_else(String::new, |sure| format!(", {} sure", percent(sure)));
            format!(
                " A value was read out of {} of {}{sure}.",
                typing.read, grounds.fragments
            )
        }
    };
    Some(format!("It is {what} because {reason}.{borne_out}"))
}

fn values(grounds: &Grounds) -> Option<String> {
    let valuing = &grounds.values;
    let left_out = match valuing.left_out.all() {
        0 => String::new(),
        _ => format!(" Left out: {}.", left_out(grounds)),
    };
    match valuing.rule {
        ValuesRule::Untold => None,
        ValuesRule::Listed => Some(format!(
            "It takes one of a list; so many fragments ask for each: {}.{left_out}",
            counted(&valuing.listed)
        )),
        ValuesRule::Unproven => Some(format!(
            "It lists no values yet: too few ask for each to tell them apart: {}.{left_out}",
            counted(&valuing.listed)
        )),
        ValuesRule::TooFew => Some(format!(
            "It lists no values because fewer than two could be listed.{left_out}"
        )),
        ValuesRule::Names => Some("It lists no values because names close no list.".to_owned()),
        ValuesRule::Typed => Some("It lists no values because its type says what is right.".to_owned()),
        ValuesRule::Switch => Some("It lists no values because it is on or off.".to_owned()),
    }
}

/// Values with the number of fragments that ask for each.
fn counted(values: &[ValueCount]) -> String {
    let counted = |value: &ValueCount| format!("`{}` ({})", value.value, value.fragments);
    list(&values.iter().map(counted).collect::<Vec<_>>(), "and")
}

fn left_out(grounds: &Grounds) -> String {
    let left = grounds.values.left_out;
    let parts = [
        (left.too_rare, "said too rarely"),
        (left.usual, "as usual in other wishes"),
        (left.no_ordinary_words, "that are names or no ordinary words"),
        (left.one_client, "said by one client alone"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, why)| format!("{} {why}", some(*count, "phrase", "phrases")))
        .collect();
    list(&parts, "and")
}

fn features(features: &[Feature]) -> Option<String> {
    let shared: Vec<String> = features
        .iter()
        .map(|feature| {
            let types = feature.types.iter().map(|value_type| type_name(*value_type).to_owned());
            let roles = feature.roles.iter().map(|role| role_name(role));
            let all: Vec<String> = types.chain(roles).collect();
            format!(
                "{} in {}",
                list(&all, "and"),
                some(feature.fragments, "fragment", "fragments")
            )
        })
        .collect();
    (!shared.is_empty()).then(|| format!("What the fragments have in common: {}.", shared.join("; ")))
}

fn type_name(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Money => "an amount",
        ValueType::Time => "a time",
        ValueType::Date => "a date",
        ValueType::Duration => "a duration",
        ValueType::Address => "an address",
        ValueType::Place => "a place",
        ValueType::Number => "a number",
        ValueType::Name => "a name",
        ValueType::None => "no value",
    }
}

fn role_name(role: &str) -> String {
    match role {
        "SRC" => "where something begins".to_owned(),
        "DST" => "where something leads".to_owned(),
        "LOC" => "where something is".to_owned(),
        "RET" => "the way back or the end".to_owned(),
        "LV" => "leaving".to_owned(),
        "STA" => "the beginning".to_owned(),
        "PARTY" => "people, seats or tickets counted".to_owned(),
        "ROOM" => "rooms counted".to_owned(),
        "STAR" => "stars or a rating".to_owned(),
        "BAG" => "bags counted".to_owned(),
        other => match other.split_once(':') {
            Some(("U", word)) => format!("`{word}` counted"),
            Some((_, word)) => format!("`{word}` before it"),
            None => format!("`{other}`"),
        },
    }
}

fn near(patch: &Patch, nearest: &Nearest) -> String {
    let found = nearest
        .key_name
        .as_ref()
        .map(|name| format!("`{name}`"))
        .unwrap_or_default();
    let therefore = match &patch.change {
        KeyChange::Add(_) => "it became a key of its own".to_owned(),
        KeyChange::Refine { values, closes, .. } if !values.is_empty() => {
            let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
            let values = list(&values, "and");
            if *closes {
                format!("it is to list its values now, {values}")
            } else {
                format!("its list is to take in {values}")
            }
        }
        KeyChange::Refine { .. } => "it is to be described better".to_owned(),
    };
    let outcome = match (nearest.rule, &patch.change) {
        (NearRule::SameCluster, _) => {
            return format!("The same wishes led to {found} before, so {therefore}.");
        }
        (NearRule::ExactName, KeyChange::Add(_)) => {
            format!("{found} has the very name but cannot hold this, so {therefore}")
        }
        (NearRule::ExactName, KeyChange::Refine { .. }) => format!("{found} has the very name, so {therefore}"),
        (NearRule::Likelihood, _) => format!("{found} is meant, so {therefore}"),
        (NearRule::SameName, _) => format!("the name of {found} says the same, so {therefore}"),
        (NearRule::OneOfItsSorts, _) => format!("{found} tells such sorts apart, and this is one, so {therefore}"),
        (NearRule::NearlySameName, _) => {
            format!("by its name {found} would have been as good, so {therefore}")
        }
        (NearRule::OnlyKey, _) => format!("{found} is the only key that takes such a value, so {therefore}"),
        (NearRule::Nothing, _) => format!("none is the same, so {therefore}"),
    };
    let compared = some(nearest.compared, "existing key", "existing keys");
    let Some(first) = nearest.likeliest.first() else {
        return format!("It was compared with {compared}, by name alone: {outcome}.");
    };
    let barred = match first.barred {
        None => "",
        Some(Barred::OnlyOnOrOff) => ", but that key says only yes or no",
        Some(Barred::OtherValues) => ", but the two list no value in common",
    };
    format!(
        "It was compared with {compared}: the likeliest is `{}` with {} ({} would make it the same){barred}; {outcome}.",
        first.key_name,
        percent(first.probability),
        percent(nearest.needed)
    )
}

/// What a backtest foretells.
pub fn foretold(backtest: &Backtest) -> String {
    let Some(prediction) = backtest.prediction() else {
        return format!(
            "There was no history to try it on when it was induced on {}.",
            backtest.at.date()
        );
    };
    let mut sentence = format!(
        "Tried on {} since {}, as of {}: {} asked for it ({}, {}), and {} of those held a value that fits",
        some(backtest.payloads, "accepted payload", "accepted payloads"),
        backtest.since.date(),
        backtest.at.date(),
        backtest.asked,
        backtest.share.map(percent).unwrap_or_default(),
        some(backtest.clients, "known client", "known clients"),
        backtest.fitting,
    );
    sentence += &match (backtest.adoption, &backtest.if_all) {
        (Some(adoption), Some(all)) => format!(
            "; at the adoption of the scenario's other keys ({}) its usage would be {} and it would {}; if all of these came with it, {} and it would {}",
            percent(adoption),
            percent(prediction.usage),
            fate(prediction),
            percent(all.usage),
            fate(all),
        ),
        (Some(_) | None, _) => format!("; if all of these came with it, it would {}", fate(prediction)),
    };
    if backtest.alignment.is_none() {
        sentence += " (its values taken as right)";
    }
    sentence + "."
}

fn fate(prediction: &Prediction) -> String {
    let why = prediction.reason.as_ref().map(cause).unwrap_or_default();
    match prediction.verdict {
        Verdict::Promote => "be promoted".to_owned(),
        Verdict::Deprecate => format!("be deprecated{why}"),
        Verdict::Extend => "stay between promotion and deprecation".to_owned(),
        Verdict::Wait => "want for data".to_owned(),
    }
}

/// Why a key is deprecated, as far as that is to be said beside it.
fn cause(reason: &Reason) -> &'static str {
    match reason {
        Reason::LowUsage => " for too little use",
        Reason::LowAlignment => " for values that do not say what was said",
        Reason::LowType => " for values of the wrong type",
        Reason::NoEvidence => " for want of evidence by its date",
        _ => "",
    }
}

/// What happened beside what was foretold; `None` without a backtest that foretells anything, or without payloads since.
pub fn compared(patch: &Patch, now: &KeyReading) -> Option<String> {
    let prediction = patch.backtest.as_deref()?.prediction()?;
    let outcome = Outcome::of(patch, now);
    let usage = outcome.reading.usage(&patch.audience)?;
    Some(difference(prediction, usage, outcome.reason))
}

/// The same for one decision of the rule, by the ledger as it was read for it.
pub fn decided(patch: &Patch, reason: &Reason, reading: &KeyReading) -> Option<String> {
    let prediction = patch.backtest.as_deref()?.prediction()?;
    outcome::verdict(reason)?;
    Some(difference(prediction, reading.usage(&patch.audience)?, Some(reason)))
}

/// The difference between what was foretold and what was measured, in a sentence; `decided` is why the rule decided, if it did.
pub fn difference(prediction: &Prediction, usage: f64, decided: Option<&Reason>) -> String {
    let points = ((usage - prediction.usage) * 100.0).round();
    let apart = some(points.abs() as u64, "point", "points");
    let more = if points > 0.0 {
        format!("{apart} more than foretold")
    } else if points < 0.0 {
        format!("{apart} less than foretold")
    } else {
        "as foretold".to_owned()
    };
    let verdict = decided.and_then(|reason| Some((reason, outcome::verdict(reason)?)));
    let foretold = |reason: &Reason| prediction.reason.as_ref().is_none_or(|foretold| foretold == reason);
    let ended = match verdict {
        None => "nothing is decided yet".to_owned(),
        Some((reason, verdict)) if verdict == prediction.verdict && foretold(reason) => {
            "the decision was the one foretold".to_owned()
        }
        Some((_, Verdict::Promote)) => format!("it was promoted, while it was to {}", fate(prediction)),
        Some((reason, Verdict::Deprecate)) => {
            format!(
                "it was deprecated{}, while it was to {}",
                cause(reason),
                fate(prediction)
            )
        }
        Some((_, Verdict::Extend | Verdict::Wait)) => {
            format!("its trial was prolonged, while it was to {}", fate(prediction))
        }
    };
    format!(
        "{} of the payloads came with it, {more} ({}); {ended}.",
        percent(usage),
        percent(prediction.usage)
    )
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn some(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn spoken(word: &str) -> String {
    word.replace('_', " ")
}

/// `a`, `a and b`, `a, b and c`.
fn list(parts: &[String], last: &str) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests;
