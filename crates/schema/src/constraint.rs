//! Which constraints a template may publish (docs/design.md §3, Z-048, Z-051): each keyword with its value's shape, meaningful
//! for the type, bounded in depth and size, and not contradicting another.
//!
//! Checks the constraints, never a payload. Invariant: what is admitted here compiles.

use std::collections::BTreeSet;

use jsonschema::json::SerdeJson;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::advice::Advice;
use crate::backtracking;
use crate::cost;
use crate::defect::pointer_to;
use crate::ecma;
use crate::format;
use crate::format::FORMATS;
use crate::json_schema;
use crate::json_schema::Says;
use crate::key::KeyType;
use crate::keyword::Keyword;
use crate::nearest::nearest;
use crate::report::Report;

/// Values of one `enum`.
pub const ENUM_MAX: usize = 1_000;
/// Bytes of one pattern.
pub const PATTERN_BYTES_MAX: usize = 1_024;
/// Levels of `items`, `properties` and `additionalProperties` below a key.
pub const DEPTH_MAX: usize = 8;
/// Members of one `properties`.
pub const PROPERTIES_MAX: usize = 128;
/// Units that compiling the constraints of one template may cost: real templates take some thousands, and each unit is held several times.
pub const UNITS_MAX: u64 = 6_000_000;
/// Bytes of one key's constraints as JSON.
pub const CONSTRAINTS_BYTES_MAX: usize = 64 * 1024;

const REQUIREMENT: &str = "Z-048";
const HANGS: &str = "hanging_pattern: a repetition reads the same text in several ways, which hangs clients whose engine goes back and \
    tries again; leave one way, such as `^[a-z]+$` for `^([a-z]+)+$`";

/// Reads a key's constraints. What is wrong with them is reported, and only what is right is returned.
pub(crate) fn admit(document: &Value, key_type: KeyType, pointer: &str, report: &mut Report) -> Map<String, Value> {
    let Value::Object(members) = document else {
        report.defect(
            pointer,
            REQUIREMENT,
            "`constraints` is an object of JSON Schema keywords",
        );
        return Map::new();
    };
    if document.to_string().len() > CONSTRAINTS_BYTES_MAX {
        let message = format!("the constraints of a key have at most {CONSTRAINTS_BYTES_MAX} bytes");
        report.defect(pointer, REQUIREMENT, message);
        return Map::new();
    }
    report.units = report.units.saturating_add(cost::units(members));
    if report.units > UNITS_MAX {
        let message = "the constraints of the template take too much work and memory together; shorten repetitions and classes of patterns";
        report.defect(pointer, REQUIREMENT, message);
        return Map::new();
    }
    let defects_before = report.defects.len();
    schema(members, Some(key_type), pointer, 0, report);
    if report.defects.len() > defects_before {
        return Map::new();
    }
    if let Err(message) = json_schema::compile::<SerdeJson>(&json_schema::key_schema(key_type, members)) {
        report.defect(
            pointer,
            REQUIREMENT,
            format!("the constraints do not compile: {message}"),
        );
        return Map::new();
    }
    members.clone()
}

/// One level: the key's own (`own_type` given, `type` not admitted) or a nested one, which may name its `type`.
fn schema(members: &Map<String, Value>, own_type: Option<KeyType>, pointer: &str, depth: usize, report: &mut Report) {
    let declared = match members.get("type") {
        None => None,
        Some(Value::String(text)) if depth > 0 && KeyType::parse(text).is_some() => KeyType::parse(text),
        Some(_) => {
            let message = "`type` is one JSON Schema type identifier, below the key itself only";
            report.defect(&pointer_to(pointer, "type"), REQUIREMENT, message);
            None
        }
    };
    let key_type = own_type.or(declared);
    for (name, value) in members {
        if name == "type" {
            continue;
        }
        let at = pointer_to(pointer, name);
        let Some(keyword) = Keyword::parse(name) else {
            report.defect(
                &at,
                REQUIREMENT,
                "this keyword is not among those that a template may use",
            );
            continue;
        };
        if let Some(key_type) = key_type
            && !keyword.speaks_of(key_type)
        {
            let message = format!("`{name}` says nothing of a value of type {}", key_type.name());
            report.defect(&at, REQUIREMENT, message);
            continue;
        }
        keyword_value(keyword, value, key_type, &at, depth, report);
    }
    contradictions(members, pointer, report);
}

