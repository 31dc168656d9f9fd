//! Which extensions a request asks for (A2A §4.6): ours is activated where it is named, any other is ignored.

use serde_json::Value;
use serde_json::json;

use crate::app::application::agents::Skill;
use crate::app::application::contract::CONTRACT;

/// The header, both ways.
pub const HEADER: &str = "A2A-Extensions";

/// Whether ours is among them.
pub fn is_asked_for<'a>(values: impl Iterator<Item = &'a str>) -> bool {
    values
        .flat_map(|value| value.split(','))
        .any(|uri| uri.trim() == CONTRACT)
}

/// What the card says of it: for each skill the schema, its version and revision, where its template is served, and the
/// SHA-256 of that text.
pub fn declared(skills: &[Skill], base: &str) -> Value {
    let mut contracts = serde_json::Map::new();
    for skill in skills {
        let scenario = name(skill);
        let contract = json!({
            "schemaId": skill.row.schema_id,
            "schemaVersion": skill.row.version,
            "revision": skill.row.revision,
            "language": skill.row.language,
            "template": format!("{base}/v1/scenarios/{}/template", encoded(&scenario)),
            "digest": format!("sha-256:{}", skill.digest),
        });
        contracts.insert(scenario, contract);
    }
    json!({
        "uri": CONTRACT,
        "description": "Says which template each skill goes by, and tells every violation of it with a repair.",
        "params": {"skills": contracts},
    })
}

/// The name under which a skill's scenario is looked up.
pub fn name(skill: &Skill) -> String {
    let scenario = skill.row.scenario.as_str();
    let key = schema::name::ScenarioKey::parse(scenario);
    key.map_or_else(|| scenario.to_owned(), |key| key.as_str().to_owned())
}

fn encoded(segment: &str) -> String {
    let mut text = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::CONTRACT;
    use super::encoded;
    use super::is_asked_for;

    #[test]
    fn ours_is_found_among_others_and_by_its_whole_name_alone() {
        let list = format!("https://example.com/v1 , {CONTRACT}");
        let other_version = format!("{CONTRACT}0");
        for (values, asked) in [
            (vec![CONTRACT], true),
            (vec![list.as_str()], true),
            (vec!["https://example.com/v1", CONTRACT], true),
            (vec![other_version.as_str()], false),
            (vec!["https://otherwise.dev/a2a/schema-contract"], false),
            (vec![], false),
        ] {
            assert_eq!(is_asked_for(values.iter().copied()), asked, "{values:?}");
        }
    }

    #[test]
    fn scenarios_stand_in_addresses_encoded() {
        assert_eq!(encoded("größe_1.a"), "gr%C3%B6%C3%9Fe_1.a");
    }
}
