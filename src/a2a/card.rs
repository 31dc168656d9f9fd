//! The agent card (A2A §4.4, §8): what this service says of itself to other agents. Its skills are the scenarios that the
//! reader may see.

use std::collections::BTreeSet;

use serde_json::Value;
use serde_json::json;
use sha2::Digest;
use sha2::Sha256;

use crate::a2a::extension;
use crate::a2a::params::PRODUCED;
use crate::a2a::version;
use crate::app::application::App;
use crate::app::application::agents::Skill;
use crate::app::caller::Caller;
use crate::app::caller::Origin;
use crate::app::caller::Role;
use crate::app::error::ServiceError;
use text::name::hexadecimal;

/// The skill that is always there: to find a template.
const FIND: &str = "find-template";
/// Tags of one skill.
const TAGS_MAX: usize = 16;

/// What is set of the card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardSettings {
    pub name: String,
    pub description: String,
    /// Where others reach this service, such as `https://agents.example.com`; empty for the address that they called.
    pub public_url: String,
    /// Whether everyone sees the scenarios, not only who may call.
    pub public_skills: bool,
    pub skills_max: usize,
    pub max_age_s: u64,
}

/// A card for one request.
#[derive(Clone, Copy)]
pub struct Card<'a> {
    pub settings: &'a CardSettings,
    /// The address that was called, `http://host:port`.
    pub called: &'a str,
    /// Whether everyone may do everything.
    pub open: bool,
}

impl Card<'_> {
    /// The card for everyone, as JSON text.
    ///
    /// # Errors
    /// What the service says.
    pub fn public(&self, service: &App) -> Result<String, ServiceError> {
        let anyone = Caller {
            client: None,
            roles: BTreeSet::from([Role::Client]),
            speaks_as: None,
            origin: Origin::default(),
        };
        let shown = self.open || self.settings.public_skills;
        let (skills, total) = if shown {
            service.skills(&anyone, self.settings.skills_max)?
        } else {
            (Vec::new(), 0)
        };
        Ok(self.document(&skills, total).to_string())
    }

    /// The card for who calls, as JSON text.
    ///
    /// # Errors
    /// What the service says.
    pub fn extended(&self, service: &App, caller: &Caller) -> Result<String, ServiceError> {
        let (skills, total) = service.skills(caller, self.settings.skills_max)?;
        Ok(self.document(&skills, total).to_string())
    }

    fn base(&self) -> &str {
        let set = self.settings.public_url.trim_end_matches('/');
        if set.is_empty() { self.called } else { set }
    }

    fn document(&self, skills: &[Skill], total: usize) -> Value {
        let base = self.base();
        let url = format!("{base}/a2a");
        let interface =
            |binding: &str| json!({"url": url, "protocolBinding": binding, "protocolVersion": version::SERVED});
        let mut shown = vec![find(total > skills.len())];
        shown.extend(skills.iter().map(described));
        let mut card = json!({
            "name": self.settings.name,
            "description": self.settings.description,
            "supportedInterfaces": [interface("JSONRPC"), interface("HTTP+JSON")],
            "version": env!("CARGO_PKG_VERSION"),
            "documentationUrl": format!("{base}/docs"),
            "capabilities": {
                "streaming": true,
                "pushNotifications": true,
                "extendedAgentCard": true,
                "extensions": [extension::declared(skills, base)],
            },
            "defaultInputModes": ["application/json", "text/plain"],
            "defaultOutputModes": PRODUCED,
            "skills": shown,
        });
        if !self.open {
            card["securitySchemes"] = json!({
                "bearer": {"httpAuthSecurityScheme": {"scheme": "Bearer"}},
                "key": {"apiKeySecurityScheme": {"location": "header", "name": "X-API-Key"}},
            });
            card["securityRequirements"] = json!([{"schemes": {"bearer": {}}}, {"schemes": {"key": {}}}]);
        }
        card
    }
}

