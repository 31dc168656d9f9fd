//! The decision log of a scenario: each decision in a sentence that a person understands.
//!
//! Owns the wording; decides nothing. Facts, looks and what was merely forgotten are not told. Invariant: what [`of`] tells are exactly
//! the entries that the state lists as decisions.

use serde::Serialize;
use utoipa::ToSchema;

use crate::evolution::explanation;
use crate::evolution::induction::Abstention;
use crate::evolution::operator_action::Scope;
use crate::evolution::patch::Patch;
use crate::evolution::review::Review;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::pool::gate::Audience;
use crate::pool::gate::GateReading;
use crate::pool::heading::Heading;
use crate::pool::heading::Wish;
use crate::pool::heat::MICRO;
use crate::pool::micro::ClusterId;
use crate::scenario::event::Entry;
use crate::scenario::event::Event;
use crate::scenario::event::Settlement;
use crate::scenario::state::State;
use schema::act::By;
use schema::effective::KeyChange;
use schema::name::PatchId;
use schema::name::SchemaId;

/// What was decided, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    Triggered,
    Settled,
    Rehomed,
    Reviewed,
    ReviewFailed,
    Proposed,
    Revived,
    Edited,
    Staged,
    Audited,
    Dismissed,
    Frozen,
    Thawed,
    SchemaPublished,
    SchemaRetired,
    SchemaRestored,
    SchemaDeprecated,
    SchemaChecked,
}

/// One decision, told later than it was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    pub what: DecisionKind,
    pub says: String,
    pub patch_id: Option<PatchId>,
    pub schema_id: Option<SchemaId>,
    /// Who decided it, where it was no rule.
    pub by: Option<By>,
    /// What that person said of it.
    pub reason: Option<String>,
    /// What stands behind it, in sentences.
    pub because: Vec<String>,
}

/// What an event decides, if anything.
fn kind(event: &Event) -> Option<DecisionKind> {
    Some(match event {
        Event::Triggered { .. } => DecisionKind::Triggered,
        Event::Settled { .. } => DecisionKind::Settled,
        Event::Rehomed { .. } => DecisionKind::Rehomed,
        Event::Reviewed(_) => DecisionKind::Reviewed,
        Event::ReviewFailed { .. } => DecisionKind::ReviewFailed,
        Event::Proposed { .. } => DecisionKind::Proposed,
        Event::Revived { .. } => DecisionKind::Revived,
        Event::Edited { .. } => DecisionKind::Edited,
        Event::Staged { .. } => DecisionKind::Staged,
        Event::Audited(_) => DecisionKind::Audited,
        Event::Dismissed { .. } => DecisionKind::Dismissed,
        Event::Frozen { .. } => DecisionKind::Frozen,
        Event::Thawed { .. } => DecisionKind::Thawed,
        Event::BasePublished { .. } => DecisionKind::SchemaPublished,
        Event::BaseRetired { .. } => DecisionKind::SchemaRetired,
        Event::BaseRestored { .. } => DecisionKind::SchemaRestored,
        Event::BaseDeprecated { .. } => DecisionKind::SchemaDeprecated,
        Event::SchemaChecked { .. } => DecisionKind::SchemaChecked,
        _ => return None,
    })
}

/// Whether the decision log tells an event.
pub fn tells(event: &Event) -> bool {
    kind(event).is_some()
}

