//! A template that one record of a journal does not hold: its text in parts, and what of it stands in the last record.
//!
//! Invariant: the parts of a template, joined, are the template.

use serde_json::Map;

use crate::template::SchemaTemplate;

/// Bytes of a template that goes into one record: with quotes and backslashes escaped once more, and what stands around it, it stays
/// below the 48 KiB of a record.
const WHOLE_BYTES_MAX: usize = 40 << 10;
/// Bytes of a part, which is JSON within JSON: escaped, it is twice as long at most.
const PART_BYTES_MAX: usize = 20 << 10;

impl SchemaTemplate {
    /// The text in parts, and the template without what is in them; no parts where the template goes into one record.
    pub fn cut(&self) -> (Vec<String>, SchemaTemplate) {
        let text = serde_json::to_string(self).unwrap_or_default();
        if text.len() <= WHOLE_BYTES_MAX {
            return (Vec::new(), self.clone());
        }
        let mut parts = Vec::new();
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let (part, after) = rest.split_at(rest.floor_char_boundary(PART_BYTES_MAX));
            parts.push(part.to_owned());
            rest = after;
        }
        let head = SchemaTemplate {
            description: None,
            keys: Vec::new(),
            unknown: Map::new(),
            ..self.clone()
        };
        (parts, head)
    }

    /// The template of which these are the joined parts; itself where there are none.
    pub fn joined(&self, parts: &str) -> SchemaTemplate {
        serde_json::from_str(parts).unwrap_or_else(|_| self.clone())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn template_bytes(template: &SchemaTemplate) -> usize {
        serde_json::to_string(template).expect("text").len()
    }

    #[test]
    fn a_template_is_cut_where_one_record_does_not_hold_it_and_joined_again() {
        for (values, parts) in [(10, 0), (1_000, 4)] {
            let values: Vec<String> = (0..values)
                .map(|n| format!("\"värde\" \\ {n} {}", "x".repeat(15)))
                .collect();
            let document = json!({"schema_id": "a_v1", "scenario": "a", "version": "1.2.3", "description": "D.", "owner": "ops",
                "keys": [{"key_name": "zone", "key_type": "string", "required": true, "semantic_description": "Zone.",
                    "constraints": {"enum": values}}, {"key_name": "exit", "key_type": "string", "required": true,
                    "semantic_description": "Exit.", "constraints": {"enum": values}}]});
            let template = SchemaTemplate::parse(&document).expect("a template").0;
            let (cut, head) = template.cut();
            assert_eq!(cut.len(), parts, "{} bytes", template_bytes(&template));
            assert_eq!(head.joined(&cut.concat()), template);
            assert_eq!(
                (&head.schema_id, head.version()),
                (&template.schema_id, template.version())
            );
            assert_eq!(cut.is_empty(), template_bytes(&template) <= WHOLE_BYTES_MAX);
            let escaped = cut.iter().map(|part| json!(part).to_string().len());
            assert!(
                escaped.max().is_none_or(|bytes| bytes < 47 << 10),
                "a record holds each"
            );
        }
    }
}
