//! Resources: the effective template of each scenario, `otherwise://scenarios/{scenario}/template`, for the caller.
//!
//! `?schema_id=`, `?version=`, `?preferred_language=`, `?format=`, `?experimental=` and `?as_of=` choose as they do on HTTP.

use percent_encoding::percent_decode_str;
use rmcp::ErrorData;
use rmcp::model::ReadResourceResult;
use rmcp::model::Resource;
use rmcp::model::ResourceContents;
use rmcp::model::ResourceTemplate;
use serde_json::json;

use crate::api::scenarios::ScenarioRow;
use crate::app::application::App;
use crate::app::negotiation::Pin;
use crate::mcp::mcp_caller::McpCaller;
use crate::mcp::mcp_caller::refused;
use crate::wire::codes::Code;
use crate::wire::negotiation::Negotiation;
use crate::wire::negotiation::pinned;
use crate::wire::percent;
use crate::wire::problem::Problem;
use text::secrets::words::scrubbed_words;

const SCHEME: &str = "otherwise://scenarios/";
const END: &str = "/template";

/// The address of a scenario's template.
fn address(key: &str) -> String {
    format!("{SCHEME}{}{END}", percent::segment(key))
}

/// Every template that is in force.
///
/// # Errors
/// What the service says.
pub fn list(service: &App, asker: &McpCaller) -> Result<Vec<Resource>, ErrorData> {
    let rows = asker.scenarios(service).map_err(refused)?;
    let one = |row: &ScenarioRow| {
        let resource = Resource::new(address(&row.key()), &row.scenario).with_mime_type("application/json");
        match &row.description {
            Some(description) => resource.with_description(description),
            None => resource,
        }
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
    let (scenario, parameters) = parts(uri).ok_or_else(nowhere)?;
    if let Some(unknown) = unknown(&parameters) {
        let name: String = unknown.chars().take(64).collect();
        let known = Negotiation::PARAMETERS.join(", ");
        let what = format!("the parameter {name:?} is unknown; there are {known}");
        return Err(ErrorData::invalid_params(what, Some(json!({ "uri": said }))));
    }
    let asked = Negotiation::by_parameters(scenario, |name| given(&parameters, name)).map_err(refused)?;
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

/// The scenario of an address that a template may stand at.
pub fn scenario(uri: &str) -> Option<String> {
    let (scenario, parameters) = parts(uri)?;
    unknown(&parameters).is_none().then_some(scenario)
}

/// The schema that an address names.
///
/// # Errors
/// `bad_parameter` for what is neither a version nor a requirement.
pub fn pin(uri: &str) -> Result<Pin, Problem> {
    let parameters = parts(uri).map(|(_, parameters)| parameters).unwrap_or_default();
    pinned(given(&parameters, "schema_id"), given(&parameters, "version"))
}

fn given<'a>(parameters: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = parameters.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value.as_str())
}

/// A parameter that no template knows.
fn unknown(parameters: &[(String, String)]) -> Option<&str> {
    let mut names = parameters.iter().map(|(name, _)| name.as_str());
    names.find(|name| !Negotiation::PARAMETERS.contains(name))
}

/// The scenario of an address, and its parameters; `None` for an address that is none of ours.
fn parts(uri: &str) -> Option<(String, Vec<(String, String)>)> {
    let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
    let decoded = |text| Some(percent_decode_str(text).decode_utf8().ok()?.into_owned());
    let scenario = decoded(path.strip_prefix(SCHEME)?.strip_suffix(END)?)?;
    let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some((name.to_owned(), decoded(value)?))
    });
    Some((scenario, pairs.collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::address;
    use super::parts;
    use super::scenario;

    #[test]
    fn an_address_leads_to_its_scenario_and_asks_for_what_it_says() {
        for name in ["flight_booking", "Flight Booking", "réservation"] {
            let uri = address(name);
            assert!(uri.is_ascii(), "{uri}");
            assert_eq!(scenario(&uri).as_deref(), Some(name));
        }
        let asked = parts("otherwise://scenarios/trip/template?format=markdown&as_of=%37");
        let pairs = [("format", "markdown"), ("as_of", "7")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(asked, Some(("trip".to_owned(), pairs.to_vec())));
        for uri in [
            "",
            "http://scenarios/trip/template",
            "otherwise://scenarios/trip",
            "otherwise://scenarios/trip/template?nothing=1",
            "otherwise://scenarios/%ff/template",
        ] {
            assert_eq!(scenario(uri), None, "{uri}");
        }
    }
}
