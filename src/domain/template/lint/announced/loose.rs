//! Lists that stand in a description in a way that is not read with certainty: with remarks on their values, with what
//! qualifies them, line by line, or as pairs of a value and what it means.
//!
//! Gives no values. Invariant: what says that it goes on, or names kinds of values, is no list.

use std::sync::LazyLock;

use regex::Regex;

use crate::domain::template::key::KeyType;
use crate::domain::template::lint::announced::entries::are_kinds;
use crate::domain::template::lint::announced::entries::goes_on;
use crate::domain::template::lint::announced::entries::is_form;
use crate::domain::template::lint::announced::entries::is_kind_alone;
use crate::domain::template::lint::announced::entries::is_value;
use crate::domain::template::lint::announced::entries::tells;
use crate::domain::template::lint::announced::figures::bound;
use crate::domain::template::lint::announced::pattern;
use crate::domain::template::lint::sentences::sentences;
use crate::domain::template::punctuation::without_stop;

/// Values of a list that no words announce: fewer may be anything.
const BARE_MIN: usize = 3;
/// Places of one text, or of one sentence, that a list is looked for at: each costs a look at what follows.
pub const PLACES_MAX: usize = 16;
/// Words of one value of such a list.
const BARE_WORDS_MAX: usize = 2;

/// Words before which a list may stand that is closed, or not.
static MAY_ANNOUNCE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:(?:available|comes?|sold|served)\s+(?:only\s+)?(?:in|as)|there\s+(?:is|are)\s+(?:only\s+)?(?:two|three|four|five|[2-9])(?:\s+\S+)?|(?:sizes|kinds|types|sorts|colou?rs|levels|grades|classes|modes|states)\s*(?:are|:)|limited\s+to|restricted\s+to|nothing\s+but|any\s+of|can\s+be)\s*:?\s+",
    )
});

/// What stands in brackets, and a remark behind a value.
static BRACKETS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\s*[(\[（][^()\[\]（）]*(?:[)\]）]|$)"));
static REMARK: LazyLock<Regex> = LazyLock::new(|| pattern(r"\s+[-–—]\s.*$|\s*(?:=|:\s|\bmeans\b).*$"));

/// What stands between values.
static DIVIDER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\s*[,;/|、，；]\s*(?:(?:or|and)\s+)?|\s+(?:or|and)\s+"));

/// A value and what it means, twice: "S for small, M for medium", "1 = low, 2 = high", "small - a cup, large - a mug".
static PAIRS: LazyLock<Regex> = LazyLock::new(|| {
    let word = r#"['"`“‘]?[\p{Alphabetic}0-9_+-]+['"`”’]?"#;
    let next = r"[,;.\n]\s*(?:(?:and|or)\s+)?(?:(?:use|give|say|send|write|put)\s+)?";
    let of = |mark: &str| {
        format!(r"(?:^|[.:;(\n]\s*|\b(?:use|give|say|send|write|put|enter)\s+){word}{mark}[^,;.\n]+{next}{word}{mark}")
    };
    let marks = [
        r"\s+for\s+",
        r"\s*=\s*",
        r"\s+[-–—]\s+",
        r"\s+means\s+",
        r"\s+if\s+",
        r"\s+when\s+",
    ];
    pattern(&format!("(?i){}", marks.map(of).join("|")))
});

/// Two values of one word with a remark in brackets each: "standard (3 days) or express (1 day)".
static REMARKED: LazyLock<Regex> = LazyLock::new(|| {
    let word = r#"['"`“‘]?([\p{Alphabetic}0-9_+-]+)['"`”’]?"#;
    pattern(&format!(
        r"(?i)(?:^|[.:;]\s*){word}\s*\([^()]+\)\s*,?\s*or\s+{word}\s*\([^()]+\)"
    ))
});

/// A line of a list that is written line by line.
static BULLET: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(?:[-*•–·]|[0-9]{1,2}[.)])\s+(?<value>\S.*)$"));

/// What a list needs to be one.
#[derive(Clone, Copy)]
struct Asked {
    values_min: usize,
    words_max: usize,
    /// Whether they must not be kinds of values.
    no_kinds: bool,
}

/// Behind words that announce a list; without any.
const ANNOUNCED: Asked = Asked {
    values_min: 2,
    words_max: 3,
    no_kinds: false,
};
const ALONE: Asked = Asked {
    values_min: BARE_MIN,
    words_max: BARE_WORDS_MAX,
    no_kinds: true,
};

/// Whether something like a list stands behind words that announce one.
pub fn stands_behind(text: &str, loosely: bool) -> bool {
    let sentence = sentences(text).into_iter().next().unwrap_or_default();
    let asked = Asked {
        no_kinds: loosely,
        ..ANNOUNCED
    };
    lists(sentence, asked, KeyType::String) || (sentence.trim().is_empty() && lines(text) >= ANNOUNCED.values_min)
}

/// Whether something like a list of a key's values stands anywhere.
pub fn stands_in(prose: &str, key_type: KeyType) -> bool {
    let of_texts = key_type == KeyType::String;
    let announced = || {
        let mut cues = MAY_ANNOUNCE.find_iter(prose).take(PLACES_MAX);
        cues.any(|cue| stands_behind(&prose[cue.end()..], true))
    };
    (of_texts && (announced() || lines(prose) >= BARE_MIN))
        || PAIRS.is_match(prose)
        || are_remarked(prose, key_type)
        || sentences(prose).into_iter().any(|sentence| {
            let behind = sentence.match_indices([':', '(']).map(|(at, mark)| at + mark.len());
            [0].into_iter()
                .chain(behind)
                .take(PLACES_MAX)
                .any(|at| lists(&sentence[at..], ALONE, key_type))
        })
}

