//! `json-schema-strict`: JSON Schema as strict decoders take it, within what OpenAI, Anthropic and the open ones have in
//! common.
//!
//! Every key is required and every object closed; an optional key may be null, which is read back as left out. Only `type`,
//! `enum`, `anyOf`, `items`, `properties`, `required`, `additionalProperties` and `description` are used; any other keyword
//! is said in words and lost. Invariant: the limits below hold, whatever the template.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::export::loss::Losses;
use crate::export::shape::Members;
use crate::export::shape::Shape;
use crate::export::sheet::Sheet;
use crate::export::sheet::SheetKey;
use crate::export::wording;
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

/// What is left of the limits, and what was lost.
struct Writer<'l> {
    properties: usize,
    values: usize,
    characters: usize,
    losses: &'l mut Losses,
}

/// The schema as JSON text.
pub fn text(sheet: &Sheet<'_>, losses: &mut Losses) -> String {
    object(sheet, losses).to_string()
}

/// The schema of the payload.
pub fn object(sheet: &Sheet<'_>, losses: &mut Losses) -> Value {
    let names: usize = sheet.keys.iter().map(|key| key.name.len()).sum();
    let mut writer = Writer {
        // Every key has its place, whatever the lists of others take.
        properties: PROPERTIES_MAX.saturating_sub(sheet.keys.len()),
        values: VALUES_MAX,
        characters: CHARACTERS_MAX.saturating_sub(names),
        losses,
    };
    let mut properties = Map::new();
    for key in &sheet.keys {
        writer.losses.enter(&key.name);
        properties.insert(key.name.clone(), writer.property(key));
    }
    described(closed(properties), sheet.description.map(str::to_owned))
}

/// An object of exactly these members.
fn closed(properties: Map<String, Value>) -> Value {
    let required: Vec<&String> = properties.keys().collect();
    let required = json!(required);
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

impl Writer<'_> {
    fn property(&mut self, key: &SheetKey) -> Value {
        let mut phrases = Vec::new();
        let mut schema = self.schema(&key.shape, 2, &mut |keyword, phrase| {
            if !wording::says_itself(key, keyword) {
                phrases.push(phrase);
            }
        });
        if !key.required {
            schema = nullable(schema);
        }
        let mut sentences: Vec<String> = wording::sentence(&phrases).into_iter().collect();
        let assumed = |default: &Value| format!("Without it, {default} is assumed.");
        sentences.extend(key.default.as_ref().map(assumed));
        sentences.extend(key.mark.map(|mark| wording::standing(mark).to_owned()));
        described(schema, Some(wording::joined(&key.description, &sentences)))
    }

    /// The schema of a value at a level; `say` takes what it does not enforce, as a phrase.
    fn schema(&mut self, shape: &Shape, level: usize, say: &mut dyn FnMut(Keyword, String)) -> Value {
        for fact in shape.facts() {
            if fact.is_enforced() {
                self.losses.unenforced(fact.keyword.name());
            }
            say(fact.keyword, fact.phrase());
        }
        match shape {
            Shape::Other => any_of(vec![typed("string"), array(&typed("string"))]),
            Shape::Listed { values, of } => match self.list(values) {
                Some(list) => list,
                None => {
                    self.losses.unenforced(Keyword::Enum.name());
                    say(Keyword::Enum, wording::one_of(values));
                    self.schema(of, level, say)
                }
            },
            Shape::Scalar(key_type, _) => typed(key_type.name()),
            Shape::Array(each, _) => {
                let before = self.losses.descend(Keyword::Items, None);
                let each = self.below(each, level + 1, false);
                self.losses.ascend(before);
                array(&each)
            }
            Shape::Object(members) => self.members(members, level),
            Shape::Anything => {
                self.losses.narrowed("type");
                any_of(["string", "number", "boolean", "null"].map(typed).to_vec())
            }
            Shape::Never(nearest) => {
                self.losses.unenforced("not");
                self.schema(nearest, level, say)
            }
            Shape::Any(shapes) => any_of(shapes.iter().map(|shape| self.below(shape, level, false)).collect()),
        }
    }

    /// A schema below a key, with what it does not enforce in its own description.
    fn below(&mut self, shape: &Shape, level: usize, optional: bool) -> Value {
        let mut phrases = Vec::new();
        let mut schema = self.schema(shape, level, &mut |_, phrase| phrases.push(phrase));
        if optional {
            schema = nullable(schema);
        }
        described(schema, wording::sentence(&phrases))
    }

    fn members(&mut self, Members { declared, rest }: &Members, level: usize) -> Value {
        if rest.is_some() {
            self.losses.narrowed(Keyword::AdditionalProperties.name());
        }
        let names: usize = declared.iter().map(|member| member.name.chars().count()).sum();
        let fits = declared.len() <= self.properties && names <= self.characters && level < LEVELS_MAX;
        if !fits && !declared.is_empty() {
            self.losses.narrowed(Keyword::Properties.name());
            if declared.iter().any(|member| member.required) {
                self.losses.unenforced(Keyword::Required.name());
            }
            return closed(Map::new());
        }
        self.properties -= declared.len();
        self.characters -= names;
        let mut properties = Map::new();
        for member in declared {
            let before = self.losses.descend(Keyword::Properties, Some(&member.name));
            let schema = self.below(&member.shape, level + 1, !member.required);
            self.losses.ascend(before);
            properties.insert(member.name.clone(), schema);
        }
        closed(properties)
    }

    /// The list, where it may be said: scalars within what is left.
    fn list(&mut self, values: &[Value]) -> Option<Value> {
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

fn typed(name: &str) -> Value {
    json!({ "type": name })
}

fn array(each: &Value) -> Value {
    json!({"type": "array", "items": each})
}

fn any_of(ways: Vec<Value>) -> Value {
    json!({ "anyOf": ways })
}

/// A schema that accepts null as well. An array or object keeps a schema of its own, since not every decoder reads its
/// keywords beside several types.
fn nullable(mut schema: Value) -> Value {
    if let Some(ways) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        if !ways.contains(&typed("null")) {
            ways.push(typed("null"));
        }
        return schema;
    }
    let mut types: Vec<Value> = match schema.get("type") {
        Some(Value::Array(types)) => types.clone(),
        Some(one) => vec![one.clone()],
        None => Vec::new(),
    };
    if types.iter().any(|name| name == "array" || name == "object") {
        return any_of(vec![schema, typed("null")]);
    }
    if !types.iter().any(|name| name == "null") {
        types.push(json!("null"));
        schema["type"] = Value::Array(types);
        if let Some(list) = schema.get_mut("enum").and_then(Value::as_array_mut) {
            list.push(Value::Null);
        }
    }
    schema
}

/// A schema with its description first.
fn described(schema: Value, description: Option<String>) -> Value {
    match (description, schema) {
        (Some(description), Value::Object(members)) => {
            let description = ("description".to_owned(), Value::String(description));
            std::iter::once(description).chain(members).collect()
        }
        (_, schema) => schema,
    }
}
