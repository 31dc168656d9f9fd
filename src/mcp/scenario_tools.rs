//! A tool for each scenario: its arguments are a payload, and calling it submits that.
//!
//! The definition is the caller's effective template, with schema, revision and digest in `_meta`, and what a call says of itself stands
//! there too: no connection remembers which definition its client holds (Z-004). Invariant: an accepted call keeps the output schema of
//! its tool; what is refused is told with repairs of the arguments as they were sent.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::CallToolResult;
use rmcp::model::JsonObject;
use rmcp::model::MetaObject;
use rmcp::model::Tool;
use rmcp::model::ToolAnnotations;
use serde_json::Value;
use serde_json::json;

use crate::api::scenarios::FoundTools;
use crate::api::scenarios::SearchOutcome;
use crate::api::submissions::Exchange;
use crate::api::templates::Suggestion;
use crate::app::application::App;
use crate::app::error::ServiceError;
use crate::app::reply::TemplateIdentity;
use crate::app::scenario_tool::Gives;
use crate::app::scenario_tool::Offered;
use crate::app::scenarios;
use crate::mcp::mcp_caller::McpCaller;
use crate::mcp::mcp_caller::refused;
use crate::mcp::mcp_limits::McpLimits;
use crate::mcp::schemas;
use crate::mcp::tools;
use crate::wire::calls::Call;
use crate::wire::codes::Code;
use crate::wire::lone_surrogate;
use crate::wire::params::Params;
use crate::wire::problem::Problem;
use schema::export::safe_name::marked_name;
use schema::export::safe_name::safe_name_within;
use schema::name::ScenarioKey;

/// The tool that stands for those that are not listed.
const FIND: &str = "find_scenario";
/// Definitions that it gives where nothing is said, and at most: each is some thousand tokens.
const FOUND: u64 = 3;
const FOUND_MAX: u64 = 10;

/// Before every name in `_meta` that is ours: the reverse of our domain, as the protocol wants it.
const OURS: &str = "dev.otherwise/";
/// What a call may say of itself there, beside the schema, as members of a submission.
const OF_A_CALL: [&str; 5] = ["revision", "utterance", "language", "handling", "idempotency_key"];
/// What a definition says of itself there; a call may send all of it back.
const SCHEMA_ID: &str = "schema_id";
const VERSION: &str = "version";
const REVISION: &str = "revision";
const DIGEST: &str = "digest";

/// What an answer says there of the schema, by the names that its `exchange` has for it.
const TOLD: [(&str, &str); 3] = [
    ("latest", "latest"),
    ("deprecated_at", "deprecation"),
    ("sunset", "sunset"),
];

/// Where a payload stands in a submission, and so in what is said of one.
const PAYLOAD: &str = "/payload";

/// Keywords of a response schema that an object with two more members keeps as it kept them before. With any other at its root, such as
/// a reference to a closed object, it is not promised.
const KEPT_WITH_MORE: &str = "$schema $comment title description type properties required additionalProperties \
    unevaluatedProperties minProperties $defs definitions default examples";

/// The name of a scenario's tool, of at most so many characters: that of the scenario, with the digits of its hash where a generic tool has
/// it.
fn name(scenario: &ScenarioKey, characters_max: usize) -> String {
    let plain = safe_name_within(scenario.as_str(), characters_max);
    if Call::named(&plain).is_some() || plain == FIND {
        return marked_name(scenario.as_str(), characters_max);
    }
    plain
}

/// The tools of scenarios that a caller is told, by name; `find_scenario` alone where there are more than so many.
pub fn list(service: &App, asker: &McpCaller, tools_max: usize, characters_max: usize) -> Result<Vec<Tool>, ErrorData> {
    if !asker.caller.may(Call::SubmitPayload.permission()) {
        return Ok(Vec::new());
    }
    let offered = service.offered(&asker.caller).map_err(refused)?;
    if offered.len() > tools_max {
        return Ok(vec![find_tool()]);
    }
    let mut named = BTreeMap::new();
    for Offered { scenario, .. } in offered {
        // A scenario of exactly this name has it, as in `named`.
        let name = name(&scenario, characters_max);
        if name == scenario.as_str() || !named.contains_key(&name) {
            named.insert(name, scenario);
        }
    }
    let defined = named.into_values().filter_map(|scenario| {
        // One that has gone meanwhile is listed no more.
        let defined = definition(service, asker, &scenario, characters_max);
        defined.map_err(refused).transpose()
    });
    defined.collect()
}

