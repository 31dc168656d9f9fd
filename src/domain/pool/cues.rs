//! Cues: the preposition right before each value, and the noun right after a number.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::domain::pool::pattern::exact;
use crate::domain::pool::reading::Span;
use crate::domain::pool::reading::ValueType;
use crate::domain::pool::words::is_determiner;
use crate::domain::pool::words::is_preposition;
use crate::domain::pool::words::is_stop_word;
use crate::domain::pool::words::stem;

static WORD: LazyLock<Regex> = LazyLock::new(|| exact("[a-z']+"));

/// Characters after a number within which its noun is looked for.
const NOUN_CHARS: usize = 24;

/// The cues of one value.
pub fn cues_of(fragment: &str, span: &Span) -> BTreeSet<String> {
    let mut cues = BTreeSet::new();
    let before = fragment[..span.start].to_lowercase();
    let words = WORD.find_iter(&before).map(|word| word.as_str()).collect::<Vec<_>>();
    let preposition = words
        .iter()
        .rev()
        .find(|word| !is_determiner(word))
        .filter(|word| is_preposition(word));
    cues.extend(preposition.map(|word| format!("p:{word}")));
    if span.value_type == ValueType::Number {
        let after = fragment[span.end..]
            .chars()
            .take(NOUN_CHARS)
            .collect::<String>()
            .to_lowercase();
        let noun = WORD
            .find_iter(&after)
            .take(2)
            .map(|word| word.as_str())
            .find(|word| !is_stop_word(word) && !is_preposition(word));
        cues.extend(noun.map(|word| format!("u:{}", stem(word))));
    }
    cues
}
