//! What becomes of a payload: what is taken, what is refused and how, and the shape of the answer (Z-006 … Z-023, Z-043 …).

use serde_json::Value;

use crate::checks;
use crate::probe::Probe;
use crate::request::STRANGE_KEY;
use crate::transcript::Exchange;
use crate::transcript::Transcript;
use crate::verdict::Finding;
use crate::verdict::Verdict;
use crate::verdict::fails;
use crate::verdict::holds;
use crate::verdict::none_wrong;
use crate::verdict::not_applicable;

checks! {
    Must "Z-044" ["Z-001" "Z-018"] "a payload with every required key and nothing else is taken"
        (Least) taken;
    Should "Z-176" ["Z-006" "Z-079"] "the draft's bare envelope with every key is taken"
        (Full) taken;
    Must "Z-004" [] "a submission over a new connection is taken without anything before it"
        (Least Fresh) taken;
    Must "Z-019" ["Z-017"] "a payload without a required key is refused, and every missing key is named"
        (Negotiate Empty) |t, probe| {
            let (required, answered) = (required(t)?, t.answer(probe)?);
            if !answered.is_refusal() {
                return fails(format!("answered {}", answered.summary()));
            }
            none_wrong(required.into_iter().filter(|name| !names(answered, name)), "missing and not named")
        };
    May "Z-019-each" ["Z-181"] "each missing key has an entry in violations, for a program: key and code"
        (Negotiate Empty) |t, probe| {
            let (required, missing) = (required(t)?, missing(t, probe)?);
            none_wrong(required.into_iter().filter(|name| !missing.contains(name)), "without an entry")
        };
    May "Z-019-only" [] "no entry in violations says of a key that may be left out that it is missing"
        (Negotiate Empty) |t, probe| {
            let (required, missing) = (required(t)?, missing(t, probe)?);
            none_wrong(missing.into_iter().filter(|name| !required.contains(name)), "said to be missing")
        };
    Should "Z-006" ["Z-036"] "a value of another type is refused, and its key is named"
        (Negotiate Misfit) |t, probe| {
            let (_, name, key_type) = t.template()?.misfit()?;
            let answered = t.answer(probe)?;
            if !answered.is_refusal() {
                return fails(format!("answered {} to a value that is no {key_type}", answered.summary()));
            }
            holds(names(answered, name), format!("the answer does not name the key {name}"))
        };
    May "Z-006-expected" ["Z-181"] "the entry of a value of another type says which type is expected"
        (Negotiate Misfit) |t, probe| {
            let (_, name, key_type) = t.template()?.misfit()?;
            let is_expected = |violation: &Value| {
                let whole = violation["key"] == name && violation["code"] == "wrong_type";
                whole && violation["expected"]["type"] == key_type
            };
            holds(
                violations(t, probe)?.iter().any(is_expected),
                format!("no entry of {name} says wrong_type and the type {key_type}"),
            )
        };
    May "Z-045" [] "null for a key that may be left out means that it is left out"
        (Negotiate Nulls) taken;
    May "Z-043" [] "where the answer shows the payload, what was left out has its default"
        (Negotiate Least) defaults_are_applied;
    Should "Z-007" ["Z-010"] "where the answer shows the payload, what was sent comes back as it was sent"
        (Full) what_was_sent_comes_back;
    Should "Z-023" ["Z-181"] "a key that the template does not have is refused, or kept out of what is executed"
        (Stranger) |t, probe| {
            let answered = t.answer(probe)?;
            if answered.is_refusal() {
                return Ok(());
            }
            taken(t, probe)?;
            let shown = answered.body["payload"].get(STRANGE_KEY).or(answered.body.get(STRANGE_KEY));
            holds(shown.is_none(), "the answer holds it as if it were agreed")
        };
    May "Z-023-warned" ["Z-181"] "a key that the template does not have, where it is passed over, is warned about by name"
        (Stranger) |t, probe| {
            let answered = t.answer(probe)?;
            let warnings = answered.body["exchange"]["warnings"].as_array();
            match warnings.filter(|_| answered.is_success()) {
                None => not_applicable("it is refused, or the answer has no warnings"),
                Some(warnings) => holds(
                    warnings.iter().any(|warning| warning["key"] == STRANGE_KEY),
                    "no warning names it",
                ),
            }
        };
    Should "Z-177" ["Z-007"] "what is taken is answered with one JSON object"
        (Least) |t, probe| {
            let answered = t.answer(probe)?;
            if !answered.is_success() {
                return not_applicable("nothing was taken");
            }
            holds(answered.body.is_object(), "the answer is no JSON object")
        };
    May "Z-177-exchange" [] "the answer tells the result from the exchange, which names schema and outcome"
        (Least) |t, probe| {
            let schema_id = t.template()?.text("schema_id");
            match t.answer(probe)?.object("exchange") {
                None => not_applicable("the answer has no member exchange"),
                Some(exchange) => holds(
                    exchange.get("status").is_some_and(|status| status == "accepted")
                        && exchange.get("schema_id").and_then(Value::as_str) == schema_id,
                    "exchange does not say accepted, or names another schema",
                ),
            }
        };
}

