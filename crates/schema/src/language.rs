//! Languages: well-formed tags, and the look-up that serves the nearest one (RFC 4647 §3.4, Z-041, Z-056, Z-174).
//!
//! Knows tags only; which text stands under a tag is the key's. Which script and region a language is likely written in, and
//! which regions share a text, are Unicode's tables (CLDR), not this file's.

use std::cmp::Reverse;

use icu_locale::Locale;
use icu_locale::LocaleCanonicalizer;
use icu_locale::LocaleExpander;
use icu_locale::LocaleFallbacker;
use icu_locale::fallback::LocaleFallbackConfig;
use oxilangtag::LanguageTag;

use crate::advice::Advice;
use crate::report::Report;

/// The language of a template that names none.
pub const DEFAULT: &str = "en";

/// Bytes of a language tag; the longest registered ones have under 40.
const TAG_BYTES_MAX: usize = 128;

/// Language ranges of a list that are looked at: a browser sends under ten, and each is looked for among all tags.
const RANGES_MAX: usize = 32;

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

/// Norwegian and its two ways of writing, the more common one first: whoever reads one reads the others, and Unicode's tables
/// lead from each way of writing to the language alone.
const NORWEGIAN: [&str; 3] = ["no", "nb", "nn"];

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
pub(crate) fn look(tag: &str, pointer: &str, report: &mut Report) {
    if is_well_formed(tag) && names_none(tag) {
        let message = format!("no language has the tag `{tag}`; say it as BCP 47 does, such as en, ja or pt-BR");
        report.finding(Advice::UnknownLanguage, pointer, message);
    }
}

/// What a client asks for: language ranges with weights, as `Accept-Language` writes them (RFC 9110 §12.5.4). A single tag is
/// such a list.
#[derive(Debug)]
pub struct Priorities<'r> {
    /// In the order of preference.
    wanted: Vec<&'r str>,
    /// Those of weight 0.
    refused: Vec<&'r str>,
    /// Whether any language will do that is not refused.
    any: bool,
}

impl<'r> Priorities<'r> {
    /// Reads a list; what is no range, or has no weight between 0 and 1, is passed over.
    pub fn parse(list: &'r str) -> Priorities<'r> {
        let mut weighed: Vec<(u32, &str)> = Vec::new();
        for item in list.split(',').take(RANGES_MAX) {
            let mut parts = item.split(';').map(str::trim);
            let range = parts.next().unwrap_or_default();
            let weight = parts.next().map_or(Some(WEIGHT_MAX), weight_of);
            if let Some(weight) = weight.filter(|_| range == ANY || is_well_formed(range)) {
                weighed.push((weight, range));
            }
        }
        // Stable: among equals the first one is preferred.
        weighed.sort_by_key(|(weight, _)| Reverse(*weight));
        let (wanted, refused): (Vec<_>, Vec<_>) = weighed.into_iter().partition(|(weight, _)| *weight > 0);
        let named = |ranges: Vec<(u32, &'r str)>| ranges.into_iter().map(|(_, range)| range);
        let any = wanted.iter().any(|(_, range)| *range == ANY);
        Priorities {
            wanted: named(wanted).filter(|range| *range != ANY).collect(),
            refused: named(refused).filter(|range| *range != ANY).collect(),
            any,
        }
    }

    /// Whether it says more than that any language will do: one is wanted, or one is refused where any other will do.
    pub fn chooses(&self) -> bool {
        !self.wanted.is_empty() || (self.any && !self.refused.is_empty())
    }

    /// The range that is preferred before all others.
    pub fn first(&self) -> Option<&'r str> {
        self.wanted.first().copied()
    }

    /// The available tag that is found for the first range that finds any, else the first one that is not refused where any will
    /// do; a tag in another script than the one meant comes after every other range. `None` leaves the caller with its default.
    pub fn find<'a>(&self, available: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        let mut open: Vec<Tag<'a>> = Vec::new();
        for text in available {
            if open.iter().all(|tag| tag.text != text) && !self.refuses(text) {
                let likely = likely(text);
                open.push(Tag { text, likely });
            }
        }
        let near = || self.wanted.iter().find_map(|range| look_up(range, &open));
        let same_language = || self.wanted.iter().find_map(|range| in_another_script(range, &open));
        let any = || open.first().map(|tag| tag.text).filter(|_| self.any);
        near().or_else(same_language).or_else(any)
    }

    /// Whether a tag is refused, and no longer range is wanted that means it.
    fn refuses(&self, tag: &str) -> bool {
        let longest = |ranges: &[&str]| {
            ranges
                .iter()
                .filter(|range| is_within(tag, range))
                .map(|range| range.len())
                .max()
        };
        longest(&self.refused) > longest(&self.wanted)
    }
}

