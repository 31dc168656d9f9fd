//! The payload of a source as keys: which members there are, what each is called, which type it has.

use serde_json::Value;
use serde_json::json;

use crate::budget::Budget;
use crate::defect::pointer_to;
use crate::import::ImportFault;
use crate::import::description::description;
use crate::import::finding::Effect;
use crate::import::finding::Findings;
use crate::import::naming;
use crate::import::reader::Members;
use crate::import::reader::Reader;
use crate::import::shape::About;
use crate::import::shape::Shape;
use crate::import::source::Source;
use crate::key::KeyType;
use crate::key::TITLE;
use crate::keyword::Keyword;
use crate::rule::Rule;

/// A payload as keys.
#[derive(Debug)]
pub struct Payload {
    pub keys: Vec<Key>,
    /// What the source says of the whole.
    pub description: Option<String>,
    /// Whether members that are not declared are refused.
    pub is_closed: bool,
    pub findings: Findings,
}

/// A key definition, and where it is from.
#[derive(Debug)]
pub struct Key {
    pub name: String,
    pub document: Value,
    pub pointer: String,
}

impl Payload {
    /// Reads the payload of a source: its members, or, with a name, the whole as one key.
    ///
    /// # Errors
    /// [`ImportFault`].
    pub fn read(source: &mut Source<'_>, as_key: Option<&str>, budget: &Budget<'_>) -> Result<Payload, ImportFault> {
        let findings = std::mem::take(&mut source.findings);
        let mut reader = Reader::new(source, findings, budget);
        let mut keys: Vec<Key> = Vec::new();
        for parameter in &source.parameters {
            let (own, place) = (&parameter.name, &parameter.place);
            let name = naming::key_name(own, |name| keys.iter().any(|key| key.name == name));
            reader.enter(Some(&name));
            let mut shape = reader.shape(&[reader.part(&parameter.schema)], 1)?;
            shape.about.description = parameter.description.clone().or(shape.about.description);
            let why = format!("it is a parameter in the {place}: whoever executes a submission puts it there");
            reader.findings.note(Effect::Changed, &shape.about.pointer, "in", why);
            keys.extend(key(own, name, parameter.required, shape, &mut reader.findings));
        }
        reader.enter(None);
        let mut description = source.description.take();
        let mut is_closed = source.payload.is_none();
        if let Some(schema) = &source.payload {
            let part = reader.part(schema);
            let (members, about) = match as_key {
                None => reader.payload(&part)?,
                Some(name) => (Members::of_one(name, part), About::default()),
            };
            is_closed = members.is_closed();
            description = description.or(about.description).or(about.title);
            if let Some(like) = members.rest.first().filter(|_| !is_closed) {
                let why = "what a template does not declare is taken as it comes, or refused as a whole";
                reader
                    .findings
                    .note(Effect::Unenforced, &like.at, "additionalProperties", why);
            }
            let declared = |name: &String| members.declared.iter().any(|(own, _)| own == name);
            for name in members.required.iter().filter(|name| !declared(name)) {
                let why = format!("`{name}` is required and never described, so that no key is made of it");
                reader
                    .findings
                    .note(Effect::Unenforced, &pointer_to(&schema.1, "required"), name, why);
            }
            for (own, parts) in &members.declared {
                let name = naming::key_name(own, |name| keys.iter().any(|key| key.name == name));
                reader.enter(Some(&name));
                let shape = reader.shape(parts, 1)?;
                let is_required = reader.requires(&members.required, own, &shape);
                if source.parameters.iter().any(|parameter| parameter.name == *own) {
                    let why =
                        format!("a parameter is called `{own}` as well: the key `{name}` is the member of the body");
                    reader.findings.note(Effect::Changed, &shape.about.pointer, "in", why);
                }
                keys.extend(key(own, name, is_required, shape, &mut reader.findings));
            }
            reader.enter(None);
            // A tool may take no arguments; a schema that only defines others is no payload.
            let defines = ["$defs", "definitions"].iter().any(|name| schema.0.get(name).is_some());
            let is_exact = source.is_tool || (schema.0["type"] == "object" && !defines);
            if keys.is_empty() && (!is_exact || reader.findings.decide()) {
                let why = "it declares no member of which some value is right".to_owned();
                return Err(ImportFault::Unfit(why));
            }
        }
        Ok(Payload {
            keys,
            description,
            is_closed,
            findings: reader.findings,
        })
    }
}