/// Passes where a submission was taken.
pub fn taken(transcript: &Transcript, probe: Probe) -> Verdict {
    let answered = transcript.answer(probe)?;
    holds(answered.is_success(), format!("answered {}", answered.summary()))
}

fn required(transcript: &Transcript) -> Result<Vec<&str>, Finding> {
    let required = transcript.template()?.required();
    if required.is_empty() {
        return not_applicable("no key is required");
    }
    Ok(required)
}

/// Whether an answer names a key: as a word of its own anywhere in its text.
fn names(answered: &Exchange, name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    answered.text.split(|c| !part(c)).any(|word| word == name)
}

fn violations(transcript: &Transcript, probe: Probe) -> Result<&Vec<Value>, Finding> {
    let answered = transcript.answer(probe)?;
    let violations = answered.body["violations"].as_array().filter(|_| answered.is_refusal());
    violations.map_or_else(|| not_applicable("the answer has no member violations"), Ok)
}

/// The keys that the violations call missing.
fn missing(transcript: &Transcript, probe: Probe) -> Result<Vec<&str>, Finding> {
    let violations = violations(transcript, probe)?.iter();
    let missing = violations.filter(|violation| violation["code"] == "missing_required");
    Ok(missing.filter_map(|violation| violation["key"].as_str()).collect())
}

fn defaults_are_applied(transcript: &Transcript, probe: Probe) -> Verdict {
    let template = transcript.template()?;
    let Some(payload) = transcript.answer(probe)?.object("payload") else {
        return not_applicable("the answer does not show the payload");
    };
    let own = template.own_keys().into_iter();
    let defaults: Vec<&Value> = own
        .filter(|key| key["required"] == false && !key["default_value"].is_null())
        .collect();
    if defaults.is_empty() {
        return not_applicable("no key has a default");
    }
    let wrong = defaults.into_iter().filter_map(|key| {
        let name = key["key_name"].as_str()?;
        (payload.get(name) != Some(&key["default_value"])).then_some(name)
    });
    none_wrong(wrong, "without its default")
}

fn what_was_sent_comes_back(transcript: &Transcript, probe: Probe) -> Verdict {
    let answered = transcript.answer(probe)?;
    let Some(shown) = answered.object("payload") else {
        return not_applicable("the answer does not show the payload");
    };
    let sent = answered.sent.as_deref().unwrap_or_default();
    let sent: Value = serde_json::from_str(sent).unwrap_or_default();
    let changed = sent["payload"].as_object().into_iter().flatten();
    let changed = changed.filter(|(name, value)| !shown.get(*name).is_some_and(|shown| alike(value, shown)));
    none_wrong(changed.map(|(name, _)| name.as_str()), "left out or changed")
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
    use serde_json::json;

    use super::alike;
    use super::names;
    use crate::transcript::Exchange;

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
            text: text.to_owned(),
            ..Exchange::default()
        };
        assert!(names(&answered(r#"{"detail": "`port` is missing"}"#), "port"));
        assert!(names(&answered(r#"{"pointer": "/payload/port"}"#), "port"));
        for text in ["", "the port_of_call is missing", "ports", "import"] {
            assert!(!names(&answered(text), "port"), "{text}");
        }
    }
}
