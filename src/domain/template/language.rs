//! Languages: well-formed tags, and the look-up that serves the nearest one (RFC 4647 §3.4, Z-041, Z-056, Z-174).
//!
//! Knows tags only; which text stands under a tag is the key's.

use oxilangtag::LanguageTag;

use crate::domain::template::advice::Advice;
use crate::domain::template::defect::Report;

/// The language of a template that names none.
pub const DEFAULT: &str = "en";

/// Bytes of a language tag; the longest registered ones have under 40.
const TAG_BYTES_MAX: usize = 128;

/// Whether a text is a well-formed BCP 47 tag.
pub fn is_well_formed(tag: &str) -> bool {
    tag.len() <= TAG_BYTES_MAX && LanguageTag::parse(tag).is_ok()
}

/// Two-letter subtags of languages (ISO 639-1), those that were given up included.
const TWO_LETTERS: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da \
    de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik in io \
    is it iu iw ja ji jv jw ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr \
    ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm \
    sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";

/// Whether a well-formed tag surely names no language: a word such as `english`, or two letters of a country. Three letters
/// are not looked up, since there are thousands.
pub fn names_none(tag: &str) -> bool {
    let primary = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
    match primary.len() {
        2 => !TWO_LETTERS.split(' ').any(|known| known == primary),
        // Four are reserved, and no longer one was ever registered (RFC 5646 §2.2.1).
        4.. => true,
        _ => false,
    }
}

/// Says of a tag that it names no language.
pub(in crate::domain::template) fn look(tag: &str, pointer: &str, report: &mut Report) {
    if is_well_formed(tag) && names_none(tag) {
        let message = format!("no language has the tag `{tag}`; say it as BCP 47 does, such as en, ja or pt-BR");
        report.finding(Advice::UnknownLanguage, pointer, message);
    }
}

/// The available tag that a language range finds: the range itself, else the range shortened from its end, subtag by
/// subtag. Case is ignored. `None` when nothing is found, which leaves the caller with its default.
pub fn look_up<'a>(range: &str, available: impl IntoIterator<Item = &'a str> + Clone) -> Option<&'a str> {
    if range.len() > TAG_BYTES_MAX {
        return None;
    }
    let mut range = range;
    while !range.is_empty() {
        if let Some(tag) = available
            .clone()
            .into_iter()
            .find(|tag| tag.eq_ignore_ascii_case(range))
        {
            return Some(tag);
        }
        let (shorter, _) = range.rsplit_once('-')?;
        // A single letter or digit introduces what followed it and goes with it.
        range = match shorter.rsplit_once('-') {
            Some((head, last)) if last.len() == 1 => head,
            Some(_) | None => shorter,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::is_well_formed;
    use super::look_up;
    use super::names_none;

    #[test]
    fn tags_are_bcp_47_z041_z174() {
        for good in ["en", "en-US", "zh-Hant-TW", "de-CH-1996", "x-private", "i-klingon"] {
            assert!(is_well_formed(good), "{good}");
        }
        for bad in ["", "e", "en_US", "english language", "de--AT", "-en", &"a-".repeat(80)] {
            assert!(!is_well_formed(bad), "{bad}");
        }
    }

    #[test]
    fn words_and_countries_are_no_languages_z041() {
        for tag in ["en", "EN-us", "zh-Hant-TW", "yue", "x-private", "i-klingon", "gsw-CH"] {
            assert!(!names_none(tag), "{tag}");
        }
        for tag in ["english", "Deutsch", "jp", "cz-CZ"] {
            assert!(is_well_formed(tag) && names_none(tag), "{tag}");
        }
    }

    #[test]
    fn look_up_shortens_the_range_from_its_end_z174() {
        let available = ["en", "zh-Hant", "de-CH", "fr"];
        assert_eq!(look_up("zh-Hant-CN-x-private1-private2", available), Some("zh-Hant"));
        assert_eq!(look_up("EN-us", available), Some("en"));
        assert_eq!(look_up("fr", available), Some("fr"));
        assert_eq!(look_up("de", available), None);
        assert_eq!(look_up("de-AT", available), None);
        assert_eq!(look_up("*", available), None);
        assert_eq!(look_up("", available), None);
        assert_eq!(
            look_up("fr-a-bbb", ["fr-a", "fr"]),
            Some("fr"),
            "a single letter goes with what it introduced"
        );
    }
}
