//! `zod`: a schema of Zod 4 for programs in TypeScript, which holds nearly everything that is enforced.
//!
//! Lengths are told by patterns, since Zod counts the halves of a character. Of formats it has a date and a moment as they are meant,
//! but for the small letters and the leap seconds of a moment; others are said in words, since its own differ from them.

use serde_json::Value;

use crate::export::loss::Losses;
use crate::export::safe_name;
use crate::export::shape::Fact;
use crate::export::shape::Members;
use crate::export::shape::Shape;
use crate::export::sheet::Sheet;
use crate::export::typescript;
use crate::export::wording;
use crate::export::wording::Unsaid;
use crate::key::KeyType;
use crate::keyword::Keyword;

/// Whole numbers up to which a program in JavaScript tells one from the next; Zod's `int` takes no others.
const EXACT_MAX: f64 = 9_007_199_254_740_991.0;

const DATE: &str = "z.iso.date()";
/// It takes a moment without seconds as well.
const MOMENT: &str = "z.iso.datetime({ offset: true }).regex(/:..:/)";

/// The module's text.
pub fn text(sheet: &Sheet<'_>, losses: &mut Losses) -> String {
    let name = safe_name::type_name(sheet.scenario);
    let about = typescript::about(sheet);
    let object = if sheet.strict { "strictObject" } else { "object" };
    let mut text = format!("import * as z from \"zod\"; // 4 or later\n\n{about}export const {name} = z.{object}({{\n");
    for key in &sheet.keys {
        losses.enter(&key.name);
        let optional = match &key.default {
            Some(default) => format!(".default({default})"),
            None => optional(key.required).to_owned(),
        };
        let mut unsaid = Unsaid::new();
        let schema = schema(&key.shape, losses, &mut unsaid);
        let said = Value::from(wording::beside(key, &unsaid, false));
        text.push_str(&format!("  {}: {schema}{optional}.describe({said}),\n", key.name));
    }
    text.push_str(&format!("}});\n\nexport type {name} = z.infer<typeof {name}>;\n"));
    text
}

fn optional(required: bool) -> &'static str {
    if required { "" } else { ".optional()" }
}

fn schema(shape: &Shape, losses: &mut Losses, unsaid: &mut Unsaid) -> String {
    match shape {
        Shape::Other => "z.union([z.string(), z.array(z.string())])".to_owned(),
        Shape::Listed { values, of } => listed(values).unwrap_or_else(|| {
            losses.unenforced(Keyword::Enum.name());
            unsaid.push((Keyword::Enum, wording::one_of(values)));
            schema(of, losses, unsaid)
        }),
        Shape::Scalar(key_type, facts) => {
            let format = facts.iter().find(|fact| fact.keyword == Keyword::Format);
            let plain = match (key_type, format.and_then(|fact| fact.value.as_str())) {
                (KeyType::Integer, _) => {
                    if !is_exact(facts) {
                        losses.narrowed("type");
                    }
                    "z.int()".to_owned()
                }
                (_, Some("date")) => DATE.to_owned(),
                (_, Some("date-time")) => {
                    losses.narrowed(Keyword::Format.name());
                    MOMENT.to_owned()
                }
                (scalar, _) => format!("z.{}()", scalar.name()),
            };
            checked(plain, facts, losses, unsaid)
        }
        Shape::Array(each, facts) => {
            let each = below(each, Keyword::Items, None, losses);
            checked(format!("z.array({each})"), facts, losses, unsaid)
        }
        Shape::Object(members) => object(members, losses),
        Shape::Anything => "z.unknown()".to_owned(),
        Shape::Any(shapes) => {
            let ways: Vec<String> = shapes.iter().map(|shape| noted(shape, losses)).collect();
            format!("z.union([{}])", ways.join(", "))
        }
        Shape::Never(_) => "z.never()".to_owned(),
    }
}

