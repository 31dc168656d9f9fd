//! A text as words, and what it says of other words: where they stand, and whether they are denied there.
//!
//! Knows no key and next to no language: words are compared by their letters, and only what denies is listed. Where a script writes
//! no blanks, each character is a word. Invariant: nothing is said beyond the clause that it stands in.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use crate::domain::evolution::lexicon;

/// Bytes of one text that are read: an utterance goes on for no longer, and no text may cost more.
const TEXT_MAX: usize = 4_096;
/// Words between what denies and the last word that it denies: "I do not want to have any nuts".
const DENIED_WITHIN: usize = 6;
/// The same behind a word: "nuts, which I am allergic to" is another clause, "nut allergy" and "nuts are not wanted" are not.
const DENIED_BEHIND: usize = 3;
/// Letters that two forms of a word have in common, and that one may have more at its end: `Fenster` and `Fensters`.
const SHARED_MIN: usize = 4;
const ENDING_MAX: usize = 2;
/// Words of one number: "two thousand five hundred and ten".
const NUMBER_WORDS_MAX: usize = 6;

/// What denies a word behind it. Two of them ask for it: "don't forget", "not without".
const DENYING: &str = "no not non never none without cannot can't cant don't dont doesn't doesnt didn't isn't aren't won't wouldn't shouldn't \
    couldn't mustn't needn't nor neither avoid avoiding skip skipping omit omitting exclude excluding decline forget forgetting miss missing \
    mind minding hesitate lack lacking why allergic intolerant minus \
    kein keine keinen keinem keiner nicht ohne nie niemals weder vergiss vergessen allergisch \
    pas sans aucun aucune jamais oublier oubliez allergique \
    sin ningún ninguna nunca jamás alérgico alérgica evitar \
    senza nessun nessuna mai allergico allergica \
    sem não nenhum nenhuma \
    zonder geen niet nooit \
    bez nie żadnych \
    utan inte ingen inga uden ikke ingen uten \
    не без нет никаких \
    không değil bukan tanpa tidak \
    不 无 無 没 沒 勿";
/// What denies a word before it.
const DENYING_BEHIND: &str = "free less allergy allergies intolerance intolerant allergic frei allergie allergien unverträglichkeit vrij libre \
    olmadan olmasın";
/// What denies a word before it where a script writes no blanks.
const DENYING_BEHIND_UNSPACED: [&str; 8] = ["なし", "無し", "抜き", "ない", "なく", "없이", "빼고", "过敏"];
/// Endings of one word with what they deny: `sugarfree`, `zuckerfrei`.
const DENYING_ENDINGS: [&str; 6] = ["free", "frei", "less", "los", "vrij", "loos"];
/// What follows "free" where it denies nothing: "wifi free of charge".
const CHARGED: [&str; 2] = ["of", "for"];
/// Words that begin a clause of their own.
const TURNING: &str = "but however instead sondern aber mais pero sino però ma mas maar но";
/// Words of a key's name that say nothing of what is asked.
const GENERIC: &str = "add allow allowed amount count date desired flag format has have include included including is level max min mode name \
    need needed needs number of option optional preference preferred request requested require required requires scale the time type value \
    want wanted wants with";

static DENIES: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| DENYING.split_whitespace().collect());
static DENIES_BEHIND: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| DENYING_BEHIND.split_whitespace().collect());
static TURNS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| TURNING.split_whitespace().collect());
static SAYS_NOTHING: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| GENERIC.split_whitespace().collect());

/// Scripts that write no blanks, or whose words take endings without one: Thai, kana, Han, Hangul.
const UNSPACED: [RangeInclusive<char>; 5] = [
    '\u{e00}'..='\u{e7f}',
    '\u{3040}'..='\u{30ff}',
    '\u{3400}'..='\u{9fff}',
    '\u{ac00}'..='\u{d7af}',
    '\u{f900}'..='\u{faff}',
];

/// A text, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Words {
    /// Lower case.
    words: Vec<String>,
    /// The clause of each.
    clauses: Vec<usize>,
    stems: Vec<String>,
}

/// A word that is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wanted {
    word: String,
    stem: String,
}

/// What something is about, and whether it is the want of it: `nut_free` is about nuts, and wants none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sense {
    content: Vec<Wanted>,
    pub denied: bool,
}

/// The words of a text, lower case.
pub fn split(text: &str) -> Vec<String> {
    Words::read(text).words
}

