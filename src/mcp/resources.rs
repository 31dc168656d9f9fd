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
use crate::mcp::mcp_caller::McpCaller;
use crate::mcp::mcp_caller::refused;
use crate::wire::codes::Code;
use crate::wire::negotiation::Negotiation;
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
    let asked = asked(uri).map_err(refused)?.ok_or_else(nowhere)?;
    let reply = asker.template(service, asked).await;
    let reply = reply.map_err(|problem| match problem.code {
        Code::UnknownScenario => nowhere(),
        _ => refused(problem),
    })?;
    let media_type = reply
        .exported
        .map_or("application/json", |exported| exported.form.media_type());
    let contents = ResourceContents::text(&*reply.body, uri).with_mime_type(media_type);
    Ok(ReadResourceResult::new(vec![contents]))
}

/// The template that an address asks for; `None` for an address that is none of ours.
///
/// # Errors
/// `bad_parameter` for a parameter that no template knows, or a wrong one.
pub fn asked(uri: &str) -> Result<Option<Negotiation>, Problem> {
    let Some((scenario, parameters)) = parts(uri) else {
        return Ok(None);
    };
    let known = Negotiation::PARAMETERS;
    if let Some((unknown, _)) = parameters.iter().find(|(name, _)| !known.contains(&name.as_str())) {
        let name: String = unknown.chars().take(64).collect();
        let what = format!("the parameter {name:?} is unknown; there are {}", known.join(", "));
        return Err(Problem::new(Code::BadParameter, what));
    }
    let given = |name: &str| {
        let found = parameters.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    };
    Negotiation::by_parameters(scenario, given).map(Some)
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
    use super::asked;
    use super::parts;

    #[test]
    fn an_address_leads_to_its_scenario_and_asks_for_what_it_says() {
        for name in ["flight_booking", "Flight Booking", "réservation"] {
            let uri = address(name);
            assert!(uri.is_ascii(), "{uri}");
            assert_eq!(parts(&uri), Some((name.to_owned(), Vec::new())));
        }
        let pairs_of = parts("otherwise://scenarios/trip/template?format=markdown&as_of=%37");
        let pairs = [("format", "markdown"), ("as_of", "7")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(pairs_of, Some(("trip".to_owned(), pairs.to_vec())));
        for uri in [
            "",
            "http://scenarios/trip/template",
            "otherwise://scenarios/trip",
            "otherwise://scenarios/%ff/template",
        ] {
            assert_eq!(asked(uri), Ok(None), "{uri}");
        }
        let unknown = asked("otherwise://scenarios/trip/template?nothing=1").expect_err("unknown");
        assert!(
            unknown
                .detail
                .starts_with("the parameter \"nothing\" is unknown; there are schema_id, ")
        );
    }
}
