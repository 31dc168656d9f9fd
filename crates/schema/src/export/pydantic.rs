//! `pydantic`: models of Pydantic 2 for programs in Python, which hold nearly everything that is enforced.
//!
//! Types are strict, since Pydantic would take `"7"` for 7 and `1` for true. A field whose name Python keeps for itself, that would hide a
//! member of `BaseModel` or something that the module needs, ends in `_` and has the name as its alias. Patterns are written for the
//! engine that Pydantic runs. Formats and `uniqueItems` are said in words.

use std::collections::BTreeSet;

use heck::ToUpperCamelCase;
use serde_json::Value;

use crate::ecma;
use crate::export::loss::Losses;
use crate::export::safe_name;
use crate::export::shape::Fact;
use crate::export::shape::Members;
use crate::export::shape::Shape;
use crate::export::sheet::Sheet;
use crate::export::sheet::SheetKey;
use crate::export::wording;
use crate::export::wording::Unsaid;
use crate::key::KeyType;
use crate::keyword::Keyword;

const IMPORTS: &str = "\
from typing import Annotated, Any, Literal, Optional, Union
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr
";

/// Names that a field cannot have: Python's keywords, the members of `BaseModel` up to Pydantic 2.14, and what types are written with.
const RESERVED: &str = "\
    False None True and as assert async await break class continue def del elif else except finally for from global if \
    import in is lambda nonlocal not or pass raise return try while with yield construct copy dict from_orm json \
    model_computed_fields model_config model_construct model_copy model_dump model_dump_json model_extra model_fields \
    model_fields_set model_json_schema model_parametrized_name model_post_init model_rebuild model_validate \
    model_validate_json model_validate_strings parse_file parse_obj parse_raw schema schema_json update_forward_refs \
    validate list whole \
    Annotated Any Literal Optional Union BaseModel BeforeValidator ConfigDict Field StrictBool StrictFloat StrictInt StrictStr";

/// Python has a `7.0` for a float, and a `True` for an integer.
const WHOLE: &str = "\
def whole(value: Any) -> Any:
    \"\"\"Takes 7.0 for 7, and no boolean for a number.\"\"\"
    if isinstance(value, bool):
        raise ValueError(\"a boolean is no number\")
    return int(value) if isinstance(value, float) and value.is_integer() else value


";

/// The models that are being written.
struct Writer<'l> {
    /// The name that all others begin with.
    root: String,
    /// Those that others need, in that order.
    classes: String,
    names: BTreeSet<String>,
    losses: &'l mut Losses,
}

/// A field of a model.
struct Field<'f> {
    name: &'f str,
    annotation: String,
    /// What it is without being given; none where it has to be.
    default: Option<String>,
    description: Option<String>,
}

/// The module's text.
pub fn text(sheet: &Sheet<'_>, losses: &mut Losses) -> String {
    let mut root = safe_name::type_name(sheet.scenario);
    if is_reserved(&root) {
        root.push_str("Payload");
    }
    let mut writer = Writer {
        names: BTreeSet::from([root.clone()]),
        root,
        classes: String::new(),
        losses,
    };
    let fields: Vec<Field<'_>> = sheet.keys.iter().map(|key| writer.key(key)).collect();
    let open = if sheet.strict { "forbid" } else { "allow" };
    let whole = writer.class(&writer.root, sheet.description, open, None, &fields);
    let Writer { root, classes, .. } = writer;
    let models = classes + &whole;
    format!(
        "\"{}\"\n\n{IMPORTS}\n__all__ = [\"{root}\"]\n\n\n{WHOLE}{}\n",
        sheet.schema_id,
        models.trim_end()
    )
}

