//! What nobody said: words that stand in a field only so that it is not empty (Z-065).
//!
//! Knows whole texts alone: a wish that holds such a word is one all the same. All languages of the tables are asked of every text.

use unicode_normalization::UnicodeNormalization;

use crate::languages::WORDS;

/// Bytes of a text that is looked at: the longest row, four times over.
const LOOKED_AT_MAX: usize = 160;

/// Whole texts that say nothing, words that deny, the same where a key is a switch, courtesy, and words that stand around all these: who
/// says it, what is denied, and of which sort.
const SORTS: [&str; 5] = ["whole", "denial", "no", "courtesy", "word"];

/// From where on scripts stand that are written without blanks between words: Thai, those of East Asia.
const UNSPACED_FROM: char = '\u{E00}';

/// Whether a text says nothing, whatever stands around it: `N/A`, `(none)`, `- keine -`, `---`, "no special requests, thanks",
/// "Special requests: none".
pub fn says_nothing(text: &str) -> bool {
    if text.len() > LOOKED_AT_MAX {
        return false;
    }
    let plain = plain(text);
    let words: Vec<&str> = plain.split_whitespace().flat_map(parts).collect();
    let is = |word: &str, sorts: &[&str]| sorts.iter().any(|sort| WORDS.holds(sort, word));
    let all = |sorts: &[&str]| words.iter().all(|word| is(word, sorts));
    let denies = || words.iter().any(|word| is(word, &SORTS[..3]));
    WORDS.holds("whole", &plain) || all(&["courtesy"]) || all(&SORTS) && denies()
}

/// Whether the value of a key that nobody knows says nothing; "smoking: no" says something.
pub fn is_no_value(value: &str) -> bool {
    says_nothing(value) && !WORDS.holds("no", &plain(value))
}

/// A word that is written together, in words of the table, the longest first: "没有特殊要求", "요청은". As it is where anything else is
/// left.
fn parts(word: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = word;
    while !rest.is_empty() && word.starts_with(|c| c >= UNSPACED_FROM) {
        let ends = rest.char_indices().rev().map(|(at, c)| at + c.len_utf8());
        let mut heads = ends.filter_map(|end| rest.split_at_checked(end));
        let Some((head, tail)) = heads.find(|(head, _)| SORTS.iter().any(|sort| WORDS.holds(sort, head))) else {
            return vec![word];
        };
        found.push(head);
        rest = tail;
    }
    if found.is_empty() { vec![word] } else { found }
}

