//! What a message asks of a service that hosts schemas: to take a submission, or to find a template for a wish (P-009, P-016).
//!
//! Invariant: a part that nobody here understands is passed over and named, unless it says that it must be understood; it
//! never fails the message.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::json;

use crate::domain::exchange::envelope::Envelope;
use crate::domain::task::field::FieldFault;
use crate::domain::task::message::Message;
use crate::domain::task::part::Content;
use crate::domain::task::part::Part;
use crate::domain::task::typed;
use crate::domain::task::typed::Contradiction;
use crate::domain::task::typed::Fit;
use crate::domain::task::typed::Known;
use crate::domain::template::numeral::Numeral;
use crate::domain::template::schema::Version;

/// Members of a submission that the metadata of a typed part may hold.
const SAID_OF_IT: [&str; 5] = ["revision", "pinned", "language", "dry_run", "idempotency_key"];

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// To take this submission, as the body that HTTP takes.
    Submission(String),
    /// To find a template for these words.
    Wish(String),
    /// Nothing that is understood here.
    Nothing,
}

/// A part that was passed over.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Skipped {
    /// Its place among the parts, from 0.
    pub part: usize,
    pub why: String,
}

/// A message as it was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Understood {
    pub asked: Asked,
    /// Places of parts that say what the work is about; whether they can be processed is still to be seen.
    pub context: Vec<usize>,
    pub skipped: Vec<Skipped>,
}

/// Why a message cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misunderstanding {
    /// A member is wrong.
    Field(FieldFault),
    /// A part is of a media type that this service does not read.
    MediaType(FieldFault),
}

/// What a message asks. `named` says which schema a type and a version come to, at the revision that the part is pinned to
/// where it is; `known` which schemas a type names.
///
/// # Errors
/// Two submissions in one message, a version that cannot be read or is of another major, a type or a version beside a submission
/// that says otherwise than its `schema_id`, an unknown part that must be understood, or a media type that is not read here.
pub fn read(
    message: &Message,
    named: impl Fn(&str, Option<Version>, Option<u64>) -> Fit,
    known: impl Fn(&str) -> Vec<Known>,
) -> Result<Understood, Misunderstanding> {
    let mut words: Vec<&str> = Vec::new();
    let mut submissions: Vec<Submission<'_>> = Vec::new();
    let mut skipped = Vec::new();
    let mut context = Vec::new();
    for (place, part) in message.parts.iter().enumerate() {
        let field = |member: &str| format!("message.parts[{place}].{member}");
        check_media_type(part, &field("mediaType"))?;
        let json = match &part.content {
            Content::Text(text) => {
                words.push(text.trim());
                continue;
            }
            Content::Data(json) => json,
            Content::Raw(_) | Content::Url(_) => continue,
        };
        let type_name = part.metadata.get("type").and_then(Value::as_str);
        let whole = is_envelope(json, part.metadata.contains_key("type"));
        let foreign = type_name.map(|name| named(name, None, None));
        let why = match type_name {
            _ if whole && !matches!(foreign, Some(Fit::Unknown | Fit::Context)) => {
                let version = part_version(part, &field("metadata.schemaVersion"))?;
                agrees(json, type_name, version, &known, &field)?;
                says_it_itself(part, &field)?;
                submissions.push(Submission::Envelope(json));
                continue;
            }
            None => "it says no type and is no submission",
            Some(name) => {
                let version = part_version(part, &field("metadata.schemaVersion"))?;
                check_said(part, &field)?;
                match named(name, version, pinned(part)) {
                    Fit::Schema(schema_id) => {
                        submissions.push(Submission::Typed {
                            schema_id: schema_id.as_str().to_owned(),
                            payload: json,
                            said: SAID_OF_IT
                                .iter()
                                .filter_map(|name| Some((*name, part.metadata.get(*name)?.clone())))
                                .collect(),
                        });
                        continue;
                    }
                    Fit::OtherMajor(majors) => {
                        return Err(Misunderstanding::Field(other_major(
                            &field("metadata.schemaVersion"),
                            &majors,
                        )));
                    }
                    Fit::Context => {
                        context.push(place);
                        continue;
                    }
                    Fit::Unknown => "no schema or scenario of its type is published",
                }
            }
        };
        if part.metadata.get("required") == Some(&Value::Bool(true)) {
            return Err(Misunderstanding::Field(FieldFault::new(
                field("metadata.type"),
                format!("must be understood, but {why}"),
            )));
        }
        skipped.push(Skipped {
            part: place,
            why: why.to_owned(),
        });
    }
    words.retain(|word| !word.is_empty());
    let words = words.join("\n");
    let asked = match submissions.as_slice() {
        [] if words.is_empty() => Asked::Nothing,
        [] => Asked::Wish(words),
        [submission] => Asked::Submission(submission.body(&words)),
        [_, _, ..] => {
            let what = "must hold one submission at most: send each in a message of its own";
            return Err(Misunderstanding::Field(FieldFault::new("message.parts", what)));
        }
    };
    Ok(Understood {
        asked,
        context,
        skipped,
    })
}

