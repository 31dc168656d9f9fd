//! What of a text is never shown to others, however many said it (Z-169, Z-171): numbers of six digits and more, written or spoken,
//! codes of letters with digits, plates, amounts of money, what somebody is reached by, and what somebody says to be a name.
//!
//! Knows forms alone: names that nobody says to be one, and how many said a word, are asked elsewhere. When in doubt a text is private. Invariant:
//! linear in the text. Dates, times and other numbers pass; they are like words.

use std::ops::Range;
use std::sync::LazyLock;

use crate::closed::is_soft;
use regex::Regex;

use crate::languages::WORDS;
use crate::pattern::exact;
use crate::pattern::fixed;

/// Digits, or words for numbers, in a row from which on they name somebody or something of theirs: a postal code of the widest
/// countries has five, a phone number without its area six.
pub const RUN_MIN: usize = 6;
/// Words from a currency to its amount: "dos millones de pesos".
const CURRENCY_WITHIN: usize = 2;
/// Words from a word for money to its amount: "my salary is about 52000".
const MONEY_WITHIN: usize = 4;

/// The words of a sort as one pattern, the longest first.
fn any_of(sort: &str) -> String {
    let mut words: Vec<&str> = WORDS.words(sort).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.join("|")
}

static DATE: LazyLock<Regex> = LazyLock::new(|| {
    exact(concat!(
        r"(?:19|20)\d{2}[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])(?:[T ]\d{1,2}:\d{2}(?::\d{2})?Z?)?",
        r"|(?:0?[1-9]|[12]\d|3[01])[-/.](?:0?[1-9]|[12]\d|3[01])[-/.](?:19|20)?\d{2}",
        r"|\d{1,2}:\d{2}(?::\d{2})?",
    ))
});
/// "B MX 1234", "ABC 123", "1234 BCD": as plates and flights are written.
static SPACED_CODE: LazyLock<Regex> =
    LazyLock::new(|| exact(r"\b(?:\p{Lu}{1,3}[ -])?\p{Lu}{1,3} \d{2,4}\b|\b\d{3,4} \p{Lu}{2,3}\b"));
/// `1,500`, `52.000`, `1 500`: what is written in thousands is an amount, or as long as one.
static THOUSANDS: LazyLock<Regex> = LazyLock::new(|| exact(r"\b\d{1,3}(?:[.,'’ \u{a0}]\d{3})+\b"));
/// Digits and words for numbers in a row. Four characters stand between two parts at most: ") - " is the longest that is written.
/// Letters before digits end what came before them: "room2".
static RUN: LazyLock<Regex> = LazyLock::new(|| {
    let part = format!(r"(?:\p{{N}}+|\b(?:{}))\b", any_of("number"));
    let (gap, joins) = (r"[\s\-–—./()+,:_*#']{0,4}", any_of("number_joins"));
    fixed(&format!(r"{part}(?:{gap}(?:\b(?:{joins})\b{gap})?{part})*"))
});
/// What is written behind a word for a plate: letters and digits in any case and with any blanks between.
static PLATE: LazyLock<Regex> = LazyLock::new(|| {
    let (plate, is) = (any_of("plate"), any_of("plate_is"));
    fixed(&format!(
        r"\b(?:{plate})(?:\W+(?:{is}))*\W+(?:(?P<letters>\p{{L}}{{1,3}})[ -](?:\p{{L}}{{1,3}}[ -])?\d{{1,4}}\b|\d{{1,4}}[ -](?P<behind>\p{{L}}{{1,3}})\b)"
    ))
});
/// What says that a name follows, or came before.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    let [spaced, unspaced, behind] = ["named", "named_unspaced", "named_behind"].map(any_of);
    fixed(&format!(
        r"\b(?:{spaced})\s*[:,]?\s+\w|(?:{unspaced})\s*\w|\w(?:{behind})"
    ))
});
/// Amounts in number words of scripts that are written without blanks.
static SPELLED: LazyLock<Regex> = LazyLock::new(|| exact(&any_of("spelled_amount")));
/// What numbers end in that are written as one word: `zweitausend`, `duecento`, `quinientos`.
static NUMBER_END: LazyLock<Regex> = LazyLock::new(|| exact(&format!("(?:{})$", any_of("number_end"))));
/// Signs of currencies.
const SYMBOLS: &[char] = &['$', '€', '£', '¥', '₹', '₽', '₩', '₺', '₴', '฿', '¢'];

