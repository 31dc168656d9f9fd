//! Which language a text is in, as a vote: one sentence is often too short to tell, a pool of them is not.

use std::sync::LazyLock;

use whatlang::Detector;
use whatlang::Info;
use whatlang::Script;

use crate::analysis::Analysis;
use crate::closed;
use crate::languages::LANGUAGES;

/// English: the language that is assumed where none is known, and that one model is there for alone.
pub const ENGLISH: &str = "en";

/// Of a detector's word below this, for texts of two to five words, every second is wrong.
const CONFIDENCE_MIN: f64 = 0.2;

static DETECTOR: LazyLock<Detector> =
    LazyLock::new(|| Detector::with_allowlist(LANGUAGES.iter().map(|(language, ..)| *language).collect()));

/// The language that a text is most likely in, as two letters: the one whose small words it holds, else what a detector is sure of;
/// `None` where neither tells.
pub fn vote(analysis: &Analysis<'_>) -> Option<&'static str> {
    if let Some(code) = closed::language(&analysis.lower()) {
        return Some(code);
    }
    let found = DETECTOR
        .detect(analysis.text)
        .filter(|found| found.confidence() >= CONFIDENCE_MIN)?;
    code(&found)
}

/// Whether texts in a language, by its two letters, are told from others at all.
pub fn is_known(code: &str) -> bool {
    LANGUAGES.iter().any(|(_, known, _)| *known == code)
}

/// The language that a text is surely in, as two letters: the detector relies on what it found, and the text's small words agree. A
/// script that few languages are written in needs none.
pub fn sure(text: &str) -> Option<&'static str> {
    let found = DETECTOR.detect(text).filter(|found| found.is_reliable())?;
    let code = code(&found)?;
    let is_shared = matches!(found.script(), Script::Latin | Script::Cyrillic);
    (!is_shared || closed::language(&Analysis::of(text).lower()) == Some(code)).then_some(code)
}

fn code(found: &Info) -> Option<&'static str> {
    let mut known = LANGUAGES.iter();
    known
        .find(|(language, ..)| *language == found.lang())
        .map(|(_, code, _)| *code)
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
