//! One key of a compiled validator: its rule, and what is said when a value breaks it.
//!
//! Knows one key and one value; what follows for the whole payload is the validator's. Invariant: messages are made of
//! the template's words alone, never of the value's.

use serde_json::Map;
use serde_json::Value;

use crate::domain::exchange::long_number;
use crate::domain::exchange::violation::RepairOperation;
use crate::domain::exchange::violation::Violation;
use crate::domain::exchange::violation::ViolationCode;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::effective::Standing;
use crate::domain::template::key::KeyType;
use crate::domain::template::keyword::Keyword;
use crate::domain::template::name::KeyName;
use crate::domain::template::name::OTHER;
use crate::domain::template::name::PatchId;
use crate::domain::template::numeral::Numeral;
use crate::domain::template::rule::Misfit;
use crate::domain::template::rule::Rule;

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

/// Why one value does not conform.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub misfit: Misfit,
    pub received_type: &'static str,
    /// JSON pointer below the key.
    pub below: String,
    /// What the value there lacks, or is not, in the template's words.
    pub detail: Option<String>,
    /// The value put right, where that is determined; without values where it goes.
    pub put_right: Option<Value>,
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

    /// The violation for a value that does not conform.
    pub fn violation(&self, fault: Fault) -> Violation {
        let Fault {
            misfit,
            received_type,
            below,
            detail,
            put_right,
        } = fault;
        let within = detail.map(|detail| self.within(&below, &detail));
        Violation {
            key: self.name.to_string(),
            pointer: format!("{}{below}", self.pointer),
            code: self.code(misfit),
            message: within.unwrap_or_else(|| self.message(misfit)),
            expected: self.expected.clone(),
            received_type: Some(received_type),
            nearest_key: None,
            repair: put_right.map(|value| {
                vec![RepairOperation {
                    op: "replace",
                    path: self.pointer.clone(),
                    from: None,
                    value: Some(value),
                }]
            }),
        }
    }

    fn code(&self, misfit: Misfit) -> ViolationCode {
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

    /// What a value of a tree lacks, or is not.
    fn within(&self, below: &str, detail: &str) -> String {
        let name = &self.name;
        if below.is_empty() {
            format!("`{name}` {detail}")
        } else {
            format!("a value within `{name}` {detail}")
        }
    }

    fn message(&self, misfit: Misfit) -> String {
        let name = &self.name;
        let keyword = match (misfit, &self.reading) {
            (Misfit::Keyword(keyword), _) => keyword,
            (Misfit::Type, Reading::Other) => return format!("`{name}` is a string or an array of strings"),
            (Misfit::Type, Reading::Rule(_)) => return format!("`{name}` is of type {}", self.type_name()),
            (Misfit::Inexact, _) => {
                return format!(
                    "`{name}` is a whole number: with a fraction or an exponent it is exact below 2^53, written in digits alone up \
                     to 64 bits"
                );
            }
        };
        let limit = self
            .expected
            .get(keyword.name())
            .map(Value::to_string)
            .unwrap_or_default();
        if limit.is_empty() && matches!(self.reading, Reading::Rule(Rule::Tree(_))) {
            return format!("a value within `{name}` does not fit its `{}`", keyword.name());
        }
        match keyword {
            Keyword::Enum | Keyword::Const => format!("`{name}` has a closed list of values; this is none of them"),
            Keyword::Minimum => format!("`{name}` is at least {limit}"),
            Keyword::Maximum => format!("`{name}` is at most {limit}"),
            Keyword::ExclusiveMinimum => format!("`{name}` is above {limit}"),
            Keyword::ExclusiveMaximum => format!("`{name}` is below {limit}"),
            Keyword::MultipleOf => format!("`{name}` is a multiple of {limit}"),
            Keyword::MinLength => format!("`{name}` has at least {limit} characters"),
            Keyword::MaxLength => format!("`{name}` has at most {limit} characters"),
            Keyword::Pattern => format!("`{name}` matches the pattern {limit}"),
            Keyword::Format => format!("`{name}` has the format {limit}"),
            Keyword::MinItems => format!("`{name}` has at least {limit} items"),
            Keyword::MaxItems => format!("`{name}` has at most {limit} items"),
            Keyword::Items
            | Keyword::UniqueItems
            | Keyword::Properties
            | Keyword::Required
            | Keyword::AdditionalProperties => format!("`{name}` does not have the shape that is expected"),
        }
    }

    fn type_name(&self) -> &'static str {
        let key_type = match &self.reading {
            Reading::Rule(Rule::Scalar(rule)) => rule.key_type,
            Reading::Rule(Rule::Tree(rule)) => rule.key_type,
            Reading::Other => KeyType::String,
        };
        key_type.name()
    }
}
