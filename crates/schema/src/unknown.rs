//! Members of a published document that have no meaning here: kept and served back (Z-050), and named to the publisher,
//! since what was meant to be a known one and is misspelt would otherwise be passed over in silence.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::advice::Advice;
use crate::defect::pointer_to;
use crate::keyword::KEYWORDS;
use crate::keyword::Keyword;
use crate::nearest::nearest;
use crate::report::Report;

/// The member that holds what is enforced of a value.
const CONSTRAINTS: &str = "constraints";

/// The members without a meaning, unchanged. Those that are not `read` elsewhere either are found, each with the known
/// one that is not spelt out yet and that it was probably meant to be, or the place in `constraints` where it would be enforced.
pub(crate) fn take(
    members: &Map<String, Value>,
    own: &[&str],
    read: &[&str],
    pointer: &str,
    report: &mut Report,
) -> Map<String, Value> {
    let mut kept = Map::new();
    for (name, value) in members.iter().filter(|(name, _)| !own.contains(&name.as_str())) {
        if !read.contains(&name.as_str()) {
            let at = pointer_to(pointer, name);
            let message = format!("`{name}` has no meaning here and is kept as it stands");
            if let Some(known) = meant(members, name, own, read) {
                let message = format!("{message}; `{known}` may have been meant");
                let renamed = Map::from_iter([(name.clone(), Value::Null), (known.to_owned(), value.clone())]);
                report.suggestion(Advice::MisspeltMember, &at, message, Value::Object(renamed));
            } else if let Some(keyword) = misplaced(name, own) {
                let message = format!("`{name}` stands outside `{CONSTRAINTS}`, where nothing enforces it");
                let within = json!({ keyword: value });
                let moved = Map::from_iter([(name.clone(), Value::Null), (CONSTRAINTS.to_owned(), within)]);
                if members.get(CONSTRAINTS).is_some_and(|held| held.get(keyword).is_some()) {
                    report.finding(Advice::MisspeltMember, &at, message);
                } else {
                    report.suggestion(Advice::MisspeltMember, &at, message, Value::Object(moved));
                }
            } else {
                report.finding(Advice::UnknownMember, &at, message);
            }
        }
        kept.insert(name.clone(), value.clone());
    }
    kept
}

/// What is said of a member that is missing: with the one that was probably meant to be it.
pub(crate) fn missing(members: &Map<String, Value>, own: &[&str], known: &str) -> String {
    let mut others = members.keys().filter(|name| !own.contains(&name.as_str()));
    match others.find(|name| meant(members, name, own, &[]) == Some(known)) {
        Some(name) => format!("`{known}` is missing; `{name}` may have been meant to be it"),
        None => format!("`{known}` is missing"),
    }
}

/// The known member that is not spelt out yet and that another was probably meant to be: spelt nearly so, or of which it is the
/// first word, as `default` for `default_value`.
fn meant<'k>(members: &Map<String, Value>, name: &str, own: &[&'k str], read: &[&'k str]) -> Option<&'k str> {
    let known = own.iter().chain(read).copied();
    let absent: Vec<&str> = known.filter(|known| !members.contains_key(*known)).collect();
    let mut begun = absent.iter().filter(|known| {
        let rest = known.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with('_'))
    });
    let only = begun.next().filter(|_| begun.next().is_none());
    nearest(name, absent.iter().copied()).or(only.copied())
}

/// The keyword that a member of a key is named like, which is enforced within its constraints alone.
fn misplaced(name: &str, own: &[&str]) -> Option<&'static str> {
    let folded = name.replace(['_', '-'], "");
    let mut keywords = KEYWORDS.into_iter().map(Keyword::name);
    let found = keywords.find(|keyword| keyword.eq_ignore_ascii_case(&folded) && !own.contains(keyword));
    found.filter(|_| own.contains(&CONSTRAINTS))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::missing;
    use super::take;
    use crate::advice::Advice;
    use crate::report::Report;

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
    fn what_is_named_by_its_first_word_or_stands_outside_constraints_is_believed_enforced_z050() {
        let found = |document: Value| {
            let mut report = Report::default();
            let members = document.as_object().expect("an object");
            take(
                members,
                &["required", "default_value", "constraints"],
                &[],
                "",
                &mut report,
            );
            let mut told = report.findings.into_iter();
            told.next().map(|told| (told.rule, told.message, told.suggestion))
        };
        let (rule, message, better) = found(json!({"default": "a"})).expect("a finding");
        assert_eq!(
            (rule, better),
            (
                Advice::MisspeltMember,
                Some(json!({"default": null, "default_value": "a"}))
            )
        );
        assert!(
            message.contains("`default`") && message.contains("`default_value`"),
            "{message}"
        );
        for name in ["minLength", "min_length"] {
            let (rule, message, better) = found(json!({ name: 2 })).expect("a finding");
            let moved = json!({name: null, "constraints": {"minLength": 2}});
            assert_eq!((rule, better), (Advice::MisspeltMember, Some(moved)));
            assert!(message.contains(&format!("`{name}` stands outside")), "{message}");
        }
        let twice = json!({"enum": ["a"], "constraints": {"enum": ["b"]}});
        assert!(found(twice).is_some_and(|(_, _, better)| better.is_none()));
        let (rule, message, _) = found(json!({"note": 1})).expect("a finding");
        assert_eq!(rule, Advice::UnknownMember);
        assert!(message.starts_with("`note`"), "{message}");
    }

    #[test]
    fn what_is_missing_is_told_with_what_may_have_been_meant_z042() {
        let said = |document: Value| {
            missing(
                document.as_object().expect("an object"),
                &["required", "key_type"],
                "required",
            )
        };
        assert_eq!(
            said(json!({"requierd": true, "key_type": "string"})),
            "`required` is missing; `requierd` may have been meant to be it"
        );
        assert_eq!(said(json!({"note": true})), "`required` is missing");
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
