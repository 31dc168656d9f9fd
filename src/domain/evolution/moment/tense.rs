//! Whether a day that somebody speaks of lies behind or ahead, by the words around it: "vaccinated on 15 April", "booked for the 15th".
//!
//! Reads the words of the day's own clause, the nearest first, and knows no calendar. Invariant: without a cue of the past, and
//! wherever a word may mean either, a day lies ahead.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::domain::evolution::lexicon;

const TABLE: &str = include_str!("../tables/tense.tsv");
/// Words of a clause before a day that are looked at, and those between a noun and its article.
const BEFORE_MAX: usize = 8;
const NOUN_MAX: usize = 2;
/// Bytes before a day and after it in which its clause is looked for.
const CLAUSE_MAX: usize = 120;
/// Letters of the shortest verb that ends regularly, with its ending.
const REGULAR_MIN: usize = 5;

/// Where a day lies that is said without a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tense {
    Ahead,
    Past,
    /// In the year before this one.
    LastYear,
}

/// What a word tells of the day beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    /// Stands between a verb and its day.
    Leads,
    /// Leads to a day that something lasts to or is meant for.
    Opens,
    /// Says that something was.
    Past,
    /// Stands before a thing that was, or before the final one of its kind.
    Last,
    /// Things of which the last one is the final one.
    Final,
    /// Wishes or foretells.
    Ahead,
    /// Forms that tell of what is to be, though it was arranged before.
    Arranged,
    /// Forms that as often tell of what is to be done as of what was.
    Done,
    /// Forms that tell of what happened, whatever is wished.
    Happened,
    /// Says that what follows is done already.
    Has,
    /// Who did something.
    Doer,
    /// What something was done to, in a word.
    Object,
    /// Ends what can be said of the day.
    Ends,
    /// Begins the name of a thing.
    Article,
}

static SORTS: LazyLock<BTreeMap<&'static str, BTreeSet<Sort>>> = LazyLock::new(|| {
    let mut sorts: BTreeMap<&'static str, BTreeSet<Sort>> = BTreeMap::new();
    for (sort, words) in TABLE.lines().filter_map(|row| row.split_once('\t')) {
        for (word, sort) in words.split(", ").zip(std::iter::repeat(sort_of(sort))) {
            sorts.entry(word).or_default().extend(sort);
        }
    }
    sorts
});

fn sort_of(name: &str) -> Option<Sort> {
    match name {
        "leads" => Some(Sort::Leads),
        "opens" => Some(Sort::Opens),
        "past" => Some(Sort::Past),
        "last" => Some(Sort::Last),
        "final" => Some(Sort::Final),
        "ahead" => Some(Sort::Ahead),
        "arranged" => Some(Sort::Arranged),
        "done" => Some(Sort::Done),
        "happened" => Some(Sort::Happened),
        "has" => Some(Sort::Has),
        "doer" => Some(Sort::Doer),
        "object" => Some(Sort::Object),
        "ends" => Some(Sort::Ends),
        "article" => Some(Sort::Article),
        _ => None,
    }
}

fn is(sort: Sort, word: &str) -> bool {
    SORTS.get(word).is_some_and(|sorts| sorts.contains(&sort))
}

/// Where a day lies that is said between two places of a text.
pub fn of(text: &str, start: usize, end: usize) -> Tense {
    let after = words_after(text, end);
    if let Some(tense) = told_after(&after) {
        return tense;
    }
    let before = words_before(text, start);
    told_before(&before)
}

/// The words of its clause before a place, in lower case, the nearest first.
fn words_before(text: &str, start: usize) -> Vec<String> {
    let before = text.get(..start).unwrap_or_default();
    let before = &before[before.ceil_char_boundary(before.len().saturating_sub(CLAUSE_MAX))..];
    let clause = before.rfind(parts).map_or(before, |at| {
        &before[at + before[at..].chars().next().map_or(1, char::len_utf8)..]
    });
    let words = clause.split(|c: char| !is_letter(c)).filter(|word| !word.is_empty());
    let mut words: Vec<String> = words.map(|word| word.to_lowercase().replace('’', "'")).collect();
    words.reverse();
    words
}

/// The words of its clause after a place.
fn words_after(text: &str, end: usize) -> Vec<String> {
    let after = text.get(end..).unwrap_or_default();
    let after = &after[..after.floor_char_boundary(CLAUSE_MAX)];
    let clause = &after[..after.find(parts).unwrap_or(after.len())];
    let words = clause.split(|c: char| !is_letter(c)).filter(|word| !word.is_empty());
    words
        .take(2)
        .map(|word| word.to_lowercase().replace('’', "'"))
        .collect()
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\'' | '’' | '-')
}

/// Whether a character parts clauses.
fn parts(c: char) -> bool {
    matches!(c, ',' | ';' | ':' | '.' | '!' | '?' | '\n' | '(' | ')' | '–' | '—')
}

/// "15 April was the day", "15 April last year".
fn told_after(words: &[String]) -> Option<Tense> {
    let first = words.first()?;
    let second = words.get(1).map(String::as_str);
    match (first.as_str(), second) {
        ("last", Some("year")) => Some(Tense::LastYear),
        ("this" | "next", Some("year")) => Some(Tense::Ahead),
        ("was" | "were" | "ago", _) => Some(Tense::Past),
        (_, _) => None,
    }
}

