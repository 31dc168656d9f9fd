//! One key of a compiled validator: its rule, and what is said when a value breaks it.
//!
//! Knows one key and one value; what follows for the whole payload is the validator's. Invariant: messages are made of
//! the template's words alone, never of the value's.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::closed_list;
use crate::effective::EffectiveKey;
use crate::effective::Standing;
use crate::exchange::other;
use crate::exchange::repair;
use crate::exchange::repair::Repair;
use crate::exchange::verdict::RepairOperation;
use crate::exchange::verdict::VIOLATIONS_MAX;
use crate::exchange::verdict::Violation;
use crate::exchange::verdict::ViolationCode;
use crate::json_schema;
use crate::key::KeyType;
use crate::key::type_name;
use crate::keyword::Keyword;
use crate::name::KeyName;
use crate::name::OTHER;
use crate::name::PatchId;
use crate::nearest::nearest;
use crate::rule::Breach;
use crate::rule::Problem;
use crate::rule::Rule;

/// One compiled key.
#[derive(Debug)]
pub struct KeyCheck {
    pub name: KeyName,
    /// `/payload/{name}`; a key name needs no escape.
    pub pointer: String,
    pub required: bool,
    /// True where a lenient reading keeps a wrong value out: never that of a sensitive key.
    pub may_be_kept_out: bool,
    /// Value of a key that is left out. A learned key has one only where an approver wrote it; a withdrawn key has none.
    pub default: Option<Value>,
    /// The patch that added the key.
    pub patch: Option<(PatchId, Standing)>,
    /// The patches that worded it or made its list longer, each once; that of the wording first.
    pub refined_by: Vec<PatchId>,
    /// None for the escape valve: a string or an array of strings, whatever is declared (Z-059, Z-061).
    rule: Option<Rule>,
    /// `{"type", …constraints}`.
    expected: Map<String, Value>,
}

/// What stands under a key.
#[derive(Debug)]
pub enum Found {
    Absent,
    /// Present as `null`, where null is no value of its type.
    Null,
    Right(Value),
    Wrong(Wrong),
}

