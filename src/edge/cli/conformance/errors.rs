//! What is refused beside payloads that do not fit, and how it is said (Z-181).

use crate::edge::cli::conformance::check;
use crate::edge::cli::conformance::check::Check;
use crate::edge::cli::conformance::check::Judged;
use crate::edge::cli::conformance::check::Level;
use crate::edge::cli::conformance::check::fails;
use crate::edge::cli::conformance::check::holds;
use crate::edge::cli::conformance::check::none_wrong;
use crate::edge::cli::conformance::check::not_applicable;
use crate::edge::cli::conformance::probe::Probe;
use crate::edge::cli::conformance::scene::Exchange;
use crate::edge::cli::conformance::scene::Scene;

const fn check(
    id: &'static str,
    level: Level,
    title: &'static str,
    probes: &'static [Probe],
    judge: fn(&Scene) -> Judged,
) -> Check {
    check::check(id, &[], level, title, probes, judge)
}

/// Requests that are refused by every server.
const REFUSED: &[Probe] = &[
    Probe::UnknownScenario,
    Probe::UnknownSchema,
    Probe::BrokenJson,
    Probe::PayloadList,
    Probe::OtherNumber,
];

/// The checks of this group, in the order in which they are told.
pub const CHECKS: &[Check] = &[
    check(
        "Z-181",
        Level::Should,
        "a payload of a schema that nobody published is refused",
        &[Probe::UnknownSchema],
        |scene| refused(scene, Probe::UnknownSchema),
    ),
    check(
        "Z-181-json",
        Level::Should,
        "a body that is no JSON is refused as the caller's mistake",
        &[Probe::BrokenJson],
        |scene| refused(scene, Probe::BrokenJson),
    ),
    check(
        "Z-181-payload",
        Level::Should,
        "a payload that is no object is refused as the caller's mistake",
        &[Probe::PayloadList],
        |scene| refused(scene, Probe::PayloadList),
    ),
    check(
        "Z-181-code",
        Level::May,
        "every refusal has a symbolic code, and different refusals have different ones",
        &[Probe::UnknownScenario, Probe::UnknownSchema],
        |scene| {
            let (scenario, schema) = (
                scene.answer(Probe::UnknownScenario)?,
                scene.submission(Probe::UnknownSchema)?,
            );
            match (scenario.code(), schema.code()) {
                (None, None) => not_applicable("refusals have no member code"),
                (Some(one), Some(two)) => holds(one != two, format!("both are {one}")),
                (Some(_), None) | (None, Some(_)) => fails("one refusal has a code, the other has none"),
            }
        },
    ),
    check(
        "Z-181-problem",
        Level::May,
        "a refusal that is a problem document (RFC 9457) says the status that it has, and a title",
        REFUSED,
        |scene| {
            let problems: Vec<&Exchange> = REFUSED
                .iter()
                .filter_map(|probe| scene.answer(*probe).ok())
                .filter(|answered| {
                    let media = answered.media_type.as_deref().unwrap_or_default();
                    answered.is_refusal() && media.starts_with("application/problem+json")
                })
                .collect();
            if problems.is_empty() {
                return not_applicable("no refusal is a problem document");
            }
            let wrong: Vec<String> = problems
                .into_iter()
                .filter(|answered| answered.body["status"] != answered.status || !answered.body["title"].is_string())
                .map(|answered| format!("{} ({})", answered.asked, answered.status))
                .collect();
            none_wrong(&wrong, "with another status, or no title")
        },
    ),
    check(
        "Z-181-retired",
        Level::May,
        "a payload of a schema that was retired is refused",
        &[Probe::Retire, Probe::Retired],
        |scene| refused(scene, Probe::Retired),
    ),
];

fn refused(scene: &Scene, probe: Probe) -> Judged {
    let answered = scene.submission(probe)?;
    holds(answered.is_refusal(), format!("answered {}", answered.told()))
}