/// What the nearest word tells that tells anything.
fn told_before(words: &[String]) -> Tense {
    let first = words.iter().take_while(|word| is(Sort::Leads, word)).count();
    let nearest = words.get(first).map_or("", String::as_str);
    if is(Sort::Opens, nearest) {
        return Tense::Ahead;
    }
    if is(Sort::Last, nearest) {
        return Tense::Past;
    }
    let is_wished = words.iter().any(|word| is(Sort::Ahead, word));
    let unless_wished = if is_wished { Tense::Ahead } else { Tense::Past };
    for (at, word) in words.iter().enumerate().skip(first).take(BEFORE_MAX) {
        let further = words.get(at + 1).map_or("", String::as_str);
        let is_had = word == "got" && is(Sort::Has, further);
        if is_had {
            // "I have got" is no more than "I have".
            continue;
        }
        if [Sort::Ends, Sort::Ahead, Sort::Arranged]
            .into_iter()
            .any(|sort| is(sort, word))
        {
            return Tense::Ahead;
        }
        if is(Sort::Past, word) {
            return Tense::Past;
        }
        if is(Sort::Last, word) {
            let is_final = is(Sort::Final, &lexicon::lemma(nearest));
            return if is_final { Tense::Ahead } else { unless_wished };
        }
        if governs(words, first, at) {
            if is(Sort::Happened, word) {
                return Tense::Past;
            }
            if is(Sort::Done, word) {
                let is_told = is(Sort::Past, further) || is(Sort::Has, further) || is(Sort::Doer, further);
                return if is_told { unless_wished } else { Tense::Ahead };
            }
            if is_past_form(word) && !is_thing(&words[at..]) {
                return unless_wished;
            }
        }
    }
    Tense::Ahead
}

/// Whether a verb stands right before its day, or before a thing that has a word of its own before it: "bought the car on", and not
/// "a guided tour on".
fn governs(words: &[String], first: usize, at: usize) -> bool {
    let behind = at.checked_sub(1).filter(|_| at > first).and_then(|at| words.get(at));
    behind.is_none_or(|word| is(Sort::Article, word) || is(Sort::Object, word))
}

/// Whether a word is a verb's past form or participle.
fn is_past_form(word: &str) -> bool {
    if lexicon::irregular(word) {
        return !matches!(word, "has" | "are");
    }
    let Some(root) = word.strip_suffix("ed").filter(|_| word.len() >= REGULAR_MIN) else {
        return false;
    };
    let single = root.strip_suffix(|c: char| root.ends_with([c, c]));
    let y = root.strip_suffix('i').map(|root| format!("{root}y"));
    // A form of a verb that is in no dictionary is in none itself.
    !lexicon::known(word)
        || lexicon::known(root)
        || lexicon::known(&format!("{root}e"))
        || single.is_some_and(lexicon::known)
        || y.is_some_and(|root| lexicon::known(&root))
}

/// Whether a form that is a noun as well is one here: "my last shot", and not "the one I shot".
fn is_thing(words: &[String]) -> bool {
    let Some((word, before)) = words.split_first() else {
        return false;
    };
    lexicon::may_be_noun(word) && before.iter().take(NOUN_MAX).any(|word| is(Sort::Article, word))
}

#[cfg(test)]
mod tests {
    use super::TABLE;
    use super::Tense;
    use super::of;
    use super::sort_of;

    /// The tense of what stands in angle brackets.
    fn tense(marked: &str) -> Tense {
        let start = marked.find('<').expect("a mark");
        let end = marked.find('>').expect("a mark") - 1;
        of(&marked.replace(['<', '>'], ""), start, end)
    }

    #[test]
    fn a_day_lies_behind_where_its_words_say_so_z112() {
        for said in [
            "vaccinated on <15 April>",
            "she was born on <15 April>",
            "Bought on the <15th of April>",
            "photos I shot on <15 April>",
            "expired on <15 April>",
            "since <15 April>",
            "sick since the <15th of April>",
            "last <Friday>",
            "her last rabies shot on <15 April>",
            "we had a party on <15 April>",
            "I got the parcel on <15 April>",
            "bought the car on <15 April>",
            "it was delivered on <15 April>",
            "they delivered it on <15 April>",
            "<15 April> was the day of the accident",
            "I want a refund for the shoes bought on <15 April>",
            "please come, I fell on <15 April>",
            "we moved the sofa, it broke on <15 April>",
            "my father died on <15 April>",
        ] {
            assert_eq!(tense(said), Tense::Past, "{said}");
        }
        assert_eq!(tense("the trip of <15 April> last year"), Tense::LastYear);
    }

    #[test]
    fn a_day_lies_ahead_without_a_cue_and_where_a_word_may_mean_either_z112() {
        for said in [
            "<15 April>",
            "on <15 April>",
            "a table on <15 April>",
            "booked for the <15th of April>",
            "it was scheduled for <15 April>",
            "planned on <15 April>",
            "the party we had planned on <15 April>",
            "delivered on <15 April>",
            "have it delivered on <15 April>",
            "I need the car washed on <15 April>",
            "get vaccinated on <15 April>",
            "I want to get him vaccinated on <15 April>",
            "I've got an appointment on <15 April>",
            "a flu shot on <15 April>",
            "a guided tour on <15 April>",
            "a used car on <15 April>",
            "the last flight on <15 April>",
            "I was hoping to fly on <15 April>",
            "I was ill and come on <15 April>",
            "I was ill, a visit on <15 April>",
            "it must be finished by <15 April>",
            "valid until <15 April>",
            "leave on <15 April> next year",
            "set it on <15 April>",
            "what about <15 April>",
        ] {
            assert_eq!(tense(said), Tense::Ahead, "{said}");
        }
    }

    #[test]
    fn every_row_of_the_table_is_read_z112() {
        for row in TABLE.lines() {
            let (sort, words) = row.split_once('\t').expect("a sort and its words");
            assert!(sort_of(sort).is_some(), "{row}");
            assert!(
                words
                    .split(", ")
                    .all(|word| !word.is_empty() && word == word.trim().to_lowercase()),
                "{row}"
            );
        }
    }
}
