//! The agent card (A2A §4.4, §8): what this service says of itself to other agents. Its skills are the scenarios that the
//! reader may see, each with the template that it goes by.

use serde_json::Value;

use crate::a2a::headers::SERVED;
use crate::a2a::params::PRODUCED;
use crate::api::a2a::AgentCapabilities;
use crate::api::a2a::AgentCard;
use crate::api::a2a::AgentExtension;
use crate::api::a2a::AgentInterface;
use crate::api::a2a::AgentSkill;
use crate::api::a2a::SecurityRequirement;
use crate::api::a2a::SecurityScheme;
use crate::api::a2a::SkillContract;
use crate::api::a2a::SkillContracts;
use crate::app::application::App;
use crate::app::application::agents::Skill;
use crate::app::application::contract::CONTRACT;
use crate::app::caller::Caller;
use crate::app::error::ServiceError;
use crate::config::agents::A2a;
use crate::wire::percent;

const JSON: &str = "application/json";
/// Tags of one skill.
const TAGS_MAX: usize = 16;

/// A card for one request.
#[derive(Clone, Copy)]
pub struct Card<'a> {
    pub settings: &'a A2a,
    /// The address that was called, `http://host:port`.
    pub called: &'a str,
    /// Whether everyone may do everything.
    pub open: bool,
}

impl Card<'_> {
    /// The card for everyone.
    pub fn public(&self, service: &App) -> Result<AgentCard, ServiceError> {
        if self.open || self.settings.public_skills {
            return self.extended(service, &Caller::client(None));
        }
        Ok(self.document(&[], 0))
    }

    /// The card for who calls.
    pub fn extended(&self, service: &App, caller: &Caller) -> Result<AgentCard, ServiceError> {
        let (skills, total) = service.skills(caller, self.settings.skills_max)?;
        Ok(self.document(&skills, total))
    }

    fn document(&self, skills: &[Skill], total: usize) -> AgentCard {
        let base = match self.settings.public_url.trim_end_matches('/') {
            "" => self.called,
            set => set,
        };
        let interface = |protocol_binding| AgentInterface {
            url: format!("{base}/a2a"),
            protocol_binding,
            protocol_version: SERVED,
        };
        let contracts = skills.iter().map(|skill| (skill.row.key(), contract(skill, base)));
        let contract = AgentExtension {
            uri: CONTRACT,
            description: "Says which template each skill goes by, and tells every violation of it with a repair.",
            params: SkillContracts {
                skills: contracts.collect(),
            },
        };
        let mut shown = vec![find(total > skills.len())];
        shown.extend(skills.iter().map(described));
        let mut card = AgentCard {
            name: self.settings.name.clone(),
            description: self.settings.description.clone(),
            supported_interfaces: vec![interface("JSONRPC"), interface("HTTP+JSON")],
            version: env!("CARGO_PKG_VERSION"),
            documentation_url: format!("{base}/docs"),
            capabilities: AgentCapabilities {
                streaming: true,
                push_notifications: true,
                extended_agent_card: true,
                extensions: vec![contract],
            },
            default_input_modes: vec![JSON, "text/plain"],
            default_output_modes: PRODUCED.to_vec(),
            skills: shown,
            security_schemes: Default::default(),
            security_requirements: Vec::new(),
        };
        if !self.open {
            let (scheme, location, name) = ("Bearer", "header", "X-API-Key");
            card.security_schemes = [
                ("bearer", SecurityScheme::HttpAuthSecurityScheme { scheme }),
                ("key", SecurityScheme::ApiKeySecurityScheme { location, name }),
            ]
            .into();
            let required = |name| SecurityRequirement {
                schemes: [(name, Default::default())].into(),
            };
            card.security_requirements = vec![required("bearer"), required("key")];
        }
        card
    }
}

/// The skill that is always there: to find a template.
fn find(more: bool) -> AgentSkill {
    let more = match more {
        true => " There are more scenarios than are listed here.",
        false => "",
    };
    AgentSkill {
        id: "find-template".to_owned(),
        name: "Find a template".to_owned(),
        description: format!(
            "Say in plain words what you want to do; the answer is the template of the scenario that fits, or that none does.{more}"
        ),
        tags: ["schema", "template", "search"].map(str::to_owned).to_vec(),
        input_modes: vec!["text/plain"],
        output_modes: PRODUCED.to_vec(),
    }
}

