//! Whether a template can follow another by its id and its version, whatever changed between them (Z-030, Z-105).
//!
//! Knows two templates and no registry: what else is published is not seen. Invariant: the same content follows itself.

use serde::Serialize;

use crate::template::SchemaTemplate;

/// What stands in the way of the newer one, the graver first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Hindrance {
    /// The older one's id with other content: publishing it is refused.
    SameId,
    /// A lower version of the scenario: the older one stays in force.
    VersionBack,
    /// The same version under two ids: which of them is in force is no matter of versions.
    SameVersion,
}

impl Hindrance {
    /// Whether publishing is refused for it.
    pub fn refuses(self) -> bool {
        match self {
            Hindrance::SameId => true,
            Hindrance::VersionBack | Hindrance::SameVersion => false,
        }
    }
}

/// What hinders `new` from following `old`; versions are asked of one scenario alone.
pub fn hindrances(old: &SchemaTemplate, new: &SchemaTemplate) -> Vec<Hindrance> {
    if old.same_content(new) {
        return Vec::new();
    }
    let same_id = old.schema_id == new.schema_id;
    let (before, after) = (old.version(), new.version());
    let one_line = old.scenario_key() == new.scenario_key();
    [
        (same_id, Hindrance::SameId),
        (one_line && after < before, Hindrance::VersionBack),
        (one_line && after == before && !same_id, Hindrance::SameVersion),
    ]
    .into_iter()
    .filter_map(|(holds, hindrance)| holds.then_some(hindrance))
    .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Hindrance;
    use super::hindrances;
    use crate::template::SchemaTemplate;

    fn template(schema_id: &str, scenario: &str, version: &str, text: &str) -> SchemaTemplate {
        let document = json!({"schema_id": schema_id, "scenario": scenario, "version": version, "keys": [
            {"key_name": "seat", "key_type": "string", "required": false, "semantic_description": text}]});
        SchemaTemplate::parse(&document).expect("a template").0
    }

    #[test]
    fn an_id_is_published_once_and_a_version_goes_on_z030_z105() {
        let old = template("a", "s", "1.1.0", "Seat.");
        for (id, scenario, version, text, found) in [
            ("a", "s", "1.1.0", "Seat.", vec![]),
            ("a", "s", "1.1.0", "The seat.", vec![Hindrance::SameId]),
            ("a", "s", "1.2.0", "Seat.", vec![Hindrance::SameId]),
            (
                "a",
                "s",
                "1.0.0",
                "Seat.",
                vec![Hindrance::SameId, Hindrance::VersionBack],
            ),
            ("b", "s", "1.2.0", "The seat.", vec![]),
            ("b", "s", "1.1.0", "Seat.", vec![Hindrance::SameVersion]),
            ("b", "s", "1.0.9", "Seat.", vec![Hindrance::VersionBack]),
            ("b", "other", "1.0.0", "Seat.", vec![]),
        ] {
            let new = template(id, scenario, version, text);
            assert_eq!(hindrances(&old, &new), found, "{id} {version} {text}");
        }
    }
}