/// A strong entity tag of a card.
pub fn etag(card: &str) -> String {
    let digest = Sha256::digest(card.as_bytes());
    format!("\"{}\"", hexadecimal(&digest[..12]))
}

fn find(more: bool) -> Value {
    let more = if more {
        " There are more scenarios than are listed here."
    } else {
        ""
    };
    json!({
        "id": FIND,
        "name": "Find a template",
        "description": format!(
            "Say in plain words what you want to do; the answer is the template of the scenario that fits, or that none does.{more}"
        ),
        "tags": ["schema", "template", "search"],
        "inputModes": ["text/plain"],
        "outputModes": PRODUCED,
    })
}

fn described(skill: &Skill) -> Value {
    let scenario = extension::name(skill);
    let mut tags: Vec<String> = scenario
        .split('_')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    for (name, value) in skill
        .row
        .labels
        .as_ref()
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        tags.push(
            value
                .as_str()
                .map_or_else(|| name.clone(), |value| format!("{name}:{value}")),
        );
    }
    tags.truncate(TAGS_MAX);
    let name = skill.row.scenario.as_str();
    let description = skill.row.description.as_deref().filter(|text| !text.is_empty());
    let schema_id = &skill.row.schema_id;
    json!({
        "id": scenario,
        "name": name,
        "description": description.map_or_else(|| format!("Takes submissions of the schema {schema_id}."), str::to_owned),
        "tags": tags,
        "inputModes": ["application/json"],
        "outputModes": ["application/json"],
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Card;
    use super::CardSettings;
    use super::Skill;
    use super::etag;
    use crate::api::scenarios::ScenarioRow;

    fn settings(public_url: &str) -> CardSettings {
        CardSettings {
            name: "Otherwise".to_owned(),
            description: "Hosts schemas.".to_owned(),
            public_url: public_url.to_owned(),
            public_skills: false,
            skills_max: 1,
            max_age_s: 60,
        }
    }

    fn skill() -> Skill {
        Skill {
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
        }
    }

    #[test]
    fn a_card_says_what_the_protocol_requires_and_a_skill_goes_by_its_template() {
        let settings = settings("https://agents.example.com/");
        let card = Card {
            settings: &settings,
            called: "http://127.0.0.1:8080",
            open: false,
        };
        let document = card.document(&[skill()], 2);
        assert_eq!(
            document["supportedInterfaces"][1],
            json!({"url": "https://agents.example.com/a2a", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"})
        );
        let skills = document["skills"].as_array().expect("a list");
        assert_eq!(skills.len(), 2);
        assert!(
            skills[0]["description"]
                .as_str()
                .expect("text")
                .contains("more scenarios")
        );
        assert_eq!(
            (&skills[1]["id"], &skills[1]["tags"]),
            (&json!("flight_booking"), &json!(["flight", "booking", "team:travel"]))
        );
        let contract = &document["capabilities"]["extensions"][0];
        assert_eq!(
            contract["params"]["skills"]["flight_booking"],
            json!({
                "schemaId": "flight_v1", "schemaVersion": "1.0.0", "revision": 3, "language": "en",
                "template": "https://agents.example.com/v1/scenarios/flight_booking/template",
                "digest": format!("sha-256:{}", "ab".repeat(32)),
            })
        );
        assert!(document["securitySchemes"]["bearer"].is_object());
    }

    #[test]
    fn an_open_service_asks_for_no_key_and_is_where_it_was_called() {
        let settings = settings("");
        let card = Card {
            settings: &settings,
            called: "http://127.0.0.1:8080",
            open: true,
        };
        let document = card.document(&[], 0);
        assert!(document.get("securitySchemes").is_none());
        assert_eq!(document["supportedInterfaces"][0]["url"], "http://127.0.0.1:8080/a2a");
        assert!(!document["skills"].as_array().expect("a list").is_empty());
        assert_ne!(etag("{}"), etag("[]"));
    }
}
