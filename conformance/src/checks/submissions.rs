//! What becomes of a payload: what is taken, what is refused and how, and the shape of the answer (Z-006 … Z-023, Z-043 …); and that what
//! stands in `other` never makes it fail (Z-057 … Z-066, Z-169).

use serde_json::Value;

use crate::checks::errors::refused;
use crate::probe::Probe;
use crate::request::STRANGE_KEY;
use crate::rules;
use crate::transcript::Exchange;
use crate::transcript::Transcript;
use crate::verdict::Finding;
use crate::verdict::Verdict;
use crate::verdict::fails;
use crate::verdict::holds;
use crate::verdict::none_wrong;
use crate::verdict::not_applicable;

rules! {
    "Z-044" (Least) taken;
    "Z-176" (Full) taken;
    "Z-004" (Least Fresh) taken;
    "Z-019" (Negotiate Empty) |t, probe| {
        let (required, answered) = (required(t)?, t.answer(probe)?);
        if !answered.is_refusal() {
            return fails(format!("answered {}", answered.summary()));
        }
        none_wrong(required.into_iter().filter(|name| !names(answered, name)), "missing and not named")
    };
    "Z-006" (Negotiate Misfit) |t, probe| {
        let (_, name, key_type) = t.template()?.misfit()?;
        let answered = t.answer(probe)?;
        if !answered.is_refusal() {
            return fails(format!("answered {} to a value that is no {key_type}", answered.summary()));
        }
        holds(names(answered, name), format!("the answer does not name the key {name}"))
    };
    "Z-045" (Negotiate Nulls) taken;
    "Z-043" (Negotiate Least) defaults_are_applied;
    "Z-007" (Full) what_was_sent_comes_back;
    "Z-023" (Stranger) |t, probe| {
        let answered = t.answer(probe)?;
        if answered.is_refusal() {
            return Ok(());
        }
        taken(t, probe)?;
        let shown = answered.body["payload"].get(STRANGE_KEY).or(answered.body.get(STRANGE_KEY));
        holds(shown.is_none(), "the answer holds it as if it were agreed")
    };
    "Z-177" (Least) |t, probe| {
        let answered = t.answer(probe)?;
        if !answered.is_success() {
            return not_applicable("nothing was taken");
        }
        holds(answered.body.is_object(), "the answer is no JSON object")
    };
    "Z-060" (OtherText) taken;
    "Z-059" (OtherList) taken;
    "Z-059-number" (OtherNumber) refused;
    "Z-063" (OtherLong) taken;
    "Z-065" (OtherEmpty) taken;
    "Z-169" (OtherHostile) taken;
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
