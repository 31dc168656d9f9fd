//! A schema of a source, read into what it accepts: references followed, `allOf`, `anyOf` and `oneOf` put together.
//!
//! Invariant: reading ends after a bounded time, whatever refers to what, and what it passes over is found.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use serde_json::Value;
use serde_json::json;

use crate::constraint;
use crate::constraint::ENUM_MAX;
use crate::defect::pointer_to;
use crate::import::ImportFault;
use crate::import::finding::Effect;
use crate::import::finding::Findings;
use crate::import::place;
use crate::import::shape::About;
use crate::import::shape::EVERY;
use crate::import::shape::Facts;
use crate::import::shape::Shape;
use crate::import::shape::both;
use crate::import::shape::either;
use crate::import::source::Dialect;
use crate::json_schema::Schema;
use crate::key::KeyType;
use crate::keyword::Keyword;
use crate::report::Report;
use crate::template::KEYS_MAX;
use crate::template::too_many_keys;

/// Schemas that one import reads, each as often as it is referred to; published schemas of one payload have some hundreds.
pub const SCHEMAS_MAX: usize = 20_000;
/// Schemas within schemas, references and alternatives followed: the levels that a template keeps, with several of these at each.
pub const LEVELS_MAX: usize = 64;
/// Levels that are read below the payload: its keys, and what constraints may nest below a key.
pub const DEPTH_MAX: usize = 1 + constraint::DEPTH_MAX;

/// What becomes of the members of a schema: those that are read by themselves or ask nothing, those that are kept as constraints,
/// and those that no template has. Any other decides over no payload.
const READ: &str = "type enum const $ref allOf anyOf oneOf properties required additionalProperties items title description \
    default examples example $schema $id id $anchor $comment $defs definitions then else minContains maxContains additionalItems";
const KEPT: &str = "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format minItems \
    maxItems uniqueItems";
const UNENFORCED: &str = "not if contains minProperties maxProperties patternProperties propertyNames dependentRequired \
    dependentSchemas dependencies prefixItems unevaluatedItems unevaluatedProperties $dynamicRef $recursiveRef disallow \
    contentEncoding contentMediaType contentSchema";

type Read<T> = Result<T, ImportFault>;

/// Reads schemas of one document.
pub struct Reader<'a> {
    /// What references lead into, and where that stands in the document.
    root: (&'a Value, &'a str),
    dialect: Dialect,
    schemas: usize,
    level: usize,
    /// The references that are being followed.
    open: Vec<String>,
    pub findings: Findings,
}

