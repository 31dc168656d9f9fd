//! `pydantic`: models of Pydantic 2 for programs in Python, which hold nearly everything that is enforced.
//!
//! Types are strict, since Pydantic would take `"7"` for 7 and `1` for true. A field whose name Python keeps for itself, that would hide a
//! member of `BaseModel` or something that the module needs, ends in `_` and has the name as its alias. Patterns are written for the
//! engine that Pydantic runs. Formats and `uniqueItems` are said in words.

use std::collections::BTreeSet;

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
use crate::key::KeyType;
use crate::keyword::Keyword;

/// What the module may need of others, each with how its use begins.
const TYPING: [(&str, &str); 5] = [
    ("Annotated", "Annotated["),
    ("Any", "Any"),
    ("Literal", "Literal["),
    ("Optional", "Optional["),
    ("Union", "Union["),
];
const PYDANTIC: [(&str, &str); 8] = [
    ("BaseModel", "BaseModel"),
    ("BeforeValidator", "BeforeValidator("),
    ("ConfigDict", "ConfigDict("),
    ("Field", "Field("),
    ("StrictBool", "StrictBool"),
    ("StrictFloat", "StrictFloat"),
    ("StrictInt", "StrictInt"),
    ("StrictStr", "StrictStr"),
];

/// Names that a field cannot have: Python's keywords, the members of `BaseModel` up to Pydantic 2.14, and what types are written with.
const RESERVED: &str = "\
    False None True and as assert async await break class continue def del elif else except finally for from global if \
    import in is lambda nonlocal not or pass raise return try while with yield construct copy dict from_orm json \
    model_computed_fields model_config model_construct model_copy model_dump model_dump_json model_extra model_fields \
    model_fields_set model_json_schema model_parametrized_name model_post_init model_rebuild model_validate \
    model_validate_json model_validate_strings parse_file parse_obj parse_raw schema schema_json update_forward_refs \
    validate list whole";

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

/// The type of a value, and what is asked of it.
#[derive(Default)]
struct Type {
    plain: String,
    /// Arguments of `Field`.
    arguments: Vec<String>,
    /// Whether it is read by [`WHOLE`] first.
    is_whole: bool,
    /// What is not enforced, in words.
    unsaid: Vec<(Keyword, String)>,
}

/// A field of a model.
struct Field {
    name: String,
    annotation: String,
    required: bool,
    default: String,
    description: Option<String>,
    /// Further arguments of `Field`.
    more: Vec<&'static str>,
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
    let fields: Vec<Field> = sheet.keys.iter().map(|key| writer.key(key)).collect();
    let open = if sheet.strict { "forbid" } else { "allow" };
    let Writer { root, classes, .. } = writer;
    let models = classes + &class(&root, sheet.description, open, None, &root, &fields);
    let helper = if models.contains("(whole)") { WHOLE } else { "" };
    let body = format!("{helper}{models}");
    let mut text = format!("{}\n\n", doc(sheet.schema_id, ""));
    for (module, names) in [("typing", &TYPING[..]), ("pydantic", &PYDANTIC[..])] {
        let used = names.iter().filter(|(_, begins)| body.contains(begins));
        let used: Vec<&str> = used.map(|(name, _)| *name).collect();
        if !used.is_empty() {
            text.push_str(&format!("from {module} import {}\n", used.join(", ")));
        }
    }
    text.push_str(&format!("\n__all__ = [\"{root}\"]\n\n\n{}\n", body.trim_end()));
    text
}

