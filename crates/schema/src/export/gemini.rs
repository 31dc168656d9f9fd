//! `gemini-tool`: a function declaration of Gemini, with the subset of OpenAPI's schemas that its `Schema` is.
//!
//! A list holds texts alone, none of them empty; null is said by `nullable`; beside `anyOf` nothing else may stand, so that what is said
//! of the whole stands with its first way. What is not said of an object's members is allowed. Any other keyword is said in words and lost.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::export::loss::Losses;
use crate::export::safe_name::safe_name;
use crate::export::shape::Fact;
use crate::export::shape::Members;
use crate::export::shape::Shape;
use crate::export::sheet::Sheet;
use crate::export::sheet::SheetKey;
use crate::export::tools;
use crate::export::wording;
use crate::key::KeyType;
use crate::keyword::Keyword;

/// The one format that is known of a text.
const FORMAT: &str = "date-time";

/// The declaration as JSON text.
pub fn text(sheet: &Sheet<'_>, losses: &mut Losses) -> String {
    let mut writer = Writer(losses);
    let mut properties = Map::new();
    for key in &sheet.keys {
        writer.0.enter(&key.name);
        properties.insert(key.name.clone(), writer.property(key));
    }
    let required = sheet
        .keys
        .iter()
        .filter(|key| key.required)
        .map(|key| key.name.as_str());
    let parameters = object(properties, &required.collect::<Vec<_>>());
    json!({"name": name(sheet.scenario), "description": tools::purpose(sheet), "parameters": parameters}).to_string()
}

/// A function's name begins with a letter or `_`.
fn name(scenario: &str) -> String {
    let name = safe_name(scenario);
    match name.starts_with(|first: char| first.is_ascii_digit()) {
        true => safe_name(&format!("n {scenario}")),
        false => name,
    }
}

/// What is not enforced of a value, in words.
type Unsaid = Vec<(Keyword, String)>;

struct Writer<'l>(&'l mut Losses);

impl Writer<'_> {
    fn property(&mut self, key: &SheetKey) -> Value {
        let (schema, unsaid) = self.schema(&key.shape);
        let unsaid = unsaid
            .into_iter()
            .filter(|(keyword, _)| !wording::says_itself(key, *keyword));
        let phrases: Vec<String> = unsaid.map(|(_, phrase)| phrase).collect();
        let mut sentences: Vec<String> = wording::sentence(&phrases).into_iter().collect();
        let assumed = |default: &Value| format!("Without it, {default} is assumed.");
        sentences.extend(key.default.as_ref().map(assumed));
        sentences.extend(key.mark.map(|mark| wording::standing(mark).to_owned()));
        with(
            schema,
            "description",
            json!(wording::joined(&key.description, &sentences)),
        )
    }

    /// What lies below a keyword, with what it does not enforce in its own description.
    fn below(&mut self, shape: &Shape, keyword: Keyword, member: Option<&str>) -> Value {
        let before = self.0.descend(keyword, member);
        let schema = self.noted(shape);
        self.0.ascend(before);
        schema
    }

    fn noted(&mut self, shape: &Shape) -> Value {
        let (schema, unsaid) = self.schema(shape);
        let phrases: Vec<String> = unsaid.into_iter().map(|(_, phrase)| phrase).collect();
        match wording::sentence(&phrases) {
            Some(said) => with(schema, "description", json!(said)),
            None => schema,
        }
    }

    fn schema(&mut self, shape: &Shape) -> (Value, Unsaid) {
        let mut unsaid = Vec::new();
        let mut schema = match shape {
            Shape::Other => any_of(
                vec![typed("STRING"), json!({"type": "ARRAY", "items": typed("STRING")})],
                false,
            ),
            Shape::Listed { values, of } => match listed(values) {
                Some(listed) => listed,
                None => {
                    self.0.unenforced(Keyword::Enum.name());
                    unsaid.push((Keyword::Enum, wording::one_of(values)));
                    let (schema, more) = self.schema(of);
                    unsaid.extend(more);
                    schema
                }
            },
            Shape::Scalar(key_type, _) => typed(&key_type.name().to_ascii_uppercase()),
            Shape::Array(each, _) => json!({"type": "ARRAY", "items": self.below(each, Keyword::Items, None)}),
            Shape::Object(members) => self.members(members),
            Shape::Anything => {
                self.0.narrowed("type");
                any_of(["STRING", "NUMBER", "BOOLEAN"].map(typed).to_vec(), true)
            }
            Shape::Never(nearest) => {
                self.0.unenforced("not");
                let (schema, more) = self.schema(nearest);
                unsaid.extend(more);
                schema
            }
            Shape::Any(shapes) => {
                let is_null = |shape: &&Shape| matches!(shape, Shape::Scalar(KeyType::Null, _));
                let ways = shapes.iter().filter(|shape| !is_null(shape));
                let ways: Vec<Value> = ways.map(|shape| self.noted(shape)).collect();
                let nullable = ways.len() < shapes.len();
                any_of(ways, nullable)
            }
        };
        for fact in shape.facts() {
            if is_held(fact) {
                schema[fact.keyword.name()] = fact.value.clone();
                continue;
            }
            if fact.is_enforced() {
                self.0.unenforced(fact.keyword.name());
            }
            unsaid.push((fact.keyword, fact.phrase()));
        }
        (schema, unsaid)
    }

    fn members(&mut self, Members { declared, rest }: &Members) -> Value {
        if rest.as_deref() != Some(&Shape::Anything) {
            self.0.unenforced(Keyword::AdditionalProperties.name());
        }
        let mut properties = Map::new();
        for member in declared {
            let schema = self.below(&member.shape, Keyword::Properties, Some(&member.name));
            properties.insert(member.name.clone(), schema);
        }
        let required = declared.iter().filter(|member| member.required);
        object(
            properties,
            &required.map(|member| member.name.as_str()).collect::<Vec<_>>(),
        )
    }
}

