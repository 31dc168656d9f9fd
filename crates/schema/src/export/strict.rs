//! `json-schema-strict` and `gemini-tool`: schemas for those who take a part of JSON Schema alone.
//!
//! The strict one stays within what OpenAI, Anthropic and the open decoders have in common: every key is required and every object closed;
//! an optional key may be null, which is read back as left out. That of Gemini is the subset of OpenAPI's schemas that its `Schema` is: a
//! list holds texts alone, none of them empty; null is said by `nullable`; beside `anyOf` nothing else may stand, so that what is said of
//! the whole stands with its first way. What neither holds is said in words and lost. A map, an object without members that are named,
//! cannot be filled in either: what is one is left out. Invariant: the limits below hold for the strict one, whatever the template.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::export::loss::Losses;
use crate::export::safe_name::safe_name;
use crate::export::shape::Fact;
use crate::export::shape::Members;
use crate::export::shape::Shape;
use crate::export::sheet::Sheet;
use crate::export::wording;
use crate::export::wording::Unsaid;
use crate::key::type_name;
use crate::keyword::Keyword;

/// Properties of one schema, at all levels together.
pub const PROPERTIES_MAX: usize = 5_000;
/// Levels of nesting, the payload itself included.
pub const LEVELS_MAX: usize = 10;
/// Values of all lists together.
pub const VALUES_MAX: usize = 1_000;
/// Characters of all names and listed values together.
pub const CHARACTERS_MAX: usize = 120_000;
/// A list of more values than this has at most so many characters.
pub const LONG_LIST: usize = 250;
pub const LONG_LIST_CHARACTERS_MAX: usize = 15_000;

/// Who reads the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    Strict,
    Gemini,
}

/// What is left of the limits, and what was lost.
struct Writer<'l> {
    reader: Reader,
    properties: usize,
    values: usize,
    characters: usize,
    losses: &'l mut Losses,
}

/// The strict schema as JSON text.
pub fn text(sheet: &Sheet<'_>, losses: &mut Losses) -> String {
    object(sheet, losses).to_string()
}

/// The strict schema of the payload.
pub fn object(sheet: &Sheet<'_>, losses: &mut Losses) -> Value {
    let schema = Writer::new(Reader::Strict, sheet, losses).keys(sheet);
    match sheet.description {
        Some(description) => with(schema, "description", json!(description)),
        None => schema,
    }
}

/// The function declaration of Gemini as JSON text.
pub fn declaration(sheet: &Sheet<'_>, losses: &mut Losses) -> String {
    let parameters = Writer::new(Reader::Gemini, sheet, losses).keys(sheet);
    let mut name = safe_name(sheet.scenario);
    // A function's name begins with a letter or `_`.
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        name = safe_name(&format!("n {}", sheet.scenario));
    }
    json!({"name": name, "description": sheet.purpose(), "parameters": parameters}).to_string()
}

