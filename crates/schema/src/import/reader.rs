//! A schema of a source, read into what it accepts: references followed, `allOf`, `anyOf` and `oneOf` put together.
//!
//! Invariant: reading ends after a bounded time, whatever refers to what, and what it passes over is found.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::constraint;
use crate::constraint::ENUM_MAX;
use crate::defect::pointer_to;
use crate::import::ImportFault;
use crate::import::dialect::Dialect;
use crate::import::finding::Effect;
use crate::import::finding::Findings;
use crate::import::merge::both;
use crate::import::merge::either;
use crate::import::shape::About;
use crate::import::shape::Facts;
use crate::import::shape::Rest;
use crate::import::shape::Shape;
use crate::key::KeyType;
use crate::keyword::Keyword;
use crate::template::KEYS_MAX;

/// Schemas that one import reads, each as often as it is referred to; published schemas of one payload have some hundreds.
pub const SCHEMAS_MAX: usize = 20_000;
/// Schemas within schemas, references and alternatives followed: the levels that a template keeps, with several of these at each.
pub const LEVELS_MAX: usize = 64;
/// Levels that are read below the payload: its keys, and what constraints may nest below a key.
pub const DEPTH_MAX: usize = 1 + constraint::DEPTH_MAX;

/// Members of a schema that ask nothing by themselves, or that are read with another one.
const SILENT: &str = "type enum const $ref allOf anyOf oneOf title description default examples $schema $id id $anchor $comment \
    $defs definitions then else minContains maxContains";

/// Keywords that decide over payloads and that no template has.
const ASSERTIONS: &str = "not if contains minProperties maxProperties patternProperties propertyNames dependentRequired \
    dependentSchemas dependencies unevaluatedItems unevaluatedProperties $dynamicRef $recursiveRef disallow \
    contentEncoding contentMediaType contentSchema";

/// Reads schemas of one document.
pub struct Reader<'a> {
    /// What references lead into, and where that stands in the document.
    root: &'a Value,
    base: &'a str,
    dialect: Dialect,
    schemas: usize,
    level: usize,
    /// The references that are being followed.
    open: Vec<String>,
    pub findings: Findings,
}

