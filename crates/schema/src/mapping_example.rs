//! The mapping examples of a description (Z-040): what the arrows in it lead to.
//!
//! Reads `'two people' -> 2`, with or without quotes, and with `→`. Knows the type that a value is read by; whether the key
//! accepts it is for the caller. Arrays and objects are read where they are JSON. [`shown`] gives what is said before the
//! arrow too, and both as they are written.

use std::sync::LazyLock;

use regex::Captures;
use regex::Regex;
use serde_json::Value;

use crate::key::KeyDefinition;
use crate::key::KeyType;

/// Examples of one description that are looked at.
const EXAMPLES_MAX: usize = 16;

/// Marks that end a sentence.
const STOPS: [char; 15] = [
    '.', '!', '?', '。', '｡', '！', '？', '।', '॥', '۔', '؟', '։', '።', '။', '។',
];

/// Marks that divide the parts of a sentence and need no white space behind them.
const DIVIDING: &str = "；，、،؛";

/// What an arrow leads to: quoted, in whatever marks, or one word.
static TARGET: LazyLock<Regex> = LazyLock::new(|| {
    let ends = format!(r"\s;,{DIVIDING}。｡！？");
    Regex::new(&format!(
        r#"(?:->|→)\s*(?:'([^']+)'|"([^"]+)"|`([^`]+)`|‘([^’]+)’|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|「([^」]+)」|『([^』]+)』|(?<word>[^'"\[{{`‘“„«「『{ends}][^{ends}]*))"#
    ))
    .expect("the pattern is a constant")
});

/// The marks that open and close what a user says before an arrow, but for the plain `'`, which is an apostrophe too.
const QUOTES: [(&[char], char); 8] = [
    (&['"'], '"'),
    (&['`'], '`'),
    (&['‘'], '’'),
    (&['“', '„'], '”'),
    (&['„'], '“'),
    (&['«'], '»'),
    (&['「'], '」'),
    (&['『'], '』'),
];

/// What stands before an array or object.
static ARROW: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?:->|→)\s*").expect("the pattern is a constant"));

/// What one example leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Target<'a> {
    /// As it is written, without quotes.
    pub word: &'a str,
    /// The value; `None` where the word is none of the key's type.
    pub value: Option<Value>,
}

/// What the examples of a key lead to, in order.
pub fn targets(key: &KeyDefinition) -> impl Iterator<Item = Target<'_>> {
    let text = &key.semantic_description;
    let trees = matches!(key.key_type, KeyType::Array | KeyType::Object);
    let of_trees = ARROW
        .find_iter(text)
        .filter(move |_| trees)
        .filter_map(move |arrow| tree(text, arrow.end()));
    let of_words = TARGET
        .captures_iter(text)
        .filter(move |_| !trees)
        .filter_map(move |captures| word(key, &captures));
    of_trees.chain(of_words).take(EXAMPLES_MAX)
}

/// An array or object behind an arrow; its texts may stand in single quotes, as in the draft's figures. Anything else there
/// shows none.
fn tree(text: &str, start: usize) -> Option<Target<'_>> {
    let rest = text.get(start..).filter(|rest| rest.starts_with(['[', '{']))?;
    let plain = rest.replace('\'', "\"");
    [rest, &plain].into_iter().find_map(|json| {
        let mut values = serde_json::Deserializer::from_str(json).into_iter::<Value>();
        let value = values.next()?.ok()?;
        Some(Target {
            word: rest.get(..values.byte_offset())?,
            value: Some(value),
        })
    })
}

/// What is quoted behind an arrow, or one word.
fn word<'k>(key: &KeyDefinition, captures: &Captures<'k>) -> Option<Target<'k>> {
    let found = captures.iter().skip(1).flatten().next()?;
    let word = if captures.name("word").is_some() {
        found
            .as_str()
            .trim_end_matches(|c| is_stop(c) || matches!(c, ')' | '）'))
    } else {
        found.as_str()
    };
    let value = match key.key_type {
        KeyType::String => Some(Value::String(word.to_owned())),
        KeyType::Integer | KeyType::Number | KeyType::Boolean => serde_json::from_str(word).ok(),
        KeyType::Array | KeyType::Object | KeyType::Null => return None,
    };
    Some(Target { word, value })
}

/// What one example shows: these words say that value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown<'a> {
    pub said: &'a str,
    /// Without quotes; without them all that stands there up to a semicolon or the end of the sentence.
    pub value: &'a str,
}

/// What the examples of a description show, in order: those whose words stand in quotes.
pub fn shown(description: &str) -> Vec<Shown<'_>> {
    let mut from = 0;
    let mut shown = Vec::new();
    for arrow in ARROW.find_iter(description).take(EXAMPLES_MAX) {
        let Some(before) = description.get(from..arrow.start()) else {
            continue;
        };
        let quoted = TARGET
            .captures_at(description, arrow.start())
            .filter(|captures| captures.name("word").is_none())
            .and_then(|captures| Some((captures.get(0)?, captures.iter().skip(1).flatten().next()?)))
            .filter(|(whole, _)| whole.start() == arrow.start());
        let (value, end) = match quoted {
            Some((whole, found)) => (found.as_str(), whole.end()),
            None => {
                let value = open_value(&description[arrow.end()..]);
                (value, arrow.end() + value.len())
            }
        };
        from = end;
        let said = said_before(before).filter(|said| !said.is_empty() && !value.is_empty());
        shown.extend(said.map(|said| Shown { said, value }));
    }
    shown
}