/// A patch of the key with the known format that one at a pointer was nearly spelt as.
fn known_format(said: &str, at: &str) -> Option<Value> {
    let meant = nearest(said, FORMATS.iter().map(|format| format.name))?;
    let (_, below) = at.split_once("/constraints")?;
    let members = below.rsplit('/').filter(|member| !member.is_empty());
    let format = members.fold(json!(meant), |patch, member| {
        let member = member.replace("~1", "/").replace("~0", "~");
        json!({ member: patch })
    });
    Some(json!({ "constraints": format }))
}

/// Checks the value of one keyword.
fn keyword_value(
    keyword: Keyword,
    value: &Value,
    key_type: Option<KeyType>,
    at: &str,
    depth: usize,
    report: &mut Report,
) {
    let name = keyword.name();
    let wrong = match (keyword, value) {
        (Keyword::Enum, _) => return listed(value, key_type, at, report),
        (Keyword::Const, _) => return conforms(value, key_type, at, report),
        (Keyword::Pattern, Value::String(text)) => {
            if backtracking::is_exponential(text) {
                report.finding(Advice::HangingPattern, at, HANGS);
            }
            pattern(text).err()
        }
        (Keyword::Pattern | Keyword::Format, value) if !value.is_string() => Some(format!("`{name}` is a string")),
        (Keyword::Format, Value::String(said)) if format::find(said).is_none() => {
            let message = "this format is not known: it is shown, not enforced; a `pattern` would be";
            return match known_format(said, at) {
                Some(better) => report.suggestion(Advice::UnknownFormat, at, message, better),
                None => report.finding(Advice::UnknownFormat, at, message),
            };
        }
        (Keyword::Pattern | Keyword::Format, _) => None,
        (Keyword::Minimum | Keyword::Maximum | Keyword::ExclusiveMinimum | Keyword::ExclusiveMaximum, _) => {
            (!value.is_number()).then(|| format!("`{name}` is a number"))
        }
        (Keyword::MultipleOf, _) => {
            let is_step = value.as_f64().is_some_and(|step| step > 0.0);
            (!is_step).then(|| "`multipleOf` is a number above 0".to_owned())
        }
        (Keyword::MinLength | Keyword::MaxLength | Keyword::MinItems | Keyword::MaxItems, _) => value
            .as_u64()
            .is_none()
            .then(|| format!("`{name}` is an integer from 0")),
        (Keyword::UniqueItems, _) => (!value.is_boolean()).then(|| "`uniqueItems` is a boolean".to_owned()),
        (Keyword::Items | Keyword::AdditionalProperties, _) => {
            return nested(value, keyword == Keyword::AdditionalProperties, at, depth, report);
        }
        (Keyword::Properties, Value::Object(members)) if members.len() <= PROPERTIES_MAX => {
            for (name, member) in members {
                nested(member, false, &pointer_to(at, name), depth, report);
            }
            None
        }
        (Keyword::Properties, Value::Object(_)) => Some(format!("`properties` has at most {PROPERTIES_MAX} members")),
        (Keyword::Properties, _) => Some("`properties` is an object of schemas".to_owned()),
        (Keyword::Required, _) => {
            let names = value.as_array().map(|names| names.iter().map(Value::as_str));
            let mut seen = BTreeSet::new();
            let is_distinct = names.is_some_and(|mut names| names.all(|name| name.is_some() && seen.insert(name)));
            (!is_distinct).then(|| "`required` is an array of distinct member names".to_owned())
        }
    };
    if let Some(message) = wrong {
        report.defect(at, REQUIREMENT, message);
    }
}

