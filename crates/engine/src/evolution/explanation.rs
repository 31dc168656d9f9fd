//! The explanation of a patch: its grounds, its backtest and its outcome in sentences that a person reads with ease.
//!
//! Owns the wording; decides nothing and reads nothing but the patch. Every sentence says what was noted when it was
//! decided, and where nothing was noted nothing is said.

use text::phrase;

use crate::evolution::backtest::Backtest;
use crate::evolution::backtest::Prediction;
use crate::evolution::backtest::Verdict;
use crate::evolution::edit;
use crate::evolution::ledger::KeyReading;
use crate::evolution::outcome;
use crate::evolution::outcome::Outcome;
use crate::evolution::patch::Patch;
use crate::evolution::stage::Reason;
use crate::pool::gate::Audience;
use crate::pool::heat::MICRO;
use crate::pool::rationale::NameSource;
use crate::pool::rationale::NearRule;
use crate::pool::rationale::Nearest;
use crate::pool::rationale::Rationale;
use schema::effective::KeyChange;
use schema::name::SchemaId;

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
        said.extend(unshown(patch, grounds));
        said.extend(name(patch, grounds));
        said.extend(grounds.nearest.as_ref().map(|nearest| near(patch, nearest)));
    }
    said.extend(patch.sensitive.iter().map(|meaning| {
        let meaning = meaning.replace('_', " ");
        format!("Its meaning is sensitive ({meaning}), so a person decides.")
    }));
    let held = patch.holds.iter();
    said.extend(held.map(|hold| format!("A person decides, since {}.", hold.reason())));
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
        list(&changed),
        if changed.len() == 1 { "is not" } else { "are not" },
        patch.proposed().key_name()
    ))
}

fn asked(patch: &Patch) -> String {
    let gate = &patch.gate;
    let (whom, by) = match &patch.audience {
        Audience::Global => ("for all", some(gate.clients, "known client", "known clients")),
        Audience::Cohort(_) => {
            let clients = some(gate.clients, "client", "clients");
            ("for one cohort of clients", format!("{clients} of that cohort"))
        }
        Audience::Client(_) => ("for one client alone", "that client".to_owned()),
    };
    let (times, heat) = match &patch.audience {
        Audience::Global | Audience::Cohort(_) => (gate.occurrences, gate.capped_heat_micro),
        Audience::Client(_) => (gate.top_occurrences, gate.top_heat_micro),
    };
    format!(
        "It was proposed {whom} because {by} asked for it {} within the gate's window, with a heat of {}.",
        some(times, "time", "times"),
        heat / MICRO
    )
}

fn read(grounds: &Rationale) -> String {
    let mut read = format!(
        "It was made of {} of {}",
        some(grounds.fragments, "fragment", "fragments"),
        some(grounds.clients, "known client", "known clients"),
    );
    if let Some(certainty) = &grounds.certainty {
        let told = [
            (certainty.named, "with all words of its name"),
            (certainty.valued, "with one value"),
            (certainty.denied, "with a denial"),
        ];
        let told = told.iter().filter(|(count, _)| *count > 0);
        let told: Vec<String> = told.map(|(count, what)| format!("{count} {what}")).collect();
        if !told.is_empty() {
            read += &format!("; of these {}", list(&told));
        }
    }
    read + "."
}

/// How much of it an approver does not see, and why.
fn unshown(patch: &Patch, grounds: &Rationale) -> Option<String> {
    let shown = patch.examples.len() as u64;
    let unshown = grounds.fragments.checked_sub(shown).filter(|unshown| *unshown > 0)?;
    Some(format!(
        "Of its fragments {unshown} {} not shown beside {}: each was said by fewer clients than `evolution.example_clients_min`, is one \
         too many to be shown, or is private or erased.",
        if unshown == 1 { "is" } else { "are" },
        some(shown, "example", "examples"),
    ))
}

fn name(patch: &Patch, grounds: &Rationale) -> Option<String> {
    let naming = &grounds.name;
    let reason = match naming.source {
        NameSource::Untold => return None,
        NameSource::Phrase => "these are the words that its fragments share most",
        NameSource::Reader if patch.read.as_ref().is_some_and(|wish| wish.by_hand) => "a person calls it so",
        NameSource::Reader => "a reader calls it so",
        NameSource::Retired => "a rule of before found it",
    };
    let (called, own) = match patch.proposed() {
        KeyChange::Add(key) => ("it is called", key.key_name.as_str()),
        KeyChange::Refine { .. } => ("as a key of its own it would have been", naming.name.as_str()),
    };
    Some(match &naming.wanted {
        // What speaks for a name speaks for the one that was found, not for what was put behind it to tell two apart.
        Some(wanted) => {
            format!("`{wanted}` was found for it because {reason}; that name was taken already, so {called} `{own}`.")
        }
        None => format!("{} `{own}` because {reason}.", phrase::capitalised(called)),
    })
}

fn near(patch: &Patch, nearest: &Nearest) -> String {
    let found = nearest
        .key_name
        .as_ref()
        .map_or_else(|| "another key".to_owned(), |name| format!("`{name}`"));
    let therefore = match &patch.change {
        KeyChange::Add(_) => "it became a key of its own".to_owned(),
        KeyChange::Refine { values, closes, .. } if !values.is_empty() => {
            let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
            let values = list(&values);
            if *closes {
                format!("it is to list its values now, {values}")
            } else {
                format!("its list is to take in {values}")
            }
        }
        KeyChange::Refine { .. } => "it is to be described better".to_owned(),
    };
    let outcome = match nearest.rule {
        NearRule::SameCluster => return format!("The same wishes led to {found} before, so {therefore}."),
        NearRule::SameName => format!("the name of {found} says the same"),
        NearRule::Retired => format!("{found} was near by a rule of before"),
        NearRule::Nothing => "none is the same".to_owned(),
    };
    let compared = some(nearest.compared, "existing key", "existing keys");
    format!("It was compared with {compared}, by name alone: {outcome}, so {therefore}.")
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
        "Held against {} since {}, as of {}: {} hold a fragment of its cluster ({}, {}), and {} of those a value of its type, which need \
         not be the value that was meant",
        some(backtest.payloads, "accepted payload", "accepted payloads"),
        backtest.since.date(),
        backtest.at.date(),
        backtest.asked,
        backtest.share.map(percent).unwrap_or_default(),
        some(backtest.clients, "known client", "known clients"),
        backtest.fitting,
    );
    sentence += &match (backtest.experience.adoption, &backtest.if_all) {
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
    if backtest.experience.alignment.is_none() {
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
    let decided = outcome.decided.map(|(change, _)| &change.reason);
    Some(difference(prediction, outcome.reading.usage(&patch.audience)?, decided))
}

/// The same for one decision of the rule, by the ledger as it was read for it.
pub fn decided(patch: &Patch, reason: &Reason, reading: &KeyReading) -> Option<String> {
    let prediction = patch.backtest.as_deref()?.prediction()?;
    outcome::verdict(reason)?;
    Some(difference(prediction, reading.usage(&patch.audience)?, Some(reason)))
}

/// The difference between what was foretold and what was measured, in a sentence; `decided` is why the rule decided, if it did.
fn difference(prediction: &Prediction, usage: f64, decided: Option<&Reason>) -> String {
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

/// `a`, `a and b`, `a, b and c`.
fn list(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., end] => format!("{} and {end}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests;
