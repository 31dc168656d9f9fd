//! The account of a scenario: each decision in a sentence that a person understands.
//!
//! Owns the wording; decides nothing. Facts, looks and what was merely forgotten are not told.

use crate::evolution::explanation;
use crate::evolution::induction::Abstention;
use crate::evolution::operator_action::Scope;
use crate::evolution::patch::Patch;
use crate::evolution::review::Review;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::pool::gate::Audience;
use crate::pool::gate::GateReading;
use crate::pool::heat::MICRO;
use crate::scenario::event::Event;
use crate::scenario::event::Settlement;
use crate::scenario::state::State;
use schema::effective::KeyChange;
use schema::name::PatchId;

/// The sentence for an event; `state` is the one that it was applied to, before or after. `None` for what is no decision
/// about a key.
pub fn tell(event: &Event, state: &State) -> Option<String> {
    match event {
        Event::Triggered {
            cluster,
            audience,
            gate,
        } => Some(format!(
            "cluster {} opened its gate for {}: {}, {} fragments in it",
            cluster.0,
            people(audience),
            evidence(gate, audience),
            state.pool.members(*cluster),
        )),
        Event::Settled {
            cluster,
            audience,
            settlement,
        } => Some(format!(
            "cluster {} came to no key for {}: {}",
            cluster.0,
            people(audience),
            settled(settlement)
        )),
        Event::Rehomed { patch_id, cluster } => Some(format!(
            "{} goes on with cluster {}, which means it as well: its own fell to another key's",
            subject(state, patch_id),
            cluster.0
        )),
        Event::Reviewed(review) => Some(reviewed(review)),
        Event::ReviewFailed { why } => Some(format!("the reader gave no answer: {why}")),
        Event::Proposed { patch } => Some(proposed(patch)),
        Event::Revived {
            patch_id,
            cluster,
            gate,
            stage,
            expiration: _,
            backtest: _,
        } => Some(format!(
            "{} came back as {}: cluster {} asks for it again, {}",
            subject(state, patch_id),
            stage.name(),
            cluster.0,
            evidence(
                gate,
                state.patch(patch_id).map_or(&Audience::Global, |patch| &patch.audience)
            )
        )),
        Event::Edited {
            patch_id,
            change,
            surfaces: _,
            by,
            because: said,
            backtest: _,
            remade: _,
        } => Some(match by {
            Some(by) => format!(
                "key `{}` was edited by {by}{}",
                change.key_name(),
                aside(said.as_deref())
            ),
            None => {
                let was = state.patch(patch_id).and_then(|patch| patch.edits.last());
                let was = was.map_or(change, |edited| &edited.was).key_name();
                let renamed = match was == change.key_name() {
                    true => String::new(),
                    false => format!(" and is called `{}` now", change.key_name()),
                };
                format!("key `{was}` was made anew of what was said since{renamed}")
            }
        }),
        Event::Staged {
            patch_id,
            stage,
            reason,
            by,
            reading: _,
            cool_until: _,
            hand: _,
            because: said,
            scope,
            expiration: _,
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

/// What a person said of it, after a colon.
fn aside(said: Option<&str>) -> String {
    said.map_or_else(String::new, |said| format!(": {said}"))
}

fn name(state: &State, patch_id: &PatchId) -> String {
    state
        .patch(patch_id)
        .map_or_else(|| patch_id.to_string(), |patch| patch.change.key_name().to_string())
}

/// What a patch brings: a key, or something to a key, which stands by itself and may stay where this goes.
fn subject(state: &State, patch_id: &PatchId) -> String {
    let name = name(state, patch_id);
    match state.patch(patch_id).map(|patch| &patch.change) {
        Some(KeyChange::Refine { values, .. }) if values.is_empty() => {
            format!("the better description of key `{name}`")
        }
        Some(KeyChange::Refine {
            values, closes: true, ..
        }) => format!("the list of key `{name}` ({})", values.join(", ")),
        Some(KeyChange::Refine { values, .. }) => format!("the longer list of key `{name}` ({})", values.join(", ")),
        Some(KeyChange::Add(_)) | None => format!("key `{name}`"),
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
    let what = match &patch.change {
        KeyChange::Add(key) => format!("key `{}` was proposed", key.key_name),
        KeyChange::Refine { key_name, values, .. } if values.is_empty() => {
            format!("a better description of key `{key_name}` was proposed")
        }
        KeyChange::Refine {
            key_name,
            values,
            closes: true,
            ..
        } => format!(
            "a list of its values was proposed for key `{key_name}` ({})",
            values.join(", ")
        ),
        KeyChange::Refine { key_name, values, .. } => {
            format!("more values of key `{key_name}` were proposed ({})", values.join(", "))
        }
    };
    let begins = match &patch.stage {
        Stage::Experimental(_) => "; it is on trial",
        Stage::Queued { .. } => "; it waits for room in the guard",
        Stage::AwaitingApproval { .. } => "; it waits for a person",
        Stage::Stable { .. }
        | Stage::Deprecated { .. }
        | Stage::Withdrawn { .. }
        | Stage::Expired { .. }
        | Stage::Lapsed { .. }
        | Stage::Rejected { .. } => "",
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
    match settlement {
        Settlement::Abstained(Abstention::Question) => "it asks about the service and wants nothing of it".to_owned(),
        Settlement::Abstained(Abstention::NoContent) => "its fragments have no content in common".to_owned(),
        Settlement::Abstained(Abstention::NoName) => "no name could be found that may be shown".to_owned(),
        Settlement::Abstained(Abstention::FewFragments(_)) => "too few fragments say it".to_owned(),
        Settlement::Abstained(Abstention::OneClient) => {
            "one client said too much of it for a key that is everybody's".to_owned()
        }
        Settlement::Abstained(Abstention::Words) => {
            "the reader's name for it holds a word that too few clients said".to_owned()
        }
        Settlement::Abstained(Abstention::Examples) => "no example of it may be shown to others".to_owned(),
        // It may lack values of what was said: too rare ones, and those of a change that waits.
        Settlement::Covered(key) => {
            format!("key `{key}` stands for what it asks for, and nothing is added to that key now")
        }
        Settlement::CoolingDown(until) => format!("its key went away and may come back from {} on", until.rfc3339()),
        Settlement::Refused(key) => format!("a person found key `{key}` wrong for it"),
        Settlement::PersonalFull => "there are as many personal keys as may be".to_owned(),
    }
}

/// How many wishes a reader found, and of how many parts of its answer nothing came.
fn reviewed(review: &Review) -> String {
    let headings = review
        .regrouping
        .groups
        .iter()
        .filter_map(|group| group.heading.as_ref());
    let wishes = headings.filter(|heading| heading.wish().is_some()).count();
    let refused = review.refused.len();
    format!(
        "{} read what was said: {wishes} wishes; {refused} parts of the answer were refused",
        review.by
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
    use serde_json::json;

    use super::KeyChange;
    use super::evidence;
    use super::tell;
    use super::tell_why;
    use crate::evolution::backtest::sample as backtests;
    use crate::evolution::induction::Abstention;
    use crate::evolution::operator_action::OperatorAction;
    use crate::evolution::policy::Autonomy;
    use crate::pool::gate::Audience;
    use crate::pool::gate::GateReading;
    use crate::scenario::command::Command;
    use crate::scenario::command::Induced;
    use crate::scenario::sample::GOOD;
    use crate::scenario::sample::Scene;
    use crate::scenario::sample::candidate;
    use crate::scenario::sample::candidate_of;
    use crate::scenario::sample::client;
    use crate::scenario::sample::key_name;
    use schema::time::DAY_MS;

    #[test]
    fn what_a_gate_read_is_told_of_one_and_of_several_z093() {
        let own = Audience::Client(client("noor"));
        let of = |clients, occurrences, audience| {
            let gate = GateReading {
                clients,
                occurrences,
                top_occurrences: 3,
                ..GateReading::default()
            };
            evidence(&gate, audience)
        };
        assert_eq!(
            of(1, 10, &Audience::Global),
            "1 client asked 10 times in the window, heat 0"
        );
        assert_eq!(
            of(2, 1, &Audience::Global),
            "2 clients asked 1 time in the window, heat 0"
        );
        assert_eq!(of(4, 20, &own), "noor asked 3 times in the window, heat 0");
    }

    #[test]
    fn a_keys_life_is_told_in_sentences_z093_z109() {
        let mut scene = Scene::new();
        scene.demand(&Audience::Global);
        let opened = scene.rest();
        let said = tell(&opened[0], &scene.state).expect("a decision");
        assert!(
            said.contains("opened its gate for all: 5 clients asked 5 times"),
            "{said}"
        );
        let proposed = scene.induce(candidate("seat_preference"));
        let said = tell(&proposed[0], &scene.state).expect("a decision");
        assert!(said.contains("key `seat_preference` was proposed for all"), "{said}");
        assert!(said.ends_with("; it is on trial"), "{said}");
        let id = scene.state.patches[0].patch_id.clone();
        let gone = scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
        let said = tell(&gone[0], &scene.state).expect("a decision");
        assert!(
            said.contains("key `seat_preference` is deprecated now: a person decided so"),
            "{said}"
        );
    }

    #[test]
    fn what_stands_behind_a_decision_is_told_z143_z144() {
        let mut scene = Scene::new();
        scene.demand(&Audience::Global);
        scene.rest();
        let mut induced = candidate("seat_preference");
        induced.backtest = Some(Box::new(backtests::backtest(scene.state.at)));
        let proposed = scene.induce(induced);
        let why = tell_why(&proposed[0], &scene.state);
        assert!(why[0].starts_with("It was proposed for all because"), "{why:?}");
        assert!(
            why.iter()
                .any(|said| said.starts_with("Held against 200 accepted payloads")),
            "{why:?}"
        );
        let id = scene.last().patch_id.clone();
        scene.traffic(&id, GOOD);
        scene.pass(7 * DAY_MS);
        let promoted = scene.rest();
        let told: Vec<String> = promoted
            .iter()
            .flat_map(|event| tell_why(event, &scene.state))
            .collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].ends_with("the decision was the one foretold."), "{told:?}");
        let by_hand = scene.operate(&id, OperatorAction::Deprecate).expect("deprecated");
        assert_eq!(
            tell_why(&by_hand[0], &scene.state),
            Vec::<String>::new(),
            "a person foretells nothing"
        );
    }

    fn seat(values: &[&str]) -> Box<Induced> {
        candidate_of(&json!({
            "key_name": "seat_preference", "key_type": "string", "required": false,
            "semantic_description": format!("Seat. Acceptable values: {}.", values.join(", ")),
            "constraints": {"enum": values},
        }))
    }

    #[test]
    fn a_list_that_lacks_what_was_said_is_not_said_to_hold_all_of_it_z109_z113() {
        let mut scene = Scene::new();
        scene.propose_for(&Audience::Global, seat(&["window", "aisle"]));
        scene.policy.evolution.autonomy = Autonomy::Review;
        scene.propose_for(&Audience::Global, seat(&["aisle", "middle"]));
        scene.demand(&Audience::Global);
        scene.rest();
        let settled = scene.induce(seat(&["aisle", "middle"]));
        let said = tell(&settled[0], &scene.state).expect("a decision");
        assert!(
            said.ends_with("key `seat_preference` stands for what it asks for, and nothing is added to that key now"),
            "{said}"
        );
    }

    #[test]
    fn what_becomes_of_an_addition_is_not_said_of_its_key_z109_z114() {
        let mut scene = Scene::new();
        scene.propose_for(&Audience::Global, seat(&["window", "aisle"]));
        let wider = scene.propose_for(&Audience::Global, candidate("umbrella_rental"));
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
    }

    #[test]
    fn a_cluster_that_came_to_nothing_says_why_z109() {
        let mut scene = Scene::new();
        scene.demand(&Audience::Global);
        scene.rest();
        let (cluster, audience) = scene.induction().expect("a trigger");
        let settled = scene.happens(Command::Induce {
            cluster,
            audience,
            outcome: Err(Abstention::NoContent),
        });
        let said = tell(&settled[0], &scene.state).expect("a decision");
        assert!(said.contains("no content in common"), "{said}");
    }
}
