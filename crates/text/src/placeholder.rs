//! What nobody said: words that stand in a field only so that it is not empty (Z-065).
//!
//! Knows whole texts alone: a wish that holds such a word is one all the same. All languages of the tables are asked of every text.

use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

use crate::table::Table;

/// Whole texts, and what a sentence that says nothing is made of: small letters, no accents, one space between words.
static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("tables/placeholder.tsv")));

/// Bytes of a text that is looked at: the longest row, four times over.
const LOOKED_AT_MAX: usize = 160;

/// Words of the longest whole text in the table.
const ROW_WORDS_MAX: usize = 4;

/// Sorts of words that a sentence which says nothing is made of.
const SORTS: [&str; 7] = ["no", "whole", "courtesy", "lead", "denial", "sort", "matter"];

/// From where on scripts stand that are written without blanks between words: Thai, those of East Asia.
const UNSPACED_FROM: char = '\u{E00}';

/// Whether a text says nothing, whatever stands around it: `N/A`, `(none)`, `- keine -`, `---`, "no special requests, thanks",
/// "Special requests: none".
pub fn says_nothing(text: &str) -> bool {
    if text.len() > LOOKED_AT_MAX {
        return false;
    }
    let plain = plain(text);
    let words: Vec<&str> = plain
        .split(' ')
        .filter(|word| !word.is_empty())
        .flat_map(parts)
        .collect();
    let is_polite = |word: &&&str| TABLE.holds("courtesy", word);
    let front = words.iter().take_while(is_polite).count();
    let back = words.iter().skip(front).rev().take_while(is_polite).count();
    let said = words.get(front..words.len() - back).unwrap_or_default();
    is_nothing(&words) || is_nothing(said)
}

/// Whether the value of a key that nobody knows says nothing; "smoking: no" says something.
pub fn is_no_value(value: &str) -> bool {
    says_nothing(value) && !TABLE.holds("no", &plain(value))
}

/// A word that is written together, in words of the table, the longest first: "没有特殊要求", "요청은". As it is where anything else is
/// left.
fn parts(word: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = word;
    while !rest.is_empty() && word.starts_with(|c| c >= UNSPACED_FROM) {
        let ends = rest.char_indices().rev().map(|(at, c)| at + c.len_utf8());
        let heads = ends.filter_map(|end| rest.split_at_checked(end));
        let Some((head, tail)) = heads
            .into_iter()
            .find(|(head, _)| SORTS.iter().any(|sort| TABLE.holds(sort, head)))
        else {
            return vec![word];
        };
        found.push(head);
        rest = tail;
    }
    if found.is_empty() { vec![word] } else { found }
}

fn is_nothing(words: &[&str]) -> bool {
    if are_nothings(words) {
        return true;
    }
    // "We have no special requests", and "özel bir isteğim yok", where the denial comes last.
    let backwards: Vec<&str> = words.iter().rev().copied().collect();
    if denies(words) || denies(&backwards) {
        return true;
    }
    // "Special requests: none".
    let matter = run(words, 0, "sort");
    let rest = matter + run(words, matter, "matter");
    let rest_is_nothing = || {
        words
            .get(rest..)
            .is_some_and(|rest| !rest.is_empty() && is_nothing(rest))
    };
    rest > matter && rest_is_nothing()
}

/// How many words of a sort stand in a row from a place on.
fn run(words: &[&str], from: usize, sort: &str) -> usize {
    let of_sort = words.iter().skip(from).take_while(|word| TABLE.holds(sort, word));
    of_sort.count()
}

/// Whether words deny a matter of any sort, and do nothing else.
fn denies(words: &[&str]) -> bool {
    let opens = |word: &&&str| TABLE.holds("lead", word) || TABLE.holds("denial", word);
    let denied = words.iter().take_while(opens).count();
    let mut opening = words.iter().take(denied);
    let matter = denied + run(words, denied, "sort");
    let behind = matter + run(words, matter, "matter");
    let end = behind + run(words, behind, "sort");
    opening.any(|word| TABLE.holds("denial", word)) && behind > matter && end == words.len()
}