/// A value that does not conform.
#[derive(Debug)]
pub struct Wrong {
    pub value: Value,
    pub violations: Vec<Violation>,
    /// Whether it is of its key's type throughout, and misses only what else is asked of it (Z-138). A number that reading has
    /// changed is not the one that was meant.
    pub of_type: bool,
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
        let is_learned = key.patch.is_some();
        let is_withdrawn = key.standing() == Standing::Withdrawn;
        let default = definition.default_value.clone();
        KeyCheck {
            name: definition.key_name.clone(),
            pointer: format!("/payload/{}", definition.key_name),
            required: definition.required && !is_learned,
            may_be_kept_out: (!definition.required || is_learned) && definition.sensitive.is_none() && !is_other,
            default: default.filter(|_| !is_withdrawn && !definition.required),
            patch: key.patch.clone(),
            refined_by: refinements(key),
            rule: (!is_other).then(|| Rule::compile(definition.key_type, &definition.constraints)),
            expected: match is_other {
                true => Map::from_iter([("type".to_owned(), json!(["string", "array"]))]),
                false => json_schema::of_key(definition.key_type, &definition.constraints),
            },
        }
    }

    /// The standing of the patch that added the key, if one did.
    pub fn standing(&self) -> Option<Standing> {
        self.patch.as_ref().map(|(_, standing)| *standing)
    }

    /// Whether a value that is not null conforms.
    pub fn accepts(&self, value: &Value) -> bool {
        match &self.rule {
            None => other::texts(value).is_ok(),
            Some(rule) => rule.accepts(value) && !is_inexact(rule, value),
        }
    }

    /// Looks at a value, which is kept as those read it who execute it.
    pub fn look(&self, value: Value) -> Found {
        let Some(rule) = &self.rule else {
            return self.look_at_other(value);
        };
        if rule.accepts(&value) {
            return self.look_at_number(rule, value);
        }
        if value.is_null() {
            return Found::Null;
        }
        // A decoder that must write every member says null where it means none, as it does for a key.
        let mut said = value.clone();
        rule.leave_out(&mut said);
        if rule.accepts(&said) {
            return Found::Right(said);
        }
        let breaches = rule.breaches(&said, repair::COMPARED_MAX);
        let repaired = repair::of_breaches(rule, &value, breaches, VIOLATIONS_MAX, !self.required);
        let of_type = repaired.iter().all(|(breach, _)| breach.problem != Problem::Type);
        let violations = repaired
            .into_iter()
            .map(|(breach, repair)| self.violation(&breach, repair));
        Found::Wrong(Wrong {
            violations: violations.collect(),
            of_type,
            value: as_executed(rule, value),
        })
    }

    fn look_at_other(&self, value: Value) -> Found {
        let Err((place, wrong)) = other::texts(&value) else {
            return Found::Right(value);
        };
        if value.is_null() {
            return Found::Null;
        }
        let below = place.map(|place| format!("/{place}")).unwrap_or_default();
        let message = format!("{} must be a string or an array of strings", self.subject(&below));
        let violation = Violation {
            pointer: format!("{}{below}", self.pointer),
            received_type: Some(type_name(wrong)),
            ..self.bare_violation(ViolationCode::WrongType, message)
        };
        Found::Wrong(Wrong {
            violations: vec![violation],
            of_type: false,
            value,
        })
    }

    /// A value that conforms. A number that is written with a fraction or an exponent is read as a double: under an integer key it has
    /// to stand for one whole number alone, so that what is executed is what was said.
    fn look_at_number(&self, rule: &Rule, value: Value) -> Found {
        if is_inexact(rule, &value) {
            let breach = Breach {
                problem: Problem::Inexact,
                pointer: String::new(),
                exact: true,
                rule,
                value: Some(&value),
                is_optional: !self.required,
                member: None,
            };
            return Found::Wrong(Wrong {
                violations: vec![self.violation(&breach, None)],
                of_type: false,
                value,
            });
        }
        Found::Right(as_executed(rule, value))
    }

    /// The violation for a required key that is absent, or `null` (Z-019).
    pub fn missing(&self, null: bool) -> Violation {
        let message = match null {
            true => format!("`{}` is required and must be given; null says nothing", self.name),
            false => format!("`{}` is required and must be given", self.name),
        };
        Violation {
            received_type: null.then_some("null"),
            ..self.bare_violation(ViolationCode::MissingRequired, message)
        }
    }

    fn bare_violation(&self, code: ViolationCode, message: String) -> Violation {
        Violation {
            expected: self.expected.clone(),
            ..Violation::new(self.name.as_str(), self.pointer.clone(), code, message)
        }
    }

    fn subject(&self, below: &str) -> String {
        match below.is_empty() {
            true => format!("`{}`", self.name),
            false => format!("a value within `{}`", self.name),
        }
    }

    /// The violation for one reason why a value does not conform.
    fn violation(&self, breach: &Breach<'_>, repair: Option<Repair>) -> Violation {
        let at_key = breach.pointer.is_empty();
        let expected = match !at_key && breach.exact {
            true => breach.rule.expected.clone(),
            false => self.expected.clone(),
        };
        let subject = self.subject(&breach.pointer);
        let mut nearest_key = None;
        let message = match (breach.problem, breach.member) {
            (Problem::Lacks, Some((_, _, name))) => {
                format!("`{}`, or a value within it, must have `{name}`", self.name)
            }
            (Problem::Lacks | Problem::Undeclared, member) => {
                nearest_key =
                    member.and_then(|(holder, _, name)| nearest(name, holder.members.keys().map(String::as_str)));
                let near = nearest_key
                    .map(|near| format!("; the nearest is `{near}`"))
                    .unwrap_or_default();
                format!("{subject} must be one of the members that are declared{near}")
            }
            (Problem::Type, _) => {
                let key_type = expected.get("type").and_then(Value::as_str).unwrap_or_default();
                format!("{subject} must be of type {key_type}")
            }
            (Problem::Inexact, _) => format!(
                "{subject} must be a whole number: with a fraction or an exponent it is exact below 2^53, written in digits alone up \
                 to 64 bits"
            ),
            (Problem::Keyword(keyword), _) => message(keyword, &subject, &expected, &breach.rule.choices),
        };
        let at = |path: String| format!("{}{path}", self.pointer);
        let placed = |operation: RepairOperation| RepairOperation {
            path: at(operation.path),
            from: operation.from.map(at),
            ..operation
        };
        Violation {
            pointer: at(breach.pointer.clone()),
            expected,
            received_type: breach.value.map(type_name),
            nearest_key: nearest_key.map(str::to_owned),
            repair: repair.map(|operations| operations.into_iter().map(placed).collect()),
            ..self.bare_violation(code(breach.problem), message)
        }
    }
}

