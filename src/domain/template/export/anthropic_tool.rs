//! `anthropic-tool`: a tool for Anthropic's Messages, with the whole schema.

use serde_json::json;

use crate::domain::template::export::json_schema;
use crate::domain::template::export::openai_tool::purpose;
use crate::domain::template::export::safe_name::safe_name;
use crate::domain::template::export::sheet::Sheet;

/// The tool as JSON text.
pub fn text(sheet: &Sheet<'_>) -> String {
    json!({
        "name": safe_name(sheet.scenario),
        "description": purpose(sheet),
        "input_schema": json_schema::object(sheet),
    })
    .to_string()
}
