//! Redaction (Z-169, Z-171): what is personal becomes a mark, what could act as markup or control becomes harmless.
//!
//! Every text of a client goes through here before it is shown, kept in state, or made part of a description. Nothing
//! is decided here about who may see it. Invariant: redacting twice is redacting once, and the result is at most
//! [`REDACTED_BYTES_MAX`] bytes.

use std::sync::LazyLock;

use crate::closed;
use regex::Captures;
use regex::Regex;

use crate::pattern::exact;
use crate::pattern::fixed;
use crate::personal_data;

/// Longest redacted text.
pub const REDACTED_BYTES_MAX: usize = 4_096;

/// How often the rules run at most; two rounds settle all but contrived texts, and of what does not settle nothing is shown.
const ROUNDS_MAX: usize = 4;
/// What stands for a text of which nothing is shown.
const UNSETTLED: &str = "[text]";

static EMAIL: LazyLock<Regex> = LazyLock::new(|| fixed(r"[\w.+%'-]+\s?@\s?[\w-]+(?:\.[\w-]+)+"));
static SPOKEN_EMAIL: LazyLock<Regex> =
    LazyLock::new(|| fixed(r"\b[\w.+-]+\s+at\s+[\w-]+\s+dot\s+(?:com|org|net|io|co|edu|gov|info)\b"));
static IBAN: LazyLock<Regex> =
    LazyLock::new(|| fixed(r"\b[a-z]{2}\d{2}(?:[ -]?[a-z0-9]{4}){2,7}(?:[ -]?[a-z0-9]{1,4})?\b"));
static CARD: LazyLock<Regex> = LazyLock::new(|| exact(r"\d(?:[ .-]{0,2}\d){12,18}"));
static SOCIAL: LazyLock<Regex> = LazyLock::new(|| exact(r"\b\d{3}-\d{2}-\d{4}\b"));
static ACCOUNT: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"\b((?:account|acct|iban|routing|ssn|social security|passport|licen[cs]e|policy|membership|member|loyalty|frequent flyer|card|pin|password|booking reference)(?:\s+(?:number|no\.?|code|id))?(?:\s+(?:is|was)|\s*[:#=])*\s*)([a-z0-9][a-z0-9-]{3,})",
    )
});
static PHONE: LazyLock<Regex> = LazyLock::new(|| {
    exact(
        r"\+\s?\d(?:[ ()./-]{0,3}\d){6,14}|\(?\b\d{3}\)?[ .-]{0,2}\d{3}[ .-]?\d{4}\b|\b\d{3}[ .-]\d{4}\b|\b0\d{1,4}[ /-]\d{2,4}(?:[ -]?\d{2,4}){1,3}\b",
    )
});
static ENTITY: LazyLock<Regex> = LazyLock::new(|| exact(r"(&#?\w{1,10});"));
static TITLE_NAME: LazyLock<Regex> = LazyLock::new(|| {
    exact(r"\b((?i:mr|mrs|ms|miss|dr|prof|sir|madam|mister)\b\.?\s+)\p{Lu}[\p{L}'’-]*(?:\s+\p{Lu}[\p{L}'’-]*){0,2}")
});
static SAID_NAME: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"\b((?:my|his|her|our|their|passenger(?:'s)?|guest(?:'s)?|traveller(?:'s)?|traveler(?:'s)?)\s+(?:(?:first|last|full|given|family|middle|maiden)\s+)?(?:sur)?names?\s*(?:'s|is|are|was|:|=|would be)?\s+|\bunder the name (?:of )?|\bcall me\s+|\bon behalf of\s+)(\p{L}[\p{L}'’.-]*(?:\s+\p{L}[\p{L}'’.-]*){0,3})",
    )
});
static SELF_NAME: LazyLock<Regex> =
    LazyLock::new(|| exact(r"\b((?i:i['’]?m|i am|signed,?)\s+)(\p{Lu}\p{Ll}[\p{L}'’-]*(?:\s+\p{Lu}[\p{L}'’-]*){0,2})"));

/// Two to four words with capitals before a verb of what a person says or does to others: "Maria Lopez called", and not "a song by
/// Maria Lopez called Home".
static ACTING_NAME: LazyLock<Regex> = LazyLock::new(|| {
    exact(
        r"\b((?i:by|from|of)\s+)?(\p{Lu}\p{Ll}[\p{L}'’-]*(?:\s+\p{Lu}[\p{L}'’-]*){1,3})(\s+(?:(?:has|had|have|just|also|already|then|never|again|will|would|did not|didn't)\s+){0,2}(?:called|calls|call|phoned|phones|rang|texted|texts|emailed|emails|wrote|writes|written|replied|replies|answered|answers|said|says|say|told|tells|asked|asks|ask|thinks|thought|wants|wanted|wishes|prefers|preferred|hopes|complained|complains|apologised|apologized|is allergic|was born|lives|lived|is married|is travelling|is traveling)\b)",
    )
});
/// The same after a word of whom one spoke to: "I spoke with Maria Lopez".
static MET_NAME: LazyLock<Regex> = LazyLock::new(|| {
    exact(
        r"\b((?i:spoke|speak|speaking|talked|talk|talking|meet|met|meeting)\s+(?:(?:to|with)\s+)?)(\p{Lu}\p{Ll}[\p{L}'’-]*(?:\s+\p{Lu}[\p{L}'’-]*){1,2})",
    )
});

