//! `openai-tool`, `anthropic-tool` and `mcp-tool`: a function for OpenAI's Chat Completions and whoever speaks like it, with the strict
//! schema; a tool for Anthropic's Messages, and one as a server of the Model Context Protocol lists it, with the whole schema.

use serde_json::Value;
use serde_json::json;

use crate::export::json_schema;
use crate::export::loss::Losses;
use crate::export::safe_name::safe_name;
use crate::export::sheet::Sheet;
use crate::export::strict;

/// Characters of the description of an OpenAI function; the schema bears a longer one in full.
pub const DESCRIPTION_CHARACTERS_MAX: usize = 1_024;

/// The function as JSON text.
pub fn openai(sheet: &Sheet<'_>, losses: &mut Losses) -> String {
    let mut parameters = strict::object(sheet, losses);
    let description = purpose(sheet);
    let cut: String = description.chars().take(DESCRIPTION_CHARACTERS_MAX).collect();
    if cut.len() == description.len()
        && let Value::Object(members) = &mut parameters
    {
        members.shift_remove("description");
    }
    let name = safe_name(sheet.scenario);
    let function = json!({"name": name, "description": cut, "strict": true, "parameters": parameters});
    json!({"type": "function", "function": function}).to_string()
}

/// The tool of Messages as JSON text.
pub fn anthropic(sheet: &Sheet<'_>) -> String {
    json!({
        "name": safe_name(sheet.scenario),
        "description": purpose(sheet),
        "input_schema": json_schema::object(sheet),
    })
    .to_string()
}

/// The listed tool as JSON text.
pub fn mcp(sheet: &Sheet<'_>) -> String {
    json!({
        "name": safe_name(sheet.scenario),
        "title": sheet.scenario,
        "description": purpose(sheet),
        "inputSchema": json_schema::object(sheet),
    })
    .to_string()
}

/// What a tool is for: the template's description, else its scenario.
fn purpose(sheet: &Sheet<'_>) -> String {
    let described = sheet.description.filter(|description| !description.trim().is_empty());
    let unsaid = || format!("Takes the structured data of the scenario {}.", sheet.scenario);
    described.map_or_else(unsaid, str::to_owned)
}