/// The key of a member; none where no value of it is right.
fn key(own: &str, name: String, mut required: bool, mut shape: Shape, findings: &mut Findings) -> Option<Key> {
    let pointer = shape.about.pointer.clone();
    if shape.take_null() {
        shape.about.null_left_out(required, findings);
        required = false;
    }
    let Some(kind) = settled(&mut shape, findings) else {
        let why = "no value of it is right: no key is made of it, and what is sent under its name is an unknown member";
        findings.note(Effect::Unenforced, &pointer, "schema", why);
        findings.unkey(&name);
        return None;
    };
    let rule = Rule::compile(kind, &shape.schema);
    let description = description(own, &shape.about, (&shape.said, shape.unsaid), &rule, findings);
    let mut default = shape.about.default.filter(|default| !default.is_null());
    if let Some(default) = default.take_if(|default| required || !rule.accepts(default)) {
        let why = match required {
            true => "a default of what is required is never applied".to_owned(),
            false => format!("the default {default} is none of what the key accepts"),
        };
        findings.note(Effect::LeftOut, &pointer_to(&pointer, "default"), "default", why);
    }
    if name != own {
        let why = format!("the key is named `{name}`, as names of keys are; its own name stands in its `{TITLE}`");
        findings.note(Effect::Changed, &pointer, "name", why);
    }
    let members = [
        ("key_name", Some(json!(name))),
        ("key_type", Some(json!(kind.name()))),
        ("required", Some(json!(required))),
        ("default_value", default),
        ("semantic_description", Some(json!(description))),
        (
            "constraints",
            (!shape.schema.is_empty()).then_some(Value::Object(shape.schema)),
        ),
        (TITLE, (name != own).then(|| json!(own))),
    ];
    let members = members
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Some(Key {
        document: Value::Object(members.collect()),
        name,
        pointer,
    })
}

/// Leaves one type: the one of the default, or of which something is asked where none is named, or the first.
fn settled(shape: &mut Shape, findings: &mut Findings) -> Option<KeyType> {
    let is_untyped = shape.is_of_every_type();
    // What may be anything may be null: that a key says by being left out.
    let named: Vec<KeyType> = shape
        .types
        .iter()
        .copied()
        .filter(|kind| !is_untyped || *kind != KeyType::Null)
        .collect();
    let by_default = |kind: &&KeyType| shape.about.default.as_ref().is_some_and(|default| kind.holds(default));
    let asked = |kind: &&KeyType| shape.schema.keys().any(|name| speaks_of(name, **kind)) && is_untyped;
    let found = named.iter().find(by_default).or_else(|| named.iter().find(asked));
    let kind = *found.or(named.first())?;
    let taken = kind.name();
    let others: Vec<&str> = named
        .iter()
        .filter(|named| **named != kind)
        .map(|kind| kind.name())
        .collect();
    if !others.is_empty() {
        let why = match is_untyped {
            true => format!("no type is named, and a key has one: `{taken}` is taken, and other values are refused"),
            false => format!(
                "a key has one type: `{taken}` is taken, and values of type {} are refused",
                others.join(", ")
            ),
        };
        findings.note(Effect::Narrowed, &shape.about.pointer, "type", why);
    }
    shape.settle_on(|own| own == kind);
    Some(kind)
}

fn speaks_of(name: &str, kind: KeyType) -> bool {
    Keyword::parse(name).is_some_and(|keyword| keyword.speaks_of(kind))
}
