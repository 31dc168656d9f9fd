//! Everything that a publisher may be told about a template that can be published: one table, and a finding of one row.
//!
//! A rule's name never changes its meaning once released. Looks at no template: the rules are in the linter and where the
//! document is read. Costs are points of a hundred.

use serde::Serialize;
use serde::Serializer;
use serde_json::Value;
use utoipa::ToSchema;

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Stable, snake_case.
    pub rule: &'static str,
    /// The requirement that it rests on.
    pub requirement: &'static str,
    /// Points that a finding takes from its key's hundred, or from the template's score where it concerns no key.
    pub cost: u8,
    /// What is looked for, and why it matters.
    pub meaning: &'static str,
}

macro_rules! advice {
    ($($name:ident $rule:literal $requirement:literal $cost:literal $meaning:literal;)*) => {
        /// What a finding is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Advice {
            $(#[doc = $meaning] $name,)*
        }

        impl Advice {
            /// Every rule, in the table's order.
            pub const ALL: &'static [Advice] = &[$(Advice::$name,)*];

            /// The rule's row.
            pub const fn row(self) -> Row {
                match self {
                    $(Advice::$name => Row {
                        rule: $rule,
                        requirement: $requirement,
                        cost: $cost,
                        meaning: $meaning,
                    },)*
                }
            }
        }
    };
}

advice! {
    TooShort "too_short" "Z-040" 33
        "The description is shorter than a sentence, or only repeats the key's name: it does not say what the key means.";
    NoAcceptableValues "no_acceptable_values" "Z-040" 33
        "Neither the constraints say which values are right nor, by `Acceptable values:`, `Range:` or the word `format`, the \
         description.";
    NoMappingExample "no_mapping_example" "Z-040" 34
        "No example shows how something that a user says becomes a value (`'two people' -> 2`).";
    ExampleRefused "example_refused" "Z-040" 15
        "A mapping example leads to a value that the key refuses.";
    ContradictedConstraint "contradicted_constraint" "Z-048" 15
        "The description closes another list or range ([descriptions.md](descriptions.md)) than the one that is enforced.";
    OpenShape "open_shape" "Z-051" 8
        "An array does not say what its elements are, or an object what its members are.";
    NeverFillable "never_fillable" "Z-017" 50
        "No value conforms to all of the key's constraints, or it is required and of type null: no payload can ever have it.";
    SameDescription "same_description" "Z-040" 20
        "Two keys have the same description: a client cannot tell which one is meant.";
    LongDescription "long_description" "Z-026" 5
        "The description is longer than a prompt needs; every client pays for it in tokens at every request.";
    Unlinted "unlinted" "Z-040" 5
        "The description is too long to be linted: nothing but orders to a model and hidden characters is looked for in it.";
    LanguageMismatch "language_mismatch" "Z-041" 20
        "The description is in another language than the template says it is, or a translation in another than its tag.";
    UnknownLanguage "unknown_language" "Z-041" 10
        "A language tag names no language, such as `english` for `en` or `jp` for `ja`: who asks for the language does not find it.";
    WordsUnread "words_unread" "Z-041" 0
        "The template is not in English, as the markers are: whether a description says which values are right is not looked at.";
    MissingTranslation "missing_translation" "Z-056" 5
        "Other keys are translated into a language that this one is not.";
    HiddenCharacters "hidden_characters" "Z-170" 30
        "The description, or a text of the template's own (`description`, `owner`, `labels`), holds control, direction or \
         invisible characters: what a person reads is not what a model reads. A new template that does is refused.";
    SpeaksToModel "speaks_to_model" "Z-170" 30
        "The description, or a text of the template's own (`description`, `owner`, `labels`), gives orders to a model or holds \
         markup; clients put it into their prompts. A new template with such orders is refused.";
    UnmarkedSensitive "unmarked_sensitive" "Z-165" 10
        "The key's name speaks of payment, identity or access, and the key is not marked `sensitive`.";
    DefaultOfRequired "default_of_required" "Z-046" 10
        "A required key has a default, which is never applied.";
    FloatAlias "float_alias" "Z-038" 5
        "`float` is not a JSON Schema type; it is read and served as `number`.";
    TakenOver "taken_over" "Z-048" 0
        "A closed list or range of the description is enforced from now on; nothing has to be done.";
    NotTakenOver "not_taken_over" "Z-048" 15
        "The description closes a list or range that the default is not among, or that the key's other constraints refuse values of: \
         it is not enforced.";
    UnsaidFormat "unsaid_format" "Z-048" 5
        "Every value that the mapping examples lead to is a date (`2026-05-04`), and no `format` says so: any text is accepted.";
    UnknownFormat "unknown_format" "Z-048" 5
        "The format is shown to clients, but nothing enforces it.";
    HangingPattern "hanging_pattern" "Z-048" 15
        "A repetition in the pattern reads the same text in several ways, such as `([a-z]+)+`: the engines of JavaScript and Python, which \
         clients check with, may take time exponential in the text. A new template with one is refused.";
    OtherConstrained "other_constrained" "Z-060" 5
        "Constraints on `other` are kept and never enforced.";
    NoOther "no_other" "Z-062" 0
        "The template has no key `other`; one is added.";
    UnknownMember "unknown_member" "Z-050" 0
        "A member has no meaning here; it is kept and served back.";
    MisspeltMember "misspelt_member" "Z-050" 5
        "A member has no meaning here, and one that has is spelt nearly so or begins so, or it would be enforced within `constraints` alone: \
         its publisher believes that it is.";
    NoKeys "no_keys" "Z-032" 100
        "The template has no key but `other`: it says nothing of what is wanted, and a client can only put everything there.";
    NoDescription "no_description" "Z-026" 0
        "The template has no `description`: a model that chooses among tools is not told what this one is for.";
    ManyKeys "many_keys" "Z-026" 5
        "The template has more keys than a model keeps apart in one prompt.";
    SameVersion "same_version" "Z-048" 5
        "Another schema of the scenario that is not retired has the same version: which of them is in force is no matter of versions.";
    VersionBehind "version_behind" "Z-105" 0
        "Another schema of the scenario that is not retired has a higher version: this one is accepted from who names it, and not in force.";
    PolicyHeld "policy_held" "Z-073" 0
        "The template's `policy` is looser than what the operator set and templates may only make stricter; the operator's stands.";
    PolicyContradicts "policy_contradicts" "Z-073" 5
        "Two numbers of the policy that the template makes cannot both be meant, such as a trial longer than a patch's life.";
}

