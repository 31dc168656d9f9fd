//! Languages: well-formed tags, and the look-up that serves the nearest one (RFC 4647 §3.4, Z-041, Z-056, Z-174).
//!
//! Knows tags only; which text stands under a tag is the key's.

use oxilangtag::LanguageTag;

/// The language of a template that names none.
pub const DEFAULT: &str = "en";

/// Bytes of a language tag; the longest registered ones have under 40.
const TAG_BYTES_MAX: usize = 128;

/// Whether a text is a well-formed BCP 47 tag.
pub fn is_well_formed(tag: &str) -> bool {
    tag.len() <= TAG_BYTES_MAX && LanguageTag::parse(tag).is_ok()
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
