//! A schema of a source, read into what it accepts: references are followed, and what holds together is put together.
//!
//! Of alternatives a single one beside null, lists of values and the types are kept; what else they ask is left open, with a finding.
//! Invariant: reading ends after a bounded time, whatever refers to what, and what it passes over is found.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use jsonschema::json::cmp;
use serde_json::Value;
use serde_json::json;

use crate::advice::Advice;
use crate::budget::Budget;
use crate::constraint;
use crate::constraint::ENUM_MAX;
use crate::defect::pointer_to;
use crate::format;
use crate::import::ImportFault;
use crate::import::finding::Effect;
use crate::import::finding::Findings;
use crate::import::part::Alternatives;
use crate::import::part::Part;
use crate::import::part::Together;
use crate::import::shape::About;
use crate::import::shape::EVERY;
use crate::import::shape::Shape;
use crate::import::shape::meet;
use crate::import::shape::named;
use crate::import::source::Dialect;
use crate::import::source::Located;
use crate::import::source::Source;
use crate::import::source::pointer_of;
use crate::import::vocabulary;
use crate::json_schema::Schema;
use crate::key::KeyType;
use crate::keyword::Keyword;
use crate::pattern;
use crate::report::Report;
use crate::template::KEYS_MAX;
use crate::template::too_many_keys;

/// Schemas that one import reads, each as often as it is referred to; published schemas of one payload have some hundreds.
pub const SCHEMAS_MAX: usize = 20_000;
/// Schemas within schemas, references and alternatives followed: the levels that a template keeps, with several of these at each.
pub const LEVELS_MAX: usize = 64;
/// Units that a listed value costs: the template that is made of it holds several copies.
const LISTED_UNITS: usize = 256;
/// Levels that are read below the payload: its keys, and what constraints may nest below a key.
pub const DEPTH_MAX: usize = 1 + constraint::DEPTH_MAX;
/// Bytes of shapes that are kept while one key is read, so that what is referred to twice is read once.
const KNOWN_BYTES_MAX: usize = 1 << 20;
/// Bytes of a shape that count as one more schema, since they are copied.
const BYTES_OF_SCHEMA: usize = 4 * 1024;

type Read<T> = Result<T, ImportFault>;

/// The members of an object.
pub struct Members<'a> {
    pub declared: Vec<(String, Vec<Part<'a>>)>,
    pub required: Vec<String>,
    /// What members that are not declared have to be.
    pub rest: Vec<Part<'a>>,
}

impl<'a> Members<'a> {
    /// One member that is required, and is all that a schema accepts.
    pub fn of_one(name: &str, part: Part<'a>) -> Members<'a> {
        Members {
            declared: vec![(name.to_owned(), vec![part])],
            required: vec![name.to_owned()],
            rest: Vec::new(),
        }
    }

    /// Whether what is not declared is refused.
    pub fn is_closed(&self) -> bool {
        self.rest.iter().any(|part| *part.schema == false)
    }
}

/// Reads schemas of one document.
pub struct Reader<'a> {
    /// What references lead into, and where that stands in the document.
    root: Located<'a>,
    dialect: Dialect,
    is_request: bool,
    schemas: usize,
    level: usize,
    /// Shapes of the key that is being read, by the schemas that they are of and their depth, and how large all of them are.
    known: BTreeMap<(Vec<*const Value>, usize), Shape>,
    known_bytes: usize,
    budget: &'a Budget<'a>,
    pub findings: Findings,
}