/// An object; none has a list of members that is empty.
fn object(properties: Map<String, Value>, required: &[&str]) -> Value {
    let mut object = typed("OBJECT");
    if !properties.is_empty() {
        object["properties"] = Value::Object(properties);
    }
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    object
}

fn typed(name: &str) -> Value {
    json!({ "type": name })
}

fn any_of(ways: Vec<Value>, nullable: bool) -> Value {
    let schema = json!({ "anyOf": ways });
    match nullable {
        true => with(schema, "nullable", json!(true)),
        false => schema,
    }
}

/// A schema with one more member, which stands first; with its first way where it has several.
fn with(mut schema: Value, name: &str, value: Value) -> Value {
    if let Some(first) = schema.get_mut("anyOf").and_then(|ways| ways.get_mut(0)) {
        *first = with(first.take(), name, value);
        return schema;
    }
    match schema {
        Value::Object(members) if name == "description" => {
            // A way may have a description of its own, which follows what is said of the whole.
            let own = members.get(name).and_then(Value::as_str).map(str::to_owned);
            let said = wording::joined(value.as_str().unwrap_or_default(), &own.into_iter().collect::<Vec<_>>());
            let rest = members.into_iter().filter(|(member, _)| member != name);
            std::iter::once((name.to_owned(), json!(said))).chain(rest).collect()
        }
        mut schema => {
            schema[name] = value;
            schema
        }
    }
}

/// Whether a schema enforces it.
fn is_held(fact: &Fact) -> bool {
    match fact.keyword {
        Keyword::MinLength
        | Keyword::MaxLength
        | Keyword::Pattern
        | Keyword::Minimum
        | Keyword::Maximum
        | Keyword::MinItems
        | Keyword::MaxItems => true,
        Keyword::Format => fact.value == FORMAT,
        _ => false,
    }
}

/// The list, where it holds texts alone, and null perhaps.
fn listed(values: &[Value]) -> Option<Value> {
    let texts: Vec<&Value> = values.iter().filter(|value| !value.is_null()).collect();
    let is_said = texts
        .iter()
        .all(|value| value.as_str().is_some_and(|text| !text.is_empty()));
    if texts.is_empty() || !is_said {
        return None;
    }
    let list = json!({"type": "STRING", "enum": texts});
    Some(match texts.len() < values.len() {
        true => with(list, "nullable", json!(true)),
        false => list,
    })
}