/// Whether a word, in small letters, is one for a number.
pub fn is_number_word(word: &str) -> bool {
    WORDS.holds("number", word)
}

/// Whether letters behind a number are a unit.
pub fn is_unit(word: &str) -> bool {
    WORDS.holds("unit", word)
}

/// Whether a text holds anything that is never shown to others.
pub fn is_private(text: &str) -> bool {
    let words = words(text);
    let is_named = || NAMED.is_match(text);
    !runs(text).is_empty() || holds_code(text) || holds_amount(text, &words) || reaches(text, &words) || is_named()
}

/// Where a text holds a personal number: digits or words for them, six or more in a row, whatever stands between; days and times
/// of day are none, and end one.
pub fn runs(text: &str) -> Vec<Range<usize>> {
    let (mut runs, mut from) = (Vec::new(), 0);
    for date in dates(text).into_iter().chain(std::iter::once(text.len()..text.len())) {
        let between = text.get(from..date.start).unwrap_or_default();
        let held = |run: &str| {
            let words = run.split(|c: char| !c.is_alphanumeric());
            words.filter(|word| WORDS.holds("number", &word.to_lowercase())).count()
                + run.chars().filter(|c| c.is_numeric()).count()
        };
        let found = RUN.find_iter(between).filter(|run| held(run.as_str()) >= RUN_MIN);
        runs.extend(found.map(|run| from + run.start()..from + run.end()));
        from = date.end;
    }
    runs
}

/// Days and times of day that stand alone: "06.12.34.56.78" is none.
fn dates(text: &str) -> Vec<Range<usize>> {
    let continues = |near: Option<char>, next: Option<char>| {
        near.is_some_and(char::is_alphanumeric)
            || near.is_some_and(|near| "-/.:".contains(near)) && next.is_some_and(char::is_numeric)
    };
    let alone = |place: &Range<usize>| {
        let mut before = text.get(..place.start).unwrap_or_default().chars().rev();
        let mut after = text.get(place.end..).unwrap_or_default().chars();
        !continues(before.next(), before.next()) && !continues(after.next(), after.next())
    };
    let found: Vec<Range<usize>> = DATE.find_iter(text).map(|found| found.range()).collect();
    // "10:30-12:45" is from a time to a time.
    let is_span = |one: &Range<usize>, other: &Range<usize>| {
        let times = [one, other].iter().all(|place| {
            text.get((*place).clone())
                .is_some_and(|said| said.contains(':') && !said.contains(['-', '/', '.']))
        });
        times && matches!(text.get(one.end..other.start), Some("-" | "–"))
    };
    let spans = found.windows(2).filter_map(|pair| match pair {
        [from, to] if is_span(from, to) => Some([from.start, to.start]),
        _ => None,
    });
    let ends: Vec<usize> = spans.flatten().collect();
    let is_date = |place: &Range<usize>| alone(place) || ends.binary_search(&place.start).is_ok();
    found.into_iter().filter(is_date).collect()
}

/// Whether a word mixes letters with digits, and is no number with its unit.
fn holds_code(text: &str) -> bool {
    // "A plate for 2" is none: what a plate spells is no word.
    let mut plates = PLATE
        .captures_iter(text)
        .filter_map(|plate| plate.name("letters").or(plate.name("behind")));
    if SPACED_CODE.is_match(text) || plates.any(|letters| !is_soft(&letters.as_str().to_lowercase())) {
        return true;
    }
    let mut words = text.split_whitespace();
    words.any(|word| {
        let has_letter = word.chars().any(char::is_alphabetic);
        let has_digit = word.chars().any(char::is_numeric);
        has_letter && has_digit && !word.split(|c: char| !c.is_alphanumeric()).all(is_plain_part)
    })
}