/// The definition of a scenario's tool; `None` where nothing is in force.
fn definition(
    service: &App,
    asker: &McpCaller,
    scenario: &ScenarioKey,
    characters_max: usize,
) -> Result<Option<Tool>, ServiceError> {
    let parts = match service.scenario_tool(&asker.caller, scenario, asker.language.as_deref()) {
        Err(ServiceError::UnknownScenario(_)) => return Ok(None),
        parts => parts?,
    };
    let submits = ToolAnnotations::from_raw(None, Some(false), Some(false), Some(false), Some(true));
    let tool = Tool::new(name(scenario, characters_max), parts.description, Arc::new(parts.input))
        .with_title(parts.title)
        .with_raw_output_schema(output(&parts.gives))
        .with_annotations(submits)
        .with_meta(meta(&parts.identity));
    Ok(Some(tool))
}

/// Which template a definition shows.
fn meta(identity: &TemplateIdentity) -> MetaObject {
    let told = [
        (SCHEMA_ID, json!(identity.schema_id)),
        (VERSION, json!(identity.version)),
        (REVISION, json!(identity.revision)),
        (DIGEST, json!(identity.digest)),
    ];
    let named = told.map(|(name, value)| (format!("{OURS}{name}"), value));
    MetaObject(named.into_iter().collect())
}

/// What every accepted call gives.
fn output(gives: &Gives) -> Arc<JsonObject> {
    let is_kept = |name: &String| KEPT_WITH_MORE.split(' ').any(|kept| kept == name);
    let mut schema = match gives {
        Gives::Payload => {
            tools::schema(json!({"properties": {"payload": {"type": "object"}}, "required": ["payload"]}))
        }
        Gives::Result(Some(response)) if response.keys().all(is_kept) => Arc::new(response.clone()),
        Gives::Result(_) => Arc::default(),
    };
    let members = Arc::make_mut(&mut schema);
    // Some clients compile by another draft, and refuse one that they do not know.
    members.shift_remove("$schema");
    members.insert("type".to_owned(), json!("object"));
    let properties = members.entry("properties").or_insert_with(|| json!({}));
    properties["exchange"] = schemas::brief::<Exchange>();
    properties["schema_update_suggestion"] = schemas::brief::<Suggestion>();
    let required = members.entry("required").or_insert_with(|| json!([]));
    if let Some(required) = required.as_array_mut() {
        required.push(json!("exchange"));
    }
    schema
}

fn find_tool() -> Tool {
    let reads = ToolAnnotations::from_raw(None, Some(true), Some(false), Some(true), Some(false));
    let what = "There are more scenarios than are listed as tools. Say in plain words what is wanted, and the tools of the likeliest \
        scenarios are given, each with name, description and inputSchema. Call such a tool by its name; where only listed tools can \
        be called, call submit_payload with the schema_id that its _meta names, and its arguments as payload.";
    let limit = format!("How many at most; {FOUND} where nothing is said.");
    let input = schemas::object(
        json!({
            "q": schemas::text("What is wanted, in plain words."),
            "limit": {"type": "integer", "minimum": 1, "maximum": FOUND_MAX, "description": limit},
        }),
        &["q"],
    );
    Tool::new(FIND, what, tools::schema(input))
        .with_title("Find a scenario")
        .with_raw_output_schema(tools::schema(schemas::contract::<FoundTools>()))
        .with_annotations(reads)
}

/// A tool, as its name says.
pub enum Named {
    Generic(Call),
    /// With the characters of a tool's name at most.
    Find(usize),
    Scenario(ScenarioKey),
}

/// The tool of this name, for who asks; the generic ones alone where scenarios are no tools.
pub fn named(service: &App, asker: &McpCaller, named: &str, limits: McpLimits) -> Option<Named> {
    let (with_scenarios, characters_max) = (limits.scenario_tools_max.is_some(), limits.tool_name_max);
    if let Some(call) = Call::named(named) {
        return Some(Named::Generic(call));
    }
    if named == FIND || !with_scenarios {
        return with_scenarios.then_some(Named::Find(characters_max));
    }
    let is_it = |key: &ScenarioKey| name(key, characters_max) == named;
    let plain = ScenarioKey::parse(named).filter(|key| is_it(key) && service.schema_of(key, None).is_ok());
    let scenario = plain.or_else(|| {
        // Who may not submit is told so by the call.
        let offered = service.offered(&asker.caller).unwrap_or_default();
        offered.into_iter().map(|offered| offered.scenario).find(is_it)
    });
    scenario.map(Named::Scenario)
}