impl<'a> Reader<'a> {
    pub fn new(root: &'a Value, base: &'a str, dialect: Dialect) -> Reader<'a> {
        Reader {
            root,
            base,
            dialect,
            schemas: 0,
            level: 0,
            open: Vec::new(),
            findings: Findings::default(),
        }
    }

    /// What the schema at a place accepts; `depth` levels lie above it, of which the payload is the first.
    ///
    /// # Errors
    /// [`ImportFault::TooManySchemas`], [`ImportFault::TooDeep`] and [`ImportFault::TooManyMembers`].
    pub fn read(&mut self, schema: &Value, at: &str, depth: usize) -> Result<Shape, ImportFault> {
        if self.schemas == SCHEMAS_MAX {
            return Err(ImportFault::TooManySchemas);
        }
        if self.level == LEVELS_MAX {
            return Err(ImportFault::TooDeep { at: at.to_owned() });
        }
        self.schemas += 1;
        self.level += 1;
        let read = self.read_one(schema, at, depth);
        self.level -= 1;
        read
    }

    fn read_one(&mut self, schema: &Value, at: &str, depth: usize) -> Result<Shape, ImportFault> {
        let members = match schema {
            Value::Object(members) => self.dialect.modern(members),
            Value::Bool(true) => return Ok(Shape::any(at)),
            Value::Bool(false) => return Ok(Shape::of_types(&[], at)),
            _ => {
                self.unenforced(at, "schema", "a schema is an object or a boolean; this asks nothing");
                return Ok(Shape::any(at));
            }
        };
        let mut shape = self.own(&members, at, depth)?;
        if let Some(reference) = members.get("$ref") {
            let target = self.follow(reference, &pointer_to(at, "$ref"), depth)?;
            shape = both(shape, target, &mut self.findings);
        }
        for schema in self.each(&members, "allOf", at, depth)? {
            shape = both(shape, schema, &mut self.findings);
        }
        for keyword in ["anyOf", "oneOf"] {
            let alternatives = self.each(&members, keyword, at, depth)?;
            if !alternatives.is_empty() {
                let here = pointer_to(at, keyword);
                let joined = either(alternatives, keyword == "oneOf", &here, &mut self.findings);
                shape = both(shape, joined, &mut self.findings);
            }
        }
        if members.get("unevaluatedProperties") == Some(&Value::Bool(false))
            && !members.contains_key("additionalProperties")
            && !has_open_names(&members)
        {
            for (_, facts) in shape.kinds.iter_mut().filter(|(kind, _)| *kind == KeyType::Object) {
                facts.rest = Rest::Closed;
            }
        }
        Ok(shape)
    }

    /// The schemas of a list.
    fn each(
        &mut self,
        members: &Map<String, Value>,
        keyword: &str,
        at: &str,
        depth: usize,
    ) -> Result<Vec<Shape>, ImportFault> {
        let here = pointer_to(at, keyword);
        let listed = members.get(keyword).and_then(Value::as_array);
        let listed = listed.map_or(&[][..], Vec::as_slice);
        if listed.len() > ENUM_MAX {
            self.unenforced(&here, keyword, format!("at most {ENUM_MAX} schemas are put together"));
            return Ok(Vec::new());
        }
        let mut each = Vec::with_capacity(listed.len());
        for (n, schema) in listed.iter().enumerate() {
            each.push(self.read(schema, &pointer_to(&here, &n.to_string()), depth)?);
        }
        Ok(each)
    }

    /// What a reference leads to.
    fn follow(&mut self, reference: &Value, at: &str, depth: usize) -> Result<Shape, ImportFault> {
        let Some(pointer) = reference.as_str().and_then(|text| self.local(text)) else {
            let why = "it is no pointer into this document, and nothing is fetched: put what it means in its place";
            self.unenforced(at, "$ref", why);
            return Ok(Shape::any(at));
        };
        let root = self.root;
        let Some(target) = root.pointer(&pointer) else {
            self.unenforced(at, "$ref", "it leads to nothing in this document");
            return Ok(Shape::any(at));
        };
        if self.open.contains(&pointer) {
            let why = "it comes back to where it began: from here on only the type is asked";
            self.unenforced(at, "$ref", why);
            let types = target.as_object().map(|target| self.types(target, at));
            return Ok(types.map_or_else(|| Shape::any(at), |types| Shape::of_types(&types, at)));
        }
        let there = format!("{}{pointer}", self.base);
        self.open.push(pointer);
        let read = self.read(target, &there, depth);
        self.open.pop();
        read
    }

    /// The pointer into the document that a reference is, by itself or behind the document's own id.
    fn local(&self, reference: &str) -> Option<String> {
        let (before, pointer) = reference.split_once('#')?;
        let own = self.root.get("$id").and_then(Value::as_str);
        let is_own = before.is_empty() || own.is_some_and(|own| own.trim_end_matches('#') == before);
        let pointer = percent_decode_str(pointer).decode_utf8().ok().filter(|_| is_own)?;
        (pointer.is_empty() || pointer.starts_with('/')).then(|| pointer.into_owned())
    }

    /// The types that a schema names, or all.
    fn types(&mut self, members: &Map<String, Value>, at: &str) -> Vec<KeyType> {
        let named = match members.get("type") {
            None => return Shape::any(at).kinds.into_iter().map(|(kind, _)| kind).collect(),
            Some(Value::Array(named)) => named.clone(),
            Some(named) => vec![named.clone()],
        };
        let mut types: Vec<KeyType> = Vec::new();
        for name in &named {
            match name.as_str().and_then(KeyType::parse) {
                Some(kind) if !types.contains(&kind) => types.push(kind),
                Some(_) => {}
                None => {
                    let why = "this is no type of JSON Schema, and no value of it is taken";
                    self.findings
                        .note(Effect::Narrowed, &pointer_to(at, "type"), "type", why);
                }
            }
        }
        if types.contains(&KeyType::Number) {
            types.retain(|kind| *kind != KeyType::Integer);
        }
        types
    }

    /// What a schema asks by its own keywords.
    fn own(&mut self, members: &Map<String, Value>, at: &str, depth: usize) -> Result<Shape, ImportFault> {
        let mut shape = Shape::of_types(&self.types(members, at), at);
        for (name, value) in members {
            if is_among(SILENT, name) {
                continue;
            }
            let here = pointer_to(at, name);
            match (name.as_str(), Keyword::parse(name)) {
                ("properties" | "additionalProperties" | "required", _) => {}
                // Every name is a text: what zod says of its records.
                ("propertyNames", _) if *value == json!({"type": "string"}) => {}
                ("unevaluatedProperties", _) if value.is_boolean() && !has_open_names(members) => {}
                ("items" | "prefixItems", _) => {}
                (_, Some(keyword)) => {
                    let mut speaks = false;
                    for (_, facts) in shape.kinds.iter_mut().filter(|(kind, _)| keyword.speaks_of(*kind)) {
                        facts.plain.insert(name.clone(), whole(value));
                        speaks = true;
                    }
                    if !speaks {
                        self.findings.annotation(&here, name);
                    }
                }
                (_, None) if is_among(ASSERTIONS, name) => {
                    let why = format!("no template has `{name}`; what it refuses is accepted");
                    self.unenforced(&here, name, why);
                }
                (_, None) => self.findings.annotation(&here, name),
            }
        }
        if let Some((_, facts)) = shape.kinds.iter_mut().find(|(kind, _)| *kind == KeyType::Object) {
            self.object(members, at, depth, facts)?;
        }
        if let Some((_, facts)) = shape.kinds.iter_mut().find(|(kind, _)| *kind == KeyType::Array) {
            match (members.get("prefixItems"), members.get("items")) {
                (Some(tuple), rest) => self.tuple(tuple, rest, at, facts),
                (None, Some(items)) => self.elements(items, &pointer_to(at, "items"), depth, facts)?,
                (None, None) => {}
            }
        }
        let constant = members.get("const").map(|value| vec![value.clone()]);
        let mut listed = constant.or_else(|| members.get("enum").and_then(Value::as_array).cloned());
        if listed.as_ref().is_some_and(|listed| listed.len() > ENUM_MAX) {
            self.unenforced(
                &pointer_to(at, "enum"),
                "enum",
                format!("a list has at most {ENUM_MAX} values"),
            );
            listed = None;
        }
        if let Some(listed) = listed {
            for (kind, facts) in &mut shape.kinds {
                let mut seen = BTreeSet::new();
                let own = listed
                    .iter()
                    .filter(|value| kind.holds(value) && seen.insert(value.to_string()));
                facts.plain.insert("enum".to_owned(), own.cloned().collect());
            }
            let has_values = |facts: &Facts| facts.listed().is_some_and(|listed| !listed.is_empty());
            shape.kinds.retain(|(_, facts)| has_values(facts));
        }
        let text = |name: &str| {
            let text = members.get(name)?.as_str()?.trim();
            (!text.is_empty()).then(|| text.to_owned())
        };
        let examples = members.get("examples").and_then(Value::as_array);
        shape.about = About {
            pointer: at.to_owned(),
            title: text("title"),
            description: text("description"),
            default: members.get("default").cloned(),
            examples: examples.cloned().unwrap_or_default(),
        };
        Ok(shape)
    }

    /// What a schema asks of the members of an object.
    fn object(
        &mut self,
        members: &Map<String, Value>,
        at: &str,
        depth: usize,
        facts: &mut Facts,
    ) -> Result<(), ImportFault> {
        let names = members.get("required").and_then(Value::as_array).into_iter().flatten();
        for name in names.filter_map(Value::as_str) {
            if !facts.required.iter().any(|known| known == name) {
                facts.required.push(name.to_owned());
            }
        }
        let declared = members
            .get("properties")
            .and_then(Value::as_object)
            .filter(|declared| !declared.is_empty());
        let is_cut = depth >= DEPTH_MAX;
        if is_cut && (declared.is_some() || members.get("additionalProperties").is_some_and(Value::is_object)) {
            self.cut(at, "properties");
            return Ok(());
        }
        if declared.is_some_and(|declared| declared.len() > KEYS_MAX) {
            return Err(ImportFault::TooManyMembers { at: at.to_owned() });
        }
        for (name, schema) in declared.into_iter().flatten() {
            if depth == 0 {
                self.findings.enter(Some(name));
            }
            let shape = self.read(schema, &pointer_to(&pointer_to(at, "properties"), name), depth + 1)?;
            facts.members.push((name.clone(), shape));
        }
        if depth == 0 {
            self.findings.enter(None);
        }
        facts.rest = match members.get("additionalProperties") {
            Some(Value::Bool(false)) if !has_open_names(members) => Rest::Closed,
            Some(Value::Object(like)) if !like.is_empty() && !has_open_names(members) => {
                let here = pointer_to(at, "additionalProperties");
                let like = self.read(&Value::Object(like.clone()), &here, depth + 1)?;
                if like.is_any() {
                    Rest::Open
                } else {
                    Rest::Like(Box::new(like))
                }
            }
            Some(_) | None => Rest::Open,
        };
        Ok(())
    }

    /// The elements of an array, all alike.
    fn elements(&mut self, schema: &Value, at: &str, depth: usize, facts: &mut Facts) -> Result<(), ImportFault> {
        match schema {
            Value::Bool(true) => {}
            Value::Bool(false) => drop(facts.plain.insert("maxItems".to_owned(), json!(0))),
            _ if depth >= DEPTH_MAX => self.cut(at, "items"),
            schema => {
                let read = self.read(schema, at, depth + 1)?;
                facts.items = (!read.is_any() || read.about.description.is_some()).then(|| Box::new(read));
            }
        }
        Ok(())
    }

    /// A tuple, of which no more is kept than how many elements there are at most.
    fn tuple(&mut self, tuple: &Value, rest: Option<&Value>, at: &str, facts: &mut Facts) {
        let keyword = self.dialect.tuple();
        let why = "a template has one schema for all elements of an array, so that none is kept for these";
        self.unenforced(&pointer_to(at, keyword), keyword, why);
        if rest == Some(&Value::Bool(false)) {
            let most = tuple.as_array().map_or(0, Vec::len) as u64;
            let stated = facts.plain.get("maxItems").and_then(Value::as_u64).unwrap_or(most);
            facts.plain.insert("maxItems".to_owned(), json!(stated.min(most)));
        }
    }

    fn cut(&mut self, at: &str, what: &str) {
        let why = format!(
            "constraints nest at most {} levels below a key; what lies deeper is accepted as it comes",
            constraint::DEPTH_MAX
        );
        self.unenforced(at, what, why);
    }

    fn unenforced(&mut self, at: &str, what: &str, why: impl Into<String>) {
        self.findings.note(Effect::Unenforced, at, what, why);
    }
}

fn is_among(words: &str, name: &str) -> bool {
    words.split(' ').any(|word| word == name)
}

/// Whether members that are not declared by name are declared in another way.
fn has_open_names(members: &Map<String, Value>) -> bool {
    let by_pattern = members.get("patternProperties").and_then(Value::as_object);
    by_pattern.is_some_and(|patterns| !patterns.is_empty())
        || (members.contains_key("unevaluatedProperties")
            && (members.contains_key("if") || members.contains_key("dependentSchemas")))
}

/// A whole number without its fraction: `3` for `3.0`, which counts are written as at times.
fn whole(value: &Value) -> Value {
    // Doubles hold every whole number up to this.
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    match value
        .as_f64()
        .filter(|number| value.is_f64() && number.fract() == 0.0 && (0.0..EXACT_MAX).contains(number))
    {
        Some(number) => json!(number as u64),
        None => value.clone(),
    }
}