impl<'a> Reader<'a> {
    pub fn new(root: (&'a Value, &'a str), dialect: Dialect, findings: Findings) -> Reader<'a> {
        Reader {
            root,
            dialect,
            schemas: 0,
            level: 0,
            open: Vec::new(),
            findings,
        }
    }

    /// What the schema at a place accepts; `depth` levels lie above it, of which the payload is the first.
    ///
    /// # Errors
    /// [`ImportFault::Unfit`] beyond one of the bounds.
    pub fn read(&mut self, schema: &Value, at: &str, depth: usize) -> Read<Shape> {
        if self.schemas == SCHEMAS_MAX {
            let why = format!("its references unfold into more than {SCHEMAS_MAX} schemas; import a part of it");
            return Err(ImportFault::Unfit(why));
        }
        if self.level == LEVELS_MAX {
            let why = format!("schemas lie within each other more than {LEVELS_MAX} levels deep at {at}");
            return Err(ImportFault::Unfit(why));
        }
        self.schemas += 1;
        self.level += 1;
        let read = match schema {
            Value::Object(members) => self.read_one(members, at, depth)?,
            Value::Bool(false) => Shape::of_types(&[], at),
            Value::Bool(true) => Shape::of_types(&EVERY, at),
            _ => {
                self.unenforced(at, "schema", "a schema is an object or a boolean; this asks nothing");
                Shape::of_types(&EVERY, at)
            }
        };
        self.level -= 1;
        Ok(read)
    }

    fn read_one(&mut self, members: &Schema, at: &str, depth: usize) -> Read<Shape> {
        // In older dialects a reference stands alone, with what is said of it.
        let stands_alone = members.contains_key("$ref") && self.dialect != Dialect::Draft2020;
        let mut shape = match stands_alone {
            true => Shape::of_types(&EVERY, at),
            false => self.own(members, at, depth)?,
        };
        shape.about = about(members, at);
        if let Some(reference) = members.get("$ref") {
            let target = self.follow(reference, &pointer_to(at, "$ref"), depth)?;
            shape = both(shape, target, &mut self.findings);
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let here = pointer_to(at, keyword);
            let listed = members.get(keyword).and_then(Value::as_array).filter(|_| !stands_alone);
            let listed = listed.map_or(&[][..], Vec::as_slice);
            if listed.len() > ENUM_MAX {
                self.unenforced(&here, keyword, format!("at most {ENUM_MAX} schemas are put together"));
                continue;
            }
            let each = listed.iter().enumerate();
            let each = each.map(|(n, schema)| self.read(schema, &format!("{here}/{n}"), depth));
            let mut each = each.collect::<Read<Vec<Shape>>>()?;
            if keyword != "allOf" && !each.is_empty() {
                each = vec![either(each, keyword == "oneOf", &here, &mut self.findings)];
            }
            let findings = &mut self.findings;
            shape = each.into_iter().fold(shape, |one, two| both(one, two, findings));
        }
        let is_nullable = self.dialect == Dialect::OpenApi30 && members.get("nullable") == Some(&Value::Bool(true));
        if is_nullable && !shape.kinds.iter().any(|(kind, _)| *kind == KeyType::Null) {
            shape.kinds.push((KeyType::Null, Facts::default()));
        }
        Ok(shape)
    }

    /// What a reference leads to.
    fn follow(&mut self, reference: &Value, at: &str, depth: usize) -> Read<Shape> {
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#'));
        let pointer = pointer.and_then(|text| percent_decode_str(text).decode_utf8().ok());
        let Some((target, pointer)) = pointer.and_then(|pointer| Some((self.root.0.pointer(&pointer)?, pointer)))
        else {
            let why = "it leads to nothing in this document, and nothing is fetched: put what it means in its place";
            self.unenforced(at, "$ref", why);
            return Ok(Shape::of_types(&EVERY, at));
        };
        if self.open.iter().any(|open| **open == *pointer) {
            let why = "it comes back to where it began: from here on nothing is asked";
            self.unenforced(at, "$ref", why);
            return Ok(Shape::of_types(&EVERY, at));
        }
        let there = format!("{}{pointer}", self.root.1);
        self.open.push(pointer.into_owned());
        let read = self.read(target, &there, depth);
        self.open.pop();
        read
    }

    /// What a schema asks by its own keywords.
    fn own(&mut self, members: &Schema, at: &str, depth: usize) -> Read<Shape> {
        let mut shape = Shape::of_types(&types(members), at);
        for (name, value) in members {
            let here = pointer_to(at, name);
            let is_among = |names: &str| names.split(' ').any(|own| own == name);
            let is_tuple = name == "items" && value.is_array();
            // Every name is a text: what zod says of its records.
            let is_said = name == "propertyNames" && *value == json!({"type": "string"});
            let is_read = name == "nullable" && self.dialect == Dialect::OpenApi30;
            if is_tuple || (is_among(UNENFORCED) && !is_said) {
                let of_list = if is_tuple { " of a list" } else { "" };
                let why = format!("no template has `{name}`{of_list}; what it refuses is accepted");
                self.unenforced(&here, name, why);
            } else if is_among(KEPT) {
                self.keep(&mut shape, name, value, &here);
            } else if !(is_among(READ) || is_said || is_read) {
                self.findings.annotation(&here, name);
            }
        }
        for (kind, facts) in &mut shape.kinds {
            match kind {
                KeyType::Object => self.object(members, at, depth, facts)?,
                KeyType::Array if !members.contains_key("prefixItems") => {
                    let items = members.get("items").filter(|items| !items.is_array());
                    let read = items.map(|items| self.below(items, &pointer_to(at, "items"), depth));
                    let read = read.transpose()?.flatten();
                    facts.items = read.filter(|read| !read.is_any() || read.about.description.is_some());
                }
                _ => {}
            }
        }
        let constant = members.get("const").map(std::slice::from_ref);
        let listed = constant.or_else(|| members.get("enum")?.as_array().map(Vec::as_slice));
        match listed {
            Some(listed) if listed.len() > ENUM_MAX => {
                let why = format!("a list has at most {ENUM_MAX} values");
                self.unenforced(&pointer_to(at, "enum"), "enum", why);
            }
            Some(listed) => shape.kinds.retain_mut(|(kind, facts)| {
                let mut seen = BTreeSet::new();
                let is_own = |value: &&Value| kind.holds(value) && seen.insert(value.to_string());
                let own: Vec<Value> = listed.iter().filter(is_own).cloned().collect();
                let has_values = !own.is_empty();
                facts.plain.insert("enum".to_owned(), Value::Array(own));
                has_values
            }),
            None => {}
        }
        Ok(shape)
    }

    /// Keeps a keyword for the types that it speaks of, where publishing admits it.
    fn keep(&mut self, shape: &mut Shape, name: &str, value: &Value, at: &str) {
        let speaks = |kind: KeyType| Keyword::parse(name).is_some_and(|keyword| keyword.speaks_of(kind));
        let mut kinds = shape.kinds.iter_mut().filter(|(kind, _)| speaks(*kind)).peekable();
        let Some((kind, _)) = kinds.peek() else {
            return self.findings.annotation(at, name);
        };
        let mut report = Report::default();
        constraint::admit(&json!({name: value}), *kind, "", &mut report);
        match report.defects.into_iter().next() {
            Some(defect) => self.unenforced(at, name, format!("it is not asked, since {}", defect.message)),
            None => kinds.for_each(|(_, facts)| drop(facts.plain.insert(name.to_owned(), value.clone()))),
        }
    }

    /// What a schema asks of the members of an object.
    fn object(&mut self, members: &Schema, at: &str, depth: usize, facts: &mut Facts) -> Read<()> {
        let names = members.get("required").and_then(Value::as_array).into_iter().flatten();
        facts.required = names.filter_map(Value::as_str).map(str::to_owned).collect();
        let declared = members.get("properties").and_then(Value::as_object);
        if declared.is_some_and(|declared| declared.len() > KEYS_MAX) {
            return Err(too_many_members(at));
        }
        let here = pointer_to(at, "properties");
        for (name, schema) in declared.into_iter().flatten() {
            if depth == 0 {
                self.findings.enter(Some(name));
            }
            let shape = self.below(schema, &pointer_to(&here, name), depth)?;
            facts.members.extend(shape.map(|shape| (name.clone(), *shape)));
        }
        if depth == 0 {
            self.findings.enter(None);
        }
        // Members that a pattern declares, or that lie too deep, are not refused.
        let has_patterns = members
            .get("patternProperties")
            .is_some_and(|patterns| *patterns != json!({}));
        let is_cut = depth >= DEPTH_MAX && declared.is_some_and(|declared| !declared.is_empty());
        if let Some(rest) = members.get("additionalProperties").filter(|_| !has_patterns && !is_cut) {
            facts.rest = match rest {
                Value::Bool(false) => Some(Box::default()),
                Value::Bool(true) => None,
                rest => self.below(rest, &pointer_to(at, "additionalProperties"), depth)?,
            };
            facts.rest.take_if(|rest| rest.is_any());
        }
        Ok(())
    }

    /// A schema one level further down; none beyond what constraints may nest.
    fn below(&mut self, schema: &Value, at: &str, depth: usize) -> Read<Option<Box<Shape>>> {
        if depth < DEPTH_MAX {
            return Ok(Some(Box::new(self.read(schema, at, depth + 1)?)));
        }
        let most = constraint::DEPTH_MAX;
        let why =
            format!("constraints nest at most {most} levels below a key; what lies deeper is accepted as it comes");
        self.unenforced(at, "schema", why);
        Ok(None)
    }

    fn unenforced(&mut self, at: &str, what: &str, why: impl Into<String>) {
        self.findings.note(Effect::Unenforced, at, what, why);
    }
}

