//! The payload of a source as keys: which members there are, what each is called, which type it has.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::defect::pointer_to;
use crate::import::ImportFault;
use crate::import::finding::Effect;
use crate::import::finding::Findings;
use crate::import::naming;
use crate::import::place;
use crate::import::reader::Reader;
use crate::import::reader::too_many_members;
use crate::import::shape::Facts;
use crate::import::shape::Shape;
use crate::import::shape::is_nothing;
use crate::import::source::Source;
use crate::import::source::text;
use crate::import::writer;
use crate::import::writer::Writer;
use crate::key::KeyType;
use crate::key::TITLE;
use crate::rule::Rule;
use crate::template::KEYS_MAX;

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
}

/// A member of the payload before it is a key: its name, whether it is required, and what it may be.
type Member = (String, bool, Shape);

impl Payload {
    /// Reads the payload of a source.
    ///
    /// # Errors
    /// [`ImportFault`].
    pub fn read(source: &mut Source<'_>) -> Result<Payload, ImportFault> {
        let findings = std::mem::take(&mut source.findings);
        let mut reader = Reader::new((source.root.0, &source.root.1), source.dialect, findings);
        let mut members: Vec<Member> = Vec::new();
        for (parameter, at) in &source.parameters {
            let [name, place, description] = ["name", "in", "description"].map(|name| text(parameter, name));
            let name = name.unwrap_or_default();
            reader.findings.enter(Some(&name));
            let at = pointer_to(at, "schema");
            let mut shape = reader.read(&parameter["schema"], &at, 1)?;
            shape.about.description = description.or(shape.about.description);
            let place = place.unwrap_or_default();
            let why = format!("it is a parameter in the {place}: whoever executes a submission puts it there");
            reader.findings.note(Effect::Changed, &at, "in", why);
            members.push((name, parameter.get("required") == Some(&Value::Bool(true)), shape));
        }
        reader.findings.enter(None);
        let mut description = source.description.take();
        let mut is_closed = source.payload.is_none();
        if let Some((schema, at)) = &source.payload {
            let Shape { kinds, about } = reader.read(schema, at, 0)?;
            let object = kinds.into_iter().find(|(kind, _)| *kind == KeyType::Object);
            let why = || format!("a payload is an object, and the schema at {} accepts none", place(at));
            let (_, facts) = object.ok_or_else(|| ImportFault::Unfit(why()))?;
            is_closed = is_nothing(&facts.rest);
            members.extend(of_object(facts, at, &mut reader.findings));
            let told = about.description.or(about.title);
            for (name, is_lost) in [
                ("description", description.is_some() && told.is_some()),
                ("default", about.default.is_some()),
                ("examples", !about.examples.is_empty()),
            ] {
                if is_lost {
                    reader.findings.annotation(&pointer_to(at, name), name);
                }
            }
            description = description.or(told);
        }
        if members.len() > KEYS_MAX {
            return Err(too_many_members(&source.root.1));
        }
        let mut findings = reader.findings;
        let mut keys: Vec<Key> = Vec::new();
        for member in members {
            findings.enter(Some(&member.0));
            keys.extend(key(member, &keys, &mut findings));
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
fn of_object(facts: Facts, at: &str, findings: &mut Findings) -> impl Iterator<Item = Member> {
    if let Some(like) = facts.rest.as_ref().filter(|_| !is_nothing(&facts.rest)) {
        let why = "what a template does not declare is taken as it comes, or refused as a whole";
        findings.note(Effect::Unenforced, &like.about.pointer, "additionalProperties", why);
    }
    if facts.listed().is_some() {
        let why = "a payload is not listed as a whole";
        findings.note(Effect::Unenforced, &pointer_to(at, "enum"), "enum", why);
    }
    let is_declared = |name: &String| facts.members.iter().any(|(own, _)| own == name);
    for name in facts.required.iter().filter(|name| !is_declared(name)) {
        let why = format!("`{name}` is required and never described, so that no key is made of it");
        findings.note(Effect::Unenforced, &pointer_to(at, "required"), name, why);
    }
    let required = facts.required;
    let members = facts.members.into_iter();
    members.map(move |(name, shape)| (name.clone(), required.contains(&name), shape))
}

/// The key of a member; none where no value of it is right.
fn key(member: Member, others: &[Key], findings: &mut Findings) -> Option<Key> {
    let (own, mut required, mut shape) = member;
    let pointer = shape.about.pointer.clone();
    let is_untyped = shape.is_of_every_type();
    let said = Vec::new();
    let mut writer = Writer { findings, said };
    if shape.take_null() {
        writer.null_left_out(&shape.about, required);
        required = false;
    }
    // What may be anything may be null: that a key says by being left out.
    shape.kinds.retain(|(kind, _)| !is_untyped || *kind != KeyType::Null);
    let Some((kind, facts)) = chosen(&shape, is_untyped, writer.findings) else {
        let why = "no value of it is right: no key is made of it, and what is sent under its name is an unknown member";
        writer.findings.note(Effect::Unenforced, &pointer, "schema", why);
        return None;
    };
    let constraints = writer.facts(kind, &facts, "");
    let said = writer.said;
    let rule = Rule::compile(kind, &constraints);
    let description = writer::description(&own, &shape.about, &said, &rule, findings);
    let name = naming::key_name(&own, |name| others.iter().any(|other| other.name == name));
    let mut document = Map::from_iter([
        ("key_name".to_owned(), json!(name)),
        ("key_type".to_owned(), json!(kind.name())),
        ("required".to_owned(), json!(required)),
    ]);
    match shape.about.default.filter(|default| !default.is_null()) {
        Some(default) if !required && rule.accepts(&default) => {
            document.insert("default_value".to_owned(), default);
        }
        Some(_) => {
            let why = match required {
                true => "a default of what is required is never applied",
                false => "the default is none of what the key accepts",
            };
            findings.note(Effect::LeftOut, &pointer_to(&pointer, "default"), "default", why);
        }
        None => {}
    }
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
    })
}

/// The one type of a key: the one of its default, or of which something is asked where none is named, or the first.
fn chosen(shape: &Shape, is_untyped: bool, findings: &mut Findings) -> Option<(KeyType, Facts)> {
    let kinds = &shape.kinds;
    let default = shape.about.default.as_ref();
    let by_default = |(kind, _): &&(KeyType, Facts)| default.is_some_and(|default| kind.holds(default));
    let asked = |(_, facts): &&(KeyType, Facts)| is_untyped && *facts != Facts::default();
    let found = kinds.iter().find(by_default).or_else(|| kinds.iter().find(asked));
    let (kind, facts) = found.or(kinds.first())?;
    let taken = kind.name();
    let others = kinds.iter().map(|(kind, _)| kind.name()).filter(|kind| *kind != taken);
    let others = others.collect::<Vec<_>>().join(", ");
    let why = match is_untyped {
        true => format!("no type is named, and a key has one: `{taken}` is taken, and other values are refused"),
        false => format!("a key has one type: `{taken}` is taken, and values of type {others} are refused"),
    };
    if !others.is_empty() {
        findings.note(Effect::Narrowed, &shape.about.pointer, "type", why);
    }
    Some((*kind, facts.clone()))
}