/// The range that every tag is within.
const ANY: &str = "*";
/// A weight of 1, in thousandths.
const WEIGHT_MAX: u32 = 1_000;

/// `q=0.8` in thousandths.
fn weight_of(parameter: &str) -> Option<u32> {
    let value = parameter.strip_prefix("q=").or_else(|| parameter.strip_prefix("Q="))?;
    let weight: f64 = value.parse().ok()?;
    // A weight lies between 0 and 1, so the product fits.
    (0.0..=1.0)
        .contains(&weight)
        .then(|| (weight * f64::from(WEIGHT_MAX)).round() as u32)
}

/// Whether a tag is a range, or begins with it (RFC 4647 §3.3.1). Case is ignored.
fn is_within(tag: &str, range: &str) -> bool {
    let head = tag
        .get(..range.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(range));
    head && matches!(tag.as_bytes().get(range.len()), None | Some(b'-'))
}

/// A tag that there is a text under.
struct Tag<'a> {
    text: &'a str,
    likely: Option<Locale>,
}

/// The available tag that one range finds: the range itself or one that is likely the same (zh-TW is zh-Hant, pt is pt-BR),
/// the same of each range that it falls back to (es-MX is read as es-419), a tag that one of those begins (de finds de-CH); at
/// last the range shortened from its end, subtag by subtag.
fn look_up<'a>(range: &str, available: &[Tag<'a>]) -> Option<&'a str> {
    let find = |meant: &dyn Fn(&Tag<'a>) -> bool| available.iter().find(|tag| meant(tag)).map(|tag| tag.text);
    let literally = |range: &str| find(&|tag| tag.text.eq_ignore_ascii_case(range));
    let ranges = fallbacks(range);
    let same = |range: &String| {
        let meant = likely(range);
        literally(range).or_else(|| find(&|tag| meant.is_some() && tag.likely == meant))
    };
    if let Some(found) = ranges.iter().find_map(same) {
        return Some(found);
    }
    // Who names a language alone takes whatever it is written in.
    let is_bare = !range.contains('-');
    let script = |likely: &Option<Locale>| likely.as_ref().and_then(|likely| likely.id.script);
    let meant = script(&likely(range));
    // Unicode's tables do not know what every language is written in.
    let is_written_so = |tag: &Tag<'a>| is_bare || script(&tag.likely).is_none_or(|own| Some(own) == meant);
    let begun = |range: &String| find(&|tag| is_within(tag.text, range) && is_written_so(tag));
    if let Some(found) = ranges.iter().find_map(begun) {
        return Some(found);
    }
    let mut range = range;
    while let Some((shorter, _)) = range.rsplit_once('-') {
        // A single letter or digit introduces what followed it and goes with it.
        range = match shorter.rsplit_once('-') {
            Some((head, last)) if last.len() == 1 => head,
            Some(_) | None => shorter,
        };
        if let Some(found) = literally(range) {
            return Some(found);
        }
    }
    None
}

/// A tag of the same language, whatever it is written in.
fn in_another_script<'a>(range: &str, available: &[Tag<'a>]) -> Option<&'a str> {
    let meant = likely(range)?.id.language;
    let is_same = |tag: &&Tag<'a>| tag.likely.as_ref().is_some_and(|likely| likely.id.language == meant);
    available.iter().find(is_same).map(|tag| tag.text)
}

/// A range, and those that it falls back to.
fn fallbacks(range: &str) -> Vec<String> {
    let mut ranges = vec![range.to_owned()];
    if let Ok(locale) = Locale::try_from_str(range) {
        let fallbacker = LocaleFallbacker::new();
        let mut further = fallbacker
            .for_config(LocaleFallbackConfig::default())
            .fallback_for((&locale.id).into());
        while !further.get().is_unknown() {
            ranges.push(further.get().to_string());
            further.step();
        }
        let language = locale.id.language.to_string();
        if NORWEGIAN.contains(&language.as_str()) {
            ranges.push(language);
            ranges.extend(NORWEGIAN.map(str::to_owned));
        }
    }
    ranges
}

/// A tag with the script and region that it is likely to mean, in the spelling of today; `None` for one that names no language.
fn likely(tag: &str) -> Option<Locale> {
    let mut locale = Locale::try_from_str(tag)
        .ok()
        .filter(|locale| !locale.id.language.is_unknown())?;
    LocaleCanonicalizer::new_common().canonicalize(&mut locale);
    LocaleExpander::new_common().maximize(&mut locale.id);
    Some(locale)
}

#[cfg(test)]
mod tests {
    use super::Priorities;
    use super::RANGES_MAX;
    use super::is_well_formed;
    use super::names_none;

    /// The languages of a template: its own first, then those of its translations.
    const OWN: &str = "en de fr zh-Hans zh-Hant pt-BR pt-PT es-419 sr-Latn";

