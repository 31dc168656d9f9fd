//! Does the description say which values are right, and does it say what is enforced (Z-040, Z-048, Z-055)?

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::domain::template::advice::Advice;
use crate::domain::template::annotation;
use crate::domain::template::annotation::closed_by;
use crate::domain::template::closed_list;
use crate::domain::template::constraint::FORMATS;
use crate::domain::template::containment;
use crate::domain::template::fillable;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::Says;
use crate::domain::template::lint::announced;
use crate::domain::template::lint::announced::LIST;
use crate::domain::template::lint::announced::RANGE;
use crate::domain::template::lint::announced::hinted;
use crate::domain::template::lint::announced::masks;
use crate::domain::template::lint::contradiction;
use crate::domain::template::lint::gap;
use crate::domain::template::lint::meaning;
use crate::domain::template::lint::with_sentence;
use crate::domain::template::mapping_example;
use crate::domain::template::nearest::nearest;
use crate::domain::template::punctuation::without_stop;
use crate::domain::template::rule::Rule;

/// Words by which prose says which values are right.
const CUES: [&str; 5] = ["range:", "format", "iso 8601", "whether", "true or false"];
/// Keywords of bounds, each with the words and the sign that say it.
const BOUNDS: [(&str, &str, &str); 4] = [
    ("minimum", "at least", "≥"),
    ("exclusiveMinimum", "more than", ">"),
    ("maximum", "at most", "≤"),
    ("exclusiveMaximum", "less than", "<"),
];
/// The standard that the formats of days and times are of.
const ISO: &str = "8601";
/// Values of a list that a description can be asked to name.
const NAMED_MAX: usize = 20;

/// Looks at what is said and what is enforced.
pub fn look(key: &KeyDefinition, says: &mut Says<'_>) {
    announced::look(key, says);
    if !contradiction::look(key, says) {
        unsaid(key, says);
    }
    let form = form_of(key);
    let better = meant_form(key).map(|form| json!({ "constraints": form.constraints }));
    if says.english && !says_values(key) {
        let is_number = matches!(key.key_type, KeyType::Integer | KeyType::Number);
        let names_some = announced::names_some(key) && !meaning::repeats_name(key);
        let (rule, message) = match key.key_type {
            _ if names_some && is_number => (
                Advice::OpenValues,
                "says something of the values, and not where they end; say which are right: \"Range: 1-9.\", or bounds in `constraints`",
            ),
            _ if names_some => (
                Advice::OpenValues,
                "names some values, and not where the list ends; close it (\"Acceptable values: a, b, c.\"), or say what else is right \
                 by a format (\"Format: the name of a city.\")",
            ),
            KeyType::Integer | KeyType::Number => (
                Advice::NoAcceptableValues,
                "says nothing of acceptable values; add \"Range: 1-9.\" or a format",
            ),
            KeyType::String | KeyType::Boolean | KeyType::Array | KeyType::Object | KeyType::Null => (
                Advice::NoAcceptableValues,
                "says nothing of acceptable values; add \"Acceptable values: a, b, c.\", or a format where they are open",
            ),
        };
        let better = better.zip(form).map(|(mut better, form)| {
            better["semantic_description"] = json!(with_sentence(&key.semantic_description, form.sentence));
            better
        });
        says.say(rule, "semantic_description", message, better);
    } else if let Some(form) = form {
        let speaks = if form.is_named {
            "the name speaks of"
        } else {
            "the description shows"
        };
        let enforced = form
            .constraints
            .iter()
            .map(|(keyword, value)| format!("\"{keyword}\": {value}"));
        let enforced = enforced.collect::<Vec<_>>().join(", ");
        let message = format!("{speaks} a format that nothing enforces; `{enforced}` does");
        says.say(Advice::FormatUnset, "constraints", message, better);
    } else if let Some(form) = masks::beside_times(key).filter(|form| enforceable(key, form)) {
        // That pattern alone would let times in that the range keeps out.
        let message = format!(
            "the description shows a format that nothing enforces, and a range of it; the `pattern` that holds the one holds the other: \
             of the format alone it is {}",
            Value::Object(form)
        );
        says.say(Advice::FormatUnset, "constraints", message, None);
    }
}

