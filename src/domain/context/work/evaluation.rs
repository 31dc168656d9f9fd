//! Whether what an agent gave back is what was asked for, in two phases (C-005, C-054 … C-057).
//!
//! First the state: an item at 0 is unfinished and nothing more is asked. Then, for an item at 1, the key information against the
//! item's description: by what sounds like a failure or contradicts it, by the words that both hold, and by what the embeddings say
//! where they were asked. Every verdict comes with its reason, and the master may overrule any of them. Nothing of the full output is
//! needed, and none is read. Invariant: an item is verified only where something was said to have come of it.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;

use crate::domain::context::work::agent_context::AgentContext;
use crate::domain::context::work::failure;
use crate::domain::context::work::outcome::contradiction;
use crate::domain::context::work::outcome::evidence;
use crate::domain::context::work::outcome::question;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::pool::vector::Cosine;
use crate::domain::pool::words;

/// Characters of a master's reason.
pub const REASON_CHARS_MAX: usize = 1_000;

/// From when on a result is taken to be what was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerifyPolicy {
    /// Share of the description's words that the result must hold.
    pub shared_words_min: f64,
    /// Cosine of description and result.
    pub likeness_min: f64,
}

/// What is held of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judged {
    /// Its state is not 1: nothing more was asked.
    Unfinished,
    /// Its state is 1, and nothing shows it.
    Unverified,
    Verified,
}

impl Judged {
    pub const ALL: [Judged; 3] = [Judged::Unfinished, Judged::Unverified, Judged::Verified];

    /// The word for it, as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Judged::Unfinished => "unfinished",
            Judged::Unverified => "unverified",
            Judged::Verified => "verified",
        }
    }
}

/// What a verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The state alone.
    State,
    /// Whether anything was said to have come of it, that it was done, and that it is what was asked for.
    Information,
    /// The words that description and result share.
    Words,
    /// What an embedding says of both.
    Meaning,
    /// The master's own word.
    Master,
}

/// What is held of one item, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    #[serde(rename = "itemId")]
    pub item_id: String,
    pub verdict: Judged,
    /// 1 or 2.
    pub phase: u8,
    pub basis: Basis,
    pub reason: String,
}

/// What is held of a subtask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Every item is verified.
    pub complete: bool,
    pub verdicts: Vec<Verdict>,
}

/// A verdict of the master's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overruled {
    pub verified: bool,
    pub reason: String,
}

/// What is said where the master verifies what shows nothing.
const PASSED_OVER: &str = "the master's verdict that it is verified does not count before something was done";

/// Evaluates what was given back. `likeness` is the cosine of an item's description and its key information where it was asked
/// for; `overruled` holds the master's own verdicts by item. A master cannot verify an item that is unfinished by its own state,
/// nor one of which nothing was said.
pub fn evaluate(
    context: &AgentContext,
    likeness: &BTreeMap<String, Cosine>,
    overruled: &BTreeMap<String, Overruled>,
    policy: &VerifyPolicy,
) -> Evaluation {
    let verdicts: Vec<Verdict> = context
        .todo_items
        .iter()
        .map(|item| {
            let own = judge(context, &item.item_id, &item.description, likeness, policy);
            match overruled.get(&item.item_id) {
                Some(overruled) if !(overruled.verified && own.is_bare()) => Verdict {
                    verdict: if overruled.verified {
                        Judged::Verified
                    } else {
                        Judged::Unverified
                    },
                    phase: 2,
                    basis: Basis::Master,
                    reason: overruled.reason.clone(),
                    ..own
                },
                Some(_) => Verdict {
                    reason: format!("{}; {PASSED_OVER}", own.reason),
                    ..own
                },
                None => own,
            }
        })
        .collect();
    Evaluation {
        complete: verdicts.iter().all(|verdict| verdict.verdict == Judged::Verified),
        verdicts,
    }
}

/// Items that only a comparison of meanings may decide, each with description and result.
pub fn doubtful<'a>(context: &'a AgentContext, policy: &VerifyPolicy) -> Vec<(&'a str, &'a str, &'a str)> {
    let items = context.todo_items.iter().filter_map(|item| {
        let own = judge(context, &item.item_id, &item.description, &BTreeMap::new(), policy);
        let open = own.verdict == Judged::Unverified && own.basis == Basis::Words;
        let said = context.information(&item.item_id).filter(|_| open)?;
        Some((item.item_id.as_str(), item.description.as_str(), said))
    });
    items.collect()
}

impl Verdict {
    /// Whether there is nothing to be verified.
    fn is_bare(&self) -> bool {
        self.phase == 1 || self.reason == NOTHING_SAID
    }
}

/// C-057: a state alone is no evidence.
const NOTHING_SAID: &str = "its state is 1, but no key information says what came of it";

