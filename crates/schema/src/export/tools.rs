//! What interfaces of models and tools take a schema in: `openai-tool`, `openai-response-format` and `openai-responses-tool` with the
//! strict one, for OpenAI and whoever speaks like it; `anthropic-tool`, a tool for Anthropic's Messages, and `mcp-tool`, as a server of
//! the Model Context Protocol lists one, with the whole one.

use serde_json::Value;
use serde_json::json;

use crate::export::Form;
use crate::export::json_schema;
use crate::export::loss::Losses;
use crate::export::safe_name::safe_name;
use crate::export::sheet::Sheet;
use crate::export::strict;

/// Characters of the description of an OpenAI function; the schema bears a longer one in full.
pub const DESCRIPTION_CHARACTERS_MAX: usize = 1_024;

/// What OpenAI takes the strict schema in, as JSON text: a function of Chat Completions or of Responses, or the format of an answer.
pub fn openai(form: Form, sheet: &Sheet<'_>, losses: &mut Losses) -> String {
    let mut schema = strict::object(sheet, losses);
    let description = sheet.purpose();
    let cut: String = description.chars().take(DESCRIPTION_CHARACTERS_MAX).collect();
    if cut.len() == description.len()
        && let Value::Object(members) = &mut schema
    {
        members.shift_remove("description");
    }
    let name = safe_name(sheet.scenario);
    let written = match form {
        Form::OpenaiResponseFormat => {
            let named = json!({"name": name, "description": cut, "strict": true, "schema": schema});
            json!({"type": "json_schema", "json_schema": named})
        }
        Form::OpenaiResponsesTool => {
            json!({"type": "function", "name": name, "description": cut, "strict": true, "parameters": schema})
        }
        _ => {
            let function = json!({"name": name, "description": cut, "strict": true, "parameters": schema});
            json!({"type": "function", "function": function})
        }
    };
    written.to_string()
}

/// The tool of Messages as JSON text.
pub fn anthropic(sheet: &Sheet<'_>) -> String {
    json!({
        "name": safe_name(sheet.scenario),
        "description": sheet.purpose(),
        "input_schema": json_schema::object(sheet),
    })
    .to_string()
}

/// The listed tool as JSON text.
pub fn mcp(sheet: &Sheet<'_>) -> String {
    json!({
        "name": safe_name(sheet.scenario),
        "title": sheet.scenario,
        "description": sheet.purpose(),
        "inputSchema": json_schema::object(sheet),
    })
    .to_string()
}