/// The fault of an object with more members than a template has keys.
pub fn too_many_members(at: &str) -> ImportFault {
    let why = too_many_keys(KEYS_MAX);
    ImportFault::Unfit(format!("{why}; the schema at {} has more members", place(at)))
}

/// The types that a schema names, or all.
fn types(members: &Schema) -> Vec<KeyType> {
    let named = match members.get("type") {
        None => return EVERY.to_vec(),
        Some(Value::Array(named)) => named.as_slice(),
        Some(named) => std::slice::from_ref(named),
    };
    let mut types: Vec<KeyType> = Vec::new();
    for kind in named.iter().filter_map(|name| KeyType::parse(name.as_str()?)) {
        let is_known = types.contains(&kind);
        types.extend((!is_known).then_some(kind));
    }
    if types.contains(&KeyType::Number) {
        types.retain(|kind| *kind != KeyType::Integer);
    }
    types
}

/// What a schema says of itself.
fn about(members: &Schema, at: &str) -> About {
    let text = |name: &str| {
        let text = members.get(name)?.as_str()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let examples = members.get("examples").and_then(Value::as_array).cloned();
    About {
        pointer: at.to_owned(),
        title: text("title"),
        description: text("description"),
        default: members.get("default").cloned(),
        examples: examples.unwrap_or_else(|| members.get("example").cloned().into_iter().collect()),
    }
}
