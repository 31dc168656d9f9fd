//! What a message asks of a service that hosts schemas: to take a submission, or to find a template for a wish (P-009, P-016).
//!
//! Invariant: a part that nobody here understands is passed over and named, unless it says that it must be understood; it
//! never fails the message.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;

use crate::a2a_task::message::Content;
use crate::a2a_task::message::Message;
use crate::a2a_task::message::Part;
use crate::a2a_task::typed_part;
use crate::a2a_task::typed_part::Contradiction;
use crate::a2a_task::typed_part::Fit;
use crate::a2a_task::typed_part::Known;
use crate::fields::FieldFault;
use schema::exchange::envelope;
use schema::exchange::envelope::Envelope;
use schema::name::SchemaId;
use schema::numeral::Numeral;
use schema::template::Version;

/// Members of a submission that the metadata of a typed part may hold.
pub const SAID_OF_IT: [&str; 6] = [
    "revision",
    "pinned",
    "language",
    "dry_run",
    "handling",
    "idempotency_key",
];

/// Method of the draft's request for a template.
pub const TEMPLATE_METHOD: &str = "get_schema_template";

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// To take this submission, as the body that HTTP takes.
    Submission(String),
    /// To find a template for these words.
    Wish(String),
    /// The template that the draft's request names (Z-173): the place of its part, and its params.
    Template(usize, Map<String, Value>),
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

/// A part at its place in the message.
struct Placed<'a> {
    part: &'a Part,
    place: usize,
}

impl Placed<'_> {
    /// A member of it is wrong.
    fn wrong<T>(&self, member: &str, what: impl Into<String>) -> Result<T, Misunderstanding> {
        let field = format!("message.parts[{}].{member}", self.place);
        Err(Misunderstanding::Field(FieldFault::new(field, what)))
    }

    /// A member of its metadata that is given, other than as `null`.
    fn given(&self, name: &str) -> Option<&Value> {
        self.part.metadata.get(name).filter(|value| !value.is_null())
    }

    /// The version that it is of.
    fn version(&self) -> Result<Option<Version>, Misunderstanding> {
        let version = typed_part::schema_version(&self.part.metadata);
        version.or_else(|form| self.wrong("metadata.schemaVersion", format!("must be {form}")))
    }
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
    let mut template = None;
    let mut skipped = Vec::new();
    let mut context = Vec::new();
    for (place, part) in message.parts.iter().enumerate() {
        let placed = Placed { part, place };
        if !part.is_file {
            check_media_type(&placed)?;
        }
        let why = match &part.content {
            Content::Text(text) => {
                words.push(text.trim());
                continue;
            }
            Content::Raw(_) | Content::Url(_) => "it holds a file, and files are not read here",
            Content::Data(json) => match held(json, part, &named) {
                Held::Nothing => match template_params(json, part).filter(|_| template.is_none()) {
                    Some(params) => {
                        template = Some((place, params));
                        continue;
                    }
                    None => "it says no type and is no submission",
                },
                Held::Envelope => {
                    agrees(&placed, json, &known)?;
                    check_beside(&placed)?;
                    submissions.push(Submission::Envelope(json));
                    continue;
                }
                Held::Typed(name) => {
                    let version = placed.version()?;
                    check_said(&placed)?;
                    match named(name, version, pinned(part)) {
                        Fit::Schema(schema_id) => {
                            submissions.push(Submission::Typed(schema_id, json, part));
                            continue;
                        }
                        Fit::OtherMajor(majors) => return other_major(&placed, &majors),
                        Fit::Context => {
                            context.push(place);
                            continue;
                        }
                        Fit::Unknown => "no schema or scenario of its type is published",
                    }
                }
            },
        };
        // It is passed over, unless it must be understood (P-016).
        if typed_part::is_required(&part.metadata) {
            return placed.wrong("metadata.type", format!("must be understood, but {why}"));
        }
        skipped.push(Skipped {
            part: place,
            why: why.to_owned(),
        });
    }
    words.retain(|word| !word.is_empty());
    let words = words.join("\n");
    let asked = match (submissions.as_slice(), template) {
        ([], Some((place, params))) => Asked::Template(place, params),
        ([], None) if words.is_empty() => Asked::Nothing,
        ([], None) => Asked::Wish(words),
        ([submission], template) => {
            let why = "it requests a template, and a submission stands beside it".to_owned();
            skipped.extend(template.map(|(part, _)| Skipped { part, why }));
            Asked::Submission(submission.body(&words))
        }
        ([_, _, ..], _) => {
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

/// Params of the draft's request for a template, where data without a type are one.
fn template_params(json: &str, part: &Part) -> Option<Map<String, Value>> {
    #[derive(Deserialize)]
    struct Request {
        method: String,
        params: Map<String, Value>,
    }
    let request: Request = serde_json::from_str(json).ok()?;
    (request.method == TEMPLATE_METHOD && part.type_name().is_none()).then_some(request.params)
}

/// Which submission a part of data holds, whatever else is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carried {
    /// A whole one, which names its schema itself; the payload is a member of it.
    Envelope(String),
    /// The payload for the schema that the part's metadata name.
    Payload(SchemaId),
}

/// The submission that a part holds, if it holds one; `named` as for [`read`].
pub fn carried(part: &Part, named: impl Fn(&str, Option<Version>, Option<u64>) -> Fit) -> Option<Carried> {
    let json = part.as_data()?;
    match held(json, part, &named) {
        Held::Nothing => None,
        Held::Envelope => {
            let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(json).ok()?;
            let schema_id: String = serde_json::from_str(members.get("schema_id")?.get()).ok()?;
            Some(Carried::Envelope(schema_id))
        }
        Held::Typed(name) => match named(name, typed_part::schema_version(&part.metadata).ok()?, pinned(part)) {
            Fit::Schema(schema_id) => Some(Carried::Payload(schema_id)),
            Fit::Context | Fit::Unknown | Fit::OtherMajor(_) => None,
        },
    }
}

/// What data are, by their members and their type.
enum Held<'a> {
    /// A submission by their own members, of which a type says nothing else.
    Envelope,
    /// What this type says.
    Typed(&'a str),
    Nothing,
}

fn held<'a>(json: &str, part: &'a Part, named: &impl Fn(&str, Option<Version>, Option<u64>) -> Fit) -> Held<'a> {
    let name = part.type_name();
    let is_foreign = || name.is_some_and(|name| matches!(named(name, None, None), Fit::Unknown | Fit::Context));
    if is_envelope(json, part.metadata.contains_key("type")) && !is_foreign() {
        return Held::Envelope;
    }
    name.map_or(Held::Nothing, Held::Typed)
}

