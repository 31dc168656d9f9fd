//! A tool for each scenario: its arguments are a payload, and calling it submits that.
//!
//! The definition is the caller's effective template, with schema, revision and digest in `_meta`, and what a call says of itself stands
//! there too: no connection remembers which definition its client holds (Z-004). Invariant: an accepted call keeps the output schema of
//! its tool; what is refused is told with repairs of the arguments as they were sent.

use std::collections::BTreeMap;

use rmcp::ErrorData;
use rmcp::model::CallToolResult;
use rmcp::model::JsonObject;
use rmcp::model::MetaObject;
use rmcp::model::Tool;
use rmcp::model::ToolAnnotations;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::api::scenarios::FoundTools;
use crate::api::scenarios::SearchOutcome;
use crate::app::application::App;
use crate::app::error::ServiceError;
use crate::app::reply::TemplateIdentity;
use crate::app::scenario_tool::Gives;
use crate::app::scenario_tool::Offered;
use crate::app::scenario_tool::ScenarioTool;
use crate::app::scenarios;
use crate::mcp::mcp_caller::McpCaller;
use crate::mcp::mcp_caller::refused;
use crate::mcp::schemas;
use crate::mcp::tools;
use crate::mcp::tools::Asked;
use crate::wire::calls::Call;
use crate::wire::codes::Code;
use crate::wire::lone_surrogate;
use crate::wire::params::Params;
use crate::wire::problem::Problem;
use schema::export::safe_name::marked_name;
use schema::export::safe_name::safe_name;
use schema::name::ScenarioKey;

/// The tool that stands for those that are not listed.
const FIND: &str = "find_scenario";
/// Definitions that it gives where nothing is said, and at most: each is some thousand tokens.
const FOUND: u64 = 3;
const FOUND_MAX: u64 = 10;

/// Before every name in `_meta` that is ours: the reverse of our domain, as the protocol wants it.
const OURS: &str = "dev.otherwise/";
/// What a call may say of itself there, beside the schema, as members of a submission.
const OF_A_CALL: [&str; 4] = ["revision", "utterance", "language", "idempotency_key"];
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
const KEPT_WITH_MORE: [&str; 13] = [
    "$comment",
    "title",
    "description",
    "type",
    "properties",
    "required",
    "additionalProperties",
    "unevaluatedProperties",
    "minProperties",
    "$defs",
    "definitions",
    "default",
    "examples",
];
/// Passed over where it stands: some clients compile by another draft, and refuse one that they do not know.
const DRAFT: &str = "$schema";

/// The name of a scenario's tool: that of the scenario, with the digits of its hash where a generic tool has it.
fn name(scenario: &ScenarioKey) -> String {
    let plain = safe_name(scenario.as_str());
    if Call::named(&plain).is_some() || plain == FIND {
        return marked_name(scenario.as_str());
    }
    plain
}

/// The tools of scenarios that a caller is told, by name; `find_scenario` alone where there are more than so many.
///
/// # Errors
/// What the service says.
pub fn list(service: &App, asker: &McpCaller, tools_max: usize) -> Result<Vec<Tool>, ErrorData> {
    if !asker.caller.may(Call::SubmitPayload.permission()) {
        return Ok(Vec::new());
    }
    let offered = service.offered(&asker.caller).map_err(refused)?;
    if offered.len() > tools_max {
        return Ok(vec![find_tool()]);
    }
    let mut named = BTreeMap::new();
    for Offered { scenario, .. } in offered {
        named.entry(name(&scenario)).or_insert(scenario);
    }
    let defined = named.into_values().filter_map(|scenario| {
        // One that has gone meanwhile is listed no more.
        definition(service, asker, &scenario).map_err(refused).transpose()
    });
    defined.collect()
}