fn judge(
    context: &AgentContext,
    item_id: &str,
    description: &str,
    likeness: &BTreeMap<String, Cosine>,
    policy: &VerifyPolicy,
) -> Verdict {
    let verdict = |verdict, phase, basis, reason: &str| Verdict {
        item_id: item_id.to_owned(),
        verdict,
        phase,
        basis,
        reason: reason.to_owned(),
    };
    match context.state(item_id) {
        Some(1) => {}
        Some(_) => return verdict(Judged::Unfinished, 1, Basis::State, "its state is 0"),
        None => return verdict(Judged::Unfinished, 1, Basis::State, "no state was given back for it"),
    }
    let unverified = |basis, reason: &str| verdict(Judged::Unverified, 2, basis, reason);
    let said = context.information(item_id).map(str::trim).unwrap_or_default();
    if said.is_empty() {
        return unverified(Basis::Information, NOTHING_SAID);
    }
    let (asked, told) = (stems(description), stems(said));
    let says_more = |clause: &str| stems(clause).iter().any(|word| !asked.contains(word));
    if let Some(cue) = failure::cue(said, description, says_more) {
        let reason = format!("its key information says \"{cue}\", as if it were not done: say plainly what came of it");
        return unverified(Basis::Information, &reason);
    }
    let (wanted, result) = (Text::of(description), Text::of(said));
    if let Some(contradiction) = contradiction::found(&wanted, &result) {
        let reason = format!("its key information {contradiction}");
        return unverified(Basis::Information, &reason);
    }
    let is_answer = question::is_answered(&wanted, &result) || evidence::is_told_done(&wanted, &result);
    if told.iter().all(|word| asked.contains(word)) && !is_answer {
        let reason = "its key information says nothing that the description does not";
        return unverified(Basis::Information, reason);
    }
    if let Some(missing) = evidence::missing(&wanted, &result) {
        let reason = format!("its key information {missing}");
        return unverified(Basis::Information, &reason);
    }
    let shared = asked.iter().filter(|word| told.contains(*word)).count();
    let share = shared as f64 / asked.len().max(1) as f64;
    if shared > 0 && share >= policy.shared_words_min {
        let reason = format!(
            "its key information holds {shared} of the {} words that matter",
            asked.len()
        );
        return verdict(Judged::Verified, 2, Basis::Words, &reason);
    }
    match likeness.get(item_id) {
        Some(likeness) if likeness.reaches(Cosine::of(policy.likeness_min)) => {
            let reason = format!(
                "its key information means something near to what was asked for ({:.2})",
                likeness.value()
            );
            verdict(Judged::Verified, 2, Basis::Meaning, &reason)
        }
        Some(likeness) => {
            let reason = format!(
                "its key information shares {shared} of the {} words that matter, and its meaning is far ({:.2})",
                asked.len(),
                likeness.value()
            );
            unverified(Basis::Meaning, &reason)
        }
        None => {
            let reason = format!(
                "its key information shares {shared} of the {} words that matter",
                asked.len()
            );
            unverified(Basis::Words, &reason)
        }
    }
}

