//! An object of a published document, read member by member.
//!
//! Knows no member's name. What has no meaning is kept and served back (Z-050), and named to the publisher, since what was meant to be
//! a known member and is misspelt would otherwise be passed over in silence. Invariant: what is missing or of another form is a defect
//! in its place, and reading goes on.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use strum::VariantArray;

use crate::advice::Advice;
use crate::defect::pointer_to;
use crate::keyword::Keyword;
use crate::nearest::nearest;
use crate::report::Report;

/// The member that holds what is enforced of a value.
const CONSTRAINTS: &str = "constraints";

/// An object of a document whose members are read one by one.
pub(crate) struct Members<'d, 'r> {
    pub members: &'d Map<String, Value>,
    /// The members that have a field of their own.
    pub own: &'static [&'static str],
    pub pointer: &'d str,
    pub report: &'r mut Report,
}

impl<'d> Members<'d, '_> {
    /// A member that has to be there.
    pub fn get(&mut self, name: &'static str, requirement: &str) -> Option<&'d Value> {
        let value = self.members.get(name);
        if value.is_none() {
            self.report.defect(self.pointer, requirement, self.missing(name));
        }
        value
    }

    /// A member that may be left out, which null is as well.
    pub fn stated(&self, name: &str) -> Option<&'d Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    /// A text.
    pub fn text(&mut self, name: &str, value: &'d Value, requirement: &str) -> Option<&'d str> {
        let text = value.as_str();
        self.hold(name, requirement, text, || format!("`{name}` is a string"))
    }

    /// A text that may be left out.
    pub fn stated_text(
        &mut self,
        name: &str,
        requirement: &str,
        is_right: impl Fn(&str) -> bool,
        message: impl FnOnce() -> String,
    ) -> Option<String> {
        let text = self.text(name, self.stated(name)?, requirement)?;
        self.hold(name, requirement, is_right(text).then(|| text.to_owned()), message)
    }

    /// What was read of a member, with the defect where nothing could be.
    pub fn hold<T>(
        &mut self,
        name: &str,
        requirement: &str,
        read: Option<T>,
        message: impl FnOnce() -> String,
    ) -> Option<T> {
        if read.is_none() {
            let at = pointer_to(self.pointer, name);
            self.report.defect(&at, requirement, message());
        }
        read
    }

    /// The members without a meaning, unchanged. Those that are not `read` elsewhere either are found, each with the known
    /// one that is not spelt out yet and that it was probably meant to be, or the place in `constraints` where it would be enforced.
    pub fn unknown(&mut self, read: &[&'static str]) -> Map<String, Value> {
        let mut kept = self.members.clone();
        kept.retain(|name, _| !self.own.contains(&name.as_str()));
        for (name, value) in kept.iter().filter(|(name, _)| !read.contains(&name.as_str())) {
            let at = pointer_to(self.pointer, name);
            let message = format!("`{name}` has no meaning here and is kept as it stands");
            let (rule, message, better) = if let Some(known) = self.meant(name, read) {
                let message = format!("{message}; `{known}` may have been meant");
                let renamed = json!({name: null, known: value});
                (Advice::MisspeltMember, message, Some(renamed))
            } else if let Some(keyword) = self.misplaced(name) {
                let message = format!("`{name}` stands outside `{CONSTRAINTS}`, where nothing enforces it");
                let held = self.members.get(CONSTRAINTS).and_then(|held| held.get(keyword));
                let moved = json!({name: null, CONSTRAINTS: {keyword: value}});
                (Advice::MisspeltMember, message, Some(moved).filter(|_| held.is_none()))
            } else {
                (Advice::UnknownMember, message, None)
            };
            match better {
                Some(better) => self.report.suggestion(rule, &at, message, better),
                None => self.report.finding(rule, &at, message),
            }
        }
        kept
    }

    /// What is said of a member that is missing: with the one that was probably meant to be it.
    fn missing(&self, known: &str) -> String {
        let mut others = self.members.keys().filter(|name| !self.own.contains(&name.as_str()));
        match others.find(|name| self.meant(name, &[]) == Some(known)) {
            Some(name) => format!("`{known}` is missing; `{name}` may have been meant to be it"),
            None => format!("`{known}` is missing"),
        }
    }

    /// The known member that is not spelt out yet and that another was probably meant to be: spelt nearly so, or of which it is the
    /// first word, as `default` for `default_value`.
    fn meant(&self, name: &str, read: &[&'static str]) -> Option<&'static str> {
        let known = self.own.iter().chain(read).copied();
        let absent: Vec<&str> = known.filter(|known| !self.members.contains_key(*known)).collect();
        let begins = |known: &&&str| known.strip_prefix(name).is_some_and(|rest| rest.starts_with('_'));
        let mut begun = absent.iter().filter(begins);
        let only = begun.next().filter(|_| begun.next().is_none());
        nearest(name, absent.iter().copied()).or(only.copied())
    }

    /// The keyword that a member of a key is named like, which is enforced within its constraints alone.
    fn misplaced(&self, name: &str) -> Option<&'static str> {
        let folded = name.replace(['_', '-'], "");
        let mut keywords = Keyword::VARIANTS.iter().map(|keyword| keyword.name());
        let found = keywords.find(|keyword| keyword.eq_ignore_ascii_case(&folded) && !self.own.contains(keyword));
        found.filter(|_| self.own.contains(&CONSTRAINTS))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::Members;
    use crate::report::Report;

    const OWN: [&str; 4] = ["required", "key_type", "default_value", "constraints"];

    /// What is found of the members of a document: rule, pointer, the known member that a message names, and the suggestion.
    fn found(document: &Value) -> Value {
        let mut report = Report::default();
        let mut members = Members {
            members: document.as_object().expect("an object"),
            own: &OWN,
            pointer: "/k",
            report: &mut report,
        };
        let kept = members.unknown(&["strict"]);
        let others = members.members.iter().filter(|(name, _)| !OWN.contains(&name.as_str()));
        assert!(others.eq(kept.iter()), "what has no meaning is kept");
        let told = |finding: crate::advice::Finding| {
            let meant = finding
                .message
                .split_once("; `")
                .map(|(_, said)| said.replace("` may have been meant", ""));
            json!([finding.rule, finding.pointer, meant, finding.suggestion])
        };
        report.findings.into_iter().map(told).collect()
    }

    #[test]
    fn a_misspelt_or_misplaced_member_is_found_with_the_one_that_was_meant_z050() {
        for row in [
            json!([{"requird": true}, "misspelt_member", "/k/requird", "required", {"requird": null, "required": true}]),
            json!([{"KeyType": "a"}, "misspelt_member", "/k/KeyType", "key_type", {"KeyType": null, "key_type": "a"}]),
            json!([{"strcit": 1}, "misspelt_member", "/k/strcit", "strict", {"strcit": null, "strict": 1}]),
            json!([{"default": "a"}, "misspelt_member", "/k/default", "default_value", {"default": null, "default_value": "a"}]),
            json!([{"minLength": 2}, "misspelt_member", "/k/minLength", null, {"minLength": null, "constraints": {"minLength": 2}}]),
            json!([{"min_length": 2}, "misspelt_member", "/k/min_length", null, {"min_length": null, "constraints": {"minLength": 2}}]),
            json!([{"enum": ["a"], "constraints": {"enum": ["b"]}}, "misspelt_member", "/k/enum", null, null]),
            json!([{"note": 1}, "unknown_member", "/k/note", null, null]),
            json!([{"a/b": 1}, "unknown_member", "/k/a~1b", null, null]),
            json!([{"required": true, "requird": true}, "unknown_member", "/k/requird", null, null]),
            json!([{"xequirxdx": 1}, "unknown_member", "/k/xequirxdx", null, null]),
        ] {
            let expected = row.as_array().expect("a row")[1..].to_vec();
            assert_eq!(found(&row[0]), json!([expected]), "{row}");
        }
        assert_eq!(found(&json!({"required": true, "strict": false})), json!([]));
    }

    #[test]
    fn what_is_missing_is_told_with_what_may_have_been_meant_z042() {
        for (document, said) in [
            (
                json!({"requierd": true}),
                "`required` is missing; `requierd` may have been meant to be it",
            ),
            (json!({"note": true}), "`required` is missing"),
        ] {
            let mut report = Report::default();
            let mut members = Members {
                members: document.as_object().expect("an object"),
                own: &OWN,
                pointer: "/k",
                report: &mut report,
            };
            assert_eq!(members.get("required", "Z-042"), None);
            assert_eq!(report.defects[0].message, said);
        }
    }
}