/// Whether words are whole texts that say nothing, one after another: "none / n/a", "null null".
fn are_nothings(words: &[&str]) -> bool {
    let mut is_end = vec![true];
    for end in 1..=words.len() {
        let is_whole = |from: usize| {
            words
                .get(from..end)
                .map(|row| row.join(" "))
                .is_some_and(|row| TABLE.holds("whole", &row) || TABLE.holds("no", &row))
        };
        let reached = (end.saturating_sub(ROW_WORDS_MAX)..end).any(|from| is_end[from] && is_whole(from));
        is_end.push(reached);
    }
    is_end.last() == Some(&true)
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
            "N/A",
            "N.A.",
            "nil",
            "NULL",
            "None",
            "none.",
            "none / n/a",
            "null null",
            "no, keine",
            "(none)",
            "unknown",
            "TBD",
            "tbd!",
            "undefined",
            "not applicable",
            "Not specified",
            "no preference",
            "No preferences.",
            "no special requests",
            "No special requests, thank you.",
            "I have no special requests",
            "we don't have any special requirements",
            "There are no further comments",
            "Special requests: none",
            "Preference: n/a",
            "nothing",
            "nothing special",
            "keine",
            "Keine besonderen Wünsche",
            "keine Angabe",
            "Keine Präferenz, danke",
            "- keine -",
            "nichts weiter",
            "Ich habe keine Sonderwünsche",
            "ninguna",
            "Ninguno",
            "sin preferencias",
            "no aplica",
            "ninguna petición especial",
            "aucune",
            "Aucune préférence",
            "Rien",
            "sans objet",
            "pas de demande particulière",
            "nessuna",
            "nessuna richiesta particolare",
            "non applicabile",
            "nenhuma",
            "sem preferência",
            "não se aplica",
            "geen voorkeur",
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
            "no smoking room",
            "keine Nüsse",
            "ohne Zwiebeln",
            "sin gluten",
            "sans gluten",
            "no onions please",
            "nothing spicy",
            "any seat by the window",
            "not on Monday",
            "special meal",
            "a note for the driver",
            "no comments on the card",
            "unknown caller blocked",
            "preference: window",
            "no preference for the wing but by the aisle",
            "nil by mouth",
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
            (
                "en",
                &["n/a", "no preference", "No special requests.", "TBD", "doesn't matter"][..],
            ),
            (
                "de",
                &[
                    "k.A.",
                    "keine Präferenz",
                    "Keine besonderen Wünsche",
                    "noch offen",
                    "mir egal",
                ],
            ),
            (
                "es",
                &[
                    "ninguna",
                    "sin preferencia",
                    "no aplica",
                    "No tengo peticiones especiales",
                    "por determinar",
                ],
            ),
            (
                "fr",
                &[
                    "aucune",
                    "pas de préférence",
                    "sans objet",
                    "Je n'ai pas de demande particulière",
                    "à définir",
                ],
            ),
            (
                "it",
                &[
                    "nessuna",
                    "nessuna preferenza",
                    "non applicabile",
                    "Non ho richieste particolari",
                    "da definire",
                ],
            ),
            (
                "pt",
                &[
                    "nenhuma",
                    "sem preferência",
                    "não se aplica",
                    "Não tenho pedidos especiais",
                    "a definir",
                ],
            ),
            (
                "nl",
                &[
                    "geen",
                    "geen voorkeur",
                    "n.v.t.",
                    "Ik heb geen bijzondere wensen",
                    "maakt niet uit",
                ],
            ),
            (
                "pl",
                &[
                    "brak",
                    "nie dotyczy",
                    "Brak szczególnych życzeń",
                    "nie mam preferencji",
                    "do ustalenia",
                    "żadne",
                ],
            ),
            (
                "tr",
                &[
                    "yok",
                    "HİÇBİRİ",
                    "Özel bir isteğim yok",
                    "tercihim yok",
                    "fark etmez",
                    "belirtilmedi",
                    "İSTEK YOK",
                ],
            ),
            (
                "ru",
                &[
                    "нет",
                    "Нет особых пожеланий",
                    "Особых пожеланий нет",
                    "не применимо",
                    "неизвестно",
                    "н/д",
                    "всё равно",
                ],
            ),
            (
                "zh",
                &[
                    "无",
                    "没有",
                    "没有特殊要求",
                    "无特别需求，谢谢",
                    "不适用",
                    "待定",
                    "未知",
                    "我没有什么特别的要求",
                ],
            ),
            (
                "zh-Hant",
                &["無", "沒有特別要求", "無特殊需求", "不適用", "待確認", "無所謂"],
            ),
            (
                "ja",
                &[
                    "なし",
                    "特になし",
                    "特に希望はありません",
                    "ご要望なし",
                    "不明",
                    "該当なし",
                    "未定",
                    "備考：なし",
                ],
            ),
            (
                "ko",
                &[
                    "없음",
                    "해당 없음",
                    "특별한 요청 없음",
                    "특별한 요청은 없습니다",
                    "선호 없음",
                    "모름",
                    "미정",
                ],
            ),
            (
                "ar",
                &[
                    "لا شيء",
                    "لا يوجد",
                    "لا توجد طلبات خاصة",
                    "غير معروف",
                    "لا ينطبق",
                    "بدون تفضيل",
                    "لا",
                ],
            ),
            (
                "th",
                &["ไม่มี", "ไม่มีความต้องการพิเศษ", "ไม่ระบุ", "ไม่ทราบ", "ไม่มีครับ", "อะไรก็ได้"],
            ),
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
            "keine der Nüsse bitte",
            "ninguno de los frutos secos",
            "rien d'épicé",
            "niente cipolla",
            "nada picante",
            "geen noten",
            "bez orzechów",
            "brak cukru",
            "soğan yok",
            "soğansız olsun",
            "без орехов",
            "нет орехам",
            "不要香菜",
            "没有坚果",
            "無糖",
            "不需要打印发票",
            "ナッツなし",
            "窓側を希望",
            "견과류 없이",
            "땅콩 없음",
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
    fn the_table_is_written_as_texts_are_read_z065() {
        for line in include_str!("tables/placeholder.tsv").lines() {
            let (sort, words) = line.split_once('\t').expect("a sort and its words");
            assert!(super::SORTS.contains(&sort), "{sort}");
            for word in words.split(", ") {
                assert_eq!(super::plain(word), word, "{sort}");
                assert!(word.split(' ').count() <= super::ROW_WORDS_MAX, "{word}");
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