impl Writer<'_> {
    fn key(&mut self, key: &SheetKey) -> Field {
        self.losses.enter(&key.name);
        let below = format!("{}{}", self.root, camel(&key.name));
        let of = self.type_of(&key.shape, &below);
        let unsaid = of
            .unsaid
            .iter()
            .filter(|(keyword, _)| !wording::says_itself(key, *keyword));
        let phrases: Vec<String> = unsaid.map(|(_, phrase)| phrase.clone()).collect();
        let mut sentences: Vec<String> = wording::sentence(&phrases).into_iter().collect();
        sentences.extend(key.mark.map(|mark| wording::standing(mark).to_owned()));
        let mut more = Vec::new();
        if key.mark == Some("deprecated") {
            more.push("deprecated=True");
        }
        if key
            .default
            .as_ref()
            .is_some_and(|default| default.is_array() || default.is_object())
        {
            more.push("validate_default=True");
        }
        Field {
            name: key.name.clone(),
            annotation: of.annotated(None),
            required: key.required,
            default: key.default.as_ref().map_or_else(|| "None".to_owned(), literal),
            description: Some(wording::joined(&key.description, &sentences)),
            more,
        }
    }

    /// The type of a value; `below` is the name of the model where it is one.
    fn type_of(&mut self, shape: &Shape, below: &str) -> Type {
        let mut of = match shape {
            Shape::Other => Type::plain("Union[StrictStr, list[StrictStr]]"),
            Shape::Listed { values, of } => match listed(values) {
                Some(listed) => listed,
                None => {
                    self.losses.unenforced(Keyword::Enum.name());
                    let mut plain = self.type_of(of, below);
                    plain.unsaid.push((Keyword::Enum, wording::one_of(values)));
                    plain
                }
            },
            Shape::Scalar(KeyType::Integer, _) => Type {
                is_whole: true,
                ..Type::plain("StrictInt")
            },
            Shape::Scalar(KeyType::String, _) => Type::plain("StrictStr"),
            Shape::Scalar(KeyType::Number, _) => Type::plain("StrictFloat"),
            Shape::Scalar(KeyType::Boolean, _) => Type::plain("StrictBool"),
            Shape::Scalar(_, _) => Type::plain("None"),
            Shape::Array(each, _) => {
                let each = self.at(each, Keyword::Items, below);
                Type::plain(&format!("list[{each}]"))
            }
            Shape::Object(members) => self.members(members, below),
            Shape::Anything => Type::plain("Any"),
            Shape::Never(nearest) => {
                self.losses.unenforced("not");
                self.type_of(nearest, below)
            }
            Shape::Any(shapes) => {
                let ways: Vec<String> = shapes.iter().map(|shape| self.noted(shape, below)).collect();
                Type::plain(&format!("Union[{}]", ways.join(", ")))
            }
        };
        let is_whole = matches!(shape, Shape::Scalar(KeyType::Integer, _));
        for fact in shape.facts() {
            match argument(fact, is_whole) {
                Some(argument) => of.arguments.push(argument),
                None => {
                    if fact.is_enforced() {
                        self.losses.unenforced(fact.keyword.name());
                    }
                    of.unsaid.push((fact.keyword, fact.phrase()));
                }
            }
        }
        of
    }

    /// The type of what lies below a keyword, with what it does not enforce in its own description.
    fn at(&mut self, shape: &Shape, keyword: Keyword, below: &str) -> String {
        let before = self.losses.descend(keyword, None);
        let noted = self.noted(shape, below);
        self.losses.ascend(before);
        noted
    }

    fn noted(&mut self, shape: &Shape, below: &str) -> String {
        let of = self.type_of(shape, below);
        let said = of.said();
        of.annotated(said)
    }

    fn members(&mut self, Members { declared, rest }: &Members, below: &str) -> Type {
        let open = rest.as_deref().filter(|rest| **rest != Shape::Anything);
        let each = open.map(|rest| self.at(rest, Keyword::AdditionalProperties, &format!("{below}Value")));
        if declared.is_empty() {
            let mut of = Type::plain(&format!("dict[str, {}]", each.as_deref().unwrap_or("Any")));
            if rest.is_none() {
                of.arguments.push("max_length=0".to_owned());
            }
            return of;
        }
        let mut name = below.to_owned();
        while !self.names.insert(name.clone()) {
            name.push('_');
        }
        let mut fields = Vec::new();
        for member in declared {
            let before = self.losses.descend(Keyword::Properties, Some(&member.name));
            let of = self.type_of(&member.shape, &format!("{name}{}", camel(&member.name)));
            self.losses.ascend(before);
            fields.push(Field {
                name: member.name.clone(),
                annotation: of.annotated(None),
                required: member.required,
                default: "None".to_owned(),
                description: of.said(),
                more: Vec::new(),
            });
        }
        let open = if rest.is_some() { "allow" } else { "forbid" };
        let written = class(&name, None, open, each.as_deref(), &self.root, &fields);
        self.classes.push_str(&written);
        Type::plain(&name)
    }
}

impl Type {
    fn plain(text: &str) -> Type {
        Type {
            plain: text.to_owned(),
            ..Type::default()
        }
    }

    /// What is not enforced, as a sentence.
    fn said(&self) -> Option<String> {
        let phrases: Vec<String> = self.unsaid.iter().map(|(_, phrase)| phrase.clone()).collect();
        wording::sentence(&phrases)
    }