/// The words of a text that matter, without their endings; numbers are words.
fn stems(text: &str) -> BTreeSet<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !words::is_stop_word(word) && !words::is_empty_word(word))
        .map(words::stem)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::AgentContext;
    use super::Basis;
    use super::Evaluation;
    use super::Judged;
    use super::Overruled;
    use super::VerifyPolicy;
    use super::doubtful;
    use super::evaluate;
    use crate::domain::context::work::form::Form;
    use crate::domain::pool::vector::Cosine;

    const POLICY: VerifyPolicy = VerifyPolicy {
        shared_words_min: 0.25,
        likeness_min: 0.35,
    };

    /// A context of one item, with its state and what was said of it.
    fn context(description: &str, state: Option<u8>, said: Option<&str>) -> AgentContext {
        let states: Vec<_> = state
            .iter()
            .map(|state| json!({"itemId": "1", "state": state}))
            .collect();
        let said: Vec<_> = said
            .iter()
            .map(|said| json!({"itemId": "1", "outputabstract": said}))
            .collect();
        let document = json!({"AgentID": "a", "AgentName": "A", "SubTaskID": "s", "SubTaskName": "S", "Dependencies": [],
            "Context": "", "todoItems": [{"itemId": "1", "description": description}],
            "ItemstateUpdates": states, "KeyInformation": said});
        AgentContext::read(&Form::of_agent().expect("a form"), &document).expect("it fits")
    }

    fn of(context: &AgentContext, likeness: Option<f64>) -> Evaluation {
        let likeness = likeness.map(|value| ("1".to_owned(), Cosine::of(value)));
        evaluate(context, &likeness.into_iter().collect(), &BTreeMap::new(), &POLICY)
    }

    fn verdict(description: &str, state: Option<u8>, said: Option<&str>, likeness: Option<f64>) -> (Judged, u8, Basis) {
        let evaluation = of(&context(description, state, said), likeness);
        let one = evaluation.verdicts.into_iter().next().expect("a verdict");
        assert_eq!(evaluation.complete, one.verdict == Judged::Verified);
        assert!(!one.reason.is_empty());
        (one.verdict, one.phase, one.basis)
    }

    #[test]
    fn an_item_at_0_or_without_a_state_is_unfinished_and_nothing_more_is_asked_c005_c054_c055() {
        let good = Some("A hotel near the Colosseum: Capo d'Africa");
        for state in [Some(0), None] {
            let found = verdict("Find a hotel near the Colosseum", state, good, Some(1.0));
            assert_eq!(found, (Judged::Unfinished, 1, Basis::State));
        }
    }

    #[test]
    fn a_state_of_1_with_nothing_to_show_is_not_verified_c056_c057() {
        let asked = "Find a hotel near the Colosseum";
        for said in [None, Some(""), Some("  ")] {
            assert_eq!(
                verdict(asked, Some(1), said, Some(1.0)),
                (Judged::Unverified, 2, Basis::Information)
            );
        }
        for said in [
            "I could not find any hotel near the Colosseum.",
            "Hotels near the Colosseum: NOT AVAILABLE",
            "We weren\u{2019}t lucky: can\u{2019}t find a hotel",
            "find a hotel near the colosseum",
            "Hotel found... not yet",
            "No hotel near the Colosseum that takes dogs was found",
            "Kein Hotel beim Colosseum gefunden",
        ] {
            let (judged, phase, basis) = verdict(asked, Some(1), Some(said), None);
            assert_eq!(
                (judged, phase, basis),
                (Judged::Unverified, 2, Basis::Information),
                "{said}"
            );
        }
    }

    #[test]
    fn shared_words_verify_from_the_share_on_c056() {
        // Four words that matter, one of them is a quarter; one of five is less.
        let said = Some("Capo d'Africa, Rome");
        let judged = |asked: &str, said| verdict(asked, Some(1), said, None).0;
        assert_eq!(judged("hotel Rome garden terrace", said), Judged::Verified);
        assert_eq!(judged("hotel Rome garden terrace parking", said), Judged::Unverified);
        let forms = Some("Three hotels: Capo d'Africa and two others");
        assert_eq!(
            judged("hotel Rome garden terrace", forms),
            Judged::Verified,
            "forms of a word are one"
        );
    }

    #[test]
    fn what_shares_no_word_is_left_to_the_meaning_c056() {
        let asked = "Find somewhere to stay";
        let said = Some("Capo d'Africa, 164 EUR a night");
        assert_eq!(
            verdict(asked, Some(1), said, None),
            (Judged::Unverified, 2, Basis::Words)
        );
        assert_eq!(
            verdict(asked, Some(1), said, Some(0.35)),
            (Judged::Verified, 2, Basis::Meaning)
        );
        assert_eq!(
            verdict(asked, Some(1), said, Some(0.34)),
            (Judged::Unverified, 2, Basis::Meaning)
        );
        let open = context(asked, Some(1), said);
        assert_eq!(doubtful(&open, &POLICY).len(), 1);
        for settled in [
            context(asked, Some(0), said),
            context(asked, Some(1), None),
            context(asked, Some(1), Some("I stay at home and find it nice")),
        ] {
            assert_eq!(doubtful(&settled, &POLICY).len(), 0, "{settled:?}");
        }
    }

    #[test]
    fn what_only_speaks_of_the_matter_is_not_verified_however_near_it_is_c056() {
        let asked = "Sweep the yard behind the shed";
        let said = Some("The yard behind the shed is full of leaves");
        assert_eq!(
            verdict(asked, Some(1), said, Some(0.9)),
            (Judged::Unverified, 2, Basis::Information)
        );
        assert_eq!(doubtful(&context(asked, Some(1), said), &POLICY).len(), 0);
        let done = Some("The yard behind the shed was swept, four sacks of leaves");
        assert_eq!(verdict(asked, Some(1), done, None), (Judged::Verified, 2, Basis::Words));
    }

    #[test]
    fn the_master_has_the_last_word_but_not_where_there_is_nothing_c005_c056_c057() {
        let overruled = |verified| {
            let own = Overruled {
                verified,
                reason: "I know it".to_owned(),
            };
            BTreeMap::from([("1".to_owned(), own)])
        };
        let of = |context: &AgentContext, verified| {
            let evaluation = evaluate(context, &BTreeMap::new(), &overruled(verified), &POLICY);
            (evaluation.verdicts[0].verdict, evaluation.verdicts[0].basis)
        };
        let asked = "Find a hotel";
        let foreign = context(asked, Some(1), Some("Albergo Capo d'Africa"));
        assert_eq!(of(&foreign, true), (Judged::Verified, Basis::Master));
        let good = context(asked, Some(1), Some("Hotel Capo d'Africa"));
        assert_eq!(of(&good, false), (Judged::Unverified, Basis::Master));
        assert_eq!(
            of(&context(asked, Some(0), Some("Hotel")), true),
            (Judged::Unfinished, Basis::State)
        );
        assert_eq!(
            of(&context(asked, Some(1), None), true),
            (Judged::Unverified, Basis::Information)
        );
        let passed_over = evaluate(
            &context(asked, Some(0), Some("Hotel")),
            &BTreeMap::new(),
            &overruled(true),
            &POLICY,
        );
        let reason = &passed_over.verdicts[0].reason;
        assert!(
            reason.starts_with("its state is 0; ") && reason.contains("does not count"),
            "{reason}"
        );
    }
}
