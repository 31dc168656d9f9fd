//! `openai-tool`: a function for OpenAI's Chat Completions and whoever speaks like it, with the strict schema.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::export::loss::Losses;
use crate::export::safe_name::safe_name;
use crate::export::sheet::Sheet;
use crate::export::strict;

/// Characters of a function's description; the schema bears a longer one in full.
pub const DESCRIPTION_CHARACTERS_MAX: usize = 1_024;

/// The tool as JSON text.
pub fn text(sheet: &Sheet<'_>, losses: &mut Losses) -> String {
    let mut parameters = strict::object(sheet, losses);
    let description = purpose(sheet);
    let cut: String = description.chars().take(DESCRIPTION_CHARACTERS_MAX).collect();
    if cut.len() == description.len() {
        parameters.shift_remove("description");
    }
    let mut function = Map::new();
    function.insert("name".to_owned(), json!(safe_name(sheet.scenario)));
    function.insert("description".to_owned(), json!(cut));
    function.insert("strict".to_owned(), json!(true));
    function.insert("parameters".to_owned(), Value::Object(parameters));
    json!({"type": "function", "function": function}).to_string()
}

/// What a tool is for: the template's description, else its scenario.
pub fn purpose(sheet: &Sheet<'_>) -> String {
    let described = sheet.description.filter(|description| !description.trim().is_empty());
    described.map_or_else(
        || format!("Takes the structured data of the scenario {}.", sheet.scenario),
        str::to_owned,
    )
}