/// A data part that is submitted.
enum Submission<'a> {
    /// It is the body already.
    Envelope(&'a str),
    /// It is the payload of the schema that its metadata name.
    Typed {
        schema_id: String,
        payload: &'a str,
        said: Vec<(&'static str, Value)>,
    },
}

impl Submission<'_> {
    /// The body; words beside a typed part are what the user said, those beside a whole submission say nothing of it.
    fn body(&self, words: &str) -> String {
        match self {
            Submission::Envelope(json) => (*json).to_owned(),
            Submission::Typed {
                schema_id,
                payload,
                said,
            } => {
                let mut body = format!("{{\"schema_id\":{},\"payload\":{payload}", json!(schema_id));
                for (name, value) in said {
                    body.push_str(&format!(",\"{name}\":{value}"));
                }
                if !words.is_empty() {
                    body.push_str(&format!(",\"utterance\":{}", json!(words)));
                }
                body.push('}');
                body
            }
        }
    }
}

/// Whether data is a submission by its own members. One of the two is enough where no type says what the data is: what lacks
/// the other is told so, as every mouth tells it.
fn is_envelope(json: &str, typed: bool) -> bool {
    // As a submission is read: of a member that is written twice the last one counts.
    let of = |members: BTreeMap<String, IgnoredAny>| {
        let (schema_id, payload) = (members.contains_key("schema_id"), members.contains_key("payload"));
        if typed {
            schema_id && payload
        } else {
            schema_id || payload
        }
    };
    json.starts_with('{') && serde_json::from_str(json).is_ok_and(of)
}

/// Names a member that stands in the metadata of a whole submission, which says all of it itself: to pass it over would be to
/// put on record, say, what was only to be tried.
fn says_it_itself(part: &Part, field: &impl Fn(&str) -> String) -> Result<(), Misunderstanding> {
    let given = |name: &&&str| part.metadata.get(**name).is_some_and(|value| !value.is_null());
    let Some(name) = SAID_OF_IT.iter().find(given) else {
        return Ok(());
    };
    let what = "belongs beside `schema_id` and `payload`: metadata say it of a typed part alone";
    let fault = FieldFault::new(field(&format!("metadata.{name}")), what);
    Err(Misunderstanding::Field(fault))
}

/// Whether what the metadata of a whole submission say is what its own `schema_id` says. One that is not hosted is told so later.
fn agrees(
    json: &str,
    type_name: Option<&str>,
    version: Option<Version>,
    known: &impl Fn(&str) -> Vec<Known>,
    field: &impl Fn(&str) -> String,
) -> Result<(), Misunderstanding> {
    if type_name.is_none() && version.is_none() {
        return Ok(());
    }
    let Ok(Envelope { schema_id, .. }) = Envelope::parse(json) else {
        return Ok(());
    };
    let Some(own) = known(&schema_id)
        .into_iter()
        .find(|own| own.schema_id.as_str() == schema_id)
    else {
        return Ok(());
    };
    let typed = type_name.map(known);
    let fault = match typed::contradiction(&own, typed.as_deref(), version) {
        None => return Ok(()),
        Some(Contradiction::Type) => FieldFault::new(
            field("metadata.type"),
            "must be the scenario of the schema that `schema_id` names, or a schema of its major version",
        ),
        Some(Contradiction::Version(major)) => FieldFault::new(
            field("metadata.schemaVersion"),
            format!("must be of the major version of the schema that `schema_id` names: {major}"),
        ),
    };
    Err(Misunderstanding::Field(fault))
}