/// Whether a key's values stand behind a colon, as those of a list may: "Days on which it runs: mon, tue, wed".
pub fn stands_behind_colon(prose: &str) -> bool {
    sentences(prose).into_iter().any(|sentence| {
        let behind = sentence.match_indices(':').map(|(at, mark)| at + mark.len());
        behind
            .take(PLACES_MAX)
            .any(|at| lists(&sentence[at..], ALONE, KeyType::String))
    })
}

/// Whether two values are there with a remark each.
fn are_remarked(prose: &str, key_type: KeyType) -> bool {
    REMARKED.captures(prose).is_some_and(|found| {
        let mut words = found.iter().skip(1).flatten();
        words.all(|word| is_plain(word.as_str(), ALONE, key_type))
    })
}

/// Lines of a list that is written line by line, each a value with or without a remark.
fn lines(text: &str) -> usize {
    let values = text.lines().filter_map(|line| BULLET.captures(line)?.name("value"));
    values
        .filter(|value| is_plain(head(without_stop(value.as_str())), ANNOUNCED, KeyType::String))
        .count()
}

/// Whether a text begins with values: so many, divided by marks or conjunctions, and none of its words says that there are more.
fn lists(text: &str, asked: Asked, key_type: KeyType) -> bool {
    let plain = BRACKETS.replace_all(without_stop(text), "");
    let all: Vec<&str> = DIVIDER.split(plain.trim()).map(head).collect();
    let goes_on = text.contains("..") || text.contains('…') || all.iter().any(|value| goes_on(value));
    let heads: Vec<&str> = all
        .iter()
        .copied()
        .take_while(|head| is_plain(head, asked, key_type))
        .collect();
    let is_span = heads.len() == 2 && heads.iter().all(|head| bound(head, KeyType::Number).is_some());
    let is_kinds = if asked.no_kinds {
        are_kinds(&heads)
    } else {
        heads.iter().any(|head| is_form(head))
    };
    let is_kinds = is_kinds || asked.no_kinds && all.iter().any(|value| is_kind_alone(value));
    heads.len() >= asked.values_min && !goes_on && !is_span && !is_kinds
}

/// A value without the remark on it, and without quotes.
fn head(value: &str) -> &str {
    let end = REMARK.find(value).map_or(value.len(), |found| found.start());
    value[..end].trim().trim_matches(['"', '\'', '`', '“', '”', '‘', '’'])
}

/// Whether words may be one value of a key.
fn is_plain(head: &str, asked: Asked, key_type: KeyType) -> bool {
    let words = head.split_whitespace().count();
    let of_type = match key_type {
        KeyType::Integer | KeyType::Number => bound(head, key_type).is_some(),
        KeyType::String | KeyType::Array | KeyType::Boolean | KeyType::Object | KeyType::Null => true,
    };
    let names_kind = (words > 1 || asked.no_kinds) && is_kind_alone(head);
    (1..=asked.words_max).contains(&words) && of_type && is_value(head) && !tells(head) && !names_kind
}

#[cfg(test)]
mod tests {
    use super::stands_behind;
    use super::stands_in;
    use crate::domain::template::key::KeyType;

    #[test]
    fn a_list_with_remarks_or_lines_is_one_z048() {
        for text in [
            "small - a cup, large - a mug.",
            "Use S for small, M for medium.",
            "S = small, M = medium",
            "small, medium, large (default: medium).",
            "The size: small (250 ml), medium (330 ml), large (500 ml).",
            "The size.\n- small\n- medium: a mug\n- large",
            "Comes in small, medium and large.",
            "Open, halted or done; empty where nobody knows.",
            "Size S/M/L",
            "standard (3 days) or express (1 day)",
        ] {
            assert!(stands_in(text, KeyType::String), "{text}");
        }
        assert!(stands_in("1, 2 or 4, as there is room", KeyType::Integer));
        assert!(stands_in("1 = low, 2 = high", KeyType::Integer));
        for text in [
            "a, b, unless it rains.",
            " small (250 ml), medium (330 ml).",
            "\n- small\n- large",
        ] {
            assert!(stands_behind(text, false), "{text}");
        }
    }

    #[test]
    fn a_sentence_is_none_z048() {
        for text in [
            "What the user wants to eat, drink or take away.",
            "Street, city or postcode.",
            "Name, nickname or alias of the guest.",
            "Dogs, cats or rabbits.",
            "Whether red, green or blue.",
            "Red, green or any other colour.",
            "Speed in km/h and/or in knots.",
            "Where the guest sits - near the window.",
            "Phone (at home) or email (at work).",
        ] {
            assert!(!stands_in(text, KeyType::String), "{text}");
        }
        assert!(!stands_in("Number of the room on floors 1, 2 and 3", KeyType::Integer));
        for text in [
            "these days.",
            "our menu.",
            "IATA code, city name.",
            "letters, digits or underscores.",
        ] {
            assert!(!stands_behind(text, false), "{text}");
        }
    }
}