/// The decision of an entry, by a state at that entry or later: keys are called by the names that they have in that state.
pub fn of(entry: &Entry, state: &State) -> Option<Decision> {
    let event = &entry.event;
    let what = kind(event)?;
    let base = |schema_id: &SchemaId, what: &str| format!("schema {schema_id} was {what}");
    let says = match event {
        Event::Triggered {
            cluster,
            audience,
            gate,
        } => Some(opened(*cluster, audience, gate)),
        Event::Edited {
            patch_id,
            change,
            by: None,
            ..
        } => {
            let before = entry.seq.saturating_sub(1);
            let was = state.patch(patch_id).map_or(change, |patch| patch.change_at(before));
            Some(remade(was, change))
        }
        Event::BasePublished { template, unproved, .. } => Some(format!(
            "{} as version {}{}",
            base(&template.schema_id, "published"),
            template.version(),
            if *unproved {
                "; accepted although not proved compatible"
            } else {
                ""
            }
        )),
        Event::BaseRetired { schema_id, by: _ } => Some(base(schema_id, "retired")),
        Event::BaseRestored { schema_id, by: _ } => Some(base(schema_id, "restored")),
        Event::SchemaChecked { schema_id, by: _ } => Some(base(schema_id, "checked against stored submissions")),
        Event::BaseDeprecated { schema_id, sunset, .. } => {
            let sunset = sunset.map_or_else(String::new, |sunset| {
                format!("; it may be gone from {} on", sunset.rfc3339())
            });
            Some(base(schema_id, "deprecated") + &sunset)
        }
        _ => tell(event, state),
    };
    let (by, reason) = match event {
        Event::Reviewed(review) => (Some(By::from(review.by.as_str())), None),
        Event::Audited(audited) => (Some(By::from(audited.by.as_str())), audited.because.clone()),
        Event::Edited { because: said, .. } | Event::Staged { because: said, .. } => {
            (event.by().cloned(), said.clone())
        }
        Event::BaseDeprecated { reason: said, .. }
        | Event::Frozen { reason: said, .. }
        | Event::Thawed { reason: said, .. }
        | Event::Dismissed { reason: said, .. } => (event.by().cloned(), said.clone()),
        _ => (event.by().cloned(), None),
    };
    Some(Decision {
        what,
        says: says?,
        patch_id: event.patch_id().cloned(),
        schema_id: event.schema_id().cloned(),
        by,
        reason,
        because: tell_why(event, state),
    })
}

/// The sentence for an event; `state` is the one that it was applied to, before or after. `None` for what is no decision
/// about a key.
pub fn tell(event: &Event, state: &State) -> Option<String> {
    match event {
        Event::Triggered {
            cluster,
            audience,
            gate,
        } => Some(format!(
            "{}, {} fragments in it",
            opened(*cluster, audience, gate),
            state.pool.members(*cluster),
        )),
        Event::Settled {
            cluster: ClusterId(cluster),
            audience,
            settlement,
        } => {
            let (whom, why) = (people(audience), settled(settlement));
            Some(format!("cluster {cluster} came to no key for {whom}: {why}"))
        }
        Event::Rehomed {
            patch_id,
            cluster: ClusterId(cluster),
        } => Some(format!(
            "{} goes on with cluster {cluster}, which means it as well: its own fell to another key's",
            subject(state, patch_id),
        )),
        Event::Reviewed(review) => Some(reviewed(review)),
        Event::ReviewFailed { why } => Some(format!("the reader gave no answer: {why}")),
        Event::Proposed { patch } => Some(proposed(patch)),
        Event::Revived {
            patch_id,
            cluster: ClusterId(cluster),
            gate,
            stage,
            ..
        } => {
            let audience = state.patch(patch_id).map_or(&Audience::Global, |patch| &patch.audience);
            Some(format!(
                "{} came back as {}: cluster {cluster} asks for it again, {}",
                subject(state, patch_id),
                stage.name(),
                evidence(gate, audience)
            ))
        }
        Event::Edited {
            patch_id,
            change,
            by,
            because: said,
            ..
        } => Some(match by {
            Some(by) => format!(
                "key `{}` was edited by {by}{}",
                change.key_name(),
                aside(said.as_deref())
            ),
            None => {
                let was = state.patch(patch_id).and_then(|patch| patch.edits.last());
                remade(was.map_or(change, |edited| &edited.was), change)
            }
        }),
        Event::Staged {
            patch_id,
            stage,
            reason,
            by,
            because: said,
            scope,
            ..
        } => Some(format!(
            "{} is {} now: {}{}{}{}",
            subject(state, patch_id),
            stage.name(),
            because(reason),
            by.as_ref().map_or_else(String::new, |by| format!(" ({by})")),
            aside(said.as_deref()),
            match scope {
                Some(Scope::Key) => "; what asks for it is read anew",
                Some(Scope::Demand) | None => "",
            }
        )),
        Event::Frozen { by, reason } => Some(format!("evolution was frozen by {by}{}", aside(reason.as_deref()))),
        Event::Thawed { by, reason } => Some(format!("evolution goes on, by {by}{}", aside(reason.as_deref()))),
        Event::Dismissed {
            cluster: ClusterId(cluster),
            until,
            by,
            reason,
        } => Some(format!(
            "cluster {cluster} was found to be no wish by {by}, and nothing is proposed of it until {}{}",
            until.rfc3339(),
            aside(reason.as_deref())
        )),
        Event::Audited(audited) => Some(format!(
            "{} looked at a value of `{}`: {}{}",
            audited.by,
            name(state, &audited.patch_id),
            audited.verdict.name().replace('_', " "),
            aside(audited.because.as_deref())
        )),
        _ => None,
    }
}