fn nested(value: &Value, boolean_too: bool, at: &str, depth: usize, report: &mut Report) {
    match value {
        Value::Bool(_) if boolean_too => {}
        Value::Object(_) if depth >= DEPTH_MAX => {
            report.defect(at, "Z-051", format!("constraints nest at most {DEPTH_MAX} levels deep"));
        }
        Value::Object(members) => schema(members, None, at, depth + 1, report),
        _ => report.defect(at, "Z-051", "a nested constraint is an object of JSON Schema keywords"),
    }
}

fn listed(value: &Value, key_type: Option<KeyType>, at: &str, report: &mut Report) {
    let Value::Array(values) = value else {
        report.defect(at, REQUIREMENT, "`enum` is an array");
        return;
    };
    if values.is_empty() || values.len() > ENUM_MAX {
        report.defect(at, REQUIREMENT, format!("`enum` has 1 to {ENUM_MAX} values"));
        return;
    }
    let mut seen = BTreeSet::new();
    for (index, value) in values.iter().enumerate() {
        let here = pointer_to(at, &index.to_string());
        conforms(value, key_type, &here, report);
        if !seen.insert(value.to_string()) {
            report.defect(&here, REQUIREMENT, "this value stands in `enum` twice");
        }
    }
}

fn conforms(value: &Value, key_type: Option<KeyType>, at: &str, report: &mut Report) {
    if let Some(key_type) = key_type
        && !key_type.holds(value)
    {
        report.defect(
            at,
            REQUIREMENT,
            format!("this value is not of type {}", key_type.name()),
        );
    }
}

fn pattern(text: &str) -> Result<(), String> {
    if text.len() > PATTERN_BYTES_MAX {
        return Err(format!("a pattern has at most {PATTERN_BYTES_MAX} bytes"));
    }
    ecma::to_rust(text)
        .map_err(|fault| format!("`pattern` takes ECMA-262 with the flag `u`, as JSON Schema does: {fault}"))?;
    let compiled = json_schema::compile::<SerdeJson>(&json!({"pattern": text}));
    compiled
        .map(drop)
        .map_err(|_| "the pattern does not compile: it is too large, or takes what no text has".to_owned())
}