impl Named {
    /// Calls it; `meta` is what the call says of itself.
    ///
    /// # Errors
    /// What is wrong with the arguments, by their own places, and what the service says.
    pub async fn call(
        &self,
        service: &App,
        asker: &McpCaller,
        arguments: &str,
        meta: &JsonObject,
    ) -> Result<String, Problem> {
        lone_surrogate::refused(arguments)?;
        match self {
            Named::Generic(call) => asker.call(service, *call, arguments).await,
            Named::Find(characters_max) => find(service, asker, arguments, *characters_max).await,
            Named::Scenario(scenario) => {
                let text = submission(service, scenario, arguments, meta)?;
                let answer = asker.call(service, Call::SubmitPayload, &text).await;
                answer.map(warned_of_arguments).map_err(of_arguments)
            }
        }
    }
}

/// An answer as a result, with what it says of the schema that it was judged by.
pub fn told(answer: Result<String, Problem>) -> CallToolResult {
    let refused = answer.as_ref().err().map(Problem::document);
    let mut told = tools::told(answer);
    let reply = told.structured_content.as_ref().or(refused.as_ref());
    told.meta = reply.and_then(|reply| of_schema(reply.get("exchange")?));
    told
}

fn of_schema(exchange: &Value) -> Option<MetaObject> {
    let told = TOLD.iter().filter_map(|(member, name)| {
        let said = exchange.get(*member)?;
        Some((format!("{OURS}{name}"), said.clone()))
    });
    let told: JsonObject = told.collect();
    (!told.is_empty()).then_some(MetaObject(told))
}

/// The submission that a call makes, as JSON text.
fn submission(service: &App, scenario: &ScenarioKey, payload: &str, meta: &JsonObject) -> Result<String, Problem> {
    let wrong = |what: String| Problem::new(Code::BadRequest, what);
    let mut named = None;
    let mut said = String::new();
    for (name, value) in meta {
        match name.strip_prefix(OURS) {
            None | Some(VERSION | DIGEST) => {}
            Some(SCHEMA_ID) => {
                let text = value.as_str();
                named = Some(text.ok_or_else(|| wrong(format!("`{name}` in `_meta` is a string")))?);
            }
            Some(member) if OF_A_CALL.contains(&member) => said.push_str(&format!(",\"{member}\":{value}")),
            Some(_) => {
                let known = OF_A_CALL.join(", ");
                let what = format!("`_meta` holds a name with {OURS} that is unknown; there are {SCHEMA_ID}, {known}");
                return Err(wrong(what));
            }
        }
    }
    let schema_id = json!(service.schema_of(scenario, named)?);
    Ok(format!("{{\"schema_id\":{schema_id},\"payload\":{payload}{said}}}"))
}

/// A problem whose violations and warnings point into the arguments, which are the payload, and whose repairs apply to them.
fn of_arguments(mut problem: Problem) -> Problem {
    for (name, member) in &mut problem.members {
        match *name {
            "violations" => point_into_arguments(member),
            "exchange" => member.get_mut("warnings").map_or((), point_into_arguments),
            _ => {}
        }
    }
    problem
}

/// The same of an accepted call.
fn warned_of_arguments(reply: String) -> String {
    if !reply.contains("\"repair\":") {
        return reply;
    }
    let mut document: Value = serde_json::from_str(&reply).unwrap_or_default();
    match document.pointer_mut("/exchange/warnings") {
        Some(warnings) => point_into_arguments(warnings),
        None => return reply,
    }
    document.to_string()
}

fn point_into_arguments(found: &mut Value) {
    let within = |said: &mut Value, name: &str| {
        if let Some(pointer) = said.get_mut(name)
            && let Some(rest) = pointer.as_str().and_then(|pointer| pointer.strip_prefix(PAYLOAD))
        {
            *pointer = json!(rest);
        }
    };
    for one in found.as_array_mut().into_iter().flatten() {
        within(one, "pointer");
        let repair = one.get_mut("repair").and_then(Value::as_array_mut);
        for operation in repair.into_iter().flatten() {
            within(operation, "path");
            within(operation, "from");
        }
    }
}

/// The tools of the scenarios that a wish is likeliest meant for.
async fn find(service: &App, asker: &McpCaller, arguments: &str, characters_max: usize) -> Result<String, Problem> {
    let params = Params::parse(arguments)?;
    asker.caller.require(Call::SubmitPayload.permission())?;
    let limit = params.whole("limit")?.unwrap_or(FOUND);
    if !(1..=FOUND_MAX).contains(&limit) {
        let what = format!("`limit` must be 1 to {FOUND_MAX}");
        return Err(Problem::new(Code::BadParameter, what));
    }
    let wish = scenarios::Asked {
        wish: params.required("q")?,
        label: None,
        limit: limit as usize,
        stats: false,
    };
    let found = service.search(&asker.caller, wish).await?;
    let mut tools = Vec::new();
    for row in &found.scenarios {
        let Some(scenario) = ScenarioKey::parse(&row.scenario) else {
            continue;
        };
        tools.extend(definition(service, asker, &scenario, characters_max)?.map(|tool| json!(tool)));
    }
    let told = FoundTools {
        outcome: found.outcome.unwrap_or(SearchOutcome::NoMatch),
        likeness_min: found.likeness_min.unwrap_or_default(),
        unread: found.unread.unwrap_or_default(),
        tools,
    };
    serde_json::to_string(&told).map_err(|error| Problem::from(ServiceError::from(error)))
}

