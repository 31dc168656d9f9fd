//! A text as words, each with its root and its clause.
//!
//! A root is what the forms of an English word share: it is compared, never shown. Invariants: a phrase lies within one clause; of a
//! long text the beginning is read.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::tongue;
use crate::domain::pool::words;

/// Forms of verbs that no ending tells, and their verbs.
static IRREGULAR: LazyLock<BTreeMap<String, String>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../tables/irregular.json")).unwrap_or_default());

/// Words of a text that are read: what is said first is what came of it, and rules compare each word with those of another text.
const WORDS_MAX: usize = 60;
/// Words before a verb or noun in which a negation still means it.
const DENIED_WITHIN: usize = 3;
/// Words that may stand within a verb of two words ("turn the heating off").
const APART_MAX: usize = 3;
const PARTICLES: [&str; 5] = ["on", "off", "up", "down", "out"];
/// Words before the verb at the head of a clause.
const BEFORE_HEADS: [&str; 12] = [
    "please", "and", "then", "also", "do", "don't", "not", "never", "bitte", "und", "et", "ne",
];

/// Prefixes that take back what follows; others begin too many words by chance.
const TAKING_BACK: [&str; 2] = ["un", "non"];
/// Letters that must be left of such a word.
const TAKEN_BACK_MIN: usize = 4;
/// A past form has more letters than this; shorter words end so by chance.
const DONE_MIN: usize = 4;
/// Words after a verb of which the first with content may be the cause that is to be told.
const CAUSE_WITHIN: usize = 3;
/// What makes of a verb the name of its doing.
const DOINGS: [&str; 7] = ["ation", "ion", "ure", "al", "ment", "ung", "ación"];
/// Words between two verbs at the head.
const CONJUNCTIONS: [&str; 4] = ["and", "then", "und", "et"];

/// A word and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub written: String,
    pub lower: String,
    pub root: String,
    pub clause: usize,
    /// A hyphen ties it to the word before.
    pub is_tied: bool,
}

/// Words that stand one after another, as the table names them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct Phrase {
    pub text: String,
    pub words: Vec<Word>,
}

impl From<String> for Phrase {
    fn from(text: String) -> Phrase {
        let words = Text::of(&text).words;
        Phrase { text, words }
    }
}

impl Phrase {
    /// Whether both are forms of one word or phrase.
    pub fn is_form_of(&self, other: &Phrase) -> bool {
        let roots = |phrase: &Phrase| phrase.words.iter().map(|word| word.root.clone()).collect::<Vec<_>>();
        roots(self) == roots(other)
    }
}

/// What was asked or said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    pub words: Vec<Word>,
}

impl Text {
    /// The beginning of a text.
    pub fn of(text: &str) -> Text {
        let mut read = Text::whole(text);
        read.words.truncate(WORDS_MAX);
        read
    }

    pub fn whole(text: &str) -> Text {
        let text = text.replace('\u{2019}', "'");
        let letters: Vec<char> = text.chars().collect();
        let mut read = Text::default();
        let mut word = String::new();
        let mut clause = 0;
        let mut is_tied = false;
        for (place, &letter) in letters.iter().enumerate() {
            let before = place.checked_sub(1).and_then(|place| letters.get(place)).copied();
            let next = letters.get(place + 1).copied();
            let is_address = joins_address(letter, &word, next);
            if letter.is_alphanumeric()
                || (letter == '\'' && !word.is_empty())
                || joins(letter, before, next)
                || is_address
            {
                word.push(if letter == '–' { '-' } else { letter });
                continue;
            }
            let is_short = is_short(&word);
            read.take(&mut word, clause, is_tied);
            is_tied = letter == '-' && before.is_some_and(char::is_alphanumeric);
            if ['%', '€', '$', '£'].contains(&letter) {
                read.take(&mut letter.to_string(), clause, false);
            }
            let abbreviates = letter == '.' && is_short && next.is_some();
            let parts = ".,;:!?()\n\"–—".contains(letter) || (letter == '-' && before == Some(' '));
            clause += usize::from(parts && !abbreviates);
        }
        read.take(&mut word, clause, is_tied);
        read
    }

