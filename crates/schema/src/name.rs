//! Names that cannot be wrong: schema ids, key names, scenarios, clients, patches, namespaces.

use icu_properties::props::Script;
use icu_properties::script::ScriptWithExtensions;
use serde::Deserialize;
use serde::Serialize;

use text::name::is_plain;

/// The escape valve that every template has (Z-057).
pub const OTHER: &str = "other";
/// Members that a reply adds beside the result (docs/design.md §8): no key may bear such a name.
pub const RESERVED: [&str; 2] = ["exchange", "schema_update_suggestion"];

text::plain_name! {
    /// A schema version within a server agent's namespace (Z-030): 1 to 128 characters out of `[A-Za-z0-9._-]`.
    SchemaId
}
text::plain_name! {
    /// A key's name in snake_case (Z-034), at most 64 characters.
    KeyName
}
text::plain_name! {
    /// A scenario in the form that lookups use: lower case, spaces and hyphens as `_` (Z-049).
    ScenarioKey
}
text::plain_name! {
    /// Who calls, as the identity layer established it: 1 to 128 visible ASCII characters.
    ClientId
}
text::plain_name! {
    /// A cohort: 1 to 64 lower-case letters, digits, `_` and `-`, the first one a letter.
    CohortId
}
text::plain_name! {
    /// A patch, unique within its scenario.
    PatchId
}

impl SchemaId {
    /// Checks a schema id.
    pub fn parse(text: &str) -> Option<SchemaId> {
        is_plain(text, 128).then(|| SchemaId(text.to_owned()))
    }
}

impl KeyName {
    /// Checks `^[a-z][a-z0-9]*(_[a-z0-9]+)*$` (Z-034).
    pub fn parse(text: &str) -> Option<KeyName> {
        let ok = text.len() <= 64
            && text.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
            && text
                .split('_')
                .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
        ok.then(|| KeyName(text.to_owned()))
    }
}

impl ScenarioKey {
    /// Normalises a scenario's display text (Z-049): trimmed, lower case, runs of spaces, hyphens and `_` as one `_`.
    /// Nothing but letters, digits, `_` and `.` may remain, at most 128 bytes.
    pub fn parse(text: &str) -> Option<ScenarioKey> {
        let ScenarioKey(key) = ScenarioKey::normalised(text);
        let ok = (1..=128).contains(&key.len()) && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        ok.then_some(ScenarioKey(key))
    }

    /// The normal form of a text that was already checked when its template was parsed.
    pub(crate) fn normalised(text: &str) -> ScenarioKey {
        let lower = text.trim().to_lowercase();
        ScenarioKey(
            lower
                .split(|c: char| c.is_whitespace() || c == '-' || c == '_')
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join("_"),
        )
    }
}

/// Scripts that are written together, as "highly restrictive" has it (UTS 39 §5.2): Japanese, Chinese and Korean, each with Latin.
const TOGETHER: [&[Script]; 3] = [
    &[Script::Han, Script::Hiragana, Script::Katakana, Script::Latin],
    &[Script::Han, Script::Bopomofo, Script::Latin],
    &[Script::Han, Script::Hangul, Script::Latin],
];

/// The first character of a text that is of another script than what stands before it: `і` of Cyrillic looks like `i`, and two names
/// that look alike are two scenarios. What belongs to no script of its own, as digits do, goes with every one.
pub fn stray_script(text: &str) -> Option<char> {
    let scripts = ScriptWithExtensions::new();
    let goes_with = |c: char, written: &[Script]| {
        [Script::Common, Script::Inherited]
            .iter()
            .chain(written)
            .any(|script| scripts.has_script(c, *script))
    };
    // How far a text goes in one script, or in some that are written together.
    let end = |written: &[Script]| text.char_indices().find(|(_, c)| !goes_with(*c, written));
    let own = text.chars().find(|c| !goes_with(*c, &[]))?;
    let alone = scripts.get_script_extensions_val(own);
    let ends = alone.iter().map(|script| end(&[script])).chain(TOGETHER.map(end));
    // To the end is the furthest.
    let furthest = ends.max_by_key(|end| end.map_or(usize::MAX, |(at, _)| at))?;
    furthest.map(|(_, stray)| stray)
}

impl ClientId {
    /// Checks a client's name.
    pub fn parse(text: &str) -> Option<ClientId> {
        let ok = (1..=128).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
        ok.then(|| ClientId(text.to_owned()))
    }
}

impl CohortId {
    /// Checks a cohort's name.
    pub fn parse(text: &str) -> Option<CohortId> {
        let ok = (1..=64).contains(&text.len())
            && text.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
            && text
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-'));
        ok.then(|| CohortId(text.to_owned()))
    }
}

impl PatchId {
    /// The id of a scenario's n-th patch.
    pub fn numbered(scenario: &ScenarioKey, n: u64) -> PatchId {
        PatchId(format!("{scenario}.p{n}"))
    }

    /// Which of its scenario's patches it is.
    pub fn number(&self) -> Option<usize> {
        self.0.rsplit_once(".p")?.1.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::KeyName;
    use super::ScenarioKey;
    use super::stray_script;

    #[test]
    fn key_names_are_snake_case_z034() {
        for good in ["origin", "a1", "departure_date", "x_1"] {
            assert!(KeyName::parse(good).is_some(), "{good}");
        }
        for bad in ["", "Origin", "1a", "a__b", "_a", "a_", "a-b", "größe", &"a".repeat(65)] {
            assert!(KeyName::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn scenario_lookup_ignores_case_spaces_and_hyphens_z049() {
        let key = ScenarioKey::parse("flight_booking");
        assert_eq!(ScenarioKey::parse(" Flight  Booking "), key);
        assert_eq!(ScenarioKey::parse("flight-booking"), key);
        assert_eq!(ScenarioKey::parse("a/b"), None);
        assert_eq!(ScenarioKey::parse("  "), None);
    }

    #[test]
    fn letters_of_several_scripts_are_told_apart_z049() {
        for (text, stray) in [
            ("flight_booking", None),
            ("fl\u{456}ght", Some('\u{456}')),
            ("\u{440}\u{430}ypal", Some('y')),
            ("Κρατηση_a", Some('a')),
            ("α_β", None),
            ("рейс 2", None),
            ("2", None),
            ("", None),
            ("航班预订", None),
            ("フライトの予約", None),
            ("フライト booking", None),
            ("ラーメン", None),
            ("ー", None),
            ("vip 予約", None),
            ("항공권 예약", None),
            ("漢字 항공권 vip", None),
            ("ㄅㄆ 中文 a", None),
            ("예약 フライト", Some('フ')),
            ("カタ항", Some('항')),
            ("予約 рейс", Some('р')),
            ("حجز رحلة", None),
            ("حجز vip", Some('v')),
            ("จองเที่ยวบิน", None),
            ("größe é", None),
            ("ｆｌｉｇｈｔ", None),
        ] {
            assert_eq!(stray_script(text), stray, "{text}");
        }
    }
}