    /// The type with what is asked beside it, and a description.
    fn annotated(&self, description: Option<String>) -> String {
        let mut arguments = self.arguments.clone();
        arguments.extend(description.map(|said| format!("description={}", Value::from(said))));
        let mut beside = Vec::new();
        if !arguments.is_empty() {
            beside.push(format!("Field({})", arguments.join(", ")));
        }
        if self.is_whole {
            beside.push("BeforeValidator(whole)".to_owned());
        }
        match beside.is_empty() {
            true => self.plain.clone(),
            false => format!("Annotated[{}, {}]", self.plain, beside.join(", ")),
        }
    }
}

/// A model; `rest` is the type of what is not declared.
fn class(
    name: &str,
    description: Option<&str>,
    open: &str,
    rest: Option<&str>,
    root: &str,
    fields: &[Field],
) -> String {
    let mut taken = BTreeSet::new();
    let mut lines = Vec::new();
    let mut has_alias = false;
    for field in fields {
        let identifier = identifier(&field.name, root, &taken);
        let mut arguments = Vec::new();
        if !field.required {
            arguments.push(format!("default={}", field.default));
        }
        if identifier != field.name {
            has_alias = true;
            arguments.push(format!("alias={}", Value::from(field.name.as_str())));
        }
        arguments.extend(
            field
                .description
                .iter()
                .map(|said| format!("description={}", Value::from(said.as_str()))),
        );
        arguments.extend(field.more.iter().map(|more| (*more).to_owned()));
        let annotation = match field.required {
            true => field.annotation.clone(),
            false => format!("Optional[{}]", field.annotation),
        };
        let set = match arguments.is_empty() {
            true => String::new(),
            false => format!(" = Field({})", arguments.join(", ")),
        };
        lines.push(format!("    {identifier}: {annotation}{set}\n"));
        taken.insert(identifier);
    }
    let mut text = format!("class {name}(BaseModel):\n");
    if let Some(description) = description.filter(|description| !description.trim().is_empty()) {
        text.push_str(&format!("    {}\n\n", doc(description.trim(), "    ")));
    }
    // By their aliases they are read, and so they are written.
    let aliases = if has_alias { ", serialize_by_alias=True" } else { "" };
    text.push_str(&format!("    model_config = ConfigDict(extra=\"{open}\"{aliases})\n"));
    if let Some(rest) = rest {
        text.push_str(&format!("    __pydantic_extra__: dict[str, {rest}]\n"));
    }
    text.push('\n');
    text.extend(lines);
    text.push_str("\n\n");
    text
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

/// A list of values; none where one of them has no literal type, or is taken for another: `True == 1`.
fn listed(values: &[Value]) -> Option<Type> {
    let is_whole = values.iter().any(Value::is_number);
    let is_plain = |value: &Value| match value {
        Value::Number(number) => !number.is_f64(),
        Value::Bool(_) => !is_whole,
        Value::Null | Value::String(_) => true,
        Value::Array(_) | Value::Object(_) => false,
    };
    let literals: Vec<String> = values.iter().map(literal).collect();
    values.iter().all(is_plain).then(|| Type {
        is_whole,
        ..Type::plain(&format!("Literal[{}]", literals.join(", ")))
    })
}

/// A value in Python; a text in JSON is one there.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(literal).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, value)| format!("{}: {}", Value::from(name.as_str()), literal(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

fn is_reserved(name: &str) -> bool {
    let imported = TYPING.iter().chain(&PYDANTIC).map(|(imported, _)| *imported);
    RESERVED
        .split_whitespace()
        .chain(imported)
        .any(|reserved| reserved == name)
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

/// `seat_map` as `SeatMap`, of what may stand in the name of a class.
fn camel(name: &str) -> String {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric());
    parts
        .map(|part| {
            let (first, rest) = part.split_at(part.len().min(1));
            first.to_ascii_uppercase() + rest
        })
        .collect()
}

/// A text as a documentation string, one line for each of its lines.
fn doc(text: &str, indent: &str) -> String {
    let lines = text.lines().map(|line| Value::from(line.trim_end()).to_string());
    let lines: Vec<String> = lines.map(|quoted| quoted[1..quoted.len() - 1].to_owned()).collect();
    let Some((first, more)) = lines.split_first().filter(|(_, more)| !more.is_empty()) else {
        return format!("\"\"\"{}\"\"\"", lines.concat());
    };
    let more = more.iter().map(|line| format!("{indent}{line}").trim_end().to_owned());
    let more: Vec<String> = more.collect();
    format!("\"\"\"{first}\n{}\n{indent}\"\"\"", more.join("\n"))
}