/// Bounds that no value can meet.
fn contradictions(members: &Map<String, Value>, pointer: &str, report: &mut Report) {
    let number = |keyword: Keyword| members.value(keyword)?.as_f64();
    let pairs = [
        (Keyword::Minimum, Keyword::Maximum, false),
        (Keyword::Minimum, Keyword::ExclusiveMaximum, true),
        (Keyword::ExclusiveMinimum, Keyword::Maximum, true),
        (Keyword::ExclusiveMinimum, Keyword::ExclusiveMaximum, true),
        (Keyword::MinLength, Keyword::MaxLength, false),
        (Keyword::MinItems, Keyword::MaxItems, false),
    ];
    for (low, high, strict) in pairs {
        if let (Some(a), Some(b)) = (number(low), number(high))
            && (a > b || (strict && a >= b))
        {
            let message = format!("no value is both at `{}` and at `{}`", low.name(), high.name());
            report.defect(&pointer_to(pointer, low.name()), REQUIREMENT, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::DEPTH_MAX;
    use super::ENUM_MAX;
    use super::PATTERN_BYTES_MAX;
    use super::admit;
    use crate::key::KeyType;
    use crate::report::Report;

    /// The pointers of defects; all is admitted where there is none.
    fn defects(key_type: &str, constraints: &Value) -> Vec<String> {
        let mut report = Report::default();
        let key_type = KeyType::parse(key_type).expect("a type");
        let admitted = admit(constraints, key_type, "", &mut report);
        assert_eq!(report.defects.is_empty(), Value::Object(admitted) == *constraints);
        report.defects.into_iter().map(|defect| defect.pointer).collect()
    }

    #[test]
    fn admitted_keywords_with_right_values_pass_and_others_are_refused_in_their_place_z048_z051() {
        for row in [
            json!(["integer", {"minimum": 1, "maximum": 9, "multipleOf": 2, "enum": [2, 4.0]}]),
            json!(["number", {"exclusiveMinimum": 0, "exclusiveMaximum": 1.5, "const": 1}]),
            json!(["string", {"minLength": 1, "maxLength": 1, "pattern": "^a$", "format": "date"}]),
            json!(["boolean", {"const": true}]),
            json!(["array", {"items": {"type": "string", "enum": ["a"]}, "minItems": 1, "uniqueItems": true}]),
            json!(["object", {"properties": {"a": {"type": "integer", "minimum": 0}}, "required": ["a"], "additionalProperties": false}]),
            json!(["object", {"additionalProperties": {"type": "number"}}]),
            json!(["string", {"contains": {}}, "/contains"]),
            json!(["string", {"$ref": "http://x"}, "/$ref"]),
            json!(["string", {"type": "string"}, "/type"]),
            json!(["string", {"minimum": 1}, "/minimum"]),
            json!(["integer", {"minimum": "1"}, "/minimum"]),
            json!(["integer", {"minLength": 1}, "/minLength"]),
            json!(["integer", {"multipleOf": 0}, "/multipleOf"]),
            json!(["integer", {"enum": [1, "2"]}, "/enum/1"]),
            json!(["integer", {"const": 1.5}, "/const"]),
            json!(["string", {"enum": []}, "/enum"]),
            json!(["string", {"enum": "a"}, "/enum"]),
            json!(["string", {"enum": ["a", "a"]}, "/enum/1"]),
            json!(["string", {"pattern": "("}, "/pattern"]),
            json!(["string", {"pattern": "(?=a)b"}, "/pattern"]),
            json!(["string", {"pattern": 1}, "/pattern"]),
            json!(["string", {"format": 1}, "/format"]),
            json!(["string", {"maxLength": -1}, "/maxLength"]),
            json!(["string", {"maxLength": 1.5}, "/maxLength"]),
            json!(["array", {"items": {"contains": {}}}, "/items/contains"]),
            json!(["array", {"items": true}, "/items"]),
            json!(["array", {"items": {"type": "string", "minimum": 1}}, "/items/minimum"]),
            json!(["array", {"items": {"type": "float"}}, "/items/type"]),
            json!(["array", {"uniqueItems": 1}, "/uniqueItems"]),
            json!(["object", {"required": ["a", "a"]}, "/required"]),
            json!(["object", {"properties": {"a/b": 1}}, "/properties/a~1b"]),
            json!(["integer", [], ""]),
            json!(["integer", {"minimum": 2, "maximum": 1}, "/minimum"]),
            json!(["number", {"exclusiveMinimum": 1, "maximum": 1}, "/exclusiveMinimum"]),
            json!(["string", {"minLength": 2, "maxLength": 1}, "/minLength"]),
        ] {
            let found = defects(row[0].as_str().unwrap_or_default(), &row[1]);
            assert_eq!(json!(found), json!(Vec::from_iter(row.get(2))), "{row}");
        }
    }

    #[test]
    fn constraints_are_bounded_at_their_edge_z048_z051() {
        let listed = |n: usize| json!({"enum": (0..n).collect::<Vec<_>>()});
        let pattern = |n: usize| json!({"pattern": "a".repeat(n)});
        let deep = |n: usize| (0..n).fold(json!({}), |inner, _| json!({"items": inner}));
        for (key_type, constraints, found) in [
            ("integer", listed(ENUM_MAX), 0),
            ("integer", listed(ENUM_MAX + 1), 1),
            ("string", pattern(PATTERN_BYTES_MAX), 0),
            ("string", pattern(PATTERN_BYTES_MAX + 1), 1),
            ("array", deep(DEPTH_MAX), 0),
            ("array", deep(DEPTH_MAX + 1), 1),
            ("string", json!({"pattern": "(a{1000}){1000}"}), 1),
        ] {
            assert_eq!(defects(key_type, &constraints).len(), found, "{key_type}");
        }
    }

    #[test]
    fn an_unknown_format_is_an_annotation_z048() {
        let mut report = Report::default();
        admit(&json!({"format": "airport"}), KeyType::String, "/c", &mut report);
        assert!(report.defects.is_empty());
        assert_eq!(report.findings[0].pointer, "/c/format");
    }
}