/// Whether description, type or constraints say which values are right.
pub fn says_values(key: &KeyDefinition) -> bool {
    key.key_type == KeyType::Boolean
        || key.key_type == KeyType::Null
        || !key.constraints.is_empty()
        || has_cue(&key.semantic_description)
        || masks::shows_one(&key.semantic_description)
        || hinted::says_form(&key.semantic_description)
        || announced::is_announced(key)
        || form_of(key).is_some_and(|form| form.is_exampled)
}

/// Whether a text has words by which prose says which values are right.
pub fn has_cue(text: &str) -> bool {
    let said = announced::without_open(&gap::without_empty(text));
    let lower = said.to_lowercase();
    CUES.iter().any(|cue| lower.contains(cue)) || announced::speaks_of_values(&said)
}

/// What stands against more constraints of a key.
pub enum Obstacle {
    /// Its own constraints refuse these of the values that they list.
    Refused(Vec<Value>),
    /// No value is known that conforms to both.
    Empty,
    /// Its default is not accepted with them.
    Default,
}

/// What stands against more constraints, where anything does.
pub fn obstacle(key: &KeyDefinition, more: &Map<String, Value>) -> Option<Obstacle> {
    let mut all = key.constraints.clone();
    all.extend(more.clone());
    let refused = refused(key, more);
    if !refused.is_empty() {
        return Some(Obstacle::Refused(refused));
    }
    if !fillable::has_value(key.key_type, &all) {
        return Some(Obstacle::Empty);
    }
    let rule = Rule::compile(key.key_type, &all);
    let default = key.default_value.as_ref();
    default
        .is_some_and(|default| rule.check(default).is_err())
        .then_some(Obstacle::Default)
}

/// Whether more constraints can be enforced with what the key says already.
pub fn enforceable(key: &KeyDefinition, more: &Map<String, Value>) -> bool {
    obstacle(key, more).is_none()
}

/// What the key's own constraints refuse of the values that are listed for it, or for its elements.
fn refused(key: &KeyDefinition, more: &Map<String, Value>) -> Vec<Value> {
    let listed = |of: &Map<String, Value>| of.get("enum").and_then(Value::as_array).cloned().unwrap_or_default();
    if key.key_type != KeyType::Array {
        return fillable::refused(key.key_type, &key.constraints, &listed(more));
    }
    let items = |of: &Map<String, Value>| of.get("items").and_then(Value::as_object).cloned().unwrap_or_default();
    let element = items(&key.constraints);
    let element_type = containment::key_type(&element).unwrap_or(KeyType::String);
    fillable::refused(element_type, &element, &listed(&items(more)))
}

/// The default that was meant, where the constraints hold one that is nearly so; else none.
pub fn fitting_default(key: &KeyDefinition, constraints: &Value) -> Value {
    let listed = constraints.as_object().and_then(closed_list::values);
    let said = key.default_value.as_ref().and_then(Value::as_str);
    let meant = said
        .zip(listed)
        .and_then(|(said, listed)| nearest(said, listed.into_iter()));
    json!({ "default_value": meant })
}

/// What stands for a format that nothing knows, at a pointer: the known one that it nearly is; else none, and of the key
/// itself a sentence that says it.
pub fn known_format(key: &KeyDefinition, pointer: &str) -> Option<Value> {
    let (_, below) = pointer.split_once("/constraints")?;
    let constraints = Value::Object(key.constraints.clone());
    let said = constraints.pointer(below)?.as_str()?;
    let meant = nearest(said, FORMATS.into_iter());
    let path = below.rsplit('/').filter(|member| !member.is_empty());
    let format = path.fold(json!(meant), |patch, member| {
        let member = member.replace("~1", "/").replace("~0", "~");
        json!({ member: patch })
    });
    let mut better = json!({ "constraints": format });
    if meant.is_none() && below == "/format" {
        let sentence = format!("Format: {said}.");
        better["semantic_description"] = json!(with_sentence(&key.semantic_description, &sentence));
    }
    Some(better)
}

pub fn same_values(a: &Value, b: &Value) -> bool {
    let (Some(a), Some(b)) = (a.as_array(), b.as_array()) else {
        return false;
    };
    a.len() == b.len() && a.iter().all(|value| b.contains(value))
}