/// What stands behind a decision, in sentences: why a key was proposed so and what its history foretells, and at the
/// end of a trial how that compares with what happened. `state` is the one after the event.
pub fn tell_why(event: &Event, state: &State) -> Vec<String> {
    match event {
        Event::Proposed { patch } => {
            let mut said = explanation::why(patch);
            said.extend(patch.backtest.as_deref().map(explanation::foretold));
            said
        }
        Event::Revived {
            backtest: Some(backtest),
            ..
        }
        | Event::Edited {
            backtest: Some(backtest),
            by: None,
            ..
        } => vec![explanation::foretold(backtest)],
        Event::Staged {
            patch_id,
            stage: Stage::Stable { .. } | Stage::Deprecated { .. },
            reason,
            reading: Some(reading),
            ..
        } => {
            let patch = state.patch(patch_id);
            patch
                .and_then(|patch| explanation::decided(patch, reason, reading))
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    }
}

/// That a gate opened, and what it read.
fn opened(ClusterId(cluster): ClusterId, audience: &Audience, gate: &GateReading) -> String {
    format!(
        "cluster {cluster} opened its gate for {}: {}",
        people(audience),
        evidence(gate, audience)
    )
}

/// That a key was made anew, out of what it was.
fn remade(was: &KeyChange, change: &KeyChange) -> String {
    let (was, name) = (was.key_name(), change.key_name());
    let renamed = match was == name {
        true => String::new(),
        false => format!(" and is called `{name}` now"),
    };
    format!("key `{was}` was made anew of what was said since{renamed}")
}

/// What a person said of it, after a colon.
fn aside(said: Option<&str>) -> String {
    said.map_or_else(String::new, |said| format!(": {said}"))
}

fn name(state: &State, patch_id: &PatchId) -> String {
    let patch = state.patch(patch_id);
    patch.map_or_else(|| patch_id.to_string(), |patch| patch.change.key_name().to_string())
}

/// What a patch brings: a key, or something to a key, which stands by itself and may stay where this goes.
fn subject(state: &State, patch_id: &PatchId) -> String {
    match state.patch(patch_id).map(|patch| &patch.change) {
        Some(KeyChange::Refine {
            key_name,
            values,
            closes,
            ..
        }) => match (values.is_empty(), closes) {
            (true, _) => format!("the better description of key `{key_name}`"),
            (false, true) => format!("the list of key `{key_name}` ({})", values.join(", ")),
            (false, false) => format!("the longer list of key `{key_name}` ({})", values.join(", ")),
        },
        Some(KeyChange::Add(_)) | None => format!("key `{}`", name(state, patch_id)),
    }
}

/// `all`, the cohort, or the client alone.
pub fn people(audience: &Audience) -> String {
    match audience {
        Audience::Global => "all".to_owned(),
        Audience::Cohort(cohort) => format!("the cohort {cohort}"),
        Audience::Client(client) => format!("{client} alone"),
    }
}

/// What a gate read of those for whom it is, in words.
pub fn evidence(gate: &GateReading, audience: &Audience) -> String {
    let some = |count: u64, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let (who, times, heat) = match audience {
        Audience::Global | Audience::Cohort(_) => (
            some(gate.clients, "client", "clients"),
            gate.occurrences,
            gate.capped_heat_micro,
        ),
        Audience::Client(client) => (client.to_string(), gate.top_occurrences, gate.top_heat_micro),
    };
    format!(
        "{who} asked {} in the window, heat {}",
        some(times, "time", "times"),
        heat / MICRO
    )
}

fn proposed(patch: &Patch) -> String {
    let key_name = patch.change.key_name();
    let what = match &patch.change {
        KeyChange::Add(_) => format!("key `{key_name}` was proposed"),
        KeyChange::Refine { values, .. } if values.is_empty() => {
            format!("a better description of key `{key_name}` was proposed")
        }
        KeyChange::Refine { values, .. } => {
            format!("more values of key `{key_name}` were proposed ({})", values.join(", "))
        }
    };
    let begins = match &patch.stage {
        Stage::Experimental(_) => "; it is on trial",
        Stage::Queued { .. } => "; it waits for room in the guard",
        Stage::AwaitingApproval { .. } => "; it waits for a person",
        _ => "",
    };
    format!(
        "{what} for {} out of cluster {}: {}{begins}",
        people(&patch.audience),
        patch.cluster.0,
        evidence(&patch.gate, &patch.audience)
    )
}

/// Why a cluster came to nothing, in words.
pub fn settled(settlement: &Settlement) -> String {
    let abstained = match settlement {
        Settlement::Abstained(abstention) => abstention,
        // It may lack values of what was said: too rare ones, and those of a change that waits.
        Settlement::Covered(key) => {
            return format!("key `{key}` stands for what it asks for, and nothing is added to that key now");
        }
        Settlement::CoolingDown(until) => {
            let until = until.rfc3339();
            return format!("the key that it would bring back is cooling down until {until}");
        }
        Settlement::Refused(key) => return format!("a person found key `{key}` wrong for it"),
        Settlement::PersonalFull => return "as many keys of single clients wait in this scenario as may".to_owned(),
    };
    let said = match abstained {
        Abstention::Question => "its texts are mostly questions",
        Abstention::NoContent => {
            "its texts have no content in common, or nothing of them may be shown, as where they tell secrets or what is personal"
        }
        Abstention::NoName => "no name could be made of its texts that is legal and tells nothing sensitive",
        Abstention::FewFragments(_) => "fewer fragments say it than a key needs (policy.pool.mature_members_min)",
        Abstention::OneClient => "one client said too much of it for a key that is everybody's",
        Abstention::Words => {
            "the reader's name for it holds a word that too few clients said to be shown to others \
             (policy.evolution.example_clients_min)"
        }
        Abstention::Examples => {
            "no example of it may be shown to others: too few clients said the same words \
             (policy.evolution.example_clients_min), or they are private"
        }
    };
    said.to_owned()
}

/// How many wishes a reader found, and of how many parts of its answer nothing came.
fn reviewed(review: &Review) -> String {
    let headings = review
        .regrouping
        .groups
        .iter()
        .filter_map(|group| group.heading.as_ref());
    let wishes: Vec<&Wish> = headings.filter_map(Heading::wish).collect();
    let did = match review.unread {
        true => "made keys of clusters, unread",
        false => "read what was said",
    };
    let refused = review.refused.len();
    format!(
        "{} {did}: {} wishes; {refused} parts of the answer were refused",
        review.by,
        wishes.len()
    )
}

fn because(reason: &Reason) -> &'static str {
    match reason {
        Reason::GateOpened => "its gate opened",
        Reason::GuardFull => "as many keys are on trial as may be",
        Reason::RoomInGuard => "there is room for its trial",
        Reason::NeedsApproval => "a person has to look at it first",
        Reason::Promoted => "it is used, used rightly, and of the right type",
        Reason::MiddleBand => "it is neither used enough to stay nor little enough to go",
        Reason::Measured => "it was measured again and stays",
        Reason::TooLittleData => "too little was submitted to judge it",
        Reason::LowUsage => "it is used too little",
        Reason::LowAlignment => "its values do not say what was said",
        Reason::LowType => "its values are of the wrong type",
        Reason::ExtensionsSpent => "its trial was prolonged as often as may be",
        Reason::UsageBetween => "its trial was prolonged as often as may be, and its usage leaves it to a person",
        Reason::ClientsDisagree => "one client's payloads say otherwise than most clients', and a person decides",
        Reason::NoEvidence => "its patch ran out without evidence",
        Reason::GraceOver => "its time of grace is over",
        Reason::WindowOver => "the window in which it was still accepted is over",
        Reason::GateClosed => "fewer ask for it than when its gate opened",
        Reason::NameTaken => "a key that the same clients have took its name",
        Reason::Folded => "another key stands for the same demand",
        Reason::WithKey => "the key that it refines goes",
        Reason::Revived => "it is wanted again",
        Reason::Remade => "twice as many ask for it, and it was made anew of what they say",
        Reason::Operator => "a person decided so",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolution::backtest::sample as backtests;
    use crate::evolution::operator_action::OperatorAction;
    use crate::scenario::sample::GOOD;
    use crate::scenario::sample::Scene;
    use crate::scenario::sample::alone;
    use crate::scenario::sample::candidate;
    use crate::scenario::sample::key_name;
    use schema::time::DAY_MS;

    #[test]
    fn what_a_gate_read_is_told_of_one_and_of_several_z093() {
        for (clients, occurrences, audience, said) in [
            (1, 10, Audience::Global, "1 client asked 10 times in the window, heat 0"),
            (2, 1, Audience::Global, "2 clients asked 1 time in the window, heat 0"),
            (4, 20, alone("noor"), "noor asked 3 times in the window, heat 0"),
        ] {
            let gate = GateReading {
                clients,
                occurrences,
                top_occurrences: 3,
                ..GateReading::default()
            };
            assert_eq!(evidence(&gate, &audience), said);
        }
    }

    #[test]
    fn a_keys_life_is_told_in_sentences_with_what_stands_behind_z093_z109_z143_z144() {
        let mut scene = Scene::new();
        scene.demand(&Audience::Global);
        let mut log = Vec::new();
        let note = |log: &mut Vec<(String, Vec<String>)>, scene: &Scene, events: &[Event]| {
            let told = events
                .iter()
                .filter_map(|event| Some((tell(event, &scene.state)?, tell_why(event, &scene.state))));
            log.extend(told);
        };
        let opened = scene.rest();
        note(&mut log, &scene, &opened);
        let mut abstained = scene.clone();
        let settled = abstained.abstain(Abstention::NoContent);
        let mut induced = candidate("seat_preference");
        induced.backtest = Some(Box::new(backtests::backtest(scene.state.at)));
        let proposed = scene.induce(induced);
        note(&mut log, &scene, &proposed);
        let id = scene.last().patch_id.clone();
        scene.traffic(&id, GOOD);
        scene.pass(7 * DAY_MS);
        let promoted = scene.rest();
        note(&mut log, &scene, &promoted);
        let gone = scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
        note(&mut log, &scene, &gone);
        note(&mut log, &abstained, &settled);
        let expected = [
            (
                "cluster 0 opened its gate for all: 5 clients asked 5 times in the window, heat 100, 5 fragments in it",
                "",
            ),
            (
                "key `seat_preference` was proposed for all out of cluster 0: 5 clients asked 5 times in the window, heat 100; it is on trial",
                "Held against 200 accepted payloads",
            ),
            (
                "key `seat_preference` is stable now: it is used, used rightly, and of the right type",
                "the decision was the one foretold.",
            ),
            (
                "key `seat_preference` is deprecated now: a person decided so (op): it was time",
                "",
            ),
            (
                "cluster 0 came to no key for all: its texts have no content in common, or nothing of them may be shown, as where they \
                 tell secrets or what is personal",
                "",
            ),
        ];
        assert_eq!(log.len(), expected.len(), "{log:?}");
        for ((told, why), (said, behind)) in log.iter().zip(expected) {
            assert_eq!(told, said);
            assert_eq!(why.is_empty(), behind.is_empty(), "{why:?}");
            assert!(why.join(" ").contains(behind), "{why:?}");
        }
    }

    #[test]
    fn what_becomes_of_an_addition_is_not_said_of_its_key_z109_z113_z114() {
        let mut scene = Scene::new();
        scene.propose("seat_preference");
        let wider = scene.propose("umbrella_rental");
        // As journals of before hold it.
        let patch = scene.state.patches.last_mut().expect("a patch");
        patch.change = KeyChange::Refine {
            key_name: key_name("seat_preference"),
            semantic_description: "Seat.".to_owned(),
            values: vec!["middle".to_owned()],
            closes: false,
        };
        let gone = scene.operate(&wider, OperatorAction::Deprecate).expect("deprecated");
        let said = tell(&gone[0], &scene.state).expect("a decision");
        assert!(
            said.starts_with("the longer list of key `seat_preference` (middle) is deprecated now"),
            "{said}"
        );
        // A list that lacks what was said is not said to hold all of it.
        let said = settled(&Settlement::Covered(key_name("seat_preference")));
        assert!(
            said.ends_with("stands for what it asks for, and nothing is added to that key now"),
            "{said}"
        );
    }
}
