//! What a message is answered with: the template that fits a wish, or that none does; and what a failure leaves of a task.
//!
//! Invariants: a template stands in an answer as it is served; what passes ends no task.

use serde_json::Map;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::app::a2a_tasks::documents::PROBLEM;
use crate::app::a2a_tasks::worker::Asking;
use crate::app::application::App;
use crate::app::application::contract::ANSWER_TYPE;
use crate::app::application::contract::ANSWER_VERSION;
use crate::app::error::ServiceError;
use crate::app::negotiation::Pin;
use crate::app::reply::Wanted;
use crate::app::scenarios;
use context::a2a_task::message::Part;
use context::a2a_task::phase::Phase;
use context::fields::FieldFault;
use schema::capabilities::Capabilities;
use schema::version_range;
use schema::version_range::VersionRange;

/// Violations that are said in plain words; all of them are in the data.
const SAID_MAX: usize = 8;

/// Where a failure leaves the task. What passes ends no task: it waits for the same message again.
pub(super) fn phase_of(error: &ServiceError) -> Phase {
    match error {
        ServiceError::InvalidPayload(_)
        | ServiceError::IdempotencyInFlight
        | ServiceError::Busy { .. }
        | ServiceError::LimitReached(_)
        | ServiceError::LimitReachedFor { .. }
        | ServiceError::ShuttingDown
        | ServiceError::DiskFull
        | ServiceError::StoreStalled
        | ServiceError::ReadOnly
        | ServiceError::ReadOnlyBySetting => Phase::InputRequired,
        ServiceError::BadRequest(_)
        | ServiceError::BadParameter(_)
        | ServiceError::UnknownSchema(_)
        | ServiceError::UnknownScenario(_)
        | ServiceError::SchemaRetired(_)
        | ServiceError::InvalidMessage(_)
        | ServiceError::UnsupportedMedia(_)
        | ServiceError::IdempotencyMismatch
        | ServiceError::Forbidden
        | ServiceError::NotItself => Phase::Rejected,
        _ => Phase::Failed,
    }
}

/// A failure in words and as data.
pub(super) fn refusal(problem: &Value) -> Vec<Part> {
    let detail = problem["detail"].as_str().unwrap_or_default();
    let violations = problem["violations"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut said: Vec<&str> = violations
        .iter()
        .filter_map(|violation| violation["message"].as_str())
        .collect();
    let more = said.len().saturating_sub(SAID_MAX);
    said.truncate(SAID_MAX);
    let mut text = match said.as_slice() {
        [] => detail.to_owned(),
        said => format!("{detail}: {}", said.join("; ")),
    };
    if more > 0 {
        text.push_str(&format!("; and {more} more"));
    }
    vec![Part::text(text), Part::data(problem.to_string(), PROBLEM)]
}

/// Scenarios that an answer to a wish names.
const SCENARIOS: usize = 3;

/// Members that say which template is wanted, and where they stand in the message.
pub(super) struct TemplateMembers<'a> {
    pub(super) members: &'a Map<String, Value>,
    pub(super) at: String,
}

impl TemplateMembers<'_> {
    /// Returns the capabilities that the client declares (Z-182).
    pub(super) fn capabilities(&self) -> Result<Capabilities, ServiceError> {
        let declared = self.members.get("capabilities").filter(|declared| !declared.is_null());
        let read = declared.map(Capabilities::read).transpose();
        let wrong = |fault| self.wrong("capabilities", format!("cannot be read: {fault}"));
        Ok(read.map_err(wrong)?.unwrap_or_default())
    }

    /// Which of the scenario's schemas the client names (Z-182).
    pub(super) fn pin(&self) -> Result<Pin, ServiceError> {
        let version = self.text("version")?.map(|text| {
            let wrong = || self.wrong("version", version_range::FORM);
            VersionRange::parse(&text).ok_or_else(wrong)
        });
        Ok(Pin {
            schema_id: self.text("schema_id")?,
            version: version.transpose()?,
        })
    }

    fn text(&self, name: &str) -> Result<Option<String>, FieldFault> {
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(self.wrong(name, "must be a string")),
        }
    }

    fn wrong(&self, name: &str, what: impl Into<String>) -> FieldFault {
        FieldFault::new(format!("{}.{name}", self.at), what)
    }
}