/// Values and bounds that are enforced and that the description does not have.
fn unsaid(key: &KeyDefinition, says: &mut Says<'_>) {
    let text = &key.semantic_description;
    if closed_by(key).is_some() {
        return;
    }
    if let Some(values) = key.constraints.get("enum").and_then(Value::as_array) {
        let missing = values.iter().filter(|value| !is_said(text, value)).count();
        if missing > 0 {
            let message = format!(
                "does not say {missing} of the {} values that are accepted",
                values.len()
            );
            let better = if says.english {
                list_sentence(key).map(|sentence| with_sentence(text, &sentence))
            } else {
                list_in_signs(key).map(|list| in_brackets(text, &list))
            };
            says.of_description(Advice::UnsaidConstraint, message, better);
        }
        return;
    }
    let unsaid: Vec<&str> = BOUNDS
        .into_iter()
        .map(|(keyword, _, _)| keyword)
        .filter(|keyword| {
            let bound = key.constraints.get(*keyword).filter(|bound| bound.is_number());
            bound.is_some_and(|bound| bound.as_f64() != Some(0.0) && !is_said(text, bound))
                && !contradiction::says_end(key, keyword)
        })
        .collect();
    if !unsaid.is_empty() {
        let message = format!("does not say what is enforced: {}", unsaid.join(", "));
        let better = if says.english {
            range_sentence(key).map(|sentence| with_sentence(text, &sentence))
        } else {
            Some(in_brackets(text, &range_in_signs(key)))
        };
        // What is said of the same end already, and not understood, would stand beside another number.
        let (low, high) = announced::bounded_sides(key);
        let contradicts = unsaid
            .iter()
            .any(|keyword| if keyword.ends_with("inimum") { low } else { high });
        let better = if contradicts {
            contradiction::reworded(key).filter(|_| says.english)
        } else {
            better
        };
        says.of_description(Advice::UnsaidConstraint, message, better);
    }
}

/// Whether a text says a value: a text in whatever spelling, a number as a whole. Of others nothing is asked.
fn is_said(text: &str, value: &Value) -> bool {
    match value {
        Value::String(value) => folded(text).contains(&folded(value)),
        Value::Number(number) => announced::says_number(text, number),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => true,
    }
}

/// Lower case, with spaces for what stands in a value in place of one.
fn folded(text: &str) -> String {
    text.to_lowercase().replace(['_', '-'], " ")
}

/// The list as a sentence: where the grammar of annotations reads it, in its words; else with the values in quotes.
pub fn list_sentence(key: &KeyDefinition) -> Option<String> {
    let values = key.constraints.get("enum")?.as_array()?;
    if values.len() > NAMED_MAX {
        return None;
    }
    let plain: Vec<String> = values
        .iter()
        .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        .collect();
    let sentence = format!("{LIST} {}.", plain.join(", "));
    let reads = |read: Map<String, Value>| read.get("enum").is_some_and(|read| same_values(read, &json!(values)));
    let is_read = annotation::closed_list(&sentence).is_some_and(reads);
    if is_read || values.iter().all(Value::is_number) {
        return Some(sentence);
    }
    let quoted: Vec<String> = plain.iter().map(|value| format!("\"{value}\"")).collect();
    let clear = !plain.iter().any(|value| value.contains('"'));
    clear.then(|| format!("{LIST} {}.", quoted.join(", ")))
}

/// The bounds as a sentence: where the grammar of annotations reads it, in its words.
pub fn range_sentence(key: &KeyDefinition) -> Option<String> {
    let bound = |keyword: &str| key.constraints.get(keyword).filter(|bound| bound.is_number());
    if let (Some(low), Some(high)) = (bound("minimum"), bound("maximum")) {
        let sentence = format!("{RANGE} {low}-{high}.");
        if annotation::closed_range(&sentence, key.key_type).is_some() {
            return Some(sentence);
        }
    }
    let said: Vec<String> = BOUNDS
        .into_iter()
        .filter_map(|(keyword, words, _)| Some(format!("{words} {}", bound(keyword)?)))
        .collect();
    (!said.is_empty()).then(|| format!("Must be {}.", said.join(" and ")))
}

/// The list as it stands in a text of any language.
fn list_in_signs(key: &KeyDefinition) -> Option<String> {
    let values = key.constraints.get("enum")?.as_array()?;
    let plain = values
        .iter()
        .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    (values.len() <= NAMED_MAX).then(|| plain.collect::<Vec<_>>().join(", "))
}

