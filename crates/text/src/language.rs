//! Which language a text is in, as a vote: one sentence is often too short to tell, a pool of them is not.

use std::sync::LazyLock;

use whatlang::Detector;
use whatlang::Lang;
use whatlang::Script;

use crate::analysis::Analysis;
use crate::closed;

/// English: the language that is assumed where none is known, and that one model is there for alone.
pub const ENGLISH: &str = "en";

/// Of a detector's word below this, for texts of two to five words, every second is wrong.
const CONFIDENCE_MIN: f64 = 0.2;

/// Languages that votes are given to, with their two letters: those that a model reads, and those that short texts in them would be
/// taken for or that would be taken for them.
const LANGUAGES: [(Lang, &str); 32] = [
    (Lang::Eng, "en"),
    (Lang::Deu, "de"),
    (Lang::Spa, "es"),
    (Lang::Fra, "fr"),
    (Lang::Ita, "it"),
    (Lang::Por, "pt"),
    (Lang::Nld, "nl"),
    (Lang::Pol, "pl"),
    (Lang::Tur, "tr"),
    (Lang::Rus, "ru"),
    (Lang::Cmn, "zh"),
    (Lang::Jpn, "ja"),
    (Lang::Kor, "ko"),
    (Lang::Ara, "ar"),
    (Lang::Tha, "th"),
    (Lang::Swe, "sv"),
    (Lang::Dan, "da"),
    (Lang::Nob, "nb"),
    (Lang::Fin, "fi"),
    (Lang::Ces, "cs"),
    (Lang::Slk, "sk"),
    (Lang::Hun, "hu"),
    (Lang::Ron, "ro"),
    (Lang::Hrv, "hr"),
    (Lang::Ukr, "uk"),
    (Lang::Bul, "bg"),
    (Lang::Ell, "el"),
    (Lang::Heb, "he"),
    (Lang::Hin, "hi"),
    (Lang::Vie, "vi"),
    (Lang::Ind, "id"),
    (Lang::Cat, "ca"),
];

static DETECTOR: LazyLock<Detector> =
    LazyLock::new(|| Detector::with_allowlist(LANGUAGES.iter().map(|(language, _)| *language).collect()));

/// The language that a text is most likely in, as two letters: the one whose small words it holds, else what a detector is sure of;
/// `None` where neither tells.
pub fn vote(analysis: &Analysis<'_>) -> Option<&'static str> {
    if let Some(code) = closed::language(&analysis.lower()) {
        return Some(code);
    }
    let found = DETECTOR
        .detect(analysis.text)
        .filter(|found| found.confidence() >= CONFIDENCE_MIN)?;
    let (_, code) = LANGUAGES.iter().find(|(language, _)| *language == found.lang())?;
    Some(code)
}

/// Whether texts in a language, by its two letters, are told from others at all.
pub fn is_known(code: &str) -> bool {
    LANGUAGES.iter().any(|(_, known)| *known == code)
}

/// The language that a text is surely in, as two letters: the detector relies on what it found, and the text's small words agree. A
/// script that few languages are written in needs none.
pub fn sure(text: &str) -> Option<&'static str> {
    let found = DETECTOR.detect(text).filter(|found| found.is_reliable())?;
    let (_, code) = LANGUAGES.iter().find(|(language, _)| *language == found.lang())?;
    let is_shared = matches!(found.script(), Script::Latin | Script::Cyrillic);
    (!is_shared || closed::language(&Analysis::of(text).lower()) == Some(code)).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::Analysis;
    use super::sure;
    use super::vote;

    #[test]
    fn a_sentence_votes_for_its_language() {
        for (text, code) in [
            ("please leave the package with the neighbour", "en"),
            ("bitte lassen Sie das Paket beim Nachbarn", "de"),
            ("por favor dejen el paquete con el vecino", "es"),
            ("请把包裹留给邻居", "zh"),
            ("оставьте посылку у соседа", "ru"),
            ("ohne Zwiebeln", "de"),
            ("sin cebolla", "es"),
            ("a quiet room please", "en"),
        ] {
            assert_eq!(vote(&Analysis::of(text)), Some(code), "{text}");
        }
        assert_eq!(vote(&Analysis::of("extra napkins")), None, "a guess is no vote");
    }

    #[test]
    fn what_is_sure_is_never_a_guess() {
        for (text, code) in [
            ("The class that the guest wants for the flight", Some("en")),
            ("Die Klasse, die der Gast für den Flug wünscht", Some("de")),
            ("旅客希望的舱位等级", Some("zh")),
            ("Number of rooms", None),
            ("Cantidad que se pide, de 1 a 50", None),
            ("small, medium, large", None),
        ] {
            assert_eq!(sure(text), code, "{text}");
        }
    }
}