/// The answer to the draft's request for a template (Z-173).
pub(super) fn answer_request(
    service: &App,
    asking: &Asking,
    wanted: &TemplateMembers<'_>,
) -> Result<Vec<Part>, ServiceError> {
    const READ: [&str; 5] = ["scenario", "schema_id", "version", "preferred_language", "capabilities"];
    if let Some(name) = wanted.members.keys().find(|name| !READ.contains(&name.as_str())) {
        let what = format!("is not read over A2A; a request holds {}", READ.join(", "));
        return Err(wanted.wrong(name, what).into());
    }
    let scenario = wanted.text("scenario")?;
    let scenario = scenario.ok_or_else(|| wanted.wrong("scenario", "is required"))?;
    let language = wanted.text("preferred_language")?.or_else(|| asking.language.clone());
    let (capabilities, pin) = (wanted.capabilities()?, wanted.pin()?);
    let (said, template) = offer(service, asking, &scenario, (&pin, &capabilities), language.as_deref())?;
    let data = with_template(r#"{"outcome":"match"}"#.to_owned(), &template);
    Ok(answer(&said, &data))
}

/// The template of a scenario in words and as it is served.
fn offer(
    service: &App,
    asking: &Asking,
    scenario: &str,
    (pin, capabilities): (&Pin, &Capabilities),
    language: Option<&str>,
) -> Result<(String, String), ServiceError> {
    let wanted = Wanted {
        language,
        experimental: true,
        form: capabilities.form,
    };
    let template = service.template(&asking.caller, scenario, pin, wanted, |_| false)?;
    let Ok(template) = template else {
        return Err(ServiceError::Fault(
            "a template that nobody holds was not given".to_owned(),
        ));
    };
    let view = &service.inner.registry.by_scenario(scenario)?.view.load();
    let schema_id = view.meant(scenario, pin)?;
    let said = format!(
        "The scenario {scenario} fits. Fill its template and send it as a data part: {{\"schema_id\": \"{schema_id}\", \
         \"payload\": {{…}}}}."
    );
    Ok((said, template.told(&capabilities.ignored)))
}

pub(super) async fn answer_wish(
    service: &App,
    asking: &Asking,
    wish: &str,
    capabilities: Capabilities,
    pin: Pin,
) -> Result<Vec<Part>, ServiceError> {
    let wanted = scenarios::Asked {
        wish,
        label: None,
        limit: SCENARIOS,
        stats: false,
    };
    let found = service
        .search(&asking.caller, wanted)
        .await
        .map_err(|error| match error {
            ServiceError::BadParameter(_) => {
                let max = &service.inner.registry.deps.options.search_chars_max;
                let what = format!(
                    "hold more than {max} characters of text (`service.search_chars_max`) to find a template by"
                );
                FieldFault::new("message.parts", what).into()
            }
            other => other,
        })?;
    let first = found.scenarios.first().map(|row| row.scenario.clone());
    let found_text = serde_json::to_string(&found).unwrap_or_default();
    let Some(scenario) = first else {
        let said = match found.unread.unwrap_or_default() {
            0 => "No scenario that is hosted here answers this.".to_owned(),
            unread => {
                format!("No scenario that was read answers this; {unread} are not read yet: ask again in a moment.")
            }
        };
        return Ok(answer(&said, &found_text));
    };
    let (said, template) = offer(
        service,
        asking,
        &scenario,
        (&pin, &capabilities),
        asking.language.as_deref(),
    )?;
    let data = with_template(found_text, &template);
    Ok(answer(&said, &data))
}

/// What was found, with the template as it is served.
fn with_template(mut text: String, template: &str) -> String {
    let template: Result<&RawValue, _> = serde_json::from_str(template);
    if let (Some('}'), Ok(template)) = (text.pop(), template) {
        text.push_str(&format!(",\"template\":{}}}", template.get()));
    }
    text
}

pub(super) fn answer(said: &str, data: &str) -> Vec<Part> {
    let data = Part::data(data.to_owned(), "application/json").typed(ANSWER_TYPE, ANSWER_VERSION);
    vec![Part::text(said), data]
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::Phase;
    use super::SAID_MAX;
    use super::ServiceError;
    use super::phase_of;
    use super::refusal;
    use super::with_template;
    use context::a2a_task::message::Content;

    #[test]
    fn what_passes_ends_no_task() {
        for passing in [
            ServiceError::IdempotencyInFlight,
            ServiceError::Busy { retry_after_s: 1 },
            ServiceError::LimitReached("so many".to_owned()),
            ServiceError::DiskFull,
            ServiceError::ReadOnly,
        ] {
            assert_eq!(phase_of(&passing), Phase::InputRequired, "{passing}");
        }
        assert_eq!(phase_of(&ServiceError::Fault("it broke".to_owned())), Phase::Failed);
    }

    #[test]
    fn so_many_violations_are_said_and_all_are_told() {
        let problem = |count: usize| {
            let violations: Vec<Value> = (0..count)
                .map(|n| json!({"message": format!("k{n} is required")}))
                .collect();
            json!({"detail": "it does not fit", "violations": violations})
        };
        let text = |count| match &refusal(&problem(count))[0].content {
            Content::Text(text) => text.clone(),
            other => panic!("{other:?} is no text"),
        };
        assert_eq!(text(0), "it does not fit");
        assert_eq!(text(1), "it does not fit: k0 is required");
        assert!(!text(SAID_MAX).contains("more"));
        assert!(text(SAID_MAX + 1).ends_with("; and 1 more"));
    }

    #[test]
    fn a_template_stands_in_an_answer_as_it_is_served() {
        let text = with_template(r#"{"outcome":"match"}"#.to_owned(), "{\"default\":1.50}");
        assert_eq!(text, r#"{"outcome":"match","template":{"default":1.50}}"#);
        assert!(
            serde_json::from_str::<Value>(&with_template("{}".to_owned(), "{}")).is_err(),
            "there is always an outcome"
        );
    }
}
