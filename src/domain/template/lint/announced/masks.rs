//! Dates and times of which a description shows how they are written: `YYYY-MM-DD`, `HH:MM`.
//!
//! Invariant: a form is given of the one mask of a description that says nothing else of how the value is written; hours in
//! small letters may count to twelve, and those of a duration beyond a day, so that they give none.

use std::sync::LazyLock;

use regex::Captures;
use regex::Regex;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::announced::around::Around;
use crate::domain::template::lint::announced::has;
use crate::domain::template::lint::announced::hinted;
use crate::domain::template::lint::announced::pattern;
use crate::domain::template::lint::announced::prose;
use crate::domain::template::lint::announced::ranges;

/// A part of a mask, in one case.
const PART: &str = "(?:YYYY|yyyy|YY|yy|MM|mm|DD|dd|HH|hh|SS|ss)";

static MASK: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"\b{PART}(?:[-/.: T]?{PART})+\b")));
static PARTS: LazyLock<Regex> = LazyLock::new(|| pattern(PART));

/// Words of times that are no times of a day, or of half a day.
static NOT_OF_DAY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:a\.?m\.?|p\.?m\.?|12[- ]?h\w*|durations?|elapsed|how\s+long|lasts?|length|takes?|zone|offset)(?:\b|$)",
    )
});

/// What may stand behind a mask and says no more than that it is one.
static NAMED_SO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[)\]]?(?:,?\s+\(?(?:in\s+)?(?:format|form|notation|local\s+time|(?:24|twenty-four)[- ]?(?:h|hours?)(?:\s+clock)?)\b\)?)+",
    )
});

/// Formats that have a name in words, by the groups of the pattern that finds it.
const FORMATS_SAID: [(&str, &str); 6] = [
    ("moment", "date-time"),
    ("day", "date"),
    ("email", "email"),
    ("uri", "uri"),
    ("uuid", "uuid"),
    ("host", "hostname"),
];

/// A format in words: a standard's name, or what stands behind the word for it.
static STATED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\bISO[\s-]*(?:8601[\s-]*)?(?:(?<moment>(?:date(?:\s+and\s+|[-\s]?)time|timestamp)(?:\s+with\s+offset)?)|(?<day>(?:calendar\s+)?date))\b|\bformat:\s*(?:an?\s+)?(?:(?<email>e-?mail\s+address)|(?<uri>absolute\s+UR[IL])|(?<uuid>UUID)|(?<host>host\s*name))\b",
    )
});

/// The question that a description begins with, which it is an answer to.
static ASKED_FIRST: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^\s*when\b"));

/// Whether a text shows how a date or time is written.
pub fn shows_one(text: &str) -> bool {
    MASK.is_match(text)
}

/// The constraints that a key's description shows, where it is clear what they are and nothing is enforced.
pub fn form(key: &KeyDefinition) -> Option<Map<String, Value>> {
    shown_in(key, prose(&key.semantic_description))
}

/// The constraints that a description shows beside a range of times.
pub fn beside_times(key: &KeyDefinition) -> Option<Map<String, Value>> {
    let prose = prose(&key.semantic_description);
    let plain = ranges::without_times(prose);
    let form = shown_in(key, &plain).filter(|_| plain != prose)?;
    form.contains_key("pattern").then_some(form)
}