fn described(skill: &Skill) -> AgentSkill {
    let id = skill.row.key();
    let words = id.split('_').filter(|word| !word.is_empty()).map(str::to_owned);
    let labels = skill.row.labels.as_ref().and_then(Value::as_object);
    let labels = labels.into_iter().flatten().map(|(name, value)| match value.as_str() {
        Some(value) => format!("{name}:{value}"),
        None => name.clone(),
    });
    let tags = words.chain(labels).take(TAGS_MAX).collect();
    let description = skill.row.description.clone().filter(|text| !text.is_empty());
    let schema_id = &skill.row.schema_id;
    AgentSkill {
        tags,
        id,
        name: skill.row.scenario.clone(),
        description: description.unwrap_or_else(|| format!("Takes submissions of the schema {schema_id}.")),
        input_modes: vec![JSON],
        output_modes: vec![JSON],
    }
}

/// The schema of a skill, where its template is served, and the SHA-256 of that text.
fn contract(skill: &Skill, base: &str) -> SkillContract {
    SkillContract {
        schema_id: skill.row.schema_id.clone(),
        schema_version: skill.row.version.clone(),
        revision: skill.row.revision,
        language: skill.row.language.clone(),
        template: format!("{base}/v1/scenarios/{}/template", percent::segment(&skill.row.key())),
        digest: format!("sha-256:{}", skill.digest),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Card;
    use super::Skill;
    use crate::api::scenarios::ScenarioRow;
    use crate::config::agents::A2a;

    #[test]
    fn a_card_says_what_the_protocol_requires_and_a_skill_goes_by_its_template() {
        let mut settings = A2a {
            public_url: "https://agents.example.com/".to_owned(),
            ..A2a::default()
        };
        let skill = Skill {
            row: ScenarioRow {
                scenario: "Flight Booking".to_owned(),
                schema_id: "flight_v1".to_owned(),
                version: "1.0.0".to_owned(),
                revision: 3,
                language: "en".to_owned(),
                labels: Some(json!({"team": "travel"})),
                ..ScenarioRow::default()
            },
            digest: "ab".repeat(32),
        };
        let card = |settings: &A2a, open: bool, skills: &[Skill], total: usize| {
            let called = "http://127.0.0.1:8080";
            json!(Card { settings, called, open }.document(skills, total))
        };
        let document = card(&settings, false, &[skill], 2);
        assert_eq!(
            document["supportedInterfaces"][1],
            json!({"url": "https://agents.example.com/a2a", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"})
        );
        let skills = &document["skills"];
        assert!(skills[0]["description"].to_string().contains("more scenarios"));
        assert_eq!(
            (&skills[1]["id"], &skills[1]["tags"]),
            (&json!("flight_booking"), &json!(["flight", "booking", "team:travel"]))
        );
        assert_eq!(
            document["capabilities"]["extensions"][0]["params"]["skills"]["flight_booking"],
            json!({
                "schemaId": "flight_v1", "schemaVersion": "1.0.0", "revision": 3, "language": "en",
                "template": "https://agents.example.com/v1/scenarios/flight_booking/template",
                "digest": format!("sha-256:{}", "ab".repeat(32)),
            })
        );
        assert_eq!(
            document["securitySchemes"],
            json!({"bearer": {"httpAuthSecurityScheme": {"scheme": "Bearer"}},
                   "key": {"apiKeySecurityScheme": {"location": "header", "name": "X-API-Key"}}})
        );
        assert_eq!(document["securityRequirements"][1], json!({"schemes": {"key": {}}}));
        // An open service asks for no key, and is where it was called.
        settings.public_url.clear();
        let document = card(&settings, true, &[], 0);
        assert!(document.get("securitySchemes").is_none() && document.get("securityRequirements").is_none());
        assert_eq!(document["supportedInterfaces"][0]["url"], "http://127.0.0.1:8080/a2a");
        assert_eq!(document["skills"].as_array().map(Vec::len), Some(1));
    }
}