/// The schema with what it does not enforce in its own description.
fn noted(shape: &Shape, losses: &mut Losses) -> String {
    let mut unsaid = Unsaid::new();
    let schema = schema(shape, losses, &mut unsaid);
    match wording::said(unsaid) {
        Some(said) => format!("{schema}.describe({})", Value::from(said)),
        None => schema,
    }
}

/// What lies below a keyword, so that what is lost of it is told as there.
fn below(shape: &Shape, keyword: Keyword, member: Option<&str>, losses: &mut Losses) -> String {
    let before = losses.descend(keyword, member);
    let schema = noted(shape, losses);
    losses.ascend(before);
    schema
}

/// A schema with the checks of its facts.
fn checked(plain: String, facts: &[Fact], losses: &mut Losses, unsaid: &mut Unsaid) -> String {
    let has_format = plain == DATE || plain == MOMENT;
    let mut schema = plain;
    for fact in facts {
        let Fact { keyword, value } = fact;
        schema.push_str(&match keyword {
            Keyword::MinLength => format!(".regex(/^[^]{{{value},}}$/u)"),
            Keyword::MaxLength => format!(".regex(/^[^]{{0,{value}}}$/u)"),
            Keyword::Pattern => format!(".regex(new RegExp({value}, \"u\"))"),
            Keyword::Minimum => format!(".gte({value})"),
            Keyword::ExclusiveMinimum => format!(".gt({value})"),
            Keyword::Maximum => format!(".lte({value})"),
            Keyword::ExclusiveMaximum => format!(".lt({value})"),
            Keyword::MultipleOf => format!(".multipleOf({value})"),
            Keyword::MinItems => format!(".min({value})"),
            Keyword::MaxItems => format!(".max({value})"),
            Keyword::Format if has_format => continue,
            other => {
                if fact.is_enforced() {
                    losses.unenforced(other.name());
                }
                unsaid.push((*other, fact.phrase()));
                continue;
            }
        });
    }
    schema
}

/// A list of values; none where one of them has no literal.
fn listed(values: &[Value]) -> Option<String> {
    let is_plain = |value: &Value| match value {
        Value::Number(number) => number.as_f64().is_some_and(|number| number.abs() <= EXACT_MAX),
        Value::Array(_) | Value::Object(_) => false,
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    };
    let literals: Vec<String> = values.iter().map(Value::to_string).collect();
    let kind = match values.iter().all(Value::is_string) {
        true => "enum",
        false => "literal",
    };
    values
        .iter()
        .all(is_plain)
        .then(|| format!("z.{kind}([{}])", literals.join(", ")))
}

/// Whether a whole number is one that JavaScript tells exactly, by its bounds.
fn is_exact(facts: &[Fact]) -> bool {
    let bounded = |keywords: [Keyword; 2]| {
        let bound = facts.iter().find(|fact| keywords.contains(&fact.keyword));
        bound
            .and_then(|fact| fact.value.as_f64())
            .is_some_and(|bound| bound.abs() <= EXACT_MAX)
    };
    bounded([Keyword::Minimum, Keyword::ExclusiveMinimum]) && bounded([Keyword::Maximum, Keyword::ExclusiveMaximum])
}

fn object(Members { declared, rest }: &Members, losses: &mut Losses) -> String {
    let members: Vec<String> = declared
        .iter()
        .map(|member| {
            let schema = below(&member.shape, Keyword::Properties, Some(&member.name), losses);
            format!(
                "{}: {schema}{}",
                Value::from(member.name.as_str()),
                optional(member.required)
            )
        })
        .collect();
    let members = match members.is_empty() {
        true => "{}".to_owned(),
        false => format!("{{ {} }}", members.join(", ")),
    };
    match rest.as_deref() {
        None => format!("z.strictObject({members})"),
        Some(Shape::Anything) => format!("z.looseObject({members})"),
        Some(rest) => {
            let rest = below(rest, Keyword::AdditionalProperties, None, losses);
            format!("z.object({members}).catchall({rest})")
        }
    }
}
