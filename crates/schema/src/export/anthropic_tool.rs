//! `anthropic-tool`: a tool for Anthropic's Messages, with the whole schema.

use serde_json::json;

use crate::export::json_schema;
use crate::export::openai_tool::purpose;
use crate::export::safe_name::safe_name;
use crate::export::sheet::Sheet;

/// The tool as JSON text.
pub fn text(sheet: &Sheet<'_>) -> String {
    json!({
        "name": safe_name(sheet.scenario),
        "description": purpose(sheet),
        "input_schema": json_schema::object(sheet),
    })
    .to_string()
}