/// Names the member of a typed part's metadata that no submission can have.
fn check_said(part: &Part, field: &impl Fn(&str) -> String) -> Result<(), Misunderstanding> {
    let given = |name: &str| part.metadata.get(name).filter(|value| !value.is_null());
    let wrong = |name: &str, what: &str| {
        let fault = FieldFault::new(field(&format!("metadata.{name}")), what);
        Err(Misunderstanding::Field(fault))
    };
    if given("revision").is_some_and(|revision| count(revision).is_none()) {
        return wrong("revision", "must be an integer from 0");
    }
    for name in ["pinned", "dry_run"] {
        if given(name).is_some_and(|flag| !flag.is_boolean()) {
            return wrong(name, "must be true or false");
        }
    }
    Ok(())
}

/// The revision that a typed part is to be judged by, where it is pinned.
fn pinned(part: &Part) -> Option<u64> {
    let pinned = part.metadata.get("pinned") == Some(&Value::Bool(true));
    part.metadata.get("revision").filter(|_| pinned).and_then(count)
}

/// A count, also one that is written `7.0`: clients that read metadata as a structure of the protocol know no other numbers.
fn count(value: &Value) -> Option<u64> {
    Numeral::of(value.as_number()?).count()
}

fn part_version(part: &Part, field: &str) -> Result<Option<Version>, Misunderstanding> {
    let wrong = || Misunderstanding::Field(FieldFault::new(field, "must be MAJOR.MINOR or MAJOR.MINOR.PATCH"));
    match part.metadata.get("schemaVersion") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => typed::version(text).map(Some).ok_or_else(wrong),
        Some(_) => Err(wrong()),
    }
}

fn other_major(field: &str, majors: &[u32]) -> FieldFault {
    let known: Vec<String> = majors.iter().map(u32::to_string).collect();
    let what = match known.as_slice() {
        [] => "is of a type whose schemas are all retired".to_owned(),
        known => format!(
            "must be of a major version that is published here: {}",
            known.join(", ")
        ),
    };
    FieldFault::new(field, what)
}

