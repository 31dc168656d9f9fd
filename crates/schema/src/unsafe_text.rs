//! Texts that a template may not hold: orders to whatever model reads it, and characters that a person does not see (Z-169, Z-170).
//!
//! Looks at every text of a document, since every one of them may reach a prompt. A description may say how its own key, another
//! key or `other` is used (Z-179, Z-180), and when a tool is to be called: only what turns against earlier instructions, changes
//! how a model speaks, or carries a conversation or all other values out is refused. Invariant: linear in the document.

use std::sync::LazyLock;

use regex::Regex;
use regex::RegexBuilder;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_compatible;
use unicode_normalization::is_nfkc;

use crate::defect::Defect;
use crate::defect::pointer_to;

/// Why a text is refused, as it is published.
pub const SPEAKS_TO_MODEL: &str = "speaks_to_model";
pub const HIDDEN_CHARACTERS: &str = "hidden_characters";

/// What the pattern may take, compiled: words of any script make it larger than the library's own bound.
const PATTERN_BYTES_MAX: usize = 64 << 20;
/// What its automaton may keep: with the library's own bound of two it is thrown away again and again, and 4,000 characters take 14 ms
/// and not 7 µs.
const AUTOMATON_BYTES_MAX: usize = 10 << 20;
/// Characters that one becomes at most in the compatible form.
const PARTS_MAX: usize = 4;
/// Levels of a document that are looked at; a template's own form ends far above.
const DEPTH_MAX: usize = 64;

/// Patterns a line, each after its sort and a tab: whole orders, what a turn against earlier instructions is made of, and in angle
/// brackets words that stand in several patterns, in the languages that are written with spaces and that the models read.
const TABLE: &str = include_str!("tables/orders.tsv");

static ORDERS: LazyLock<Regex> = LazyLock::new(|| any_of("order"));

/// Words of any language that together turn against earlier instructions, wherever they stand in a sentence: what is to be done with
/// them, which they are, and what they are; of all of them only instructions are meant for a model. Stems, since most are inflected.
static TURNS: LazyLock<[Regex; 5]> =
    LazyLock::new(|| ["ignore", "earlier", "all", "instructions", "rules"].map(any_of));

/// Whether a sentence turns against what was said before.
fn turns(sentence: &str) -> bool {
    let [ignore, earlier, all, instructions, rules] = &*TURNS;
    let is = |words: &Regex| words.is_match(sentence);
    is(ignore) && (is(all) && is(instructions) || is(earlier) && (is(instructions) || is(rules)))
}

fn any_of(sort: &str) -> Regex {
    let rows = || TABLE.lines().filter_map(|line| line.split_once('\t'));
    let of_sort: Vec<&str> = rows().filter(|(name, _)| *name == sort).map(|(_, row)| row).collect();
    let mut pattern = format!("(?i){}", of_sort.join("|"));
    for (name, words) in rows().filter(|(name, _)| name.starts_with('<')) {
        pattern = pattern.replace(name, words);
    }
    let built = RegexBuilder::new(&pattern)
        .size_limit(PATTERN_BYTES_MAX)
        .dfa_size_limit(AUTOMATON_BYTES_MAX)
        .build();
    built.expect("a constant that a test compiles")
}

/// Why a document may not be published: each of its texts that speaks to a model or hides characters, a name of a member as well.
pub fn defects(document: &Value) -> Vec<Defect> {
    let mut found = Vec::new();
    look(document, "", 0, &mut found);
    found
}