/// A text made fit to be shown.
pub fn redacted(text: &str) -> String {
    let mut text = plain(cut(text));
    for _ in 0..ROUNDS_MAX {
        let next = round(&text);
        if next == text {
            return text;
        }
        text = next;
    }
    UNSETTLED.to_owned()
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(REDACTED_BYTES_MAX)]
}

fn round(text: &str) -> String {
    let text = EMAIL.replace_all(text, "[email]");
    let text = SPOKEN_EMAIL.replace_all(&text, "[email]");
    let text = IBAN.replace_all(&text, |found: &Captures| with_digits(found, 0, 6, "[account]"));
    let text = CARD.replace_all(&text, "[card]");
    let text = SOCIAL.replace_all(&text, "[account]");
    let text = ACCOUNT.replace_all(&text, |found: &Captures| with_digits(found, 2, 4, "[account]"));
    let text = without_numbers(&text, true);
    let text = PHONE.replace_all(&text, "[phone]");
    let text = without_numbers(&text, false);
    let text = TITLE_NAME.replace_all(&text, "${1}[name]");
    let text = SAID_NAME.replace_all(&text, said_name);
    let text = SELF_NAME.replace_all(&text, self_name);
    let text = ACTING_NAME.replace_all(&text, acting_name);
    let text = MET_NAME.replace_all(&text, self_name);
    let text = ENTITY.replace_all(&text, "$1,");
    plain(cut(&text))
}

/// Without the numbers that name somebody: those that are `told` in words or stick to one, as phones are, or those that stand alone.
fn without_numbers(text: &str, told: bool) -> String {
    let mut left = String::with_capacity(text.len());
    let mut from = 0;
    for run in personal_data::runs(text) {
        let said = text.get(run.clone()).unwrap_or_default();
        let before = text.get(..run.start).and_then(|before| before.chars().next_back());
        let is_told = said.chars().any(char::is_alphabetic) || before.is_some_and(char::is_alphabetic);
        let is_alone = !is_told && said.chars().all(char::is_numeric);
        if (told && is_told) || (!told && is_alone) {
            left.push_str(text.get(from..run.start).unwrap_or_default());
            left.push_str(if is_told { " [phone]" } else { "[number]" });
            from = run.end;
        }
    }
    left.push_str(text.get(from..).unwrap_or_default());
    left
}

/// The match with its last part marked, when that part holds enough digits.
fn with_digits(found: &Captures, group: usize, least: usize, mark: &str) -> String {
    let part = &found[group];
    if part.chars().filter(|c| c.is_numeric()).count() < least {
        return found[0].to_owned();
    }
    let kept = if group == 0 { "" } else { &found[1] };
    format!("{kept}{mark}")
}

/// "my name is john smith and …": the words up to the first that cannot be a name.
fn said_name(found: &Captures) -> String {
    let words = found[2].split_inclusive(char::is_whitespace).collect::<Vec<_>>();
    let taken = words.iter().take_while(|word| !is_plain(word)).count().min(3);
    if taken == 0 {
        return found[0].to_owned();
    }
    let rest = words[taken..].concat();
    let gap = if rest.is_empty() { "" } else { " " };
    format!("{}[name]{gap}{rest}", &found[1])
}

/// Whether a word is of every day's use: no name begins with it.
fn is_plain(word: &str) -> bool {
    let word = word.trim().to_lowercase();
    closed::is_common(&word)
}

/// "I'm Anna": a capitalised word that is no everyday word. A place may pass for somebody ("I'm Portland bound"): when in doubt, a name.
fn self_name(found: &Captures) -> String {
    if found[2].split_whitespace().next().is_none_or(is_plain) {
        return found[0].to_owned();
    }
    format!("{}[name]", &found[1])
}

/// "Maria Lopez called": the words with capitals from the first that may be a name ("Yesterday Maria Lopez"), if two are left.
fn acting_name(found: &Captures) -> String {
    let words: Vec<&str> = found[2].split_whitespace().collect();
    let first = words.iter().take_while(|word| is_plain(word)).count();
    let (before, name) = words.split_at(first);
    if found.get(1).is_some() || name.len() < 2 {
        return found[0].to_owned();
    }
    let before: String = before.iter().map(|word| format!("{word} ")).collect();
    format!("{before}[name]{}", &found[3])
}

/// Without control characters, invisible and direction marks, and the characters that markup and templates are made of;
/// white space as single spaces.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() {
            if !plain.ends_with(' ') {
                plain.push(' ');
            }
        } else if !(c.is_control() || is_invisible(c) || matches!(c, '<' | '>' | '{' | '}' | '`')) {
            plain.push(c);
        }
    }
    plain.trim().to_owned()
}