    /// The tag among some that is found for a list, each row a list, the tags, and what is found.
    fn finds(rows: &[(&str, &str, &str)]) {
        for (list, tags, found) in rows {
            let found = Some(*found).filter(|found| !found.is_empty());
            assert_eq!(
                Priorities::parse(list).find(tags.split(' ')),
                found,
                "{list} among {tags}"
            );
        }
    }

    #[test]
    fn tags_are_bcp_47_and_words_and_countries_name_no_language_z041_z174() {
        for named in [
            "en",
            "EN-us",
            "zh-Hant-TW",
            "de-CH-1996",
            "yue",
            "x-private",
            "i-klingon",
            "gsw-CH",
        ] {
            assert!(is_well_formed(named) && !names_none(named), "{named}");
        }
        for none in ["english", "Deutsch", "jp", "cz-CZ"] {
            assert!(is_well_formed(none) && names_none(none), "{none}");
        }
        for bad in ["", "e", "en_US", "english language", "de--AT", "-en", &"a-".repeat(80)] {
            assert!(!is_well_formed(bad), "{bad}");
        }
    }

    #[test]
    fn script_and_region_are_those_that_a_language_likely_means_z041_z174() {
        for (tag, ranges) in [
            (
                "zh-Hant",
                "zh-TW zh-HK zh-MO zh-Hant-HK cmn-TW zh-Hant-CN-x-private1-private2",
            ),
            ("zh-Hans", "zh-CN zh-SG zh"),
            ("pt-BR", "pt"),
            ("pt-PT", "pt-AO PT-pt"),
            ("es-419", "es-MX es-AR es es-ES"),
            ("sr-Latn", "sr sr-ME sr-RS sh"),
            ("de", "de-AT"),
            ("fr", "fr-CA"),
            ("en", "en-AU EN-us"),
            ("", "ja mul x-private i-klingon"),
        ] {
            ranges.split(' ').for_each(|range| finds(&[(range, OWN, tag)]));
        }
        finds(&[("", OWN, ""), ("english language", OWN, "")]);
    }

    #[test]
    fn norwegian_finds_either_way_of_writing_it_and_a_range_is_shortened_from_its_end_z041_z174() {
        finds(&[
            ("no", "en nb", "nb"),
            ("no", "en nn", "nn"),
            ("no", "nn nb", "nb"),
            ("nb", "en no", "no"),
            ("nb", "en nn", "nn"),
            ("nn", "en no", "no"),
            ("nn", "en nb", "nb"),
            ("nn", "nb no nn", "nn"),
            ("nn-NO", "nb no nn", "nn"),
            ("NO-no", "en nb-NO", "nb-NO"),
            ("nn, en;q=0.5", "en nb", "nb"),
            ("no", "en da sv", ""),
            ("da", "en nb", ""),
            ("de", "en de-CH", "de-CH"),
            ("de-AT", "en de-CH", "de-CH"),
            ("zh-Hant", "en zh", "zh"),
            ("zh-CN", "zh-Hant zh-Hans-SG", "zh-Hans-SG"),
            ("de-x-own", "en de", "de"),
            // A single letter goes with what it introduced.
            ("tlh-a-bbb", "tlh-a tlh", "tlh"),
        ]);
    }

    #[test]
    fn the_whole_list_is_looked_up_in_its_order_z056_z174() {
        finds(&[
            ("ja, fr;q=0.5", OWN, "fr"),
            ("fr;q=0.5, ja", OWN, "fr"),
            ("en;q=0.5, zh-Hans;q=0.9, de;q=0.9", OWN, "zh-Hans"),
            ("da, en-gb;q=0.8, en;q=0.7", OWN, "en"),
            ("ja, ko;q=0.9, *;q=0.1", OWN, "en"),
            ("*, de;q=0.1", OWN, "de"),
            ("*", OWN, "en"),
            ("en;q=0, *", OWN, "de"),
            ("fr;q=0, en;q=0.001", OWN, "en"),
            ("de;q=0", OWN, ""),
            ("pt-PT;q=0, pt", OWN, "pt-BR"),
            ("pt;q=0, pt-PT, *;q=0.1", OWN, "pt-PT"),
            ("de;q=2", OWN, ""),
            ("de;q=x, fr", OWN, "fr"),
            (",, en us, ja", OWN, ""),
            // Another script comes after every other range.
            ("zh-TW, fr;q=0.1", "en zh-Hans fr", "fr"),
            ("zh-TW, ja", "en zh-Hans fr", "zh-Hans"),
        ]);
        assert_eq!(Priorities::parse("fr;q=0.5, ja").first(), Some("ja"));
        let last = format!("{} de", "ja,".repeat(RANGES_MAX - 1));
        finds(&[(&last, OWN, "de"), (&format!("ja,{last}"), OWN, "")]);
    }
}