/// The constraints that a key's prose shows.
fn shown_in(key: &KeyDefinition, prose: &str) -> Option<Map<String, Value>> {
    let is_open = key.key_type == KeyType::String && !has(key, &["enum", "const", "pattern", "format"]);
    let mut masks = MASK.find_iter(prose);
    let Some(mask) = masks.next() else {
        return stated_in(key, prose).filter(|_| is_open);
    };
    if !is_open || masks.next().is_some() {
        return None;
    }
    let end = mask.end() + NAMED_SO.find(&prose[mask.end()..]).map_or(0, |found| found.end());
    // "When the shop opens" says which time is meant, and no case.
    let meant = ASKED_FIRST.replace(prose, |found: &Captures<'_>| "-".repeat(found[0].len()));
    let is_all = Around::of(&meant, mask.start(), end).leaves_list() && !hinted::has_alternative(key);
    if !is_all {
        return None;
    }
    if mask.as_str() == "YYYY-MM-DD" {
        return Some(Map::from_iter([("format".to_owned(), json!("date"))]));
    }
    let about = format!("{} {prose}", key.key_name.as_str().replace('_', " "));
    let of_day = !NOT_OF_DAY.is_match(&about);
    let pattern = of_mask(mask.as_str(), of_day)?;
    Some(Map::from_iter([("pattern".to_owned(), json!(pattern))]))
}

/// The format that a key's prose names in words, and that is all it says of how the value is written.
fn stated_in(key: &KeyDefinition, prose: &str) -> Option<Map<String, Value>> {
    let mut found = STATED.captures_iter(prose);
    let stated = found.next().filter(|_| found.next().is_none())?;
    let (_, format) = FORMATS_SAID.into_iter().find(|(name, _)| stated.name(name).is_some())?;
    let whole = stated.get(0)?;
    let is_all = Around::of(prose, whole.start(), whole.end()).leaves_list() && !hinted::has_alternative(key);
    is_all.then(|| Map::from_iter([("format".to_owned(), json!(format))]))
}

/// The pattern of a mask.
fn of_mask(mask: &str, of_day: bool) -> Option<String> {
    let parts: Vec<_> = PARTS.find_iter(mask).collect();
    let mut written = String::from("^");
    let mut end = 0;
    let mut units: Vec<&str> = Vec::new();
    for (n, part) in parts.iter().enumerate() {
        written.push_str(&mask.get(end..part.start())?.replace('.', "\\."));
        end = part.end();
        let beside = |place: Option<usize>, hour: [&str; 2]| {
            place
                .and_then(|place| parts.get(place))
                .is_some_and(|other| hour.contains(&other.as_str()))
        };
        let of_hour = beside(n.checked_sub(1), ["HH", "hh"]) || beside(n.checked_add(1), ["SS", "ss"]);
        let (unit, figures) = match part.as_str() {
            "YYYY" | "yyyy" => ("year", "[0-9]{4}"),
            "YY" | "yy" => ("year", "[0-9]{2}"),
            "MM" | "mm" if of_hour => ("minute", "[0-5][0-9]"),
            "MM" | "mm" => ("month", "(0[1-9]|1[0-2])"),
            "DD" | "dd" => ("day", "(0[1-9]|[12][0-9]|3[01])"),
            "HH" if of_day => ("hour", "([01][0-9]|2[0-3])"),
            "SS" | "ss" => ("second", "[0-5][0-9]"),
            _ => return None,
        };
        if units.contains(&unit) {
            return None;
        }
        units.push(unit);
        written.push_str(figures);
    }
    written.push('$');
    Some(written)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::form;
    use crate::domain::template::key::KeyDefinition;

    #[test]
    fn a_mask_shows_what_is_right_where_it_is_all_that_is_said_z048() {
        let of = |text: &str| {
            let key =
                json!({"key_name": "when", "key_type": "string", "required": false, "semantic_description": text});
            form(&KeyDefinition::parse(&key).expect("a key").0).map(Value::Object)
        };
        for (text, constraints) in [
            ("The day (YYYY-MM-DD).", json!({"format": "date"})),
            (
                "When the shop opens (HH:MM).",
                json!({"pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"}),
            ),
            (
                "When the shop opens, in HH:MM format.",
                json!({"pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"}),
            ),
            (
                "When the shop opens. Format: HH:MM 24h format, local time.",
                json!({"pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"}),
            ),
            (
                "When the shop opens, HH:MM (24-hour clock).",
                json!({"pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"}),
            ),
            ("Day of the visit, an ISO date.", json!({"format": "date"})),
            ("Day of the visit. Format: ISO 8601 date.", json!({"format": "date"})),
            ("Whom to write to. Format: e-mail address.", json!({"format": "email"})),
            (
                "When the shop opens, as HH:MM.",
                json!({"pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"}),
            ),
            ("Arrival, HH:MM.", json!({"pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"})),
            (
                "The day, DD.MM.YYYY.",
                json!({"pattern": r"^(0[1-9]|[12][0-9]|3[01])\.(0[1-9]|1[0-2])\.[0-9]{4}$"}),
            ),
            (
                "Moment: YYYY-MM-DD HH:MM",
                json!({"pattern": r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01]) ([01][0-9]|2[0-3]):[0-5][0-9]$"}),
            ),
            (
                "Month of the invoice as YYYYMM.",
                json!({"pattern": "^[0-9]{4}(0[1-9]|1[0-2])$"}),
            ),
        ] {
            assert_eq!(of(text), Some(constraints), "{text}");
        }
        for text in [
            "Arrival, hh:mm.",
            "Arrival, HH:MM am or pm.",
            "How long it takes, HH:MM.",
            "Arrival, HH:MM or a word.",
            "Arrival, HH:MM; the day as DD.MM.",
            "A length in mm.",
            "Arrival, HH:MM where it is known.",
            "Day of the visit, an ISO date or a weekday.",
            "Day of the visit, an ISO week date.",
            "Format: e-mail address or phone.",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
