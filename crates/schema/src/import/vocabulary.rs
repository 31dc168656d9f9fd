//! The keywords of JSON Schema and its neighbours: which are read, kept as constraints, or ask nothing. Every other may decide over a
//! payload, so that it is not enforced.

use serde_json::Value;

use crate::format;

/// Keywords that are read by themselves, or ask nothing by themselves.
const READ: &str = "type enum const $ref allOf anyOf oneOf properties required additionalProperties items title description \
    default examples example $comment $schema $id id $anchor \
    $dynamicAnchor $recursiveAnchor $vocabulary $defs definitions then else minContains maxContains additionalItems nullable";
/// Those that are kept as constraints.
const KEPT: &str = "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format minItems \
    maxItems uniqueItems";
/// Those that decide over no value: a closed list, since what is not known may decide.
const ANNOTATIONS: &str = "deprecated readOnly writeOnly externalDocs xml \
    propertyOrdering propertyOrder markdownDescription deprecationMessage errorMessage patternErrorMessage defaultSnippets \
    enumNames enumDescriptions markdownEnumDescriptions doNotSuggest suggestSortText allowComments allowTrailingCommas tsType \
    tsEnumNames meta:enum x-order x-enum-varnames x-enum-descriptions x-intellij-html-description \
    x-intellij-enum-metadata x-intellij-language-injection x-taplo x-taplo-info x-tombi-toml-version \
    x-go-name x-go-package";
/// Formats that ask nothing beyond the type: hints for forms and for the width of numbers.
const FORMAT_HINTS: [&str; 6] = ["password", "path", "binary", "int64", "float", "double"];

fn is_among(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|own| own == name)
}

pub fn is_read(name: &str) -> bool {
    is_among(READ, name)
}

pub fn is_kept(name: &str) -> bool {
    is_among(KEPT, name)
}

pub fn is_annotation(name: &str) -> bool {
    is_among(ANNOTATIONS, name)
}

/// The keyword that says what drafts before 6 and OpenAPI 3.0 say with `exclusiveMinimum: true` beside `minimum`; an empty one where
/// its neighbour does.
pub fn exclusive(schema: &Value, name: &str) -> Option<&'static str> {
    let bounds = [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")];
    bounds.into_iter().find_map(|(bound, strict)| match &schema[strict] {
        Value::Bool(true) if name == bound => Some(strict),
        Value::Bool(is_strict) if name == strict && !(*is_strict && schema.get(bound).is_none()) => Some(""),
        _ => None,
    })
}

/// The format that a `format` names, where it is not asserted and no hint alone.
pub fn unenforced_format<'v>(name: &str, value: &'v Value) -> Option<&'v str> {
    let format = value.as_str().filter(|_| name == "format")?;
    (format::find(format).is_none() && FORMAT_HINTS.iter().all(|hint| *hint != format)).then_some(format)
}

/// Returns whether a keyword that is read by itself has a value that none of its readers takes.
pub fn is_malformed(name: &str, value: &Value) -> bool {
    let each = value.as_array().map(Vec::as_slice).unwrap_or_default();
    match name {
        "properties" => !value.is_object(),
        "required" => !value.is_array() || !each.iter().all(Value::is_string),
        "allOf" | "anyOf" | "oneOf" => each.is_empty(),
        "enum" => !value.is_array(),
        _ => false,
    }
}
