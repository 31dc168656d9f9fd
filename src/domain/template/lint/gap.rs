//! Gaps: places of a draft that only the author of a description can fill (Z-040), and words that stand where values should and
//! name none.
//!
//! Invariant: a sentence with a gap says nothing, so that a template with it is scored as one without.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::domain::template::advice::Advice;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::announced::VALUES;
use crate::domain::template::lint::announced::pattern;
use crate::domain::template::lint::mapping;
use crate::domain::template::lint::sentences;
use crate::domain::template::lint::values;
use crate::domain::template::lint::with_sentence;
use crate::domain::template::schema::SchemaTemplate;

/// What stands for what is to be supplied.
pub const GAP: &str = "…";

/// A sentence of a draft with nothing but a gap behind its label, as the author leaves it.
static OPEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\s*(?:(?<meaning>What `[^`]*` means: …)|(?<difference>What `[^`]*` is beside `[^`]*`: …)|(?<values>(?:Acceptable values|Range|Format): …)|(?<example>Example mapping: '…' (?:->|→) '?…'?))\s*\.?\s*$",
    )
});

/// What stands in the place of values and names none: words that lead elsewhere, or leave open who decides.
static EMPTY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)\b(?:{VALUES}|formats?|range)(?:\s+(?:are|is))?\s*:?\s*(?:whatever|(?:as\s+(?:described|listed|per|usual)|ask|depends?|n/a|refer|see|tb[ad]|to\s+be|todo|unknown|various)\b[^,;|/.]*)\s*[.!]?\s*$"
    ))
});

/// The words that announce a list in the grammar.
static MARKED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bacceptable\s+values\s*:"));

/// An example whose value is a gap.
static AWAITING: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(?:->|→)\s*['"`]?…['"`]?\s*(?:[;,.)]|$)"#));

/// The template as it is without its gaps.
pub fn without_gaps(template: &SchemaTemplate) -> SchemaTemplate {
    let mut said = template.clone();
    for key in &mut said.keys {
        key.semantic_description = closed(&key.semantic_description);
    }
    said
}

/// The text without sentences that are gaps; as it stands, where it has none.
pub fn closed(text: &str) -> String {
    if !text.contains(GAP) {
        return text.to_owned();
    }
    sentences::without(text, |sentence| OPEN.is_match(sentence)).unwrap_or_default()
}

/// The rules that a text leaves to its author, by the gaps in it.
pub fn left_open(text: &str) -> BTreeSet<Advice> {
    const OF_VALUES: [Advice; 4] = [
        Advice::NoAcceptableValues,
        Advice::OpenValues,
        Advice::ProseList,
        Advice::ProseRange,
    ];
    let rules: [(&str, &[Advice]); 4] = [
        ("meaning", &[Advice::TooShort]),
        ("difference", &[Advice::SameDescription]),
        ("values", &OF_VALUES),
        ("example", &[Advice::NoMappingExample]),
    ];
    let sentences = sentences::sentences(text);
    let found = sentences.into_iter().filter_map(|sentence| OPEN.captures(sentence));
    found
        .flat_map(|found| rules.iter().filter(move |(name, _)| found.name(name).is_some()))
        .flat_map(|(_, rules)| rules.iter().copied())
        .chain(awaits_value(&closed(text)).then_some(Advice::ExampleRefused))
        .collect()
}

/// Whether an example of a text shows what a user says and leaves its value open.
pub fn awaits_value(text: &str) -> bool {
    AWAITING.is_match(text)
}

/// A better text with the gaps of the one in whose place it stands: of what it means before it, of values and of an example behind
/// it where it has none.
pub fn kept(before: &str, better: &str) -> String {
    let mut text = better.to_owned();
    for gap in sentences::sentences(before) {
        let Some(found) = OPEN.captures(gap).filter(|_| !text.contains(gap.trim())) else {
            continue;
        };
        let lacks_example = found.name("example").is_some() && !mapping::has_arrow(&text);
        let lacks_values = found.name("values").is_some() && !values::has_cue(&text);
        if found.name("meaning").or(found.name("difference")).is_some() {
            text = with_sentence(gap.trim(), &text);
        } else if lacks_example || lacks_values {
            text = with_sentence(&text, gap.trim());
        }
    }
    text
}

/// The text without what stands in the place of values and names none.
pub fn without_empty(text: &str) -> String {
    let said = sentences::sentences(text);
    said.into_iter().map(|sentence| EMPTY.replace(sentence, "")).collect()
}

/// The gap for what a key means, which its name alone does not say.
pub fn meaning(key: &KeyDefinition) -> String {
    format!("What `{}` means: {GAP}.", key.key_name)
}

/// The gap for what sets a key apart from another with the same description.
pub fn difference(key: &KeyDefinition, other: &str) -> String {
    format!("What `{}` is beside `{other}`: {GAP}.", key.key_name)
}

/// The gap for the values that are right, of which the type alone says nothing.
pub fn of_values(key_type: KeyType) -> String {
    let label = match key_type {
        KeyType::String | KeyType::Array => "Acceptable values",
        KeyType::Integer | KeyType::Number => "Range",
        KeyType::Object | KeyType::Boolean | KeyType::Null => "Format",
    };
    format!("{label}: {GAP}.")
}

/// The text with its lists told as prose: what stands there is no sentence of the grammar, and another one is to come.
pub fn unmarked(text: &str) -> String {
    MARKED.replace_all(text, "Values:").into_owned()
}

/// The gap for an example.
pub fn example(key_type: KeyType) -> String {
    match key_type {
        KeyType::String => format!("Example mapping: '{GAP}' -> '{GAP}'."),
        KeyType::Integer | KeyType::Number | KeyType::Boolean | KeyType::Array | KeyType::Object | KeyType::Null => {
            format!("Example mapping: '{GAP}' -> {GAP}.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::closed;
    use super::kept;
    use super::left_open;
    use super::without_empty;
    use crate::domain::template::advice::Advice;

    #[test]
    fn a_gap_is_a_sentence_that_says_nothing_else_z040() {
        let drafted = "The book. What `isbn` means: …. Acceptable values: …. Range: …. Format: …. \
                       What `to` is beside `from`: …. Example mapping: '…' -> '…'. Example mapping: '…' -> ….";
        assert_eq!(closed(drafted), "The book.");
        for text in [
            "Acceptable values: a, b, ….",
            "Parts of it: …",
            "Format: … or none.",
            "Example mapping: 'x' -> '…'.",
        ] {
            assert_eq!(closed(text), text);
        }
    }

    #[test]
    fn a_gap_stays_in_the_text_that_stands_in_its_place_z040() {
        let before = "What `isbn` means: …. Example mapping: '…' -> '…'.";
        let open = [Advice::TooShort, Advice::NoMappingExample];
        assert!(left_open(before).into_iter().eq(open), "{:?}", left_open(before));
        let better = "Acceptable values: a, b.";
        let both = kept(before, better);
        assert_eq!(
            both,
            "What `isbn` means: …. Acceptable values: a, b. Example mapping: '…' -> '…'."
        );
        assert_eq!(kept(before, &both), both);
        assert_eq!(kept(better, before), before);
    }

    #[test]
    fn words_that_lead_elsewhere_name_no_values_z040() {
        for text in [
            "Acceptable values: whatever.",
            "Acceptable values: see our menu.",
            "Format: as described on our site.",
            "Acceptable values: TBD",
            "Range: depends.",
        ] {
            assert_eq!(without_empty(text).trim(), "", "{text}");
        }
        for text in [
            "Acceptable values: any.",
            "Acceptable values: whatever the guest calls it.",
            "Acceptable values: unknown, male, female.",
            "Format: free text.",
        ] {
            assert_eq!(without_empty(text), text);
        }
    }
}