/// A part of a word that joins numbers and words: `5-year-old`, `18h30`, `7pm`, `mid-2026`, `10x15`.
fn is_plain_part(part: &str) -> bool {
    let digits = part.chars().take_while(|c| c.is_ascii_digit()).count();
    let (number, rest) = part.split_at(digits);
    let year = number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
    let is_small = number.len() <= 3 || year;
    if rest.is_empty() {
        return is_small;
    }
    if number.is_empty() {
        // One capital at most, at the front: anything else spells a code.
        let lower = rest.chars().skip(1).all(char::is_lowercase);
        return lower
            && rest.chars().all(char::is_alphabetic)
            && (rest.chars().count() >= 3 || WORDS.holds("unit", rest));
    }
    // One capital behind a number is a seat or a house: `14C`.
    let unit = if rest.len() == 1 {
        rest.to_owned()
    } else {
        rest.to_lowercase()
    };
    let more = unit
        .strip_prefix(['h', 'x'])
        .filter(|more| more.bytes().all(|b| b.is_ascii_digit()) && more.len() <= 3);
    is_small && (WORDS.holds("unit", &unit) || more.is_some())
}

/// Whether it names an amount of money.
fn holds_amount(text: &str, words: &[String]) -> bool {
    let is_number = |word: &String| {
        word.starts_with(|c: char| c.is_numeric()) || WORDS.holds("number", word) || NUMBER_END.is_match(word)
    };
    let numbers: Vec<usize> = (0..words.len()).filter(|at| is_number(&words[*at])).collect();
    let near = |at: usize, within: usize| numbers.iter().any(|number| (1..=within).contains(&number.abs_diff(at)));
    let is_amount = |(at, word): (usize, &String)| {
        WORDS.holds("currency", word) && near(at, CURRENCY_WITHIN)
            || WORDS.holds("money", word) && near(at, MONEY_WITHIN)
    };
    let is_written = || text.contains(SYMBOLS) || THOUSANDS.is_match(text);
    SPELLED.is_match(text) || !numbers.is_empty() && (is_written() || words.iter().enumerate().any(is_amount))
}

/// Whether it tells by what somebody is reached: an address, a name of an account, spelled or spoken.
fn reaches(text: &str, words: &[String]) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let is_spoken = |at: usize| {
        let (first, next) = (word(at), word(at + 1));
        first == "at" && WORDS.holds("provider", next)
            || WORDS.holds("dot", first) && WORDS.holds("domain", next)
            || WORDS.holds("reached_by", first) && WORDS.holds("is", next) && at + 2 < words.len()
    };
    is_address(text) || (0..words.len()).any(is_spoken)
}

/// Whether it holds an address: words of two letters and more that a dot or a line joins, or what no other word holds.
pub fn is_address(text: &str) -> bool {
    let is_joined = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_long = |part: &str| part.chars().filter(|c| c.is_alphanumeric()).nth(1).is_some();
        word.contains(['.', '_']) && word.split(['.', '_']).all(is_long) && word.contains(char::is_alphabetic)
    };
    text.contains('@') || text.contains("://") || text.split_whitespace().any(is_joined)
}