impl Serialize for Advice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.row().rule)
    }
}

/// Advice on a template; the table of rules is `docs/lint.md`.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Finding {
    /// The stable name of the rule.
    #[schema(value_type = String)]
    pub rule: Advice,
    /// The requirement that the rule rests on.
    pub requirement: &'static str,
    /// The key that it is about; none where it is the template.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    pub key_name: Option<String>,
    /// JSON pointer into the template.
    pub pointer: String,
    pub message: String,
    /// Points that it takes from its key's hundred, or from the template's score.
    #[schema(minimum = 0, maximum = 100)]
    pub cost: u8,
    /// A JSON merge patch (RFC 7396) that mends it: for the key definition, or for the template where there is no key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Value)]
    pub suggestion: Option<Value>,
}

impl Finding {
    /// A finding of no key and without a suggestion.
    pub fn new(rule: Advice, pointer: &str, message: impl Into<String>) -> Finding {
        let row = rule.row();
        Finding {
            rule,
            requirement: row.requirement,
            key_name: None,
            pointer: pointer.to_owned(),
            message: message.into(),
            cost: row.cost,
            suggestion: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Advice;

    #[test]
    fn names_are_distinct_and_no_cost_is_over_the_hundred_z040() {
        let names: BTreeSet<_> = Advice::ALL.iter().map(|advice| advice.row().rule).collect();
        assert_eq!(names.len(), Advice::ALL.len());
        for advice in Advice::ALL {
            let row = advice.row();
            assert!(row.cost <= 100 && row.requirement.starts_with("Z-"), "{row:?}");
        }
        let three = [Advice::TooShort, Advice::NoAcceptableValues, Advice::NoMappingExample];
        let cost: u8 = three.into_iter().map(|advice| advice.row().cost).sum();
        assert_eq!(cost, 100, "what Z-040 asks for is all of it");
    }
}
