//! The payload of a source as keys: which members there are, what each is called, which type it has.

use std::collections::BTreeMap;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::defect::pointer_to;
use crate::import::ImportFault;
use crate::import::describing;
use crate::import::finding::Effect;
use crate::import::finding::Findings;
use crate::import::naming;
use crate::import::reader::Reader;
use crate::import::shape::Facts;
use crate::import::shape::Rest;
use crate::import::shape::Shape;
use crate::import::source::Source;
use crate::import::writer::Writer;
use crate::key::KeyType;
use crate::key::TITLE;
use crate::rule::Rule;
use crate::template::KEYS_MAX;

/// Types that are left of one that says none, once null is taken out.
const UNTYPED: usize = 5;

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
    /// Its name in the source, and in the template.
    pub member: String,
    pub name: String,
    pub document: Value,
    pub pointer: String,
    /// Where in the source each schema of its constraints stands, by its place in them.
    pub origins: BTreeMap<String, String>,
}

/// A member of the payload before it is a key.
struct Member {
    name: String,
    required: bool,
    shape: Shape,
}

impl Payload {
    /// Reads the payload of a source.
    ///
    /// # Errors
    /// [`ImportFault`].
    pub fn read(source: &Source<'_>) -> Result<Payload, ImportFault> {
        let mut reader = Reader::new(source.root, &source.base, source.dialect);
        for (pointer, what) in &source.left_out {
            reader.findings.annotation(pointer, what);
        }
        let mut members = Vec::new();
        for parameter in &source.parameters {
            reader.findings.enter(Some(parameter.name));
            let mut shape = reader.read(parameter.schema, &parameter.pointer, 1)?;
            if let Some(description) = parameter.description {
                shape.about.description = Some(description.trim().to_owned());
            }
            let why = format!(
                "it is a parameter in the {}: whoever executes a submission puts it there",
                parameter.place
            );
            reader.findings.note(Effect::Changed, &parameter.pointer, "in", why);
            members.push(Member {
                name: parameter.name.to_owned(),
                required: parameter.required,
                shape,
            });
        }
        reader.findings.enter(None);
        let mut description = None;
        let mut is_closed = source.payload.is_none();
        if let Some((schema, at)) = &source.payload {
            let shape = reader.read(schema, at, 0)?;
            let about = shape.about.clone();
            match shape.kinds.into_iter().find(|(kind, _)| *kind == KeyType::Object) {
                Some((_, facts)) => {
                    is_closed = facts.rest == Rest::Closed;
                    members.extend(of_object(facts, at, &mut reader.findings));
                    let told = about.description.or(about.title);
                    match (&source.description, &told) {
                        (Some(_), Some(_)) => reader
                            .findings
                            .annotation(&pointer_to(at, "description"), "description"),
                        _ => description = told,
                    }
                    for (name, is_there) in [
                        ("default", about.default.is_some()),
                        ("examples", !about.examples.is_empty()),
                    ] {
                        if is_there {
                            reader.findings.annotation(&pointer_to(at, name), name);
                        }
                    }
                }
                // The body of an operation may be anything; the payload holds it in a member.
                None if source.is_operation => {
                    let why = "a payload is an object; the body is its member `body`, which whoever executes a submission takes out";
                    reader.findings.note(Effect::Changed, at, "body", why);
                    let shape = reader.read(schema, at, 1)?;
                    members.push(Member {
                        name: "body".to_owned(),
                        required: source.optional_at.is_none(),
                        shape,
                    });
                }
                None => return Err(ImportFault::NotAnObject { at: at.clone() }),
            }
        }
        if let Some(at) = source
            .optional_at
            .as_deref()
            .filter(|_| members.iter().any(|member| member.required))
        {
            let why = "the body may be left out as a whole; its required members are asked for all the same";
            reader.findings.note(Effect::Narrowed, at, "required", why);
        }
        if members.len() > KEYS_MAX {
            return Err(ImportFault::TooManyMembers {
                at: source.base.clone(),
            });
        }
        let mut findings = reader.findings;
        let mut keys: Vec<Key> = Vec::new();
        let mut taken: Vec<String> = Vec::new();
        for member in members {
            findings.enter(Some(&member.name));
            keys.extend(key(member, &mut taken, &mut findings));
        }
        findings.enter(None);
        Ok(Payload {
            keys,
            description,
            is_closed,
            findings,
        })
    }
}

