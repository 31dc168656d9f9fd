//! One key of a compiled validator: its rule, and what is said when a value breaks it.
//!
//! Knows one key and one value; what follows for the whole payload is the validator's. Invariant: messages are made of
//! the template's words alone, never of the value's.

use serde_json::Map;
use serde_json::Value;

use crate::effective::EffectiveKey;
use crate::effective::Standing;
use crate::exchange::long_number;
use crate::exchange::violation::RepairOperation;
use crate::exchange::violation::Violation;
use crate::exchange::violation::ViolationCode;
use crate::keyword::Keyword;
use crate::name::KeyName;
use crate::name::OTHER;
use crate::name::PatchId;
use crate::numeral::Numeral;
use crate::rule::Rule;
use crate::scalar_rule::Misfit;
use crate::tree::Problem;

/// How a key's value is read.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "one per key, compiled once; a box would be a jump on every value"
)]
pub enum Reading {
    /// The escape valve: a string or an array of strings (Z-059, Z-061).
    Other,
    Rule(Rule),
}

/// One compiled key.
#[derive(Debug)]
pub struct KeyCheck {
    pub name: KeyName,
    /// `/payload/{name}`; a key name needs no escape.
    pub pointer: String,
    pub reading: Reading,
    pub required: bool,
    /// What is filled in where the key is left out. A learned key has none: nobody speaks for a client (Z-074).
    pub default: Option<Value>,
    /// The patch that added the key.
    pub patch: Option<(PatchId, Standing)>,
    /// The patches that worded it or made its list longer, each once; that of the wording first.
    pub refined_by: Vec<PatchId>,
    /// `{"type", …constraints}`.
    pub expected: Map<String, Value>,
}

/// One reason why a value does not conform.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub problem: Problem,
    /// `None` where nothing stands.
    pub received_type: Option<&'static str>,
    /// JSON pointer below the key.
    pub below: String,
    /// The member that is lacking.
    pub lacks: Option<String>,
    /// What is expected at a place below the key; `None` at the key itself.
    pub expected: Option<Map<String, Value>>,
    /// The declared member that an undeclared one is nearest to.
    pub nearest: Option<String>,
    /// What would put it right, where that is determined; paths begin at the key.
    pub repair: Option<Vec<RepairOperation>>,
}

/// The refinements that a key's value is read by: one that was withdrawn still has its values accepted.
fn refinements(key: &EffectiveKey) -> Vec<PatchId> {
    let wording = key.refined_by.iter().map(|(patch_id, _)| patch_id);
    let values = key.widened.iter().map(|widened| &widened.patch_id);
    let mut refinements: Vec<PatchId> = Vec::new();
    for patch_id in wording.chain(values) {
        if !refinements.contains(patch_id) {
            refinements.push(patch_id.clone());
        }
    }
    refinements
}

impl KeyCheck {
    /// Compiles one key.
    pub fn compile(key: &EffectiveKey) -> KeyCheck {
        let definition = &key.definition;
        let is_other = definition.key_name.as_str() == OTHER;
        let mut expected = Map::new();
        if is_other {
            expected.insert("type".to_owned(), serde_json::json!(["string", "array"]));
        } else {
            expected.insert("type".to_owned(), Value::String(definition.key_type.name().to_owned()));
            expected.extend(definition.constraints.clone());
        }
        KeyCheck {
            name: definition.key_name.clone(),
            pointer: format!("/payload/{}", definition.key_name),
            reading: if is_other {
                Reading::Other
            } else {
                Reading::Rule(Rule::compile(definition.key_type, &definition.constraints))
            },
            required: definition.required && key.patch.is_none(),
            default: if key.patch.is_some() || definition.required {
                None
            } else {
                definition.default_value.clone()
            },
            patch: key.patch.clone(),
            refined_by: refinements(key),
            expected,
        }
    }

