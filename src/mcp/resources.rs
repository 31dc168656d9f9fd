//! Resources: the effective template of each scenario, `otherwise://scenarios/{scenario}/template`, for the caller.
//!
//! `?schema_id=`, `?version=`, `?preferred_language=`, `?format=`, `?experimental=` and `?as_of=` choose as they do on HTTP.

use percent_encoding::AsciiSet;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::percent_decode_str;
use percent_encoding::utf8_percent_encode;
use rmcp::ErrorData;
use rmcp::model::ReadResourceResult;
use rmcp::model::Resource;
use rmcp::model::ResourceContents;
use rmcp::model::ResourceTemplate;
use serde_json::json;

use crate::api::scenarios::ScenarioRow;
use crate::app::application::App;
use crate::mcp::mcp_caller;
use crate::mcp::mcp_caller::McpCaller;
use crate::mcp::mcp_caller::refused;
use crate::wire::codes::Code;
use crate::wire::negotiation::Negotiation;
use text::secrets::words::scrubbed_words;

const SCHEME: &str = "otherwise://scenarios/";
/// What of a name is escaped: all but the unreserved characters (RFC 3986 §2.3).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const END: &str = "/template";

/// The address of a scenario's template.
pub fn address(scenario: &str) -> String {
    format!(
        "{SCHEME}{}{END}",
        utf8_percent_encode(&mcp_caller::key(scenario), ESCAPED)
    )
}

/// Every template that is in force.
///
/// # Errors
/// What the service says.
pub fn list(service: &App, asker: &McpCaller) -> Result<Vec<Resource>, ErrorData> {
    let rows = asker.scenarios(service).map_err(refused)?;
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
    let template = format!("{SCHEME}{{scenario}}{END}{{?{}}}", Negotiation::PARAMETERS.join(","));
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
pub async fn read(service: &App, asker: &McpCaller, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    // It is the caller's own, and yet what looks like a secret is not repeated.
    let said = scrubbed_words(uri).unwrap_or_else(|| uri.to_owned());
    let nowhere = || ErrorData::resource_not_found("there is no such resource", Some(json!({ "uri": said })));
    if let Some(name) = stranger(uri) {
        let what = format!(
            "the parameter {name:?} is unknown; there are {}",
            Negotiation::PARAMETERS.join(", ")
        );
        return Err(ErrorData::invalid_params(what, Some(json!({ "uri": said }))));
    }
    let (scenario, parameters) = parts(uri).ok_or_else(nowhere)?;
    let given = |name: &str| {
        parameters
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| &**value)
    };
    let asked = Negotiation::by_parameters(scenario, given).map_err(refused)?;
    let reply = asker.template(service, asked).await.map_err(|problem| {
        if problem.code == Code::UnknownScenario {
            nowhere()
        } else {
            refused(problem)
        }
    })?;
    let media_type = reply
        .exported
        .map_or("application/json", |exported| exported.form.media_type());
    let contents = ResourceContents::text(&*reply.body, uri).with_mime_type(media_type);
    Ok(ReadResourceResult::new(vec![contents]))
}

/// The scenario of an address.
pub fn scenario(uri: &str) -> Option<String> {
    parts(uri).map(|(scenario, _)| scenario)
}

/// A parameter of a template's address that no template knows, cut.
fn stranger(uri: &str) -> Option<String> {
    let (path, query) = uri.split_once('?')?;
    path.strip_prefix(SCHEME)?.strip_suffix(END)?;
    let mut names = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').map_or(pair, |(name, _)| name));
    let unknown = names.find(|name| !Negotiation::PARAMETERS.contains(name))?;
    Some(unknown.chars().take(64).collect())
}

/// The scenario of an address, and its parameters; `None` for an address that is none of ours.
fn parts(uri: &str) -> Option<(String, Vec<(String, String)>)> {
    let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
    let decoded = |text| Some(percent_decode_str(text).decode_utf8().ok()?.into_owned());
    let scenario = decoded(path.strip_prefix(SCHEME)?.strip_suffix(END)?)?;
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let parameters = pairs.map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let known = Negotiation::PARAMETERS.contains(&name);
        Some((name.to_owned(), decoded(value)?)).filter(|_| known)
    });
    Some((scenario, parameters.collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::address;
    use super::mcp_caller;
    use super::parts;
    use super::scenario;

    #[test]
    fn an_address_leads_to_its_scenario_and_asks_for_what_it_says() {
        for name in ["flight_booking", "Flight Booking", "réservation"] {
            let uri = address(name);
            assert!(uri.is_ascii(), "{uri}");
            let found = scenario(&uri).expect("a scenario");
            assert_eq!(found, mcp_caller::key(name));
        }
        let asked = parts("otherwise://scenarios/trip/template?format=markdown&as_of=%37");
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            asked,
            Some(("trip".to_owned(), vec![pair("format", "markdown"), pair("as_of", "7")]))
        );
    }

    #[test]
    fn what_is_none_of_ours_is_nowhere() {
        for uri in [
            "",
            "http://scenarios/trip/template",
            "otherwise://scenarios/trip",
            "otherwise://scenarios/trip/template?nothing=1",
            "otherwise://scenarios/%ff/template",
        ] {
            assert_eq!(parts(uri), None, "{uri}");
        }
    }
}