/// Words in small letters, one space between them, without what a careless hand leaves out: accents, vowel signs of Arabic, tone marks
/// of Thai, the dot that an `i` has or lacks in Turkish.
fn plain(text: &str) -> String {
    let is_left_out = |c: &char| matches!(c, '\u{300}'..='\u{36F}' | '\u{64B}'..='\u{65F}' | '\u{E47}'..='\u{E4E}');
    let letters: String = text
        .nfkd()
        .filter(|c| !is_left_out(c))
        .nfc()
        .flat_map(char::to_lowercase)
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .collect();
    letters
        .replace('ß', "ss")
        .replace('ı', "i")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::is_no_value;
    use super::says_nothing;

    #[test]
    fn what_only_fills_a_field_says_nothing_in_every_language_z065() {
        for text in [
            "",
            " ",
            "-",
            "---",
            "?",
            "n/a",
            "None",
            "null null",
            "no, keine",
            "(none)",
            "tbd!",
            "undefined",
            "Not specified",
            "No special requests, thank you.",
            "I have no special requests",
            "we don't have any special requirements",
            "There are no further comments",
            "Special requests: none",
            "nothing special",
            "Keine besonderen Wünsche",
            "Keine Präferenz, danke",
            "- keine -",
            "Ich habe keine Sonderwünsche",
            "ninguna",
            "no aplica",
            "Aucune préférence",
            "sans objet",
            "pas de demande particulière",
            "nessuna richiesta particolare",
            "sem preferência",
            "não se aplica",
            "n.v.t.",
            "please none",
            "anything is fine",
            "Best regards,",
            "Mit freundlichen Grüßen",
            "Sent from my iPhone",
        ] {
            assert!(says_nothing(text), "{text:?}");
        }
    }

    #[test]
    fn what_asks_for_something_is_no_nothing_z065() {
        for text in [
            "no nuts",
            "none of the middle seats",
            "keine Nüsse",
            "sin gluten",
            "no onions please",
            "nothing spicy",
            "not on Monday",
            "a note for the driver",
            "unknown caller blocked",
            "preference: window",
            "no preference for the wing but by the aisle",
            "for two",
            "null alkohol",
            "instructions in French",
            "don't ring the bell",
        ] {
            assert!(!says_nothing(text), "{text:?}");
        }
    }

    #[test]
    fn nothing_is_said_in_each_language_of_the_models_z065() {
        for (language, texts) in [
            ("en", &["No special requests.", "TBD", "doesn't matter"][..]),
            ("de", &["Keine besonderen Wünsche", "noch offen", "mir egal"]),
            ("es", &["no aplica", "No tengo peticiones especiales", "por determinar"]),
            (
                "fr",
                &["sans objet", "Je n'ai pas de demande particulière", "à définir"],
            ),
            (
                "it",
                &["non applicabile", "Non ho richieste particolari", "da definire"],
            ),
            ("pt", &["não se aplica", "Não tenho pedidos especiais", "a definir"]),
            ("nl", &["n.v.t.", "Ik heb geen bijzondere wensen", "maakt niet uit"]),
            ("pl", &["nie mam preferencji", "do ustalenia", "żadne"]),
            ("tr", &["fark etmez", "belirtilmedi", "İSTEK YOK"]),
            ("ru", &["неизвестно", "н/д", "всё равно"]),
            ("zh", &["待定", "未知", "我没有什么特别的要求"]),
            ("zh-Hant", &["不適用", "待確認", "無所謂"]),
            ("ja", &["該当なし", "未定", "備考：なし"]),
            ("ko", &["선호 없음", "모름", "미정"]),
            ("ar", &["لا ينطبق", "بدون تفضيل", "لا"]),
            ("th", &["ไม่ทราบ", "ไม่มีครับ", "อะไรก็ได้"]),
        ] {
            for text in texts {
                assert!(says_nothing(text), "{language}: {text:?}");
            }
        }
    }

    #[test]
    fn what_denies_one_thing_in_particular_is_a_wish_in_each_language_z065() {
        for text in [
            "none of the nuts please",
            "no preference but a quiet room",
            "ninguno de los frutos secos",
            "rien d'épicé",
            "niente cipolla",
            "geen noten",
            "bez orzechów",
            "soğan yok",
            "без орехов",
            "不要香菜",
            "没有坚果",
            "不需要打印发票",
            "ナッツなし",
            "窓側を希望",
            "견과류 없이",
            "بدون مكسرات",
            "ไม่มีถั่ว",
            "ไม่เผ็ด",
            "要求靠窗",
            "特に静かな部屋",
        ] {
            assert!(!says_nothing(text), "{text:?}");
        }
    }

    #[test]
    fn the_words_are_written_as_texts_are_read_z065() {
        for sort in super::SORTS {
            for word in super::WORDS.words(sort) {
                assert_eq!(super::plain(word), word, "{sort}");
            }
        }
    }

    #[test]
    fn a_value_that_denies_says_something_z065_z101() {
        for (value, is_nothing) in [
            ("no", false),
            ("nein", false),
            ("いいえ", false),
            ("нет", false),
            ("なし", true),
            ("null", true),
            ("[]", true),
            ("", true),
            ("[\"none\"]", true),
            ("false", false),
        ] {
            assert_eq!(is_no_value(value), is_nothing, "{value}");
        }
    }
}