impl<'l> Writer<'l> {
    fn new(reader: Reader, sheet: &Sheet<'_>, losses: &'l mut Losses) -> Writer<'l> {
        let names: usize = sheet.keys.iter().map(|key| key.name.len()).sum();
        let limit = |most: usize| if reader == Reader::Strict { most } else { usize::MAX };
        Writer {
            reader,
            // Every key has its place, whatever the lists of others take.
            properties: limit(PROPERTIES_MAX).saturating_sub(sheet.keys.len()),
            values: limit(VALUES_MAX),
            characters: limit(CHARACTERS_MAX).saturating_sub(names),
            losses,
        }
    }

    fn keys(&mut self, sheet: &Sheet<'_>) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for key in &sheet.keys {
            self.losses.enter(&key.name);
            let mut unsaid = Unsaid::new();
            let Some(schema) = self.schema(&key.shape, 2, &mut unsaid) else {
                self.left_out(key.required);
                continue;
            };
            let schema = self.optional(schema, key.required);
            let said = wording::beside(key, &unsaid, true);
            properties.insert(key.name.clone(), self.described(schema, said));
            required.extend(key.required.then_some(key.name.as_str()));
        }
        self.closed(properties, &required)
    }

    /// Notes that something which an object has to have is not in it.
    fn left_out(&mut self, required: bool) {
        if required {
            self.losses.unenforced(Keyword::Required.name());
        }
    }

    /// An object of these members; none has a list that is empty.
    fn closed(&self, properties: Map<String, Value>, required: &[&str]) -> Value {
        let mut object = self.typed("object");
        if self.reader == Reader::Strict {
            let all: Vec<&String> = properties.keys().collect();
            object["required"] = json!(all);
            object["additionalProperties"] = json!(false);
        } else if !required.is_empty() {
            object["required"] = json!(required);
        }
        if self.reader == Reader::Strict || !properties.is_empty() {
            object = with(object, "properties", Value::Object(properties));
        }
        object
    }

    fn typed(&self, name: &str) -> Value {
        match self.reader {
            Reader::Strict => json!({ "type": name }),
            Reader::Gemini => json!({ "type": name.to_ascii_uppercase() }),
        }
    }

    /// A schema that accepts null as well, where that stands for what is left out.
    fn optional(&self, mut schema: Value, required: bool) -> Value {
        let null = self.typed("null");
        if required || self.reader == Reader::Gemini || schema == null {
            return schema;
        }
        match schema.get_mut("anyOf").and_then(Value::as_array_mut) {
            Some(ways) if ways.contains(&null) => {}
            Some(ways) => ways.push(null),
            None => return self.any_of(vec![schema, null]),
        }
        schema
    }

    fn any_of(&self, mut ways: Vec<Value>) -> Value {
        let null = self.typed("null");
        let count = ways.len();
        if self.reader == Reader::Gemini {
            ways.retain(|way| *way != null);
            if let (true, Some(first)) = (ways.len() < count, ways.first_mut()) {
                first["nullable"] = json!(true);
            }
        }
        json!({ "anyOf": ways })
    }

    /// A schema with what is said of it; Gemini has it with the first way, whose own description follows.
    fn described(&self, mut schema: Value, said: String) -> Value {
        if let (Reader::Gemini, Some(first)) = (self.reader, schema.pointer_mut("/anyOf/0")) {
            *first = self.described(first.take(), said);
            return schema;
        }
        let own = schema.get("description").and_then(Value::as_str).map(str::to_owned);
        let said = wording::joined(&said, &own.into_iter().collect::<Vec<_>>());
        with(schema, "description", json!(said))
    }

    /// The schema of a value at a level; none where the form cannot hold it.
    fn schema(&mut self, shape: &Shape, level: usize, unsaid: &mut Unsaid) -> Option<Value> {
        let mut schema = match shape {
            Shape::Other => {
                let text = self.typed("string");
                let texts = self.array(&text);
                self.any_of(vec![text, texts])
            }
            Shape::Listed { values, of } => match self.list(values) {
                Some(list) => list,
                None => {
                    self.losses.unenforced(Keyword::Enum.name());
                    unsaid.push((Keyword::Enum, wording::one_of(values)));
                    self.schema(of, level, unsaid)?
                }
            },
            Shape::Scalar(key_type, _) => self.typed(key_type.name()),
            Shape::Array(each, _) => {
                let before = self.losses.descend(Keyword::Items, None);
                let each = self.below(each, level + 1);
                self.losses.ascend(before);
                self.array(&each?)
            }
            Shape::Object(members) => self.members(members, level)?,
            Shape::Anything => {
                self.losses.narrowed("type");
                let ways = ["string", "number", "boolean", "null"].map(|name| self.typed(name));
                self.any_of(ways.to_vec())
            }
            Shape::Never(nearest) => {
                self.losses.unenforced("not");
                self.schema(nearest, level, unsaid)?
            }
            Shape::Any(shapes) => {
                let ways = shapes.iter().filter_map(|shape| self.below(shape, level)).collect();
                self.any_of(ways)
            }
        };
        for fact in shape.facts() {
            if self.reader == Reader::Gemini && is_held(fact) {
                schema[fact.keyword.name()] = fact.value.clone();
                continue;
            }
            if fact.is_enforced() {
                self.losses.unenforced(fact.keyword.name());
            }
            unsaid.push((fact.keyword, fact.phrase()));
        }
        Some(schema)
    }

    fn array(&self, each: &Value) -> Value {
        with(self.typed("array"), "items", each.clone())
    }

    /// A schema below a key, with what it does not enforce in its own description.
    fn below(&mut self, shape: &Shape, level: usize) -> Option<Value> {
        let mut unsaid = Unsaid::new();
        let schema = self.schema(shape, level, &mut unsaid)?;
        Some(match wording::said(unsaid) {
            Some(said) => self.described(schema, said),
            None => schema,
        })
    }

    fn members(&mut self, Members { declared, rest }: &Members, level: usize) -> Option<Value> {
        match (self.reader, rest.as_deref()) {
            (Reader::Strict, None) | (Reader::Gemini, Some(Shape::Anything)) => {}
            (Reader::Strict, Some(_)) => self.losses.narrowed(Keyword::AdditionalProperties.name()),
            (Reader::Gemini, _) => self.losses.unenforced(Keyword::AdditionalProperties.name()),
        }
        let names: usize = declared.iter().map(|member| member.name.chars().count()).sum();
        let is_deep = self.reader == Reader::Strict && level >= LEVELS_MAX;
        let fits = declared.len() <= self.properties && names <= self.characters && !is_deep;
        let mut properties = Map::new();
        if fits {
            self.properties -= declared.len();
            self.characters -= names;
            for member in declared {
                let before = self.losses.descend(Keyword::Properties, Some(&member.name));
                let schema = self.below(&member.shape, level + 1);
                self.losses.ascend(before);
                match schema {
                    Some(schema) => {
                        drop(properties.insert(member.name.clone(), self.optional(schema, member.required)))
                    }
                    None => self.left_out(member.required),
                }
            }
        }
        let is_empty = declared.is_empty() && rest.is_none() && self.reader == Reader::Strict;
        if properties.is_empty() && !is_empty {
            // Nobody could fill it; for Gemini what is not named may be anything.
            self.losses.narrowed(Keyword::Properties.name());
            if self.reader == Reader::Gemini {
                self.losses.unenforced(Keyword::Properties.name());
            }
            return None;
        }
        let required = declared
            .iter()
            .filter(|member| member.required && properties.contains_key(&member.name));
        let required: Vec<&str> = required.map(|member| member.name.as_str()).collect();
        Some(self.closed(properties, &required))
    }

    /// The list, where it may be said: scalars within what is left.
    fn list(&mut self, values: &[Value]) -> Option<Value> {
        if self.reader == Reader::Gemini {
            let texts: Vec<&str> = values
                .iter()
                .filter_map(Value::as_str)
                .filter(|text| !text.is_empty())
                .collect();
            let is_nullable = texts.len() < values.len();
            let is_said = !texts.is_empty() && values.iter().filter(|value| !value.is_null()).count() == texts.len();
            let list = json!({"type": "STRING", "enum": texts});
            let list = if is_nullable {
                with(list, "nullable", json!(true))
            } else {
                list
            };
            return is_said.then_some(list);
        }
        let mut types: Vec<&str> = Vec::new();
        let mut characters = 0;
        for value in values {
            if value.is_array() || value.is_object() {
                return None;
            }
            let name = type_name(value);
            if !types.contains(&name) {
                types.push(name);
            }
            characters += value
                .as_str()
                .map_or_else(|| value.to_string().len(), |text| text.chars().count());
        }
        if types.contains(&"number") {
            types.retain(|name| *name != "integer");
        }
        // One more value for null, which an optional key may be.
        let count = values.len() + 1;
        let long = count > LONG_LIST && characters > LONG_LIST_CHARACTERS_MAX;
        if count > self.values || characters > self.characters || long {
            return None;
        }
        self.values -= count;
        self.characters -= characters;
        Some(match types.as_slice() {
            [one] => json!({"type": one, "enum": values}),
            several => json!({"type": several, "enum": values}),
        })
    }
}

/// A schema with one more member; a description stands first, and what is in an object or array beside its type.
fn with(schema: Value, name: &str, value: Value) -> Value {
    let Value::Object(mut members) = schema else {
        return schema;
    };
    members.shift_remove(name);
    let place = usize::from(name != "description" && members.contains_key("type")).min(members.len());
    members.shift_insert(place, name.to_owned(), value);
    Value::Object(members)
}

/// Whether Gemini enforces it.
fn is_held(fact: &Fact) -> bool {
    match fact.keyword {
        Keyword::MinLength
        | Keyword::MaxLength
        | Keyword::Pattern
        | Keyword::Minimum
        | Keyword::Maximum
        | Keyword::MinItems
        | Keyword::MaxItems => true,
        // The one format that it knows of a text.
        Keyword::Format => fact.value == "date-time",
        _ => false,
    }
}
