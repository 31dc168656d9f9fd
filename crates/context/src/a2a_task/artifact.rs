//! What a task brought forth (A2A §4.1.7).

use serde::Serialize;

use crate::a2a_task::field::Fields;
use crate::a2a_task::message;
use crate::a2a_task::part::Part;

/// One artifact. As JSON it is A2A's.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    pub artifact_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    pub parts: Vec<Part>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
}

impl Artifact {
    /// Reads one that was written here; `None` for anything else.
    pub fn read(text: &str) -> Option<Artifact> {
        let fields = Fields::read(text, "").ok()?;
        let mut faults = Vec::new();
        let parts = message::parts(&fields, &mut faults);
        let artifact = Artifact {
            artifact_id: fields.text("artifactId").ok()?,
            name: fields.text("name").ok()?,
            parts,
            extensions: fields.get("extensions", "a list").ok()?.unwrap_or_default(),
        };
        faults.is_empty().then_some(artifact)
    }
}

#[cfg(test)]
mod tests {
    use super::Artifact;
    use super::Part;

    #[test]
    fn an_artifact_is_read_as_it_was_written() {
        let artifact = Artifact {
            artifact_id: "reply-1".to_owned(),
            name: String::new(),
            parts: vec![Part::data("{\"a\":1.50}".to_owned(), "application/json")],
            extensions: vec!["https://example.com/v1".to_owned()],
        };
        let text = serde_json::to_string(&artifact).expect("JSON");
        assert_eq!(Artifact::read(&text), Some(artifact));
        assert_eq!(Artifact::read(r#"{"artifactId":"a","parts":[]}"#), None);
    }
}
