//! Which language a text is in, as a vote: one sentence is often too short to tell, a pool of them is not.

use whatlang::Detector;
use whatlang::Lang;

use std::sync::LazyLock;

/// Letters from which on a text has a vote: of shorter ones the detector is as often wrong as right.
const LETTERS_MIN: usize = 12;

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

/// The language that a text is most likely in, as two letters; `None` where it is too short to have a vote.
pub fn vote(text: &str) -> Option<&'static str> {
    if text
        .chars()
        .filter(|c| c.is_alphabetic())
        .nth(LETTERS_MIN - 1)
        .is_none()
        && text.is_ascii()
    {
        return None;
    }
    let found = DETECTOR.detect_lang(text)?;
    let (_, code) = LANGUAGES.iter().find(|(language, _)| *language == found)?;
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::vote;

    #[test]
    fn a_sentence_votes_for_its_language() {
        for (text, code) in [
            ("please leave the package with the neighbour", "en"),
            ("bitte lassen Sie das Paket beim Nachbarn", "de"),
            ("por favor dejen el paquete con el vecino", "es"),
            ("请把包裹留给邻居", "zh"),
            ("оставьте посылку у соседа", "ru"),
        ] {
            assert_eq!(vote(text), Some(code), "{text}");
        }
        assert_eq!(vote("ok"), None);
    }
}