/// The bounds as they stand in a text of any language.
fn range_in_signs(key: &KeyDefinition) -> String {
    let bound = |keyword: &str| key.constraints.get(keyword).filter(|bound| bound.is_number());
    let signs = BOUNDS
        .into_iter()
        .filter_map(|(keyword, _, sign)| Some(format!("{sign} {}", bound(keyword)?)));
    signs.collect::<Vec<_>>().join(", ")
}

/// The text with an addition in brackets, before the mark that ends it.
fn in_brackets(text: &str, addition: &str) -> String {
    let text = text.trim_end();
    let core = without_stop(text);
    format!("{core} ({addition}){}", &text[core.len()..])
}

/// How the values of a key are written, by its name or by a mask in its description.
pub struct Form {
    pub constraints: Map<String, Value>,
    /// What says it, where the description does not.
    pub sentence: &'static str,
    /// Whether the name speaks of it, and whether the description shows it.
    is_named: bool,
    is_shown: bool,
    /// Whether every example of the description is written so.
    is_exampled: bool,
}

/// The form that is surely meant: the description says nothing else of how values are written.
pub fn meant_form(key: &KeyDefinition) -> Option<Form> {
    let is_clear = |form: &Form| {
        let is_read = key.semantic_description.contains(ISO) || !announced::is_unread(key);
        form.is_shown || (is_read || form.is_exampled) && !hinted::has_alternative(key)
    };
    form_of(key).filter(is_clear)
}

/// The key with the constraints of the form that is surely meant.
pub fn as_formed(key: &KeyDefinition) -> KeyDefinition {
    let mut formed = key.clone();
    formed
        .constraints
        .extend(meant_form(key).into_iter().flat_map(|form| form.constraints));
    formed
}

/// Whether all examples of a key lead to what these constraints accept; `None` where it has none.
fn are_fitting(key: &KeyDefinition, constraints: &Map<String, Value>) -> Option<bool> {
    let rule = Rule::compile(key.key_type, constraints);
    let mut targets = mapping_example::targets(key)
        .filter(|target| target.word != gap::GAP)
        .peekable();
    let fits = |value: &Option<Value>| value.as_ref().is_some_and(|value| rule.check(value).is_ok());
    targets.peek()?;
    Some(targets.all(|target| fits(&target.value)))
}

/// The form that a key's description shows, or its name speaks of.
fn form_of(key: &KeyDefinition) -> Option<Form> {
    const NAMES: [(&str, &str, &str); 10] = [
        ("date", "date", "Format: ISO 8601 date (YYYY-MM-DD)."),
        ("datetime", "date-time", "Format: ISO 8601 date and time with offset."),
        ("timestamp", "date-time", "Format: ISO 8601 date and time with offset."),
        ("email", "email", "Format: e-mail address."),
        ("url", "uri", "Format: absolute URI."),
        ("uri", "uri", "Format: absolute URI."),
        ("website", "uri", "Format: absolute URI."),
        ("homepage", "uri", "Format: absolute URI."),
        ("uuid", "uuid", "Format: UUID."),
        ("hostname", "hostname", "Format: host name."),
    ];
    let text = &key.semantic_description;
    let is_closed = announced::has(key, &["format", "pattern", "enum", "const"]);
    if key.key_type != KeyType::String || is_closed || announced::is_announced(key) {
        return None;
    }
    let last = key.key_name.as_str().rsplit('_').next()?;
    let named = NAMES.into_iter().find(|(name, _, _)| *name == last);
    let of_name = |(_, format, sentence): (&str, &str, &'static str)| {
        (Map::from_iter([("format".to_owned(), json!(format))]), sentence)
    };
    let named = named.map(of_name);
    let shown = masks::form(key);
    let form = match (shown, named) {
        (Some(constraints), named) => Form {
            is_named: named.is_some_and(|(named, _)| named == constraints),
            is_shown: true,
            is_exampled: false,
            constraints,
            sentence: "",
        },
        // Another form may be shown than the name speaks of.
        (None, Some(_)) if masks::shows_one(text) && !text.contains("YYYY-MM-DD") => return None,
        (None, Some((constraints, sentence))) => {
            let are_fitting = are_fitting(key, &constraints);
            // What the publisher shows says more than a name does.
            if are_fitting == Some(false) {
                return None;
            }
            Form {
                is_exampled: are_fitting == Some(true),
                constraints,
                sentence,
                is_named: true,
                is_shown: false,
            }
        }
        (None, None) => return None,
    };
    enforceable(key, &form.constraints).then_some(form)
}
