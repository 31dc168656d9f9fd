//! What becomes of a payload: what is taken, what is refused and how, and the shape of the answer (Z-006 … Z-023, Z-043 …).

use serde_json::Value;

use crate::edge::cli::conformance::check::Check;
use crate::edge::cli::conformance::check::Finding;
use crate::edge::cli::conformance::check::Judged;
use crate::edge::cli::conformance::check::Level;
use crate::edge::cli::conformance::check::check;
use crate::edge::cli::conformance::check::fails;
use crate::edge::cli::conformance::check::holds;
use crate::edge::cli::conformance::check::none_wrong;
use crate::edge::cli::conformance::check::not_applicable;
use crate::edge::cli::conformance::probe::Probe;
use crate::edge::cli::conformance::probe::STRANGE_KEY;
use crate::edge::cli::conformance::scene::Exchange;
use crate::edge::cli::conformance::scene::Scene;

/// The checks of this group, in the order in which they are told.
pub const CHECKS: &[Check] = &[
    check(
        "Z-044",
        &["Z-001", "Z-018"],
        Level::Must,
        "a payload with every required key and nothing else is taken",
        &[Probe::Least],
        |scene| taken(scene, Probe::Least),
    ),
    check(
        "Z-176",
        &["Z-006", "Z-079"],
        Level::Should,
        "the draft's bare envelope with every key is taken",
        &[Probe::Full],
        |scene| taken(scene, Probe::Full),
    ),
    check(
        "Z-004",
        &[],
        Level::Must,
        "a submission over a new connection is taken without anything before it",
        &[Probe::Least, Probe::Fresh],
        |scene| taken(scene, Probe::Fresh),
    ),
    check(
        "Z-019",
        &["Z-017"],
        Level::Must,
        "a payload without a required key is refused, and every missing key is named",
        &[Probe::Negotiate, Probe::Empty],
        missing_keys_are_named,
    ),
    check(
        "Z-019-each",
        &["Z-181"],
        Level::May,
        "each missing key has an entry in violations, for a program: key and code",
        &[Probe::Negotiate, Probe::Empty],
        |scene| {
            let required = required(scene)?;
            let violations = violations(scene, Probe::Empty)?;
            let told = |name: &&&str| {
                violations
                    .iter()
                    .any(|violation| violation["key"] == **name && violation["code"] == "missing_required")
            };
            let untold: Vec<String> = required
                .iter()
                .filter(|name| !told(name))
                .map(|name| (*name).to_owned())
                .collect();
            none_wrong(&untold, "without an entry")
        },
    ),
    check(
        "Z-019-only",
        &[],
        Level::May,
        "no entry in violations says of a key that may be left out that it is missing",
        &[Probe::Negotiate, Probe::Empty],
        |scene| {
            let required = required(scene)?;
            let violations = violations(scene, Probe::Empty)?.iter();
            let wrong: Vec<String> = violations
                .filter(|violation| violation["code"] == "missing_required")
                .filter_map(|violation| violation["key"].as_str())
                .filter(|name| !required.contains(name))
                .map(str::to_owned)
                .collect();
            none_wrong(&wrong, "said to be missing")
        },
    ),
    check(
        "Z-006",
        &["Z-036"],
        Level::Should,
        "a value of another type is refused, and its key is named",
        &[Probe::Negotiate, Probe::Misfit],
        |scene| {
            let (_, name, key_type) = scene.subject()?.misfit()?;
            let answered = scene.submission(Probe::Misfit)?;
            if !answered.is_refusal() {
                return fails(format!("answered {} to a value that is no {key_type}", answered.told()));
            }
            holds(
                names(answered, name),
                format!("the answer does not name the key {name}"),
            )
        },
    ),
    check(
        "Z-006-expected",
        &["Z-181"],
        Level::May,
        "the entry of a value of another type says which type is expected",
        &[Probe::Negotiate, Probe::Misfit],
        |scene| {
            let (_, name, key_type) = scene.subject()?.misfit()?;
            let violations = violations(scene, Probe::Misfit)?;
            let told = violations.iter().any(|violation| {
                violation["key"] == name
                    && violation["code"] == "wrong_type"
                    && violation["expected"]["type"] == key_type
            });
            holds(
                told,
                format!("no entry of {name} says wrong_type and the type {key_type}"),
            )
        },
    ),
    check(
        "Z-045",
        &[],
        Level::May,
        "null for a key that may be left out means that it is left out",
        &[Probe::Negotiate, Probe::Nulls],
        |scene| taken(scene, Probe::Nulls),
    ),
    check(
        "Z-043",
        &[],
        Level::May,
        "where the answer shows the payload, what was left out has its default",
        &[Probe::Negotiate, Probe::Least],
        defaults_are_applied,
    ),
    check(
        "Z-007",
        &["Z-010"],
        Level::Should,
        "where the answer shows the payload, what was sent comes back as it was sent",
        &[Probe::Full],
        what_was_sent_comes_back,
    ),
    check(
        "Z-023",
        &["Z-181"],
        Level::Should,
        "a key that the template does not have is refused, or kept out of what is executed",
        &[Probe::Stranger],
        |scene| {
            let answered = scene.submission(Probe::Stranger)?;
            if answered.is_refusal() {
                return Ok(());
            }
            if !answered.is_success() {
                return fails(format!("answered {}", answered.told()));
            }
            let shown = answered.body["payload"].get(STRANGE_KEY).is_some() || answered.body.get(STRANGE_KEY).is_some();
            holds(!shown, "the answer holds it as if it were agreed")
        },
    ),
    check(
        "Z-023-warned",
        &["Z-181"],
        Level::May,
        "a key that the template does not have, where it is passed over, is warned about by name",
        &[Probe::Stranger],
        |scene| {
            let answered = scene.submission(Probe::Stranger)?;
            let warnings = answered.body["exchange"]["warnings"].as_array();
            match warnings.filter(|_| answered.is_success()) {
                None => not_applicable("it is refused, or the answer has no warnings"),
                Some(warnings) => holds(
                    warnings.iter().any(|warning| warning["key"] == STRANGE_KEY),
                    "no warning names it",
                ),
            }
        },
    ),
    check(
        "Z-177",
        &["Z-007"],
        Level::Should,
        "what is taken is answered with one JSON object",
        &[Probe::Least],
        |scene| {
            let answered = scene.submission(Probe::Least)?;
            if !answered.is_success() {
                return not_applicable("nothing was taken");
            }
            holds(answered.body.is_object(), "the answer is no JSON object")
        },
    ),
    check(
        "Z-177-exchange",
        &[],
        Level::May,
        "the answer tells the result from the exchange, which names schema and outcome",
        &[Probe::Least],
        |scene| {
            let schema_id = scene.subject()?.text("schema_id");
            let answered = scene.submission(Probe::Least)?;
            match answered.body.get("exchange").filter(|_| answered.is_success()) {
                None => not_applicable("the answer has no member exchange"),
                Some(exchange) => holds(
                    exchange["status"] == "accepted" && exchange["schema_id"].as_str() == schema_id,
                    "exchange does not say accepted, or names another schema",
                ),
            }
        },
    ),
];