impl<'a> Reader<'a> {
    pub fn new(source: &Source<'a>, findings: Findings, budget: &'a Budget<'a>) -> Reader<'a> {
        Reader {
            root: source.root.clone(),
            dialect: source.dialect,
            is_request: source.is_request,
            budget,
            schemas: 0,
            level: 0,
            known: BTreeMap::new(),
            known_bytes: 0,
            findings,
        }
    }

    /// Looks at a key from here on, or at the whole.
    pub fn enter(&mut self, key_name: Option<&str>) {
        self.known.clear();
        self.known_bytes = 0;
        self.findings.enter(key_name);
    }

    /// The part at a place of the document.
    pub fn part(&self, (schema, at): &Located<'a>) -> Part<'a> {
        let (root, length) = (self.root.0, self.root.1.len());
        let whole = Part {
            schema: root,
            at: self.root.1.clone(),
            root: (root, length),
            trail: Vec::new(),
        };
        let found = at.get(length..).and_then(|pointer| whole.below_root(pointer));
        found.unwrap_or_else(|| whole.within(schema, at.clone()))
    }

    /// The members that a payload's schema asks for, and what it says of itself.
    ///
    /// # Errors
    /// [`ImportFault::Unfit`] where no one object is meant, and beyond one of the bounds.
    pub fn payload(&mut self, part: &Part<'a>) -> Read<(Members<'a>, About)> {
        let place = if part.at.is_empty() { "/" } else { &part.at };
        let mut all = Together::default();
        self.flatten(part, &mut all)?;
        let mut shape = self.asked(&all, 0)?;
        if !shape.types.contains(&KeyType::Object) {
            let why = format!("a payload is an object, and the schema at {place} accepts none");
            return Err(ImportFault::Unfit(why));
        }
        let members = members(&all.asking, 0, self.budget)?;
        if members.declared.is_empty() && !all.groups.is_empty() {
            let why = format!("a payload is one object, and at {place} there are alternatives");
            return Err(ImportFault::Unfit(why));
        }
        if shape.schema.contains_key("enum") {
            let why = "a payload is not listed as a whole";
            self.unenforced(&pointer_to(&part.at, "enum"), "enum", why);
        }
        shape.about.pointer.clone_from(&part.at);
        Ok((members, shape.about))
    }

    /// What schemas that all hold accept; `depth` levels lie above, of which the payload is the first.
    ///
    /// # Errors
    /// [`ImportFault::Unfit`] beyond one of the bounds.
    pub fn shape(&mut self, parts: &[Part<'a>], depth: usize) -> Read<Shape> {
        let mut read = parts.to_vec();
        // What is nothing but a reference is what it leads to.
        if let [part] = read.as_mut_slice() {
            for _ in 0..LEVELS_MAX {
                let is_reference = part.schema.as_object().is_some_and(|members| members.len() == 1);
                let reference = part.member("$ref").filter(|_| is_reference);
                let Some(target) = reference.and_then(|reference| self.follow(&reference)) else {
                    break;
                };
                *part = target;
            }
        }
        let of = read.iter().map(|part| std::ptr::from_ref(part.schema));
        let of = (of.collect::<Vec<*const Value>>(), depth);
        let mut shape = match self.known.get(&of) {
            Some(known) => known.clone(),
            None => {
                let shape = self.unfolded(&read, depth)?;
                self.known_bytes += shape.bytes();
                if self.known_bytes <= KNOWN_BYTES_MAX {
                    self.known.insert(of, shape.clone());
                }
                shape
            }
        };
        self.schemas += shape.bytes() / BYTES_OF_SCHEMA;
        if let Some(part) = parts.first() {
            shape.about.pointer.clone_from(&part.at);
        }
        Ok(shape)
    }

    /// The same of schemas that are not known.
    fn unfolded(&mut self, parts: &[Part<'a>], depth: usize) -> Read<Shape> {
        self.level += 1;
        let mut all = Together::default();
        for part in parts {
            self.flatten(part, &mut all)?;
        }
        let mut shape = self.asked(&all, depth)?;
        if shape.types.contains(&KeyType::Array) {
            let lists = all
                .asking
                .iter()
                .filter(|part| part.schema.get("prefixItems").is_none());
            let items = lists.filter_map(|part| part.member("items"));
            let items: Vec<Part<'a>> = items.filter(|items| items.asks() && !items.schema.is_array()).collect();
            if let Some(items) = self.below(&items, depth)? {
                let items = shape.nested(items, "[]", &mut self.findings);
                shape.schema.insert("items".to_owned(), items);
            }
        }
        if shape.types.contains(&KeyType::Object) {
            self.object(members(&all.asking, depth, self.budget)?, depth, &mut shape)?;
        }
        self.level -= 1;
        Ok(shape)
    }

    /// What schemas ask of types and by keywords that hold no schema.
    fn asked(&mut self, all: &Together<'a>, depth: usize) -> Read<Shape> {
        let mut types = EVERY.to_vec();
        let null_too = |place: usize| all.nullable.iter().any(|those| those.contains(&place));
        for (place, part) in all.asking.iter().enumerate() {
            let null = null_too(place).then_some(KeyType::Null);
            match part.schema {
                Value::Object(members) => {
                    let named = named(members);
                    if named.is_none() && members.contains_key("type") {
                        self.unenforced(&pointer_to(&part.at, "type"), "type", "it names no type of JSON Schema");
                    }
                    meet(&mut types, named.map(|named| named.into_iter().chain(null).collect()));
                }
                Value::Bool(accepts) => types.retain(|kind| *accepts || null == Some(*kind)),
                _ => self.unenforced(
                    &part.at,
                    "schema",
                    "a schema is an object or a boolean; this asks nothing",
                ),
            }
        }
        let mut schema = Schema::new();
        for (place, part) in all.asking.iter().enumerate() {
            for (name, value) in part.schema.as_object().into_iter().flatten() {
                let at = pointer_to(&part.at, name);
                let listed = match (name.as_str(), value) {
                    ("const", value) if null_too(place) => Some(vec![value.clone()]),
                    ("enum", Value::Array(listed)) if null_too(place) => Some(listed.clone()),
                    _ => None,
                };
                match listed {
                    Some(listed) => {
                        let listed = listed.into_iter().chain([Value::Null]).collect();
                        self.keyword(&at, "enum", &Value::Array(listed), &types, &mut schema)?;
                    }
                    None => match vocabulary::exclusive(part.schema, name) {
                        Some("") => {}
                        strict => self.keyword(&at, strict.unwrap_or(name), value, &types, &mut schema)?,
                    },
                }
            }
        }
        for group in &all.groups {
            let (keyword, at) = (group.keyword, &group.at);
            let (mut accepted, mut asks) = (Vec::new(), false);
            let mut listed: Option<Vec<Value>> = Some(Vec::new());
            for one in &group.each {
                let one = self.shape(std::slice::from_ref(one), depth)?;
                asks |= !one.schema.is_empty();
                let own = one.schema.get("enum").filter(|_| one.schema.len() == 1);
                // A longer list is not kept, so that it is not copied for each further alternative either.
                listed = listed
                    .filter(|listed| listed.len() <= ENUM_MAX)
                    .zip(own.and_then(Value::as_array))
                    .map(|(mut listed, own)| {
                        listed.extend(own.iter().cloned());
                        listed
                    });
                accepted.extend(one.types);
            }
            let distinct = match &listed {
                Some(listed) => listed.iter().map(Value::to_string).collect::<BTreeSet<_>>().len() == listed.len(),
                None => accepted.iter().collect::<BTreeSet<_>>().len() == accepted.len(),
            };
            if (asks && listed.is_none()) || (keyword == "oneOf" && !distinct) {
                let why = "of alternatives the types and lists of values are kept; what else they ask is left open";
                self.unenforced(at, keyword, why);
            }
            if group.nullable {
                accepted.push(KeyType::Null);
                listed = listed.map(|listed| listed.into_iter().chain([Value::Null]).collect());
            }
            meet(&mut types, Some(accepted));
            if let Some(listed) = listed {
                self.keyword(at, "enum", &Value::Array(listed), &types, &mut schema)?;
            }
        }
        if let Some(Value::Array(listed)) = schema.get("enum") {
            types.retain(|kind| listed.iter().any(|value| kind.holds(value)));
        }
        let at = all.saying.first().map_or("", |part| &part.at);
        let mut about = About::of(all.saying.iter().map(|part| part.schema), at);
        let is_read_only = |part: &Part<'_>| part.schema["readOnly"] == true;
        // Beside a reference it is meant, but OpenAPI 3.0 passes over it.
        about.read_only = match all.asking.iter().any(is_read_only) {
            true => Some(Effect::Changed),
            false => all.saying.iter().any(is_read_only).then_some(Effect::Unenforced),
        };
        Ok(Shape::new(types, schema, about))
    }

    /// Gathers a schema and all that hold with it.
    fn flatten(&mut self, part: &Part<'a>, all: &mut Together<'a>) -> Read<()> {
        if !all.known.insert(std::ptr::from_ref(part.schema)) {
            return Ok(());
        }
        if self.schemas >= SCHEMAS_MAX {
            let why = format!("its references unfold into more than {SCHEMAS_MAX} schemas");
            return Err(ImportFault::Unfit(why));
        }
        if self.level == LEVELS_MAX {
            let at = &part.at;
            let why = format!("schemas lie within each other more than {LEVELS_MAX} levels deep at {at}");
            return Err(ImportFault::Unfit(why));
        }
        let below = ["allOf", "anyOf", "oneOf"].map(|keyword| part.list(keyword).count());
        spend(self.budget, part.units() * (2 + below.iter().sum::<usize>()))?;
        self.schemas += 1;
        self.level += 1;
        all.saying.push(part.clone());
        let reference = part.member("$ref");
        let stands_alone = reference.is_some() && self.dialect != Dialect::Draft2020;
        if let Some(target) = reference.and_then(|reference| self.follow(&reference)) {
            self.flatten(&target, all)?;
        }
        if !stands_alone {
            let before = (all.asking.len(), all.groups.len());
            let known = (part.schema["nullable"] == true).then(|| all.known.clone());
            all.asking.push(part.clone());
            for one in part.elements("allOf") {
                self.flatten(&one, all)?;
            }
            for keyword in ["anyOf", "oneOf"] {
                let listed = part.elements(keyword);
                let is_null = |one: &&Part<'_>| one.schema["type"] == "null";
                let meant: Vec<Part<'a>> = listed.iter().filter(|one| !is_null(one)).cloned().collect();
                let nullable = meant.len() < listed.len();
                match meant.as_slice() {
                    [] => all.asking.extend(listed.into_iter().take(1)),
                    [one] => {
                        let before = (all.asking.len(), all.groups.len());
                        // What holds beside null need not hold elsewhere.
                        let known = nullable.then(|| all.known.clone());
                        self.flatten(one, all)?;
                        if let Some(known) = known {
                            all.known = known;
                            all.admit_null(before);
                        }
                    }
                    _ => all.groups.push(Alternatives {
                        keyword,
                        at: pointer_to(&part.at, keyword),
                        each: meant,
                        nullable,
                    }),
                }
            }
            if let Some(known) = known {
                all.known = known;
                all.admit_null(before);
            }
        }
        self.level -= 1;
        Ok(())
    }

    /// What a reference leads to; none where it asks nothing.
    fn follow(&mut self, reference: &Part<'a>) -> Option<Part<'a>> {
        let text = reference.schema.as_str().unwrap_or_default();
        // A schema may refer to itself by its own name.
        let own = reference.root.0.get("$id").and_then(Value::as_str);
        let own = own.and_then(|id| text.strip_prefix(id.trim_end_matches('#')));
        let pointer = pointer_of(own.filter(|rest| rest.starts_with('#')).unwrap_or(text));
        let whole = Part {
            root: (self.root.0, self.root.1.len()),
            at: self.root.1.clone(),
            ..reference.clone()
        };
        let target = pointer.and_then(|pointer| reference.below_root(&pointer).or_else(|| whole.below_root(&pointer)));
        let Some(mut part) = target else {
            let why = "it leads to nothing in this document, and nothing is fetched: put what it means in its place";
            self.unenforced(&reference.at, "$ref", why);
            return None;
        };
        let target = part.schema;
        if part.trail.iter().any(|known| std::ptr::eq(*known, target)) {
            let why = "it comes back to where it began: from here on nothing is asked";
            self.unenforced(&reference.at, "$ref", why);
            return None;
        }
        part.trail.push(target);
        Some(part)
    }

    /// Keeps one keyword where publishing admits it for one of the types, or notes what becomes of it.
    fn keyword(&mut self, at: &str, name: &str, value: &Value, types: &[KeyType], schema: &mut Schema) -> Read<()> {
        let is_tuple = name == "items" && value.is_array();
        // Every name is a text: what zod says of its records.
        let is_said = name == "propertyNames" && *value == json!({"type": "string"});
        let speaks = |kind: &&KeyType| Keyword::parse(name).is_some_and(|keyword| keyword.speaks_of(**kind));
        let kind = types.iter().find(speaks).filter(|_| vocabulary::is_kept(name));
        let listed = match (name, value) {
            ("enum", Value::Array(listed)) => Some(listed.as_slice()),
            ("const", value) => Some(std::slice::from_ref(value)),
            _ => None,
        };
        if let Some(listed) = listed {
            if listed.len() > ENUM_MAX {
                self.unenforced(at, "enum", format!("a list has at most {ENUM_MAX} values"));
                return Ok(());
            }
            let known = schema.get("enum").and_then(Value::as_array).cloned();
            let compared = known.as_ref().map_or(0, Vec::len);
            spend(self.budget, listed.len() * (LISTED_UNITS + compared))?;
            let (mut own, mut seen) = (Vec::new(), BTreeSet::new());
            for value in listed.iter().filter(|value| types.iter().any(|kind| kind.holds(value))) {
                if known
                    .as_ref()
                    .is_none_or(|known| known.iter().any(|known| cmp::equal(known, value)))
                    && seen.insert(value.to_string())
                {
                    own.push(value.clone());
                }
            }
            schema.insert("enum".to_owned(), Value::Array(own));
        } else if is_tuple {
            let why = format!("no template has `{name}` of a list; what it refuses is accepted");
            self.unenforced(at, name, why);
        } else if let Some(kind) = kind {
            let mut report = Report::default();
            if let ("pattern", Value::String(text)) = (name, value) {
                spend(self.budget, usize::try_from(pattern::size(text)).unwrap_or(usize::MAX))?;
            }
            constraint::admit(&json!({name: value}), *kind, "", &mut report);
            if report.findings.iter().any(|found| found.rule == Advice::HangingPattern) {
                self.unenforced(
                    at,
                    name,
                    "it is not asked, since it hangs clients whose engine goes back and tries again",
                );
            } else if let Some(defect) = report.defects.into_iter().next() {
                self.unenforced(at, name, format!("it is not asked, since {}", defect.message));
            } else if schema.entry(name).or_insert(value.clone()) != value {
                self.unenforced(at, name, format!("a key has one `{name}`, and another one is kept"));
            } else if name == "format" && format::find(value.as_str().unwrap_or_default()).is_some() {
                let dialect = self.root.0["$schema"].as_str().unwrap_or_default();
                if dialect.contains("/draft/20") {
                    let why = "`format` is asserted, and since draft 2019-09 JSON Schema takes it for an annotation";
                    self.findings.note(Effect::Changed, at, name, why);
                }
            } else if let Some(format) = vocabulary::unenforced_format(name, value) {
                self.unenforced(at, name, format!("the format `{format}` is not enforced"));
            }
        } else if is_said || vocabulary::is_read(name) {
            if vocabulary::is_malformed(name, value) {
                self.unenforced(at, name, "JSON Schema has another kind of value here; it is not asked");
            }
        } else if let Some(format) = vocabulary::unenforced_format(name, value) {
            self.unenforced(at, name, format!("the format `{format}` is not enforced"));
        } else if vocabulary::is_annotation(name) || vocabulary::is_kept(name) {
            if !(self.is_request && name == "readOnly") {
                self.findings.annotation(at, name);
            }
        } else {
            self.unenforced(
                at,
                name,
                format!("no template has `{name}`; what it refuses is accepted"),
            );
        }
        Ok(())
    }

    /// What is asked of the members of an object.
    fn object(&mut self, members: Members<'a>, depth: usize, shape: &mut Shape) -> Read<()> {
        let mut rest = members.is_closed().then_some(Value::Bool(false));
        let mut required = members.required;
        let mut properties = Schema::new();
        for (name, parts) in members.declared {
            let Some(mut member) = self.below(&parts, depth)? else {
                continue;
            };
            let was_required = self.requires(&required, &name, &member);
            let is_null_left_out = member.take_null();
            if is_null_left_out {
                member.about.null_left_out(was_required, &mut self.findings);
            }
            if is_null_left_out || !was_required {
                required.retain(|asked| *asked != name);
            }
            let schema = shape.nested(member, &name, &mut self.findings);
            properties.insert(name, schema);
        }
        if rest.is_none()
            && let Some(like) = self.below(&members.rest, depth)?
        {
            rest = Some(shape.nested(like, "*", &mut self.findings));
        }
        let has_any = !properties.is_empty();
        let written = [
            ("properties", has_any.then_some(Value::Object(properties))),
            ("required", (!required.is_empty()).then(|| json!(required))),
            ("additionalProperties", rest),
        ];
        let written = written
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        shape.schema.extend(written);
        Ok(())
    }

    /// Returns whether a member has to be there: of a request, none that the API alone writes.
    pub fn requires(&mut self, required: &[String], name: &String, member: &Shape) -> bool {
        let is_required = required.contains(name);
        let Some(effect) = member.about.read_only.filter(|_| is_required && self.is_request) else {
            return is_required;
        };
        let why = format!("`{name}` is read-only, so that it is required of answers alone");
        self.findings.note(effect, &member.about.pointer, "readOnly", why);
        false
    }

    /// What is asked one level further down; none where nothing is, and beyond what constraints may nest.
    fn below(&mut self, parts: &[Part<'a>], depth: usize) -> Read<Option<Shape>> {
        let Some(first) = parts.first() else { return Ok(None) };
        if depth < DEPTH_MAX {
            return Ok(Some(self.shape(parts, depth + 1)?));
        }
        let most = constraint::DEPTH_MAX;
        let why =
            format!("constraints nest at most {most} levels below a key; what lies deeper is accepted as it comes");
        self.unenforced(&first.at, "schema", why);
        Ok(None)
    }

    fn unenforced(&mut self, at: &str, what: &str, why: impl Into<String>) {
        self.findings.note(Effect::Unenforced, at, what, why);
    }
}

/// Takes units of what one import may cost.
///
/// # Errors
/// [`ImportFault::Unfit`] where they are more than what is left.
fn spend(budget: &Budget<'_>, units: usize) -> Read<()> {
    let why = "reading it takes more work or memory than one import may take; import a part of it";
    let granted = budget.spend_for(units);
    granted.then_some(()).ok_or_else(|| ImportFault::Unfit(why.to_owned()))
}

/// The members of an object by schemas that all hold: what one does not declare is for its rest.
fn members<'a>(asking: &[Part<'a>], depth: usize, budget: &Budget<'_>) -> Read<Members<'a>> {
    let rest = |part: &Part<'a>| {
        let declares = |name: &str| part.schema.get(name).is_some_and(|declared| *declared != json!({}));
        // Members that a pattern declares, or that lie too deep, are not refused.
        let is_free = declares("patternProperties") || (depth >= DEPTH_MAX && declares("properties"));
        part.member("additionalProperties")
            .filter(|rest| !is_free && rest.asks())
    };
    let mut members = Members {
        declared: Vec::new(),
        required: Vec::new(),
        rest: Vec::new(),
    };
    let (mut known, mut asked) = (BTreeSet::new(), BTreeSet::new());
    let all: usize = asking.iter().map(Part::units).sum();
    for part in asking {
        let names = part.list("required").filter_map(Value::as_str);
        let names = names.filter(|name| asked.insert(*name));
        members.required.extend(names.map(str::to_owned));
        members.rest.extend(rest(part));
        let declared = part.schema.get("properties").and_then(Value::as_object);
        let declared = declared.into_iter().flat_map(Schema::keys);
        for name in declared.filter(|name| known.insert(*name)) {
            spend(budget, all)?;
            let own = |part: &Part<'a>| part.member("properties")?.member(name);
            let each = asking.iter().filter_map(|part| own(part).or_else(|| rest(part)));
            members.declared.push((name.clone(), each.collect()));
        }
        if members.declared.len() > KEYS_MAX {
            let (why, at) = (too_many_keys(KEYS_MAX), &part.at);
            return Err(ImportFault::Unfit(format!(
                "{why}; the schema at {at} has more members"
            )));
        }
    }
    Ok(members)
}
