//! What a server takes as a template and what it does not (Z-030 … Z-062); only where a scratch one may be published.

use serde_json::Value;

use crate::edge::cli::conformance::check::Check;
use crate::edge::cli::conformance::check::Level;
use crate::edge::cli::conformance::check::check;
use crate::edge::cli::conformance::check::fails;
use crate::edge::cli::conformance::check::holds;
use crate::edge::cli::conformance::check::not_applicable;
use crate::edge::cli::conformance::probe::Probe;
use crate::edge::cli::conformance::scratch;
use crate::edge::cli::conformance::scratch::Defect;
use crate::edge::cli::conformance::scratch::STRANGER;
use crate::edge::cli::conformance::subject::Subject;

/// A template with a defect is not taken.
macro_rules! refuses {
    ($id:literal, $level:ident, $title:literal, $defect:ident) => {
        check(
            $id,
            &[],
            Level::$level,
            $title,
            &[Probe::Defective(Defect::$defect)],
            |scene| {
                let answered = scene.answer(Probe::Defective(Defect::$defect))?;
                if answered.is_success() {
                    return fails("it was published");
                }
                holds(answered.is_refusal(), format!("answered {}", answered.told()))
            },
        )
    };
}

/// The checks of this group, in the order in which they are told.
pub const CHECKS: &[Check] = &[
    check(
        "Z-037-publish",
        &["Z-005", "Z-045", "Z-079"],
        Level::Should,
        "a template with a key of each type is published, a default of null being none",
        &[Probe::Publish],
        |scene| {
            let answered = scene.answer(Probe::Publish)?;
            holds(answered.is_success(), format!("answered {}", answered.told()))
        },
    ),
    check(
        "Z-030-again",
        &[],
        Level::Should,
        "the same template under the same id is taken once more, and changes nothing",
        &[Probe::Publish, Probe::PublishAgain],
        |scene| {
            if !scene.answer(Probe::Publish)?.is_success() {
                return not_applicable("it was not taken the first time");
            }
            let answered = scene.answer(Probe::PublishAgain)?;
            holds(answered.is_success(), format!("answered {}", answered.told()))
        },
    ),
    check(
        "Z-030-immutable",
        &["Z-105"],
        Level::Must,
        "another template under the same id is refused",
        &[Probe::Publish, Probe::PublishChanged],
        |scene| {
            let answered = scene.answer(Probe::PublishChanged)?;
            if answered.is_success() {
                return fails("it was published");
            }
            holds(answered.is_refusal(), format!("answered {}", answered.told()))
        },
    ),
    check(
        "Z-050",
        &[],
        Level::May,
        "members that the draft does not know are kept and served, on the template and on a key",
        &[Probe::Publish, Probe::Negotiate],
        |scene| {
            scene.answer(Probe::Publish)?;
            let subject = scene.subject()?;
            let on_key = subject.key("article").is_some_and(|key| key.get(STRANGER).is_some());
            holds(subject.template.contains_key(STRANGER) && on_key, "they were dropped")
        },
    ),
    check(
        "Z-105",
        &["Z-030"],
        Level::Must,
        "what is read back under a schema_id is what was published under it",
        &[Probe::Publish, Probe::Stored],
        |scene| {
            scene.answer(Probe::Publish)?;
            let answered = scene.answer(Probe::Stored)?;
            if matches!(answered.status, 404 | 405 | 501) {
                return not_applicable(format!("schemas cannot be read: answered {}", answered.told()));
            }
            let Some(name) = scene.scratch.as_deref() else {
                return not_applicable("nothing was published");
            };
            let published = scratch::template(name);
            let contract = |template: &Value| -> Option<Vec<Value>> {
                let keys = Subject::of(template)?.own_keys();
                let contract = |key: &&Value| {
                    Value::from(vec![
                        key["key_name"].clone(),
                        key["key_type"].clone(),
                        key["required"].clone(),
                        key["default_value"].clone(),
                        key["semantic_description"].clone(),
                    ])
                };
                Some(keys.iter().map(contract).collect())
            };
            holds(
                answered.is_success() && contract(&answered.body) == contract(&published),
                format!("answered {}, and not with what was published", answered.told()),
            )
        },
    ),
    refuses!(
        "Z-031-publish",
        Must,
        "a template without scenario is refused",
        NoScenario
    ),
    refuses!("Z-032-publish", Must, "a template without keys is refused", NoKeys),
    refuses!("Z-033-publish", Must, "a key without key_name is refused", NoName),
    refuses!(
        "Z-034-publish",
        Must,
        "a key_name that is not snake_case is refused",
        BadName
    ),
    refuses!("Z-035-publish", Must, "two keys of one name are refused", TwinNames),
    refuses!("Z-036-publish", Must, "a key without key_type is refused", NoType),
    refuses!(
        "Z-036-unknown",
        Must,
        "a key_type that JSON Schema does not know is refused",
        BadType
    ),
    refuses!(
        "Z-054-publish",
        Must,
        "a key without semantic_description is refused",
        NoDescription
    ),
    refuses!(
        "Z-042-publish",
        Must,
        "a key that does not say required is refused",
        NoRequired
    ),
    refuses!("Z-058-publish", Must, "a required other is refused", RequiredOther),
    refuses!(
        "Z-059-publish",
        Must,
        "an other that is declared as a number is refused",
        NumericOther
    ),
    refuses!(
        "Z-047-publish",
        May,
        "a default_value of another type than its key's is refused",
        MisfitDefault
    ),
];