/// The words of a text in small letters: letters and digits in a row.
fn words(text: &str) -> Vec<String> {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::is_private;
    use super::runs;

    #[test]
    fn what_names_one_person_or_what_is_theirs_is_private_z171() {
        for (what, texts) in [
            (
                "six digits and more, however they are written",
                &[
                    "my number is 630-596-1111",
                    "data630-596-1111",
                    "06.12.34.56.78",
                    "+49 170/1234567",
                    "10 20 30 40",
                    "number:4 8 2 1 3 9",
                ][..],
            ),
            (
                "digits in words, of any language, and mixed ones",
                &[
                    "call me at five five five one two three four",
                    "double five three two one zero four",
                    "five five 5, one 2 three",
                    "seis uno cinco, dos dos cuatro",
                    "five and five and five and one and two and three",
                ],
            ),
            (
                "codes",
                &[
                    "use SPRING24",
                    "booking X7K9Q",
                    "my plate is B-MX 1234",
                    "ABC 123",
                    "seat 14C",
                    "AB12 CDE",
                    "the 52k one",
                ],
            ),
            (
                "plates, however they are written",
                &[
                    "plate ab 12 cde",
                    "my plate is m ab 1234",
                    "registration 12 d 3456",
                    "Kennzeichen M-AB 1234",
                    "matrícula 1234 bcd",
                    "plaka 34 abc 12",
                ],
            ),
            (
                "amounts",
                &[
                    "under $200",
                    "five hundred dollars",
                    "my salary is 52000",
                    "max price 300",
                    "1,500 in all",
                    "mein Gehalt ist 4100",
                    "two thousand euros",
                    "two million of dollars",
                    "zweitausend Euro",
                    "quinientos euros",
                    "duecento euro",
                    "dwa tysiące złotych",
                    "две тысячи рублей",
                    "beş yüz lira",
                    "两千元",
                    "이천 원",
                    "ألف دولار",
                    "สองพันบาท",
                ],
            ),
            (
                "what somebody says to be a name",
                &[
                    "my name is zorblatt",
                    "under the name of Vance",
                    "ich heiße Zorbl",
                    "auf den Namen Zorbl",
                    "je m'appelle zorbl",
                    "me llamo zorbl",
                    "mi chiamo zorbl",
                    "chamo-me zorbl",
                    "ik heet zorbl",
                    "nazywam się zorbl",
                    "adım zorbl",
                    "меня зовут Зорбл",
                    "我叫佐布尔",
                    "ゾルブルと申します",
                    "제 이름은 조르블",
                    "اسمي زوربل",
                    "ผมชื่อซอร์",
                ],
            ),
            (
                "what somebody is reached by",
                &[
                    "ada@example.org",
                    "jo_smith",
                    "ada at gmail",
                    "example dot com",
                    "my insta is flowerpower",
                ],
            ),
        ] {
            for text in texts {
                assert!(is_private(text), "{what}: {text}");
            }
        }
    }

    #[test]
    fn other_numbers_days_and_times_are_like_words_z112_z171() {
        for text in [
            "window seat",
            "room 12",
            "zip 94103",
            "on 2026-05-04",
            "2026-05-04 17:30",
            "03/14/2026",
            "between 10:30 and 12:45",
            "10:30-12:45",
            "at 7pm",
            "a 5-year-old",
            "mid-2026",
            "18h30",
            "2kg of apples",
            "twenty five minutes",
            "e.g. by the aisle",
            "half past six",
            "by email",
            "one hundred and twenty",
            "a COVID test",
            "a plate for 2",
            "plates and two glasses",
            "engrave a name on it",
            "call me before you arrive",
            "dreißig Minuten",
            "thousands of flowers",
            "第二天送到",
        ] {
            assert!(!is_private(text), "{text}");
        }
    }

    #[test]
    fn a_run_is_found_where_it_stands_z171() {
        let found = |text: &'static str| runs(text).into_iter().map(|place| &text[place]).collect::<Vec<_>>();
        assert_eq!(found("call data630-596-1111 now"), ["630-596-1111"]);
        assert_eq!(
            found("at five five five one two three, please"),
            ["five five five one two three"]
        );
        assert_eq!(
            found("two adults, three rooms, four nights, five beds, six keys, seven"),
            [""; 0]
        );
        assert_eq!(found("123456 and then 654321"), ["123456", "654321"]);
    }
}