#[cfg(test)]
mod tests {
    use jsonschema::draft202012;
    use serde_json::Value;
    use serde_json::json;

    use super::Gives;
    use super::name;
    use super::of_arguments;
    use super::output;
    use super::warned_of_arguments;
    use crate::api::submissions::Exchange;
    use crate::api::submissions::ExchangeStatus;
    use crate::api::templates::Suggestion;
    use crate::wire::calls::Call;
    use crate::wire::codes::Code;
    use crate::wire::problem::Problem;
    use schema::name::ScenarioKey;

    #[test]
    fn what_is_promised_of_a_result_is_said_of_it_where_two_more_members_keep_it_z020() {
        let closed = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "additionalProperties": false,
            "$defs": {"a": {"type": "string"}}});
        let short = json!({"type": ["object", "null"], "required": ["a"], "minProperties": 1});
        let refers = json!({"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"a": {"type": "string"}}, "additionalProperties": false}}});
        let all = json!({"allOf": [{"properties": {"a": {"type": "string"}}, "additionalProperties": false}]});
        let few = json!({"maxProperties": 1});
        let patterned = json!({"patternProperties": {"e": {"type": "string"}}});
        for (response, told) in [
            (closed, true),
            (short, true),
            (refers, false),
            (all, false),
            (few, false),
            (patterned, false),
        ] {
            let result = json!({"a": "x"});
            assert!(draft202012::is_valid(&response, &result), "{response}");
            let gives = Gives::Result(response.as_object().cloned());
            let promised = Value::Object((*output(&gives)).clone());
            let mut reply = result;
            reply["exchange"] = json!(Exchange::new("a_v1", 1, ExchangeStatus::Accepted));
            assert!(draft202012::is_valid(&promised, &reply), "{promised}");
            reply["schema_update_suggestion"] = json!(Suggestion::default());
            assert!(draft202012::is_valid(&promised, &reply), "{promised}");
            assert_eq!(promised["type"], "object");
            reply["a"] = json!(7);
            let says = response["required"].is_null() && told;
            assert_eq!(draft202012::is_valid(&promised, &reply), !says, "{promised}");
            reply["exchange"] = Value::Null;
            assert!(!draft202012::is_valid(&promised, &reply), "{promised}");
        }
    }

    #[test]
    fn no_scenario_has_the_name_of_a_generic_tool_z049() {
        let of = |scenario: &str| name(&ScenarioKey::parse(scenario).expect("a name"), 44);
        assert_eq!(of("Flight Booking"), "flight_booking");
        for generic in Call::all().map(Call::name).chain([super::FIND]) {
            let own = of(generic);
            assert!(own.starts_with(generic) && own.len() == generic.len() + 9, "{own}");
        }
    }

    #[test]
    fn repairs_apply_to_the_arguments_as_they_were_sent_z019() {
        let repair = json!([{"op": "move", "from": "/payload/cabbin", "path": "/payload/cabin"}, {"op": "remove", "path": "/payload"}]);
        let violations = json!([{"pointer": "/payload/cabbin", "repair": repair}, {"pointer": "/payload"}]);
        let problem = Problem {
            members: vec![
                ("violations", violations),
                (
                    "exchange",
                    json!({"pointer": "/payload/x", "warnings": [{"repair": [{"op": "move", "from": "/payload/A", "path": "/payload/a"}]}]}),
                ),
            ],
            ..Problem::new(Code::InvalidPayload, "")
        };
        let told = of_arguments(problem).document();
        let repair = json!([{"op": "move", "from": "/cabbin", "path": "/cabin"}, {"op": "remove", "path": ""}]);
        assert_eq!(
            told["violations"],
            json!([{"pointer": "/cabbin", "repair": repair}, {"pointer": ""}])
        );
        assert_eq!(told["exchange"]["pointer"], "/payload/x");
        let moved = json!([{"op": "move", "from": "/A", "path": "/a"}]);
        assert_eq!(told["exchange"]["warnings"][0]["repair"], moved);
        let accepted =
            warned_of_arguments(json!({"exchange": {"warnings": [{"repair": [{"path": "/payload/a"}]}]}}).to_string());
        assert_eq!(accepted, r#"{"exchange":{"warnings":[{"repair":[{"path":"/a"}]}]}}"#);
    }
}
