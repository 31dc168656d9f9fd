//! Who a schema belongs to and what it is filed under: `owner` and `labels`, for people and for finding it.
//!
//! Served as published, like every member without a meaning for payloads; here only their form is checked, so that a
//! listing can rely on it.

use serde_json::Map;
use serde_json::Value;

use crate::defect::pointer_to;
use crate::report::Report;

/// The member that names who answers for a schema.
pub const OWNER: &str = "owner";
/// The member that holds name -> value.
pub const LABELS: &str = "labels";

/// Bytes of an owner.
pub const OWNER_BYTES_MAX: usize = 256;
/// Labels of one schema, bytes of a label's name, and of its value.
pub const LABELS_MAX: usize = 32;
pub const LABEL_NAME_BYTES_MAX: usize = 64;
pub const LABEL_VALUE_BYTES_MAX: usize = 256;

/// Checks the form of both, where they are there.
pub(crate) fn check(members: &Map<String, Value>, report: &mut Report) {
    if let Some(owner) = members.get(OWNER) {
        let right = owner
            .as_str()
            .is_some_and(|text| !text.trim().is_empty() && text.len() <= OWNER_BYTES_MAX);
        if !right {
            let message = format!("`owner` is a text of 1 to {OWNER_BYTES_MAX} bytes");
            report.defect(&pointer_to("", OWNER), "Z-050", message);
        }
    }
    let Some(labels) = members.get(LABELS) else { return };
    let at = pointer_to("", LABELS);
    let Some(labels) = labels.as_object().filter(|labels| labels.len() <= LABELS_MAX) else {
        let message = format!("`labels` is an object of at most {LABELS_MAX} names and values");
        report.defect(&at, "Z-050", message);
        return;
    };
    for (name, value) in labels {
        let named = !name.is_empty() && name.len() <= LABEL_NAME_BYTES_MAX && !name.contains(':');
        if !named || value.as_str().is_none_or(|value| value.len() > LABEL_VALUE_BYTES_MAX) {
            let message = format!(
                "a label has a name of 1 to {LABEL_NAME_BYTES_MAX} bytes without `:`, and a text of at most \
                 {LABEL_VALUE_BYTES_MAX} bytes"
            );
            report.defect(&pointer_to(&at, name), "Z-050", message);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;
    use serde_json::Value;
    use serde_json::json;

    use super::LABEL_NAME_BYTES_MAX;
    use super::LABEL_VALUE_BYTES_MAX;
    use super::LABELS_MAX;
    use super::OWNER_BYTES_MAX;
    use super::check;
    use crate::report::Report;

    fn defects(document: &Value) -> Vec<String> {
        let mut report = Report::default();
        check(document.as_object().expect("an object"), &mut report);
        report.defects.into_iter().map(|defect| defect.pointer).collect()
    }

    #[test]
    fn owner_and_labels_are_bounded_at_their_edge_z050() {
        let nothing: Vec<String> = Vec::new();
        let text = |bytes: usize| "x".repeat(bytes);
        assert_eq!(defects(&json!({})), nothing);
        assert_eq!(defects(&json!({"owner": text(OWNER_BYTES_MAX)})), nothing);
        for owner in [
            json!(text(OWNER_BYTES_MAX + 1)),
            json!(""),
            json!(" "),
            json!(1),
            json!(null),
        ] {
            assert_eq!(defects(&json!({ "owner": owner })), ["/owner"]);
        }
        let labels =
            |count: usize| -> Map<String, Value> { (0..count).map(|n| (format!("l{n}"), json!("v"))).collect() };
        assert_eq!(defects(&json!({"labels": labels(LABELS_MAX)})), nothing);
        assert_eq!(defects(&json!({"labels": labels(LABELS_MAX + 1)})), ["/labels"]);
        let label = |name: &str, value: Value| defects(&json!({"labels": {name: value}}));
        assert_eq!(label(&text(LABEL_NAME_BYTES_MAX), json!("")), nothing);
        assert_eq!(label(&text(LABEL_NAME_BYTES_MAX + 1), json!("")).len(), 1);
        assert_eq!(label("a:b", json!("")), ["/labels/a:b"]);
        assert_eq!(label("a", json!(text(LABEL_VALUE_BYTES_MAX))), nothing);
        assert_eq!(label("a", json!(text(LABEL_VALUE_BYTES_MAX + 1))), ["/labels/a"]);
        assert_eq!(label("a", json!(1)), ["/labels/a"]);
    }
}