/// Zero-width and bidirectional marks, soft hyphens, variation selectors, tags and other characters that show nothing.
fn is_invisible(c: char) -> bool {
    matches!(
        u32::from(c),
        0x00AD | 0x034F | 0x061C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F
            | 0x2028..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB
            | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF
    )
}

#[cfg(test)]
mod tests {
    use proptest::proptest;

    use super::REDACTED_BYTES_MAX;
    use super::redacted;

    #[test]
    fn addresses_and_numbers_of_a_person_become_marks_z171() {
        for (text, wanted) in [
            ("write to anna.b+x@mail.example.org now", "write to [email] now"),
            ("anna at example dot com", "[email]"),
            ("card 4111 1111 1111 1111 please", "card [card] please"),
            ("call +49 170 1234567", "call [phone]"),
            ("call (415) 555-0132 or 555-0132", "call [phone] or [phone]"),
            ("IBAN DE89 3704 0044 0532 0130 00", "IBAN [account]"),
            ("my account number is 48213", "my account number is [account]"),
            ("ssn 123-45-6789", "ssn [account]"),
            ("reference 1234567", "reference [number]"),
        ] {
            assert_eq!(redacted(text), wanted, "{text}");
        }
    }

    #[test]
    fn five_digits_stay_and_six_do_not_z171() {
        assert_eq!(redacted("zip 94103"), "zip 94103");
        assert_eq!(redacted("code 941035"), "code [number]");
    }

    #[test]
    fn numbers_that_are_spoken_or_stick_to_a_word_become_marks_z171() {
        for (text, wanted) in [
            ("call me at five five five one two three four", "call me at [phone]"),
            ("data630-596-1111", "data [phone]"),
            ("two adults and three children", "two adults and three children"),
            ("twenty five minutes past six", "twenty five minutes past six"),
        ] {
            assert_eq!(redacted(text), wanted, "{text}");
        }
    }

    #[test]
    fn names_after_a_cue_become_marks_z171() {
        for (text, wanted) in [
            (
                "my name is John Smith and I want tea",
                "my name is [name] and I want tea",
            ),
            ("I'm Anna, with two bags", "I'm [name], with two bags"),
            ("book it under the name Maria Lopez", "book it under the name [name]"),
            ("my name is not on the list", "my name is not on the list"),
        ] {
            assert_eq!(redacted(text), wanted, "{text}");
        }
    }

    #[test]
    fn names_of_who_called_and_who_was_met_become_marks_z171() {
        for (text, wanted) in [
            (
                "Maria Gonzalez called about her booking",
                "[name] called about her booking",
            ),
            ("When Jean-Luc O'Neill wrote, it rained", "When [name] wrote, it rained"),
            ("I spoke with Ana Ruiz yesterday", "I spoke with [name] yesterday"),
            (
                "play a song by Maria Lopez called Home",
                "play a song by Maria Lopez called Home",
            ),
            ("The customer called", "The customer called"),
            ("I met with Anna", "I met with Anna"),
        ] {
            assert_eq!(redacted(text), wanted, "{text}");
        }
    }

    #[test]
    fn demand_itself_is_left_as_it_is() {
        for text in [
            "a window seat on 2026-03-14 at 5:30 p.m.",
            "from 03/14/2026 for 2 people, under $1,500",
            "I am vegetarian",
            "It's Carbon Leaf",
            "fly to New York, not Boston",
        ] {
            assert_eq!(redacted(text), text, "{text}");
        }
    }

    #[test]
    fn markup_control_and_bidi_marks_are_made_harmless_z169() {
        assert_eq!(redacted("a\u{202E}b\u{200B}c\u{0007}"), "abc");
        assert_eq!(
            redacted("<script>{{ x }}</script> `rm` ${HOME}"),
            "script x /script rm $HOME"
        );
        assert_eq!(redacted("&lt;b&gt; R&D"), "&lt,b&gt, R&D");
        assert_eq!(redacted("line\r\nbreak\ttab"), "line break tab");
        assert_eq!(redacted("41\u{200B}11 1111 1111 1111"), "[card]");
    }

    #[test]
    fn a_redacted_text_is_bounded_z169() {
        assert!(redacted(&"I'm Al. ".repeat(5_000)).len() <= REDACTED_BYTES_MAX);
        assert!(!redacted(&"I'm Anna. ".repeat(32)).contains("Anna"), "each of them");
    }

    proptest! {
        #[test]
        fn redacting_twice_is_redacting_once_z169_z171(text in "(?s).{0,200}") {
            let once = redacted(&text);
            assert_eq!(redacted(&once), once);
        }

        #[test]
        fn digits_and_marks_in_any_arrangement_settle_z171(text in "[0-9 @.&;:'a-cA-CIm\\[\\]<{-]{0,120}") {
            let once = redacted(&text);
            assert_eq!(redacted(&once), once);
            assert!(!once.contains(['<', '>', '{', '}', '`']));
        }
    }
}