/// What stands in quotes at the end of a text. A `'` opens where an example begins, else where a word does: both "the '90s" and
/// "the user's" have one inside.
fn said_before(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let Some(quoted) = text.strip_suffix('\'') else {
        let (quoted, opening) = QUOTES
            .iter()
            .find_map(|(opening, closing)| Some((text.strip_suffix(*closing)?, *opening)))?;
        let (_, said) = quoted.rsplit_once(opening)?;
        return Some(said);
    };
    let opening = |is_opening: &dyn Fn(&str) -> bool| {
        let mut quotes = quoted.match_indices('\'').filter(|(at, _)| is_opening(&quoted[..*at]));
        quotes.next_back().map(|(at, _)| &quoted[at + 1..])
    };
    let begins = [':', ';', '(', '.', ',', '；', '，', '：', '。'];
    opening(&|before| {
        let before = before.trim_end();
        before.is_empty() || before.ends_with(begins)
    })
    .or_else(|| opening(&|before| before.ends_with(char::is_whitespace)))
}

/// A value without quotes: up to a semicolon or what stands for one, or the stop that ends the sentence; up to a comma where
/// another example follows in the same one.
fn open_value(text: &str) -> &str {
    let ends = |(at, c): &(usize, char)| {
        let behind = text[at + c.len_utf8()..].chars().next();
        *c == ';' || DIVIDING.contains(*c) || is_wide_stop(*c) || is_stop(*c) && behind.is_none_or(char::is_whitespace)
    };
    let end = text.char_indices().find(ends).map_or(text.len(), |(at, _)| at);
    let value = &text[..end];
    let value = match value.split_once(',') {
        Some((first, _)) if ARROW.is_match(value) => first,
        Some(_) | None => value,
    };
    value.trim_end()
}

/// Whether a mark may end a sentence.
fn is_stop(c: char) -> bool {
    STOPS.contains(&c)
}

/// Whether a mark ends a sentence though no white space follows.
fn is_wide_stop(c: char) -> bool {
    matches!(c, '。' | '｡' | '！' | '？')
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::shown;
    use super::targets;
    use crate::key::KeyDefinition;

    #[test]
    fn arrows_lead_to_values_of_the_key_s_type_z040() {
        for row in [
            json!([
                "string",
                "'from Beijing' -> 'PEK'; \"to Rome\" → \"FCO\"; 'x' -> none.",
                ["PEK", "FCO", "none"]
            ]),
            json!(["integer", "'two' -> 2. 'many' -> many", [2, null]]),
            json!(["boolean", "'yes' -> true.", [true]]),
            json!(["array", "'a' -> ['a']; 'b' -> [\"b\", 2]; 'c' -> c", [["a"], ["b", 2]]]),
            json!(["object", "'a' -> {\"a\": [1]}. 'b' → {b", [{"a": [1]}]]),
            json!(["integer", "'两位' -> 2。另外：无", [2]]),
            json!(["integer", "'两位' -> 2；无", [2]]),
            json!(["integer", "（'两位' -> 2）。", [2]]),
            json!(["integer", "'दो' -> 2। और", [2]]),
            json!(["integer", "'دو' -> 2۔", [2]]),
            json!(["integer", "'deux' -> 2 !", [2]]),
            json!([
                "string",
                "x -> “up”; x -> „up“; x -> «up»; x -> 「up」; x -> `up`; x -> up。",
                ["up", "up", "up", "up", "up", "up"]
            ]),
            json!(["string", "No arrow, only a - and a >.", []]),
        ] {
            let document =
                json!({"key_name": "k", "key_type": row[0], "required": false, "semantic_description": row[1]});
            let (key, _) = KeyDefinition::parse(&document).expect("a key");
            let values: Value = targets(&key).map(|target| json!(target.value)).collect();
            assert_eq!(values, row[2], "{row}");
        }
    }

    #[test]
    fn examples_show_which_words_say_a_value_z040_z112() {
        for row in [
            json!([
                "Seat. Acceptable values: window, aisle. Examples: 'a window seat please' -> window; 'on the aisle' -> aisle.",
                ["a window seat please", "window"],
                ["on the aisle", "aisle"]
            ]),
            json!([
                "The user's seat. Example mapping: 'by the window' -> 'window'; 'I'd sit inside' → \"inside seat\".",
                ["by the window", "window"],
                ["I'd sit inside", "inside seat"]
            ]),
            json!([
                "Examples: 'by card' -> credit card; 'for 2.5' -> 2.5. Otherwise it is empty.",
                ["by card", "credit card"],
                ["for 2.5", "2.5"]
            ]),
            json!([
                "As the user's app has it, 'rock 'n' roll' -> rock; 'songs of the '90s' -> 1990s",
                ["rock 'n' roll", "rock"],
                ["songs of the '90s", "1990s"]
            ]),
            json!([
                "Acceptable values: 'a', 'b'. 'to Rome' -> 'FCO'; \"two of 'em\" → 2. „nach Rom“ -> FCO; «a Roma» -> FCO，「罗马」-> FCO。x -> y.",
                ["to Rome", "FCO"],
                ["two of 'em", "2"],
                ["nach Rom", "FCO"],
                ["a Roma", "FCO"],
                ["罗马", "FCO"]
            ]),
            json!(["'one' -> 1, 'two, or so' -> 2", ["one", "1"], ["two, or so", "2"]]),
            json!(["Examples: nothing"]),
            json!([""]),
            json!(["'x' ->"]),
            json!(["-> y"]),
            json!(["' -> y"]),
            json!(["'' -> y"]),
            json!(["a 'b' c -> d"]),
        ] {
            let text = row[0].as_str().unwrap_or_default();
            let read: Vec<Value> = shown(text).iter().map(|one| json!([one.said, one.value])).collect();
            assert_eq!(json!(read), json!(row.as_array().expect("a row")[1..]), "{text}");
        }
    }
}
