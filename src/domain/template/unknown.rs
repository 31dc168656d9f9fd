//! Members of a published document that have no meaning here: kept and served back (Z-050), and named to the publisher,
//! since what was meant to be a known one and is misspelt would otherwise be passed over in silence.

use serde_json::Map;
use serde_json::Value;

use crate::domain::template::advice::Advice;
use crate::domain::template::defect::Report;
use crate::domain::template::defect::pointer_to;
use crate::domain::template::nearest::nearest;

/// The members without a meaning, unchanged. Those that are not `read` elsewhere either are found, each with the known
/// one that is not spelt out yet and that it was probably meant to be.
pub(in crate::domain::template) fn take(
    members: &Map<String, Value>,
    own: &[&str],
    read: &[&str],
    pointer: &str,
    report: &mut Report,
) -> Map<String, Value> {
    let mut kept = Map::new();
    for (name, value) in members.iter().filter(|(name, _)| !own.contains(&name.as_str())) {
        if !read.contains(&name.as_str()) {
            let absent = own.iter().chain(read).filter(|known| !members.contains_key(**known));
            let at = pointer_to(pointer, name);
            let message = "this member has no meaning here and is kept as it stands";
            match nearest(name, absent.copied()) {
                Some(known) => {
                    let message = format!("{message}; `{known}` may have been meant");
                    let renamed = Map::from_iter([(name.clone(), Value::Null), (known.to_owned(), value.clone())]);
                    report.suggestion(Advice::MisspeltMember, &at, message, Value::Object(renamed));
                }
                None => report.finding(Advice::UnknownMember, &at, message),
            }
        }
        kept.insert(name.clone(), value.clone());
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::take;
    use crate::domain::template::defect::Report;

    /// Pointer and message of each finding; everything that is not a field must be kept.
    fn found(document: &Value) -> Vec<(String, String)> {
        let mut report = Report::default();
        let members = document.as_object().expect("an object");
        let kept = take(members, &["required", "key_type"], &["strict"], "/keys/0", &mut report);
        assert!(
            members
                .keys()
                .all(|name| name == "required" || name == "key_type" || kept.contains_key(name))
        );
        assert!(report.defects.is_empty());
        report.findings.into_iter().map(|f| (f.pointer, f.message)).collect()
    }

    #[test]
    fn a_misspelt_member_is_found_with_the_one_that_was_meant_z050() {
        let findings = found(&json!({"requird": true, "KeyType": "string", "strcit": true, "note": 1, "a/b": 1}));
        let said = |at: &str| &findings.iter().find(|(pointer, _)| pointer == at).expect("found").1;
        assert!(said("/keys/0/requird").contains("`required` may have been meant"));
        assert!(said("/keys/0/KeyType").contains("`key_type` may have been meant"));
        assert!(
            said("/keys/0/strcit").contains("`strict` may have been meant"),
            "two edits"
        );
        assert!(said("/keys/0/note").ends_with("kept as it stands"));
        assert_eq!(findings.len(), 5);
        assert!(said("/keys/0/a~1b").ends_with("kept as it stands"));
    }

    #[test]
    fn what_is_read_is_not_found_and_what_is_there_was_not_meant_z050() {
        assert_eq!(found(&json!({"required": true, "strict": false})), []);
        let findings = found(&json!({"required": true, "requird": true, "xequirxdx": 1}));
        assert!(
            findings
                .iter()
                .all(|(_, message)| message.ends_with("kept as it stands")),
            "{findings:?}"
        );
    }
}