/// The double that stands where a whole number is asked.
fn double(rule: &Rule, value: &Value) -> Option<f64> {
    value
        .as_f64()
        .filter(|_| value.is_f64() && rule.key_type == Some(KeyType::Integer))
}

/// Whether a number stands for more than one whole number where one is asked.
fn is_inexact(rule: &Rule, value: &Value) -> bool {
    double(rule, value).is_some_and(|double| repair::whole(double).is_none())
}

/// The value as those get it who execute it: an integer key holds an integer, however the client wrote it.
fn as_executed(rule: &Rule, value: Value) -> Value {
    let whole = double(rule, &value).and_then(repair::whole);
    whole.map_or(value, Value::from)
}

/// What a value must be or have that breaks a keyword, with `{}` for what is asked.
fn describe(keyword: Keyword) -> (ViolationCode, &'static str) {
    match keyword {
        Keyword::Enum => (ViolationCode::NotAcceptable, "be one of {}"),
        Keyword::Const => (ViolationCode::NotAcceptable, "be {}"),
        Keyword::Minimum => (ViolationCode::OutOfRange, "be at least {}"),
        Keyword::Maximum => (ViolationCode::OutOfRange, "be at most {}"),
        Keyword::ExclusiveMinimum => (ViolationCode::OutOfRange, "be above {}"),
        Keyword::ExclusiveMaximum => (ViolationCode::OutOfRange, "be below {}"),
        Keyword::MultipleOf => (ViolationCode::OutOfRange, "be a multiple of {}"),
        Keyword::MinLength => (ViolationCode::OutOfRange, "have at least {} characters"),
        Keyword::MaxLength => (ViolationCode::OutOfRange, "have at most {} characters"),
        Keyword::Pattern => (ViolationCode::BadFormat, "match the pattern {}"),
        Keyword::Format => (ViolationCode::BadFormat, "have the format {}"),
        Keyword::MinItems => (ViolationCode::BadShape, "have at least {} items"),
        Keyword::MaxItems => (ViolationCode::BadShape, "have at most {} items"),
        Keyword::UniqueItems => (ViolationCode::BadShape, "have no item twice"),
        Keyword::Items | Keyword::Properties | Keyword::Required | Keyword::AdditionalProperties => {
            (ViolationCode::BadShape, "have the shape that is expected")
        }
    }
}

/// `choices` are the texts that may be said where a list is too long to be expected in full.
fn message(keyword: Keyword, subject: &str, expected: &Map<String, Value>, choices: &[String]) -> String {
    let asked = match expected.get(keyword.name()) {
        Some(Value::Array(values)) => closed_list::named(values),
        Some(asked) => asked.to_string(),
        None if keyword == Keyword::Enum && !choices.is_empty() => {
            let choices: Vec<Value> = choices.iter().map(|choice| json!(choice)).collect();
            closed_list::named(&choices)
        }
        None => return format!("{subject} must fit its `{}`", keyword.name()),
    };
    format!("{subject} must {}", describe(keyword).1.replacen("{}", &asked, 1))
}

fn code(problem: Problem) -> ViolationCode {
    match problem {
        Problem::Type => ViolationCode::WrongType,
        Problem::Inexact => ViolationCode::OutOfRange,
        Problem::Lacks | Problem::Undeclared => ViolationCode::BadShape,
        Problem::Keyword(keyword) => describe(keyword).0,
    }
}
