//! Rationale: what an inducer decided about a key and why, as it decided it (Z-109 … Z-114, Z-126).
//!
//! Shapes alone: who decides fills them in on the way, nobody guesses them afterwards, and the words for them are found
//! elsewhere. They lie beside the proposal that carries them. What rules of before noted besides is read over. Invariant: no text of a
//! fragment is in them, only names that may be a key's, and counts.

use serde::Deserialize;
use serde::Serialize;
use utoipa::ToSchema;

use schema::name::KeyName;

/// Why a key is as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Rationale {
    /// Fragments that were read, and the clients who said them.
    pub fragments: u64,
    pub clients: u64,
    /// What speaks for the key, and against it; none for keys of before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Certainty)]
    pub certainty: Option<Certainty>,
    pub name: Naming,
    /// The comparison with the keys that existed; none where none was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Nearest)]
    pub nearest: Option<Nearest>,
}

/// How many of the fragments bear a key out. How near they lie together is not counted: by neither model's vectors does that tell right
/// keys from wrong ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Certainty {
    /// Say all content words of the name.
    pub named: u64,
    /// Hold exactly one value that the key takes; for a switch none does.
    pub valued: u64,
    /// Deny something, or were found to want the opposite by a reader.
    pub denied: u64,
}

/// Where a name comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NameSource {
    /// Nobody said.
    #[default]
    Untold,
    /// The words that most fragments share.
    Phrase,
    /// A reader said so.
    Reader,
    /// A rule of before.
    #[serde(other)]
    Retired,
}

/// Why this name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Naming {
    /// What induction called the key; a refinement keeps the name of the key that it refines.
    pub name: String,
    pub source: NameSource,
    /// The name that was found, where another key bears it and the key got one like it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    pub wanted: Option<String>,
}

/// What decided the comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NearRule {
    /// The cluster has a key already; no other was compared.
    SameCluster,
    /// A key whose name says the same.
    SameName,
    /// No key is the same.
    #[default]
    Nothing,
    /// A rule of before.
    #[serde(other)]
    Retired,
}

/// The comparison with the keys that exist.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Nearest {
    pub compared: u64,
    pub rule: NearRule,
    /// The key that the rule found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    pub key_name: Option<KeyName>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grounds_of_before_are_read_z109() {
        let read: Rationale = serde_json::from_str(
            r#"{"fragments": 3, "background": 80, "name": {"source": "vocabulary", "settled_by": "vectors", "score": 0.5},
                "kind": {"value": "choice", "rule": "list", "read": 18}, "features": [{"types": ["place"]}],
                "nearest": {"compared": 6, "likeliest": [], "needed": 0.4, "rule": "only_key"}}"#,
        )
        .expect("grounds");
        let rule = read.nearest.as_ref().map(|nearest| nearest.rule);
        assert_eq!(read.fragments, 3);
        assert_eq!(read.name.source, NameSource::Retired);
        assert_eq!(rule, Some(NearRule::Retired));
        let again = serde_json::to_value(&read).and_then(serde_json::from_value::<Rationale>);
        assert_eq!(again.expect("grounds"), read);
    }
}