fn check_media_type(part: &Part, field: &str) -> Result<(), Misunderstanding> {
    let essence = part
        .media_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let (read, what) = match &part.content {
        Content::Text(_) => (essence.is_empty() || essence == "text/plain", "text must be text/plain"),
        Content::Data(_) => (
            essence.is_empty()
                || essence == "application/json"
                || (essence.starts_with("application/") && essence.ends_with("+json")),
            "data must be application/json",
        ),
        Content::Raw(_) | Content::Url(_) => (false, "files are not read here: send text or data"),
    };
    if read {
        Ok(())
    } else {
        Err(Misunderstanding::MediaType(FieldFault::new(field, what)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::Asked;
    use super::Fit;
    use super::Known;
    use super::Misunderstanding;
    use super::Skipped;
    use super::Understood;
    use super::Version;
    use super::read;
    use crate::domain::task::message::Message;
    use crate::domain::template::name::ScenarioKey;
    use crate::domain::template::name::SchemaId;

    /// `trip` is published in version 1 as `trip_v1`.
    fn named(name: &str, version: Option<Version>, _pinned: Option<u64>) -> Fit {
        match (name, version) {
            ("trip" | "trip_v1", None) => Fit::Schema(SchemaId::parse("trip_v1").expect("an id")),
            ("trip" | "trip_v1", Some(version)) if version.major == 1 => {
                Fit::Schema(SchemaId::parse("trip_v1").expect("an id"))
            }
            ("trip" | "trip_v1", Some(_)) => Fit::OtherMajor(vec![1]),
            ("about", _) => Fit::Context,
            ("meal", _) => Fit::Schema(SchemaId::parse("meal_v1").expect("an id")),
            _ => Fit::Unknown,
        }
    }

    fn known(name: &str) -> Vec<Known> {
        let Some(scenario) = name.split('_').next().filter(|name| ["trip", "meal"].contains(name)) else {
            return Vec::new();
        };
        vec![Known {
            schema_id: SchemaId::parse(&format!("{scenario}_v1")).expect("an id"),
            scenario: ScenarioKey::parse(scenario).expect("a name"),
            version: Version::parse("1.0.0").expect("a version"),
            retired: false,
            in_force: true,
            published: 0,
            changed: 0,
        }]
    }

    fn understood(parts: Value) -> Result<Understood, Misunderstanding> {
        let text = json!({"messageId": "m", "role": "ROLE_USER", "parts": parts}).to_string();
        read(&Message::read(&text, "message").expect("a message"), named, known)
    }

    fn asked(parts: Value) -> Asked {
        understood(parts).expect("understood").asked
    }

    fn field(parts: Value) -> String {
        match understood(parts).expect_err("not understood") {
            Misunderstanding::Field(fault) | Misunderstanding::MediaType(fault) => fault.field,
        }
    }

    #[test]
    fn data_with_schema_id_and_payload_is_the_submission_itself() {
        let whole = json!({"schema_id": "trip_v1", "payload": {"origin": "ULM"}, "dry_run": true});
        let body = Asked::Submission(whole.to_string());
        assert_eq!(asked(json!([{"data": whole}])), body);
        assert_eq!(asked(json!([{"text": "for my boss"}, {"data": whole}])), body);
        for half in [json!({"schema_id": "trip_v1"}), json!({"payload": {"origin": "ULM"}})] {
            assert_eq!(asked(json!([{"data": half}])), Asked::Submission(half.to_string()));
            let typed = json!({"data": half, "metadata": {"type": "nobody_knows_it"}});
            assert_eq!(asked(json!([typed])), Asked::Nothing, "its type says what it is");
        }
    }

    #[test]
    fn what_the_metadata_of_a_whole_submission_say_is_what_it_says_itself_p009_p013_p014_p016() {
        let whole = json!({"schema_id": "trip_v1", "payload": {"origin": "ULM"}});
        let part = |metadata: Value| json!([{"data": whole, "metadata": metadata}]);
        for agreeing in [
            json!({"type": "trip"}),
            json!({"type": "trip_v1", "schemaVersion": "1.9"}),
            json!({"schemaVersion": "1.0.0"}),
            json!({"type": "trip", "required": true}),
            json!({"type": null, "schemaVersion": null}),
        ] {
            let body = Asked::Submission(whole.to_string());
            assert_eq!(asked(part(agreeing.clone())), body, "{agreeing}");
        }
        for (metadata, member) in [
            (json!({"type": "meal"}), "type"),
            (json!({"type": "meal", "schemaVersion": "9.0"}), "type"),
            (json!({"type": "trip", "schemaVersion": "9.0"}), "schemaVersion"),
            (json!({"schemaVersion": "9.0"}), "schemaVersion"),
            (json!({"type": "trip", "schemaVersion": "new"}), "schemaVersion"),
            (json!({"type": "zebra", "required": true}), "type"),
        ] {
            let expected = format!("message.parts[0].metadata.{member}");
            assert_eq!(field(part(metadata.clone())), expected, "{metadata}");
        }
        let unknown = understood(part(json!({"type": "zebra"}))).expect("understood");
        assert!(matches!(unknown.skipped.as_slice(), [Skipped { part: 0, .. }]));
        assert_eq!(unknown.asked, Asked::Nothing);
        assert_eq!(
            understood(part(json!({"type": "about"}))).expect("understood").context,
            [0]
        );
        let nowhere = json!([{"data": {"schema_id": "nope", "payload": {}}, "metadata": {"schemaVersion": "9.0"}}]);
        assert!(matches!(asked(nowhere), Asked::Submission(_)), "it is told so later");
    }

    #[test]
    fn what_a_whole_submission_says_itself_stands_in_no_metadata_and_twice_is_once() {
        for member in ["revision", "pinned", "language", "dry_run", "idempotency_key"] {
            let data = json!({"schema_id": "trip_v1", "payload": {}});
            let refused = understood(json!([{"data": data, "metadata": {member: true}}])).expect_err("refused");
            let expected = format!("message.parts[0].metadata.{member}");
            assert!(matches!(refused, Misunderstanding::Field(fault) if fault.field == expected));
        }
        let twice = r#"{"schema_id":"trip_v1","payload":{},"payload":{"origin":"ULM"}}"#;
        let text = format!(r#"{{"messageId":"m","role":"ROLE_USER","parts":[{{"data":{twice}}}]}}"#);
        let message = Message::read(&text, "message").expect("a message");
        let understood = read(&message, named, known).expect("understood");
        assert_eq!(
            understood.asked,
            Asked::Submission(twice.to_owned()),
            "as every mouth reads it"
        );
    }

    #[test]
    fn a_typed_part_says_a_revision_as_clients_write_it_and_may_only_be_tried() {
        let metadata = json!({"type": "trip", "revision": 7.0, "pinned": true, "dry_run": true});
        let Asked::Submission(body) = asked(json!([{"data": {}, "metadata": metadata}])) else {
            panic!("no submission");
        };
        assert_eq!(
            body,
            r#"{"schema_id":"trip_v1","payload":{},"revision":7.0,"pinned":true,"dry_run":true}"#
        );
        let wrong = json!([{"data": {}, "metadata": {"type": "trip", "dry_run": "yes"}}]);
        assert!(understood(wrong).is_err());
    }

    #[test]
    fn a_typed_part_is_the_payload_of_its_schema_and_words_beside_it_are_what_was_said_p009_p011_p038() {
        let typed = json!({"data": {"origin": "ULM"}, "metadata": {"type": "trip", "schemaVersion": "1.4"}});
        let Asked::Submission(body) = asked(json!([{"text": " From Ulm. "}, typed])) else {
            panic!("no submission");
        };
        let body: Value = serde_json::from_str(&body).expect("JSON");
        let expected = json!({"schema_id": "trip_v1", "payload": {"origin": "ULM"}, "utterance": "From Ulm."});
        assert_eq!(body, expected);
        let Asked::Submission(body) =
            asked(json!([{"data": [1], "metadata": {"type": "trip_v1", "idempotency_key": "k", "revision": 7}}]))
        else {
            panic!("no submission");
        };
        assert_eq!(
            body,
            r#"{"schema_id":"trip_v1","payload":[1],"revision":7,"idempotency_key":"k"}"#
        );
    }

    #[test]
    fn a_member_of_the_metadata_that_no_submission_can_have_is_named() {
        for (name, wrong) in [("revision", json!("7")), ("revision", json!(-1)), ("pinned", json!(1))] {
            let part = json!({"data": {}, "metadata": {"type": "trip", name: wrong}});
            assert_eq!(field(json!([part])), format!("message.parts[0].metadata.{name}"));
        }
    }

    #[test]
    fn parts_that_nobody_understands_are_passed_over_and_named_p016() {
        let history = json!({"data": [], "metadata": {"type": "ConversationHistory", "schemaVersion": "1.0"}});
        let plain = json!({"data": {"a": 1}});
        let read = understood(json!([{"text": "a flight"}, history, plain])).expect("understood");
        assert_eq!(read.asked, Asked::Wish("a flight".to_owned()));
        assert_eq!(
            read.skipped.iter().map(|skipped| skipped.part).collect::<Vec<_>>(),
            [1, 2]
        );
        let nothing = understood(json!([plain])).expect("understood");
        assert_eq!(nothing.asked, Asked::Nothing);
        assert!(matches!(nothing.skipped.as_slice(), [Skipped { part: 0, .. }]));
        let needed = json!({"data": [], "metadata": {"type": "ConversationHistory", "required": true}});
        assert_eq!(field(json!([{"text": "a"}, needed])), "message.parts[1].metadata.type");
    }

    #[test]
    fn a_version_that_is_of_another_major_or_none_is_refused_by_name_p014() {
        for version in [json!("2.0"), json!("one"), json!(1.0)] {
            let part = json!({"data": {}, "metadata": {"type": "trip", "schemaVersion": version}});
            assert_eq!(
                field(json!([part])),
                "message.parts[0].metadata.schemaVersion",
                "{version}"
            );
        }
    }

    #[test]
    fn one_message_holds_one_submission_at_most() {
        let one = json!({"data": {"schema_id": "trip_v1", "payload": {}}});
        assert_eq!(field(json!([one, one])), "message.parts");
    }

    #[test]
    fn files_and_other_media_types_are_not_read_p006_p007() {
        for part in [
            json!({"raw": "YQ==", "mediaType": "text/plain"}),
            json!({"url": "https://a"}),
            json!({"text": "a", "mediaType": "text/html"}),
            json!({"data": {}, "mediaType": "text/json"}),
        ] {
            let misunderstood = understood(json!([part]));
            assert!(matches!(misunderstood, Err(Misunderstanding::MediaType(_))), "{part}");
        }
        for part in [
            json!({"text": "a", "mediaType": "Text/Plain; charset=utf-8"}),
            json!({"data": {}, "mediaType": "application/ld+json"}),
        ] {
            assert!(understood(json!([part])).is_ok(), "{part}");
        }
        assert_eq!(asked(json!([{"text": "  "}])), Asked::Nothing);
    }
}
