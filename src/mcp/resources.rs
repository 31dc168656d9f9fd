//! Resources: the effective template of each scenario, `otherwise://scenarios/{scenario}/template`, for the caller.
//!
//! `?schema_id=`, `?version=`, `?preferred_language=`, `?format=`, `?experimental=` and `?as_of=` choose as they do on HTTP.

use rmcp::ErrorData;
use rmcp::model::ReadResourceResult;
use rmcp::model::Resource;
use rmcp::model::ResourceContents;
use rmcp::model::ResourceTemplate;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::api::scenarios::ScenarioRow;
use crate::app::application::App;
use crate::mcp::mcp_caller;
use crate::mcp::mcp_caller::Asker;
use crate::mcp::mcp_caller::refused;
use crate::wire::calls::Call;
use crate::wire::codes::Code;
use text::secrets::words::scrubbed_words;

const SCHEME: &str = "otherwise://scenarios/";
const END: &str = "/template";
const KNOWN: [&str; 6] = [
    "schema_id",
    "version",
    "preferred_language",
    "format",
    "experimental",
    "as_of",
];

/// The address of a scenario's template.
pub fn address(scenario: &str) -> String {
    format!("{SCHEME}{}{END}", encoded(&mcp_caller::key(scenario)))
}

/// Every template that is in force.
///
/// # Errors
/// What the service says.
pub fn list(service: &App, asker: &Asker) -> Result<Vec<Resource>, ErrorData> {
    let rows = asker.scenarios(service).map_err(|problem| refused(&problem))?;
    let one = |row: &ScenarioRow| {
        let mut resource = Resource::new(address(&row.scenario), &row.scenario).with_mime_type("application/json");
        if let Some(description) = &row.description {
            resource = resource.with_description(description);
        }
        resource
    };
    Ok(rows.iter().map(one).collect())
}

/// How the addresses are made.
pub fn templates() -> Vec<ResourceTemplate> {
    let template = format!("{SCHEME}{{scenario}}{END}{{?{}}}", KNOWN.join(","));
    vec![
        ResourceTemplate::new(template, "schema_template")
            .with_title("Schema template")
            .with_description("The effective template of a scenario, now or as it was, or an export of it.")
            .with_mime_type("application/json"),
    ]
}

/// Reads one.
///
/// # Errors
/// When there is none, or the address asks for what cannot be.
pub async fn read(service: &App, asker: &Asker, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    // It is the caller's own, and yet what looks like a secret is not repeated.
    let said = scrubbed_words(uri).unwrap_or_else(|| uri.to_owned());
    let nowhere = || ErrorData::resource_not_found("there is no such resource", Some(json!({ "uri": said })));
    if let Some(name) = stranger(uri) {
        let what = format!("the parameter {name:?} is unknown; there are {}", KNOWN.join(", "));
        return Err(ErrorData::invalid_params(what, Some(json!({ "uri": said }))));
    }
    let params = params(uri).ok_or_else(nowhere)?;
    let exported = params.contains_key("format");
    let text = asker
        .call(service, Call::GetSchemaTemplate, &Value::Object(params).to_string())
        .await
        .map_err(|problem| {
            if problem.code == Code::UnknownScenario {
                nowhere()
            } else {
                refused(&problem)
            }
        })?;
    let (text, media_type) = if exported {
        unwrapped(&text)
    } else {
        (text, "application/json".to_owned())
    };
    let contents = ResourceContents::text(text, uri).with_mime_type(media_type);
    Ok(ReadResourceResult::new(vec![contents]))
}

fn unwrapped(export: &str) -> (String, String) {
    let export: Value = serde_json::from_str(export).unwrap_or_default();
    let said = |name: &str| export[name].as_str().unwrap_or_default().to_owned();
    (said("text"), said("media_type"))
}

/// The scenario of an address.
pub fn scenario(uri: &str) -> Option<String> {
    params(uri)?["scenario"].as_str().map(str::to_owned)
}

/// A parameter of a template's address that no template knows, cut.
fn stranger(uri: &str) -> Option<String> {
    let (path, query) = uri.split_once('?')?;
    path.strip_prefix(SCHEME)?.strip_suffix(END)?;
    let mut names = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').map_or(pair, |(name, _)| name));
    let unknown = names.find(|name| !KNOWN.contains(name))?;
    Some(unknown.chars().take(64).collect())
}

/// What an address asks for, as params of `get_schema_template`; `None` for an address that is none of ours.
fn params(uri: &str) -> Option<Map<String, Value>> {
    let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
    let scenario = decoded(path.strip_prefix(SCHEME)?.strip_suffix(END)?)?;
    let mut params = Map::new();
    params.insert("scenario".to_owned(), json!(scenario));
    for (name, value) in query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
    {
        let value = decoded(value)?;
        let known = KNOWN.iter().find(|known| **known == name)?;
        let value = match (*known, value.as_str()) {
            ("experimental", "true") => json!(true),
            ("experimental", "false") => json!(false),
            (_, value) => json!(value),
        };
        params.insert((*known).to_owned(), value);
    }
    Some(params)
}

fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
        out
    })
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'%' {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
            u8::try_from(high * 16 + low).ok()?
        } else {
            byte
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::address;
    use super::mcp_caller;
    use super::params;
    use super::scenario;

    #[test]
    fn an_address_leads_to_its_scenario_and_asks_for_what_it_says() {
        for name in ["flight_booking", "Flight Booking", "réservation"] {
            let uri = address(name);
            assert!(uri.is_ascii(), "{uri}");
            let found = scenario(&uri).expect("a scenario");
            assert_eq!(found, mcp_caller::key(name));
        }
        let asked = params("otherwise://scenarios/trip/template?format=markdown&experimental=false&as_of=7");
        assert_eq!(
            asked.map(serde_json::Value::Object),
            Some(json!({"scenario": "trip", "format": "markdown", "experimental": false, "as_of": "7"}))
        );
    }

    #[test]
    fn what_is_none_of_ours_is_nowhere() {
        for uri in [
            "",
            "http://scenarios/trip/template",
            "otherwise://scenarios/trip",
            "otherwise://scenarios/tr%ip/template",
            "otherwise://scenarios/trip/template?nothing=1",
            "otherwise://scenarios/%ff/template",
        ] {
            assert_eq!(params(uri), None, "{uri}");
        }
    }
}