impl Words {
    /// Reads a text.
    pub fn read(text: &str) -> Words {
        let text = text.get(..text.floor_char_boundary(TEXT_MAX)).unwrap_or_default();
        let mut read = Words {
            words: Vec::new(),
            clauses: Vec::new(),
            stems: Vec::new(),
        };
        let (mut word, mut clause) = (String::new(), 0);
        let mut chars = text.chars().flat_map(char::to_lowercase).peekable();
        while let Some(c) = chars.next() {
            let next = chars.peek().copied();
            let joins = joins(&word, c, next);
            if UNSPACED.iter().any(|script| script.contains(&c)) && c.is_alphanumeric() {
                read.take(&mut word, &mut clause);
                word.push(c);
                read.take(&mut word, &mut clause);
            } else if c.is_alphanumeric() {
                word.push(c);
            } else if joins {
                word.push(if c == '’' { '\'' } else { c });
            } else {
                read.take(&mut word, &mut clause);
                clause += usize::from(ends_clause(c));
            }
        }
        read.take(&mut word, &mut clause);
        read
    }

    fn take(&mut self, word: &mut String, clause: &mut usize) {
        if word.is_empty() {
            return;
        }
        let word = std::mem::take(word);
        *clause += usize::from(TURNS.contains(word.as_str()));
        self.stems.push(lexicon::stem(&word));
        self.clauses.push(*clause);
        self.words.push(word);
    }

    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    fn same_clause(&self, one: usize, other: usize) -> bool {
        self.clauses.get(one) == self.clauses.get(other)
    }

    /// Everywhere that these words stand one after another: the first of them, and just behind the last.
    pub fn runs(&self, wanted: &[String]) -> Vec<(usize, usize)> {
        if wanted.is_empty() {
            return Vec::new();
        }
        let found = self.words.windows(wanted.len()).enumerate();
        let same = |window: &[String]| window.iter().zip(wanted).all(|(said, wanted)| is_form_of(said, wanted));
        found
            .filter(|(_, window)| same(window))
            .map(|(from, _)| (from, from + wanted.len()))
            .collect()
    }

    /// Whether words from one place to just before another are said to be unwanted.
    pub fn is_denied(&self, from: usize, to: usize) -> bool {
        let before = (from.saturating_sub(DENIED_WITHIN)..from)
            .filter(|at| self.same_clause(*at, from) && DENIES.contains(self.word(*at)));
        let mut behind =
            (to..to + DENIED_BEHIND).take_while(|at| self.same_clause(*at, from) && *at < self.words.len());
        let denials = before.count() + usize::from(behind.any(|at| self.denies_behind(at, at == to)));
        denials % 2 == 1
    }

    /// Whether a word denies what stands before it; `next` says that it stands right behind.
    fn denies_behind(&self, at: usize, next: bool) -> bool {
        let word = self.word(at);
        let charged = word == "free" && CHARGED.contains(&self.word(at + 1));
        // "Nuts are not wanted."
        let unwanted = word == "not" && lexicon::classes().be.contains(self.word(at.saturating_sub(1)));
        (next && DENIES_BEHIND.contains(word) && !charged) || self.unspaced_denial(at).is_some() || unwanted
    }

    /// How many characters deny what stands before them, where a script writes no blanks.
    fn unspaced_denial(&self, at: usize) -> Option<usize> {
        let stands = |denying: &&&str| {
            let mut chars = denying.chars().enumerate();
            chars.all(|(ahead, c)| self.word(at + ahead).chars().eq([c]))
        };
        DENYING_BEHIND_UNSPACED
            .iter()
            .find(stands)
            .map(|denying| denying.chars().count())
    }

    /// For each clause that says all that something is about: whether it is denied there.
    pub fn senses<'w>(&'w self, sense: &'w Sense) -> impl Iterator<Item = bool> + 'w {
        let mut begins = 0;
        self.clauses
            .chunk_by(|one, next| one == next)
            .filter_map(move |clause| {
                let inside = begins..begins + clause.len();
                begins = inside.end;
                let mut denied = false;
                for wanted in &sense.content {
                    let found = |at: usize| Some((at, self.says(at, wanted)?));
                    let (at, ends_in_denial) = inside.clone().find_map(found)?;
                    denied |= self.is_denied(at, at + 1) != ends_in_denial;
                }
                (!sense.content.is_empty()).then_some(denied)
            })
    }