/// The members of an object.
fn of_object(facts: Facts, at: &str, findings: &mut Findings) -> Vec<Member> {
    if let Rest::Like(like) = &facts.rest {
        let why = "what a template does not declare is taken as it comes, or refused as a whole";
        findings.note(Effect::Unenforced, &like.about.pointer, "additionalProperties", why);
    }
    if facts.listed().is_some() {
        findings.note(
            Effect::Unenforced,
            &pointer_to(at, "enum"),
            "enum",
            "a payload is not listed as a whole",
        );
    }
    for name in facts
        .required
        .iter()
        .filter(|name| !facts.members.iter().any(|(own, _)| own == *name))
    {
        let why = format!("`{name}` is required and never described, so that no key is made of it");
        findings.note(Effect::Unenforced, &pointer_to(at, "required"), name, why);
    }
    let members = facts.members.into_iter().map(|(name, shape)| Member {
        required: facts.required.contains(&name),
        name,
        shape,
    });
    members.collect()
}

/// The key of a member; none where no value of it is right.
fn key(member: Member, taken: &mut Vec<String>, findings: &mut Findings) -> Option<Key> {
    let Member {
        name: own,
        mut required,
        mut shape,
    } = member;
    let pointer = shape.about.pointer.clone();
    let is_of_every_type = shape.is_of_every_type();
    let mut writer = Writer::new(findings);
    if shape.take_null() && !is_of_every_type {
        writer.null_left_out(&shape.about, required);
        required = false;
    }
    if shape.kinds.is_empty() {
        let why = "no value of it is right: no key is made of it, and what is sent under its name is an unknown member";
        writer.findings.note(Effect::Unenforced, &pointer, "schema", why);
        return None;
    }
    let (kind, facts) = chosen(&shape, writer.findings)?;
    let constraints = writer.facts(kind, &facts, &shape.about, "", "");
    let (origins, said) = (writer.origins, writer.said);
    let rule = Rule::compile(kind, &constraints);
    let description = describing::description(&own, &shape.about, &said, &rule, findings);
    let default = shape.about.default.as_ref().filter(|default| !default.is_null());
    let kept = default.filter(|default| !required && rule.accepts(default));
    if default.is_some() && kept.is_none() {
        let why = match required {
            true => "a default of what is required is never applied",
            false => "the default is none of what the key accepts",
        };
        findings.note(Effect::LeftOut, &pointer_to(&pointer, "default"), "default", why);
    }
    let name = naming::key_name(&own, taken);
    taken.push(name.clone());
    let mut document = Map::from_iter([
        ("key_name".to_owned(), json!(name)),
        ("key_type".to_owned(), json!(kind.name())),
        ("required".to_owned(), json!(required)),
    ]);
    document.extend(kept.map(|default| ("default_value".to_owned(), default.clone())));
    document.insert("semantic_description".to_owned(), json!(description));
    if !constraints.is_empty() {
        document.insert("constraints".to_owned(), Value::Object(constraints));
    }
    if name != own {
        let why = format!("the key is named `{name}`, as names of keys are; its own name stands in its `{TITLE}`");
        findings.note(Effect::Changed, &pointer, "name", why);
        document.insert(TITLE.to_owned(), json!(own));
    }
    Some(Key {
        member: own,
        name,
        document: Value::Object(document),
        pointer,
        origins,
    })
}

/// The one type of a key: the one of its default, or of which something is asked where none is named, or the first.
fn chosen(shape: &Shape, findings: &mut Findings) -> Option<(KeyType, Facts)> {
    let kinds = &shape.kinds;
    if let [only] = kinds.as_slice() {
        return Some(only.clone());
    }
    let untyped = kinds.len() == UNTYPED;
    let default = shape.about.default.as_ref();
    let by_default = kinds
        .iter()
        .find(|(kind, _)| default.is_some_and(|default| kind.holds(default)));
    let asked = kinds.iter().find(|(_, facts)| untyped && !facts.is_empty());
    let found = by_default.or(asked).or(kinds.first())?.clone();
    let taken = found.0.name();
    let why = match untyped {
        true => format!("no type is named, and a key has one: `{taken}` is taken, and other values are refused"),
        false => {
            let others: Vec<&str> = kinds
                .iter()
                .map(|(kind, _)| kind.name())
                .filter(|kind| *kind != taken)
                .collect();
            format!(
                "a key has one type: `{taken}` is taken, and values of type {} are refused",
                others.join(", ")
            )
        }
    };
    findings.note(Effect::Narrowed, &shape.about.pointer, "type", why);
    Some(found)
}