impl Writer<'_> {
    fn key<'k>(&mut self, key: &'k SheetKey) -> Field<'k> {
        self.losses.enter(&key.name);
        let below = format!("{}{}", self.root, key.name.to_upper_camel_case());
        let mut unsaid = Vec::new();
        let annotation = self.type_of(&key.shape, &below, &mut unsaid);
        // A list or an object as a default would be shared by all.
        let default = key
            .default
            .as_ref()
            .filter(|default| !default.is_array() && !default.is_object());
        Field {
            name: &key.name,
            annotation,
            default: (!key.required).then(|| default.map_or_else(|| "None".to_owned(), literal)),
            description: Some(wording::beside(key, &unsaid, default.is_none())),
        }
    }

    /// The type of a value, and what it does not enforce; `below` is the name of the model where it is one.
    fn type_of(&mut self, shape: &Shape, below: &str, unsaid: &mut Unsaid) -> String {
        let mut is_whole = matches!(shape, Shape::Scalar(KeyType::Integer, _));
        let plain = match shape {
            Shape::Other => "Union[StrictStr, list[StrictStr]]".to_owned(),
            Shape::Listed { values, of } => match listed(values) {
                Some(listed) => {
                    is_whole = values.iter().any(Value::is_number);
                    listed
                }
                None => {
                    self.losses.unenforced(Keyword::Enum.name());
                    unsaid.push((Keyword::Enum, wording::one_of(values)));
                    self.type_of(of, below, unsaid)
                }
            },
            Shape::Scalar(KeyType::Integer, _) => "StrictInt".to_owned(),
            Shape::Scalar(KeyType::String, _) => "StrictStr".to_owned(),
            Shape::Scalar(KeyType::Number, _) => "StrictFloat".to_owned(),
            Shape::Scalar(KeyType::Boolean, _) => "StrictBool".to_owned(),
            Shape::Scalar(_, _) => "None".to_owned(),
            Shape::Array(each, _) => {
                let before = self.losses.descend(Keyword::Items, None);
                let each = self.noted(each, below);
                self.losses.ascend(before);
                format!("list[{each}]")
            }
            Shape::Object(members) => self.members(members, below),
            Shape::Anything => "Any".to_owned(),
            Shape::Never(nearest) => {
                self.losses.unenforced("not");
                self.type_of(nearest, below, unsaid)
            }
            Shape::Any(shapes) => {
                let ways: Vec<String> = shapes.iter().map(|shape| self.noted(shape, below)).collect();
                format!("Union[{}]", ways.join(", "))
            }
        };
        let mut arguments = Vec::new();
        for fact in shape.facts() {
            match argument(fact, is_whole) {
                Some(argument) => arguments.push(argument),
                None => {
                    if fact.is_enforced() {
                        self.losses.unenforced(fact.keyword.name());
                    }
                    unsaid.push((fact.keyword, fact.phrase()));
                }
            }
        }
        let field = (!arguments.is_empty()).then(|| format!(", Field({})", arguments.join(", ")));
        let whole = is_whole.then(|| ", BeforeValidator(whole)".to_owned());
        let beside: String = field.into_iter().chain(whole).collect();
        match beside.as_str() {
            "" => plain,
            beside => format!("Annotated[{plain}{beside}]"),
        }
    }

    /// The type with what it does not enforce in its own description.
    fn noted(&mut self, shape: &Shape, below: &str) -> String {
        let mut unsaid = Vec::new();
        let text = self.type_of(shape, below, &mut unsaid);
        match wording::said(unsaid) {
            Some(said) => format!("Annotated[{text}, Field(description={})]", Value::from(said)),
            None => text,
        }
    }

    fn members(&mut self, Members { declared, rest }: &Members, below: &str) -> String {
        let open = rest.as_deref().filter(|rest| **rest != Shape::Anything);
        let each = open.map(|rest| {
            let before = self.losses.descend(Keyword::AdditionalProperties, None);
            let each = self.noted(rest, &format!("{below}Value"));
            self.losses.ascend(before);
            each
        });
        if declared.is_empty() {
            return match rest {
                None => "Annotated[dict[str, Any], Field(max_length=0)]".to_owned(),
                Some(_) => format!("dict[str, {}]", each.as_deref().unwrap_or("Any")),
            };
        }
        let mut name = below.to_owned();
        while !self.names.insert(name.clone()) {
            name.push('_');
        }
        let mut fields = Vec::new();
        for member in declared {
            let before = self.losses.descend(Keyword::Properties, Some(&member.name));
            let mut unsaid = Vec::new();
            let annotation = self.type_of(
                &member.shape,
                &format!("{name}{}", member.name.to_upper_camel_case()),
                &mut unsaid,
            );
            self.losses.ascend(before);
            fields.push(Field {
                name: &member.name,
                annotation,
                default: (!member.required).then(|| "None".to_owned()),
                description: wording::said(unsaid),
            });
        }
        let open = if rest.is_some() { "allow" } else { "forbid" };
        let written = self.class(&name, None, open, each.as_deref(), &fields);
        self.classes.push_str(&written);
        name
    }

    /// A model; `rest` is the type of what is not declared.
    fn class(
        &self,
        name: &str,
        description: Option<&str>,
        open: &str,
        rest: Option<&str>,
        fields: &[Field<'_>],
    ) -> String {
        let mut taken = BTreeSet::new();
        let mut lines = String::new();
        for field in fields {
            let identifier = identifier(field.name, &self.root, &taken);
            let alias = (identifier != field.name).then_some(field.name);
            let text = |name: &str, text: Option<&str>| text.map(|text| format!("{name}={}", Value::from(text)));
            let arguments = [
                field.default.as_ref().map(|default| format!("default={default}")),
                text("alias", alias),
                text("description", field.description.as_deref()),
            ];
            let arguments: Vec<String> = arguments.into_iter().flatten().collect();
            let annotation = match field.default {
                None => field.annotation.clone(),
                Some(_) => format!("Optional[{}]", field.annotation),
            };
            let set = match arguments.is_empty() {
                true => String::new(),
                false => format!(" = Field({})", arguments.join(", ")),
            };
            lines.push_str(&format!("    {identifier}: {annotation}{set}\n"));
            taken.insert(identifier);
        }
        let description = description.map(str::trim).filter(|description| !description.is_empty());
        let said = description.map(|description| format!("    {}\n\n", Value::from(description)));
        // By their aliases they are read, and so they are written.
        let aliases = match fields.iter().all(|field| taken.contains(field.name)) {
            true => "",
            false => ", serialize_by_alias=True",
        };
        let rest = rest.map(|rest| format!("    __pydantic_extra__: dict[str, {rest}]\n"));
        let (said, rest) = (said.unwrap_or_default(), rest.unwrap_or_default());
        let config = format!("    model_config = ConfigDict(extra=\"{open}\"{aliases})\n{rest}");
        format!("class {name}(BaseModel):\n{said}{config}\n{lines}\n\n")
    }
}