    /// Whether a word is a form of another; within, whether it goes on with what denies it: `sugarfree`.
    fn says(&self, at: usize, wanted: &Wanted) -> Option<bool> {
        let word = self.word(at);
        if is_form_of(word, &wanted.word) || self.stems.get(at) == Some(&wanted.stem) {
            return Some(false);
        }
        let ends_in = |ending: &&str| word.strip_suffix(*ending) == Some(wanted.word.as_str());
        DENYING_ENDINGS.iter().any(ends_in).then_some(true)
    }

    /// Numbers, in digits and in words.
    pub fn numbers(&self) -> impl Iterator<Item = f64> {
        self.numbers_at().into_iter().map(|(_, _, number)| number)
    }

    /// The numbers that stand within so many words of a word that something is about.
    pub fn numbers_beside(&self, sense: &Sense, within: usize) -> Vec<f64> {
        let names = |at: usize| sense.content.iter().any(|wanted| self.says(at, wanted).is_some());
        let beside = |from: usize, to: usize| {
            let near = from.saturating_sub(within)..(to + within).min(self.words.len());
            near.into_iter().any(|at| self.same_clause(at, from) && names(at))
        };
        let numbers = self.numbers_at().into_iter();
        numbers
            .filter(|(from, to, _)| beside(*from, *to))
            .map(|(_, _, number)| number)
            .collect()
    }

    fn numbers_at(&self) -> Vec<(usize, usize, f64)> {
        let is_number = |at: usize| {
            let word = self.word(at);
            word.starts_with(|c: char| c.is_ascii_digit()) || lexicon::classes().numw.contains_key(word)
        };
        let digits = |at: usize| self.word(at).starts_with(|c: char| c.is_ascii_digit());
        let mut numbers = Vec::new();
        let mut at = 0;
        while at < self.words.len() {
            let mut end = at;
            while end < self.words.len() && end - at < NUMBER_WORDS_MAX && is_number(end) && (end == at || !digits(end))
            {
                end += 1;
            }
            let number = self
                .words
                .get(at..end)
                .map(|run| run.join(" "))
                .filter(|run| !run.is_empty());
            numbers.extend(
                number
                    .and_then(|run| lexicon::number(&run))
                    .map(|number| (at, end, number)),
            );
            at = end.max(at + 1);
        }
        numbers
    }
}

impl Sense {
    /// What a text, or the name of a key, is about.
    pub fn of(text: &str) -> Sense {
        let words = Words::read(&text.replace(['_', '-'], " "));
        let mut sense = Sense {
            content: Vec::new(),
            denied: false,
        };
        let mut at = 0;
        while at < words.words.len() {
            if let Some(length) = words.unspaced_denial(at).filter(|_| at > 0) {
                at += length;
                continue;
            }
            let word = words.word(at);
            let denies = DENIES.contains(word) || (!sense.content.is_empty() && words.denies_behind(at, true));
            if !denies && !SAYS_NOTHING.contains(word) && !lexicon::stop(word) {
                sense.content.push(Wanted {
                    word: word.to_owned(),
                    stem: lexicon::stem(word),
                });
                sense.denied |= words.is_denied(at, at + 1);
            }
            at += 1;
        }
        sense
    }
}

/// Whether a character belongs to the word that it stands in: an apostrophe between letters, a sign between digits.
fn joins(word: &str, c: char, next: Option<char>) -> bool {
    let (Some(before), Some(next)) = (word.chars().next_back(), next) else {
        return false;
    };
    match c {
        '\'' | '’' => before.is_alphabetic() && next.is_alphabetic(),
        '.' | ',' => before.is_ascii_digit() && next.is_ascii_digit(),
        _ => false,
    }
}

fn ends_clause(c: char) -> bool {
    matches!(
        c,
        ',' | ';' | '.' | '!' | '?' | '\n' | '、' | '。' | '，' | '；' | '！' | '？' | '؟' | '،' | '।'
    )
}

/// Whether one word is another or a form of it: one of them goes on a little where the other ends.
fn is_form_of(one: &str, other: &str) -> bool {
    let (shorter, longer) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let Some(ending) = longer.strip_prefix(shorter) else {
        return false;
    };
    let shared = shorter.chars().count();
    ending.is_empty()
        || (shorter.chars().all(char::is_alphabetic)
            && ending.chars().all(char::is_alphabetic)
            && (shared >= SHARED_MIN && ending.chars().count() <= ENDING_MAX
                || shared + 1 >= SHARED_MIN && ending == "s"))
}