    /// Whether a value that is not null conforms.
    pub fn accepts(&self, value: &Value) -> bool {
        match (&self.reading, value) {
            (Reading::Other, Value::String(_)) => true,
            (Reading::Other, Value::Array(items)) => items.iter().all(Value::is_string),
            (Reading::Other, Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => false,
            (Reading::Rule(Rule::Scalar(rule)), Value::Number(number)) => {
                long_number::check(rule, Numeral::of(number)).is_ok()
            }
            (Reading::Rule(rule), value) => rule.check(value).is_ok(),
        }
    }

    /// The standing of the patch that added the key, if one did.
    pub fn standing(&self) -> Option<Standing> {
        self.patch.as_ref().map(|(_, standing)| *standing)
    }

    /// The violation for a required key that is absent, or `null` (Z-019).
    pub fn missing(&self, null: bool) -> Violation {
        Violation {
            key: self.name.to_string(),
            pointer: self.pointer.clone(),
            code: ViolationCode::MissingRequired,
            message: if null {
                format!("`{}` is required; null says nothing", self.name)
            } else {
                format!("`{}` is required", self.name)
            },
            expected: self.expected.clone(),
            received_type: null.then_some("null"),
            nearest_key: None,
            repair: None,
        }
    }

    /// The violation for one reason why a value does not conform.
    pub fn violation(&self, fault: Fault) -> Violation {
        let Fault {
            problem,
            received_type,
            below,
            lacks,
            expected,
            nearest,
            repair,
        } = fault;
        let subject = match below.is_empty() {
            true => format!("`{}`", self.name),
            false => format!("a value within `{}`", self.name),
        };
        let expected = expected.unwrap_or_else(|| self.expected.clone());
        let mut message = match (problem, lacks) {
            (Problem::Lacks, Some(name)) => format!("`{}`, or a value within it, lacks `{name}`", self.name),
            (Problem::Lacks | Problem::Undeclared, _) => format!("{subject} is none of the members that there may be"),
            (Problem::Misfit(misfit), _) => self.message(misfit, &subject, &expected),
        };
        if let Some(nearest) = &nearest {
            message.push_str(&format!("; the nearest is `{nearest}`"));
        }
        let at = |path: String| format!("{}{path}", self.pointer);
        let placed = |operation: RepairOperation| RepairOperation {
            path: at(operation.path),
            from: operation.from.map(at),
            ..operation
        };
        Violation {
            key: self.name.to_string(),
            pointer: at(below),
            code: code(problem.misfit()),
            message,
            expected,
            received_type,
            nearest_key: nearest,
            repair: repair.map(|operations| operations.into_iter().map(placed).collect()),
        }
    }

    fn message(&self, misfit: Misfit, subject: &str, expected: &Map<String, Value>) -> String {
        let keyword = match (misfit, &self.reading) {
            (Misfit::Keyword(keyword), _) => keyword,
            (Misfit::Type, Reading::Other) => return format!("{subject} is a string or an array of strings"),
            (Misfit::Type, Reading::Rule(_)) => {
                let key_type = expected.get("type").and_then(Value::as_str).unwrap_or_default();
                return format!("{subject} is of type {key_type}");
            }
            (Misfit::Inexact, _) => {
                return format!(
                    "{subject} is a whole number: with a fraction or an exponent it is exact below 2^53, written in digits alone up \
                     to 64 bits"
                );
            }
        };
        let Some(limit) = expected.get(keyword.name()) else {
            return format!("{subject} does not fit its `{}`", keyword.name());
        };
        match keyword {
            Keyword::Enum | Keyword::Const => format!("{subject} has a closed list of values; this is none of them"),
            Keyword::Minimum => format!("{subject} is at least {limit}"),
            Keyword::Maximum => format!("{subject} is at most {limit}"),
            Keyword::ExclusiveMinimum => format!("{subject} is above {limit}"),
            Keyword::ExclusiveMaximum => format!("{subject} is below {limit}"),
            Keyword::MultipleOf => format!("{subject} is a multiple of {limit}"),
            Keyword::MinLength => format!("{subject} has at least {limit} characters"),
            Keyword::MaxLength => format!("{subject} has at most {limit} characters"),
            Keyword::Pattern => format!("{subject} matches the pattern {limit}"),
            Keyword::Format => format!("{subject} has the format {limit}"),
            Keyword::MinItems => format!("{subject} has at least {limit} items"),
            Keyword::MaxItems => format!("{subject} has at most {limit} items"),
            Keyword::UniqueItems => format!("{subject} has no item twice"),
            Keyword::Items | Keyword::Properties | Keyword::Required | Keyword::AdditionalProperties => {
                format!("{subject} does not have the shape that is expected")
            }
        }
    }
}

fn code(misfit: Misfit) -> ViolationCode {
    let keyword = match misfit {
        Misfit::Type => return ViolationCode::WrongType,
        Misfit::Inexact => return ViolationCode::OutOfRange,
        Misfit::Keyword(keyword) => keyword,
    };
    match keyword {
        Keyword::Enum | Keyword::Const => ViolationCode::NotAcceptable,
        Keyword::Minimum
        | Keyword::Maximum
        | Keyword::ExclusiveMinimum
        | Keyword::ExclusiveMaximum
        | Keyword::MultipleOf
        | Keyword::MinLength
        | Keyword::MaxLength => ViolationCode::OutOfRange,
        Keyword::Pattern | Keyword::Format => ViolationCode::BadFormat,
        Keyword::Items
        | Keyword::MinItems
        | Keyword::MaxItems
        | Keyword::UniqueItems
        | Keyword::Properties
        | Keyword::Required
        | Keyword::AdditionalProperties => ViolationCode::BadShape,
    }
}