/// What a fact is to `Field`; nothing where it does not hold it as it is meant.
fn argument(Fact { keyword, value }: &Fact, is_whole: bool) -> Option<String> {
    let bound = |name: &str, round: fn(f64) -> f64| match value.as_f64().filter(|_| is_whole && value.is_f64()) {
        Some(float) => format!("{name}={:.0}", round(float)),
        None => format!("{name}={value}"),
    };
    Some(match keyword {
        Keyword::MinLength | Keyword::MinItems => format!("min_length={value}"),
        Keyword::MaxLength | Keyword::MaxItems => format!("max_length={value}"),
        Keyword::Pattern => format!("pattern={}", Value::from(ecma::to_rust(value.as_str()?).ok()?)),
        Keyword::Minimum => bound("ge", f64::ceil),
        Keyword::ExclusiveMinimum => bound("gt", f64::floor),
        Keyword::Maximum => bound("le", f64::floor),
        Keyword::ExclusiveMaximum => bound("lt", f64::ceil),
        // Of a number with a fraction it is told within a billionth alone.
        Keyword::MultipleOf if is_whole && value.is_u64() => format!("multiple_of={value}"),
        _ => return None,
    })
}

/// The literal type of a list of values; none where one of them has none, or is taken for another: `True == 1`.
fn listed(values: &[Value]) -> Option<String> {
    let has_numbers = values.iter().any(Value::is_number);
    let is_plain = |value: &Value| match value {
        Value::Number(number) => !number.is_f64(),
        Value::Bool(_) => !has_numbers,
        Value::Null | Value::String(_) => true,
        Value::Array(_) | Value::Object(_) => false,
    };
    let literals: Vec<String> = values.iter().map(literal).collect();
    values
        .iter()
        .all(is_plain)
        .then(|| format!("Literal[{}]", literals.join(", ")))
}

/// A value in Python; a text in JSON is one there.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        value => value.to_string(),
    }
}

fn is_reserved(name: &str) -> bool {
    RESERVED.split_whitespace().any(|reserved| reserved == name)
}

/// The field's own name: the key's wherever Python and Pydantic let it be one.
fn identifier(name: &str, root: &str, taken: &BTreeSet<String>) -> String {
    let letters = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    // What begins with `_` is no field.
    let mut plain = letters.collect::<String>().trim_start_matches('_').to_owned();
    if !plain.starts_with(|first: char| first.is_ascii_alphabetic()) {
        plain.insert_str(0, "key_");
    }
    if is_reserved(&plain) || plain.starts_with(root) {
        plain.push('_');
    }
    while taken.contains(&plain) {
        plain.push('_');
    }
    plain
}