/// The definition of a scenario's tool; `None` where nothing is in force.
fn definition(service: &App, asker: &McpCaller, scenario: &ScenarioKey) -> Result<Option<Tool>, ServiceError> {
    let parts = match service.scenario_tool(&asker.caller, scenario, asker.language.as_deref()) {
        Err(ServiceError::UnknownScenario(_)) => return Ok(None),
        parts => parts?,
    };
    let submits = ToolAnnotations::from_raw(None, Some(false), Some(false), Some(false), Some(true));
    let output = output(&parts.gives);
    let meta = meta(&parts.identity);
    let ScenarioTool {
        title,
        description,
        input,
        ..
    } = parts;
    let tool = Tool::new(name(scenario), description, tools::schema(Value::Object(input)));
    Ok(Some(
        tool.with_title(title)
            .with_raw_output_schema(tools::schema(output))
            .with_annotations(submits)
            .with_meta(meta),
    ))
}

/// Which template a definition shows.
fn meta(identity: &TemplateIdentity) -> MetaObject {
    let told = [
        (SCHEMA_ID, json!(identity.schema_id)),
        (VERSION, json!(identity.version)),
        (REVISION, json!(identity.revision)),
        (DIGEST, json!(identity.digest)),
    ];
    MetaObject(
        told.into_iter()
            .map(|(name, value)| (format!("{OURS}{name}"), value))
            .collect(),
    )
}

/// What every accepted call gives.
fn output(gives: &Gives) -> Value {
    let mut schema = match gives {
        Gives::Payload => Map::from_iter([
            ("properties".to_owned(), json!({"payload": {"type": "object"}})),
            ("required".to_owned(), json!(["payload"])),
        ]),
        Gives::Result(Some(response)) => {
            let mut response = response.clone();
            response.shift_remove(DRAFT);
            let keeps = |(name, _): (&String, &Value)| KEPT_WITH_MORE.contains(&name.as_str());
            if response.iter().all(keeps) {
                response
            } else {
                Map::new()
            }
        }
        Gives::Result(None) => Map::new(),
    };
    schema.insert("type".to_owned(), json!("object"));
    let members = schema.entry("properties").or_insert_with(|| json!({}));
    for (name, said) in schemas::said_of_a_submission() {
        members[name] = said;
    }
    let required = schema.entry("required").or_insert_with(|| json!([]));
    if let Some(required) = required.as_array_mut() {
        required.push(json!("exchange"));
    }
    Value::Object(schema)
}

fn find_tool() -> Tool {
    let reads = ToolAnnotations::from_raw(None, Some(true), Some(false), Some(true), Some(false));
    let what = "There are more scenarios than are listed as tools. Say in plain words what is wanted, and the tools of the likeliest \
        scenarios are given, each with name, description and inputSchema. Call such a tool by its name; where only listed tools can \
        be called, call submit_payload with the schema_id that its _meta names, and its arguments as payload.";
    Tool::new(FIND, what, tools::schema(schemas::input_of_find(FOUND, FOUND_MAX)))
        .with_title("Find a scenario")
        .with_raw_output_schema(tools::schema(schemas::contract::<FoundTools>()))
        .with_annotations(reads)
}

/// Calls a tool that is none of the generic ones.
///
/// # Errors
/// When there is no such tool. What the service refuses is a result, as with the generic ones.
pub async fn call(
    service: &App,
    asker: &McpCaller,
    asked: &Asked,
    meta: &JsonObject,
) -> Result<CallToolResult, ErrorData> {
    if asked.name == FIND {
        return Ok(tools::told(find(service, asker, asked).await));
    }
    let scenario = scenario(service, asker, &asked.name).ok_or_else(tools::none)?;
    let answer = match submission(service, &scenario, asked, meta) {
        Ok(text) => asker.call(service, Call::SubmitPayload, &text).await,
        Err(problem) => Err(problem),
    };
    let refused = answer.as_ref().err().map(Problem::document);
    let mut told = tools::told(answer.map_err(of_arguments));
    let reply = told.structured_content.as_ref().or(refused.as_ref());
    told.meta = reply.and_then(|reply| of_schema(reply.get("exchange")?));
    Ok(told)
}