    fn take(&mut self, word: &mut String, clause: usize, is_tied: bool) {
        let written = std::mem::take(word);
        let written = written.trim_end_matches('\'');
        if !written.is_empty() {
            let lower = written.to_lowercase();
            self.words.push(Word {
                written: written.to_owned(),
                root: root(&lower),
                lower,
                clause,
                is_tied,
            });
        }
    }

    /// The word so many places before another of the same clause.
    pub fn before(&self, place: usize, back: usize) -> Option<&Word> {
        let word = self.words.get(place.checked_sub(back)?)?;
        (word.clause == self.words.get(place)?.clause).then_some(word)
    }

    /// The word so many places after another of the same clause.
    pub fn after(&self, place: usize, on: usize) -> Option<&Word> {
        let word = self.words.get(place + on)?;
        (word.clause == self.words.get(place)?.clause).then_some(word)
    }

    /// The nearest word before a place that is no article or title, and its place.
    pub fn leading(&self, place: usize) -> Option<(usize, &Word)> {
        (1..=place)
            .map_while(|back| Some((place - back, self.before(place, back)?)))
            .find(|(_, word)| !TABLE.determiners.contains(&word.lower))
    }

    /// The words of both ends and between them, as they were written.
    pub fn shown(&self, from: usize, to: usize) -> String {
        let words = self.words.iter().take(to + 1).skip(from);
        words.map(|word| word.written.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// Where a phrase begins, in any form of its words.
    pub fn places<'a>(&'a self, phrase: &'a Phrase) -> impl Iterator<Item = usize> + 'a {
        (0..self.words.len()).filter(|place| self.stands(phrase, *place))
    }

    /// Where a phrase begins, in its own form.
    pub fn exact<'a>(&'a self, phrase: &'a Phrase) -> impl Iterator<Item = usize> + 'a {
        self.places(phrase).filter(|&place| {
            let words = self.words.iter().skip(place).zip(&phrase.words);
            words.take(phrase.words.len()).all(|(own, of)| own.lower == of.lower)
        })
    }

    /// Whether a phrase begins at this place, in any form of its words.
    pub fn stands(&self, phrase: &Phrase, place: usize) -> bool {
        let is = |word: Option<&Word>, of: &Word| word.is_some_and(|word| word.root == of.root);
        match phrase.words.as_slice() {
            [verb, particle] if PARTICLES.contains(&particle.lower.as_str()) => {
                let further = 1..=1 + APART_MAX;
                is(self.words.get(place), verb) && further.into_iter().any(|on| is(self.after(place, on), particle))
            }
            words => !words.is_empty() && words.iter().enumerate().all(|(nth, of)| is(self.after(place, nth), of)),
        }
    }

    /// Whether any of a group stands somewhere, in any form.
    pub fn holds(&self, group: &[Phrase]) -> bool {
        group.iter().any(|phrase| self.places(phrase).next().is_some())
    }

    /// Whether a word of this root stands somewhere.
    pub fn has_root(&self, root: &str) -> bool {
        self.words.iter().any(|word| word.root == root)
    }

    /// Whether the text begins with any of these.
    pub fn begins_with(&self, group: &[Phrase]) -> bool {
        let first = self.heads().first().copied();
        first.is_some_and(|first| group.iter().any(|phrase| self.stands(phrase, first)))
    }

    /// Whether a word before this one says that it is not so, and where that word stands.
    pub fn denied_at(&self, place: usize) -> Option<usize> {
        let within = (1..=DENIED_WITHIN).map_while(|back| Some((place.checked_sub(back)?, self.before(place, back)?)));
        within
            .take_while(|(_, word)| !TABLE.turns.contains(&word.lower))
            .find(|(at, word)| {
                let counts = word.lower == "no" && self.after(*at, 1).is_some_and(Word::has_digit);
                !counts && word.is_negation()
            })
            .map(|(at, _)| at)
    }

    /// Whether a word before this one says that it may come to be.
    pub fn is_supposed(&self, place: usize) -> bool {
        let within = (1..=2).filter_map(|back| self.before(place, back));
        within.into_iter().any(|word| {
            let is_month = word.written != word.lower;
            !is_month && TABLE.suppositions.contains(&word.lower)
        })
    }

    /// Where the verbs stand that tell what to do: at the head of the text, of a clause, and after "and"; in German at the end too.
    pub fn heads(&self) -> Vec<usize> {
        let is_lead = |word: &Word| BEFORE_HEADS.contains(&word.lower.as_str());
        (0..self.words.len())
            .filter(|&place| {
                let own = self.words.get(place).filter(|word| !is_lead(word));
                own.is_some_and(|own| {
                    let ends = self.after(place, 1).is_none() && tongue::is_infinitive(&own.lower);
                    ends || self.is_led(place)
                })
            })
            .collect()
    }

    /// Whether nothing but words before a verb stands before this place, or one that begins a new verb.
    fn is_led(&self, place: usize) -> bool {
        let before = (1..=place).map_while(|back| self.before(place, back));
        let mut leads = before.take_while(|word| !CONJUNCTIONS.contains(&word.lower.as_str()));
        leads.all(|word| BEFORE_HEADS.contains(&word.lower.as_str()))
    }

    /// Whether the text says that a verb was done: in another form than the one in which one is told to.
    pub fn says_done(&self, verbs: &[Phrase]) -> bool {
        verbs.iter().any(|verb| {
            self.places(verb).any(|place| {
                let word = self.words.get(place).map(|word| word.lower.as_str());
                let is_told = word == verb.words.first().map(|verb| verb.lower.as_str());
                !is_told && self.denied_at(place).is_none() && !self.is_supposed(place)
            })
        })
    }

    /// Whether bad news answer what was asked.
    pub fn is_inquiry(&self) -> bool {
        let asks = self.begins_with(&TABLE.inquiries) || self.begins_with(&TABLE.searches) || self.asks_cause();
        asks && !self.begins_with(&TABLE.errands)
    }

    /// Whether what is to be told is the cause of something: "state why", "give the reason", and not "remove the cause".
    fn asks_cause(&self) -> bool {
        let Some(head) = self.heads().first().copied() else {
            return false;
        };
        let after = (1..=CAUSE_WITHIN).map_while(|on| self.after(head, on));
        let ends = self.begins_with(&TABLE.mends) || self.begins_with(&TABLE.removals);
        let mut passed = after.skip_while(|word| !word.has_content() && !TABLE.causes.contains(&word.lower));
        !ends && passed.next().is_some_and(|word| TABLE.causes.contains(&word.lower))
    }
}

impl Word {
    pub fn has_digit(&self) -> bool {
        self.written.contains(|c: char| c.is_ascii_digit())
    }

    /// Whether the word names something.
    pub fn has_content(&self) -> bool {
        !self.has_digit()
            && self.lower.chars().count() > 1
            && !words::is_stop_word(&self.lower)
            && !words::is_empty_word(&self.lower)
            && !words::is_preposition(&self.lower)
    }

    /// Whether it is a form in which a verb says what was done: "deleted", "sent", "gebucht".
    pub fn is_done_form(&self) -> bool {
        let is_regular = self.lower.ends_with("ed") && !self.lower.ends_with("eed") && self.lower.len() > DONE_MIN;
        (is_regular && self.has_content())
            || TABLE.done.contains(&self.lower)
            || IRREGULAR.contains_key(&self.lower)
            || tongue::is_verb(&self.lower)
    }

    /// Whether it names the doing of a verb: "cancellation" or "Stornierung" of "cancel".
    pub fn names_doing(&self, verb: &Phrase) -> bool {
        let [verb] = verb.words.as_slice() else { return false };
        DOINGS.into_iter().any(|ending| {
            let rest = self.lower.strip_suffix(ending);
            rest.is_some_and(|rest| root(rest) == verb.root || root(&format!("{rest}er")) == verb.root)
        })
    }

    /// The root of what a prefix takes back: of "unfrozen" that of "freeze".
    pub fn taken_back(&self) -> Option<String> {
        let rest = TAKING_BACK
            .into_iter()
            .find_map(|prefix| self.lower.strip_prefix(prefix))?;
        (rest.chars().count() >= TAKEN_BACK_MIN).then(|| root(rest))
    }

    /// Whether it says that what follows is not so.
    pub fn is_negation(&self) -> bool {
        TABLE.negations.contains(&self.lower) || self.lower.ends_with("n't")
    }
}

/// Whether a sign between two letters is part of their word: of figures, times, dates, spans and numbers of things.
fn joins(sign: char, before: Option<char>, next: Option<char>) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    match sign {
        '.' | ',' | ':' | '/' | '–' => digit(before) && digit(next),
        '-' => before.is_some_and(char::is_alphanumeric) && digit(next),
        _ => false,
    }
}

/// Whether a sign is part of an e-mail address.
fn joins_address(sign: char, word: &str, next: Option<char>) -> bool {
    let is_within = sign == '@' || (word.contains('@') && ".-_".contains(sign));
    is_within && !word.is_empty() && next.is_some_and(char::is_alphanumeric)
}

/// Whether a word is shortened, so that the point after it ends nothing.
fn is_short(word: &str) -> bool {
    let lower = word.to_lowercase();
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    is_initial || ["mr", "mrs", "ms", "dr", "prof", "st", "no", "nr"].contains(&lower.as_str())
}

/// What the forms of a lower-case word share.
fn root(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    if let Some(verb) = IRREGULAR
        .get(word)
        .map(String::as_str)
        .or_else(|| tongue::english(word))
    {
        return bare(verb);
    }
    let base = ["ing", "ed", "es", "s"].into_iter().find_map(|ending| {
        let base = word.strip_suffix(ending)?;
        (base.chars().count() > 2 && base.contains(['a', 'e', 'i', 'o', 'u', 'y'])).then_some(base)
    });
    bare(base.unwrap_or(word))
}

/// A word without what its forms do not share at the end.
fn bare(word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    while letters.len() > 3 && letters.last() == Some(&'e') {
        letters.pop();
    }
    let is_doubled = letters.len() > 3 && letters.last() == letters.get(letters.len().saturating_sub(2));
    if is_doubled && letters.last().is_some_and(|c| c.is_alphabetic()) {
        letters.pop();
    }
    if let Some(last) = letters.last_mut().filter(|last| **last == 'i') {
        *last = 'y';
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::Phrase;
    use super::Text;
    use super::root;

    #[test]
    fn forms_of_a_word_share_a_root() {
        for forms in [
            vec!["cancel", "cancels", "cancelled", "canceled", "cancelling"],
            vec!["close", "closes", "closed"],
            vec!["deny", "denies", "denied"],
            vec!["add", "added", "adds"],
            vec!["drop", "dropped"],
            vec!["keep", "kept", "keeps"],
            vec!["pass", "passes", "passed"],
            vec!["cancel", "stornieren", "storniert", "annulée"],
        ] {
            let roots: Vec<String> = forms.iter().map(|form| root(form)).collect();
            assert!(roots.iter().all(|own| Some(own) == roots.first()), "{roots:?}");
        }
        assert_ne!(root("open"), root("close"));
    }

    #[test]
    fn times_dates_and_figures_are_one_word_and_signs_part_clauses() {
        let text = Text::of("Dr. Amari at 9:30, TN-2420 for 1,204.50 \u{20ac} - two-factor");
        let words: Vec<&str> = text.words.iter().map(|word| word.written.as_str()).collect();
        let wanted = [
            "Dr", "Amari", "at", "9:30", "TN-2420", "for", "1,204.50", "\u{20ac}", "two", "factor",
        ];
        assert_eq!(words, wanted);
        let clauses: Vec<usize> = text.words.iter().map(|word| word.clause).collect();
        assert_eq!(clauses, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]);
    }

    #[test]
    fn a_verb_of_two_words_may_stand_apart_and_a_word_before_denies_it() {
        let phrase = Phrase::from("turn off".to_owned());
        let text = Text::of("The heating was not turned fully off");
        let places: Vec<usize> = text.places(&phrase).collect();
        assert_eq!(places, [4]);
        assert_eq!(text.denied_at(4), Some(3));
        assert_eq!(Text::of("Invoice No. 4 paid").denied_at(3), None);
    }

    #[test]
    fn of_a_long_text_the_beginning_is_read() {
        assert_eq!(Text::of(&"word ".repeat(61)).words.len(), 60);
    }

    #[test]
    fn what_is_to_be_done_stands_at_the_heads() {
        let heads = |text: &str| {
            let text = Text::of(text);
            let heads = text.heads();
            heads
                .iter()
                .map(|place| text.words[*place].lower.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(heads("Please book a flight and cancel the hotel"), ["book", "cancel"]);
        assert_eq!(heads("Do not close the shop"), ["close"]);
        assert_eq!(heads("Cook a soup that is not hot"), ["cook"]);
        assert_eq!(heads("Bitte das Zimmer stornieren"), ["das", "stornieren"]);
    }
}
