//! What is refused beside payloads that do not fit, and how it is said (Z-181).

use crate::checks;
use crate::probe::Probe;
use crate::transcript::Exchange;
use crate::transcript::Transcript;
use crate::verdict::Verdict;
use crate::verdict::fails;
use crate::verdict::holds;
use crate::verdict::none_wrong;
use crate::verdict::not_applicable;

checks! {
    Should "Z-181" [] "a payload of a schema that nobody published is refused"
        (UnknownSchema) refused;
    Should "Z-181-json" [] "a body that is no JSON is refused as the caller's mistake"
        (BrokenJson) refused;
    Should "Z-181-payload" [] "a payload that is no object is refused as the caller's mistake"
        (PayloadList) refused;
    May "Z-181-code" [] "every refusal has a symbolic code, and different refusals have different ones"
        (UnknownScenario UnknownSchema) |t, _| {
            match (t.answer(Probe::UnknownScenario)?.code(), t.answer(Probe::UnknownSchema)?.code()) {
                (None, None) => not_applicable("refusals have no member code"),
                (Some(one), Some(two)) => holds(one != two, format!("both are {one}")),
                (Some(_), None) | (None, Some(_)) => fails("one refusal has a code, the other has none"),
            }
        };
    May "Z-181-problem" [] "a refusal that is a problem document (RFC 9457) says the status that it has, and a title"
        (UnknownScenario UnknownSchema BrokenJson PayloadList OtherNumber) problems_are_whole;
    May "Z-181-retired" [] "a payload of a schema that was retired is refused"
        (Retire Retired) refused;
}

/// Passes where the server says that it is the caller's mistake.
pub fn refused(transcript: &Transcript, probe: Probe) -> Verdict {
    let answered = transcript.answer(probe)?;
    holds(answered.is_refusal(), format!("answered {}", answered.summary()))
}

fn problems_are_whole(transcript: &Transcript, _: Probe) -> Verdict {
    let refused = [
        Probe::UnknownScenario,
        Probe::UnknownSchema,
        Probe::BrokenJson,
        Probe::PayloadList,
        Probe::OtherNumber,
    ];
    let answers = refused.into_iter().filter_map(|probe| transcript.answer(probe).ok());
    let problems: Vec<&Exchange> = answers
        .filter(|answered| {
            let media = answered.media_type.as_deref().unwrap_or_default();
            answered.is_refusal() && media.starts_with("application/problem+json")
        })
        .collect();
    if problems.is_empty() {
        return not_applicable("no refusal is a problem document");
    }
    let whole = |problem: &&Exchange| problem.body["status"] == problem.status && problem.body["title"].is_string();
    let wrong = problems.into_iter().filter(|problem| !whole(problem));
    none_wrong(
        wrong.map(|problem| problem.request.as_str()),
        "with another status, or no title",
    )
}