/// What an answer says of the schema that it was judged by.
fn of_schema(exchange: &Value) -> Option<MetaObject> {
    let told = TOLD.iter().filter_map(|(member, name)| {
        let said = exchange.get(*member)?;
        Some((format!("{OURS}{name}"), said.clone()))
    });
    let told: JsonObject = told.collect();
    (!told.is_empty()).then_some(MetaObject(told))
}

/// The scenario whose tool has this name.
fn scenario(service: &App, asker: &McpCaller, named: &str) -> Option<ScenarioKey> {
    let is_it = |key: &ScenarioKey| name(key) == named;
    let plain = ScenarioKey::parse(named).filter(|key| is_it(key) && service.schema_of(key, None).is_ok());
    plain.or_else(|| {
        // Who may not submit is told so by the call.
        let offered = service.offered(&asker.caller).unwrap_or_default();
        offered.into_iter().map(|offered| offered.scenario).find(is_it)
    })
}

/// The submission that a call makes, as JSON text.
fn submission(service: &App, scenario: &ScenarioKey, asked: &Asked, meta: &JsonObject) -> Result<String, Problem> {
    let payload = asked.arguments()?;
    lone_surrogate::refused(payload)?;
    let mut named = None;
    let mut text = String::new();
    for (name, value) in meta {
        let Some(member) = name.strip_prefix(OURS) else {
            continue;
        };
        if member == SCHEMA_ID {
            let wrong = || Problem::new(Code::BadRequest, format!("`{OURS}{SCHEMA_ID}` in `_meta` is a string"));
            named = Some(value.as_str().ok_or_else(wrong)?);
        } else if OF_A_CALL.contains(&member) {
            text.push_str(&format!(",\"{member}\":{value}"));
        } else if member != VERSION && member != DIGEST {
            let known = OF_A_CALL.join(", ");
            let what = format!("`_meta` holds a name with {OURS} that is unknown; there are {SCHEMA_ID}, {known}");
            return Err(Problem::new(Code::BadRequest, what));
        }
    }
    let schema_id = service.schema_of(scenario, named)?;
    Ok(format!(
        "{{\"schema_id\":{},\"payload\":{payload}{text}}}",
        json!(schema_id)
    ))
}

/// A problem whose violations point into the arguments, which are the payload, and whose repairs apply to them.
fn of_arguments(mut problem: Problem) -> Problem {
    let violations = problem.members.iter_mut().filter(|(name, _)| *name == "violations");
    for violation in violations.filter_map(|(_, list)| list.as_array_mut()).flatten() {
        within(violation, &["pointer"]);
        let repair = violation.get_mut("repair").and_then(Value::as_array_mut);
        for operation in repair.into_iter().flatten() {
            within(operation, &["path", "from"]);
        }
    }
    problem
}

/// Pointers into a submission as pointers into its payload.
fn within(said: &mut Value, names: &[&str]) {
    for name in names {
        if let Some(pointer) = said.get_mut(*name)
            && let Some(rest) = pointer.as_str().and_then(|pointer| pointer.strip_prefix(PAYLOAD))
        {
            *pointer = json!(rest);
        }
    }
}

/// The tools of the scenarios that a wish is likeliest meant for.
async fn find(service: &App, asker: &McpCaller, asked: &Asked) -> Result<String, Problem> {
    let arguments = asked.arguments()?;
    lone_surrogate::refused(arguments)?;
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
    };
    let found = service.search(&asker.caller, wish).await?;
    let mut tools = Vec::new();
    for row in &found.scenarios {
        let Some(scenario) = ScenarioKey::parse(&row.scenario) else {
            continue;
        };
        tools.extend(definition(service, asker, &scenario)?.map(|tool| json!(tool)));
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
            let promised = output(&gives);
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
        let of = |scenario: &str| name(&ScenarioKey::parse(scenario).expect("a name"));
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
                ("exchange", json!({"pointer": "/payload/x"})),
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
    }
}