/// A data part that is submitted.
enum Submission<'a> {
    /// It is the body already.
    Envelope(&'a str),
    /// It is the payload of the schema that its metadata name.
    Typed(SchemaId, &'a str, &'a Part),
}

impl Submission<'_> {
    /// The body; words beside a typed part are what the user said, those beside a whole submission say nothing of it.
    fn body(&self, words: &str) -> String {
        let (schema_id, payload, part) = match self {
            Submission::Envelope(json) => return (*json).to_owned(),
            Submission::Typed(schema_id, payload, part) => (schema_id.as_str(), payload, part),
        };
        let mut body = format!("{{\"schema_id\":{},\"payload\":{payload}", json!(schema_id));
        for name in SAID_OF_IT {
            if let Some(value) = part.metadata.get(name) {
                body.push_str(&format!(",\"{name}\":{value}"));
            }
        }
        if !words.is_empty() {
            body.push_str(&format!(",\"utterance\":{}", json!(words)));
        }
        body.push('}');
        body
    }
}

/// Whether data is a submission by its own members. One of the two is enough where no type says what the data is: what lacks
/// the other is told so, as every transport tells it.
fn is_envelope(json: &str, typed: bool) -> bool {
    // A member that is written twice is there, and one that is meant to be it as well; what reads the submission refuses both.
    let of = |members: BTreeMap<String, IgnoredAny>| {
        let [schema_id, payload] = ["schema_id", "payload"];
        let meant = |member| members.keys().any(|name| envelope::meant(name, &[member]).is_some());
        let is_either = !typed && (members.contains_key(schema_id) || members.contains_key(payload));
        is_either || meant(schema_id) && meant(payload)
    };
    json.starts_with('{') && serde_json::from_str(json).is_ok_and(of)
}