/// Passes where a submission was taken.
pub fn taken(scene: &Scene, probe: Probe) -> Judged {
    let answered = scene.submission(probe)?;
    holds(answered.is_success(), format!("answered {}", answered.told()))
}

fn required(scene: &Scene) -> Result<Vec<&str>, Finding> {
    let required = scene.subject()?.required();
    if required.is_empty() {
        return Err(Finding::NotApplicable("no key is required".to_owned()));
    }
    Ok(required)
}

fn missing_keys_are_named(scene: &Scene) -> Judged {
    let required = required(scene)?;
    let answered = scene.submission(Probe::Empty)?;
    if !answered.is_refusal() {
        return fails(format!("answered {}", answered.told()));
    }
    let unnamed: Vec<String> = required
        .iter()
        .filter(|name| !names(answered, name))
        .map(|name| (*name).to_owned())
        .collect();
    none_wrong(&unnamed, "missing and not named")
}

/// Whether an answer names a key: as a word of its own anywhere in its text.
fn names(answered: &Exchange, name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    answered.text.split(|c| !part(c)).any(|word| word == name)
}

fn violations(scene: &Scene, probe: Probe) -> Result<&Vec<Value>, Finding> {
    let answered = scene.submission(probe)?;
    let violations = answered.body["violations"].as_array().filter(|_| answered.is_refusal());
    violations.ok_or_else(|| Finding::NotApplicable("the answer has no member violations".to_owned()))
}

fn defaults_are_applied(scene: &Scene) -> Judged {
    let subject = scene.subject()?;
    let answered = scene.submission(Probe::Least)?;
    let Some(payload) = answered.body["payload"].as_object().filter(|_| answered.is_success()) else {
        return not_applicable("the answer does not show the payload");
    };
    let defaults: Vec<&Value> = subject
        .own_keys()
        .into_iter()
        .filter(|key| key["required"] == false && !key["default_value"].is_null())
        .collect();
    if defaults.is_empty() {
        return not_applicable("no key has a default");
    }
    let wrong: Vec<String> = defaults
        .into_iter()
        .filter_map(|key| {
            let name = key["key_name"].as_str()?;
            (payload.get(name) != Some(&key["default_value"])).then(|| name.to_owned())
        })
        .collect();
    none_wrong(&wrong, "without its default")
}

fn what_was_sent_comes_back(scene: &Scene) -> Judged {
    let answered = scene.submission(Probe::Full)?;
    let Some(shown) = answered.body["payload"].as_object().filter(|_| answered.is_success()) else {
        return not_applicable("the answer does not show the payload");
    };
    let sent: Value = answered
        .sent
        .as_deref()
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default();
    let changed: Vec<String> = sent["payload"]
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, value)| !shown.get(*name).is_some_and(|shown| alike(value, shown)))
        .map(|(name, _)| name.clone())
        .collect();
    none_wrong(&changed, "left out or changed")
}

/// Whether one value is the other: a server may write a number its own way, and a word of a list as the template spells it.
fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::String(one), Value::String(other)) => one.trim().to_lowercase() == other.trim().to_lowercase(),
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::alike;
    use super::names;
    use crate::edge::cli::conformance::scene::Exchange;

    #[test]
    fn a_value_may_come_back_in_another_spelling_and_not_as_another_one_z007() {
        for (one, other, same) in [
            (json!("latte"), json!(" Latte"), true),
            (json!(2), json!(2.0), true),
            (json!(["a"]), json!(["a"]), true),
            (json!("latte"), json!("small"), false),
            (json!(2), json!("2"), false),
            (json!(["a"]), json!([]), false),
        ] {
            assert_eq!(alike(&one, &other), same, "{one} {other}");
        }
    }

    #[test]
    fn a_key_is_named_by_a_word_of_its_own_z019() {
        let answered = |text: &str| Exchange {
            asked: String::new(),
            sent: None,
            status: 422,
            media_type: None,
            etag: None,
            content_language: None,
            text: text.to_owned(),
            body: Value::Null,
        };
        assert!(names(&answered(r#"{"detail": "`port` is missing"}"#), "port"));
        assert!(names(&answered(r#"{"pointer": "/payload/port"}"#), "port"));
        for text in ["", "the port_of_call is missing", "ports", "import"] {
            assert!(!names(&answered(text), "port"), "{text}");
        }
    }
}