fn look(value: &Value, pointer: &str, depth: usize, found: &mut Vec<Defect>) {
    if depth > DEPTH_MAX {
        return;
    }
    match value {
        Value::String(text) => found.extend(defect(text, pointer)),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                look(item, &format!("{pointer}/{at}"), depth + 1, found);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let pointer = pointer_to(pointer, name);
                found.extend(defect(name, &pointer));
                look(member, &pointer, depth + 1, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn defect(text: &str, pointer: &str) -> Option<Defect> {
    let (code, message) = if hides(text) {
        (
            HIDDEN_CHARACTERS,
            "holds characters that a person does not see: control, direction, invisible or tag characters",
        )
    } else if orders(text) {
        (
            SPEAKS_TO_MODEL,
            "gives orders to whatever model reads it; say what the key means and how it is used",
        )
    } else {
        return None;
    };
    Some(Defect {
        pointer: pointer.to_owned(),
        requirement: "Z-170".to_owned(),
        message: format!("{code}: {message}"),
    })
}

/// Whether a text gives orders to a model that have nothing to do with a key.
pub fn orders(text: &str) -> bool {
    let gives = |text: &str| {
        let mut sentences = text.split(['.', '!', '?', '\n', '。', '！', '？']);
        ORDERS.is_match(text) || sentences.any(turns)
    };
    // Letters of full width and the like are read as what they look like.
    gives(text) || (!is_nfkc(text) && gives(&compatible(text)))
}

/// The compatible form of a text (NFKC), in which no character becomes more than [`PARTS_MAX`]: a sign that stands for a phrase spells no
/// order, and a text of such signs would grow eighteenfold.
fn compatible(text: &str) -> String {
    let parts = text.chars().flat_map(|c| {
        let mut parts = Vec::new();
        decompose_compatible(c, |part| parts.push(part));
        if parts.len() > PARTS_MAX { vec![c] } else { parts }
    });
    parts.nfc().collect()
}

/// Whether a text holds what is not seen but read.
pub fn hides(text: &str) -> bool {
    !text.is_ascii() && hidden(text).next().is_some() || text.chars().any(is_control)
}

/// What is seen of a text.
pub fn shown(text: &str) -> String {
    let hidden: Vec<usize> = hidden(text).collect();
    let seen = text
        .char_indices()
        .filter(|(at, c)| !is_control(*c) && hidden.binary_search(at).is_err());
    seen.map(|(_, c)| c).collect()
}

/// Where characters stand that show nothing. A joiner within an emoji, or between letters of scripts that are written with it,
/// shows; so do marks of direction within a text that has letters from right to left, and the tags of a flag.
fn hidden(text: &str) -> impl Iterator<Item = usize> {
    let rtl = text.chars().any(is_rtl);
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let near = |at: usize| chars.get(at).map_or(' ', |(_, c)| *c);
    let mut in_flag = false;
    let mut found = Vec::new();
    for (place, (at, c)) in chars.iter().enumerate() {
        in_flag = *c == '\u{1F3F4}' || (in_flag && is_tag(*c));
        let before = place.checked_sub(1).map_or(' ', near);
        let joins = |c: char| u32::from(c) > 0x2000 || is_joined(c) || c == '\u{FE0F}';
        let is_hidden = match c {
            '\u{200C}' | '\u{200D}' => !(joins(before) && joins(near(place + 1))),
            '\u{200E}' | '\u{200F}' | '\u{061C}' => !rtl,
            '\u{00AD}'
            | '\u{034F}'
            | '\u{180E}'
            | '\u{200B}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}' => true,
            '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0100}'..='\u{E01EF}' => {
                true
            }
            c if is_tag(*c) => !in_flag,
            _ => false,
        };
        if is_hidden {
            found.push(*at);
        }
    }
    found.into_iter()
}

fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t' | '\r')
}

/// Tags, of which flags of regions are made and nothing else is.
fn is_tag(c: char) -> bool {
    matches!(c, '\u{E0000}'..='\u{E007F}')
}

/// Letters of Hebrew, Arabic and their neighbours.
fn is_rtl(c: char) -> bool {
    matches!(c, '\u{0590}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFE}')
}

/// Letters of scripts that are written with joiners: Arabic, and those of India and its neighbours.
fn is_joined(c: char) -> bool {
    is_rtl(c) || matches!(c, '\u{0900}'..='\u{0DFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}')
}

#[cfg(test)]
mod tests;