/// Names a member that stands in the metadata of a whole submission, which says all of it itself: to pass it over would be to
/// put on record, say, what was only to be tried.
fn check_beside(placed: &Placed<'_>) -> Result<(), Misunderstanding> {
    check_spelling(placed)?;
    match SAID_OF_IT.iter().find(|name| placed.given(name).is_some()) {
        None => Ok(()),
        Some(name) => placed.wrong(
            &format!("metadata.{name}"),
            "belongs beside `schema_id` and `payload`: metadata say it of a typed part alone",
        ),
    }
}

/// Names the member of a part or of its metadata that is meant to be one of a submission, and is none.
fn check_spelling(placed: &Placed<'_>) -> Result<(), Misunderstanding> {
    if let Some(beside) = &placed.part.beside {
        return Err(Misunderstanding::Field(beside.clone()));
    }
    let others = placed.part.metadata.keys().map(String::as_str);
    let mut others = others.filter(|name| !SAID_OF_IT.contains(name));
    match others.find_map(|name| Some((name, envelope::meant(name, &SAID_OF_IT)?))) {
        None => Ok(()),
        Some((name, member)) => {
            let what = format!("is no member here: `{member}` is meant");
            placed.wrong(&format!("metadata.{}", envelope::shown(name)), what)
        }
    }
}

/// Checks that what the metadata of a whole submission say is what its own `schema_id` says. One that is not hosted is told so later.
fn agrees(placed: &Placed<'_>, json: &str, known: &impl Fn(&str) -> Vec<Known>) -> Result<(), Misunderstanding> {
    let (type_name, version) = (placed.part.type_name(), placed.version()?);
    let own = match Envelope::parse(json) {
        Ok(Envelope { schema_id, .. }) if type_name.is_some() || version.is_some() => known(&schema_id)
            .into_iter()
            .find(|own| own.schema_id.as_str() == schema_id),
        Ok(_) | Err(_) => None,
    };
    let Some(own) = own else { return Ok(()) };
    match typed_part::contradiction(&own, type_name.map(known).as_deref(), version) {
        None => Ok(()),
        Some(Contradiction::Type) => placed.wrong(
            "metadata.type",
            "must be the scenario of the schema that `schema_id` names, or a schema of its major version",
        ),
        Some(Contradiction::Version(major)) => placed.wrong(
            "metadata.schemaVersion",
            format!("must be of the major version of the schema that `schema_id` names: {major}"),
        ),
    }
}

/// Names the member of a typed part's metadata that no submission can have.
fn check_said(placed: &Placed<'_>) -> Result<(), Misunderstanding> {
    check_spelling(placed)?;
    let revision = placed.given("revision");
    if revision.is_some_and(|revision| count(revision).is_none()) {
        return placed.wrong("metadata.revision", "must be an integer from 0");
    }
    let is_odd = |name: &&str| placed.given(name).is_some_and(|flag| !flag.is_boolean());
    match ["pinned", "dry_run"].into_iter().find(is_odd) {
        None => Ok(()),
        Some(name) => placed.wrong(&format!("metadata.{name}"), "must be true or false"),
    }
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

fn other_major<T>(placed: &Placed<'_>, majors: &[u32]) -> Result<T, Misunderstanding> {
    let known: Vec<String> = majors.iter().map(u32::to_string).collect();
    let what = match known.as_slice() {
        [] => "is of a type whose schemas are all retired".to_owned(),
        known => format!(
            "must be of a major version that is published here: {}",
            known.join(", ")
        ),
    };
    placed.wrong("metadata.schemaVersion", what)
}

fn check_media_type(placed: &Placed<'_>) -> Result<(), Misunderstanding> {
    let essence = placed.part.media_type.split(';').next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    let is_json = essence == "application/json" || essence.starts_with("application/") && essence.ends_with("+json");
    let (is_read, what) = match &placed.part.content {
        Content::Text(_) => (essence == "text/plain", "text must be text/plain"),
        Content::Data(_) => (is_json, "data must be application/json"),
        Content::Raw(_) | Content::Url(_) => {
            return media_type(placed, "files are not read here: send text or data");
        }
    };
    match essence.is_empty() || is_read {
        true => Ok(()),
        false => media_type(placed, what),
    }
}

fn media_type(placed: &Placed<'_>, what: &str) -> Result<(), Misunderstanding> {
    let field = format!("message.parts[{}].mediaType", placed.place);
    Err(Misunderstanding::MediaType(FieldFault::new(field, what)))
}

#[cfg(test)]
mod tests;
