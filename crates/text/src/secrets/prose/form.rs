//! What a secret looks like: no blanks, letters among digits or many digits; and what merely counts or names something.
//!
//! Looks at a value and at what follows it. Knows no words but those for states. Invariant: what stands in the place of a secret
//! is none, and the answer is the same once secrets that follow are marked.

use crate::secrets::prose::table;
use crate::secrets::prose::table::Kind;
use crate::secrets::prose::table::Sort;

/// Digits from which on a number is a secret, however it goes on.
const DIGITS_MIN: usize = 4;
/// Digits of a code that stands alone; the shortest are printed on cards.
const CODE_DIGITS_MIN: usize = 3;
/// Letters and digits of a key that stands alone, and of one that something follows.
const ALONE_MIN: usize = 4;
const MIXED_MIN: usize = 8;
/// Letters and digits of a phrase that follows its word at once, or a short word for it with no sign.
const BESIDE_MIN: usize = 6;
/// Letters, digits and signs of what goes on with a secret.
const PART_MIN: usize = 3;
/// Letters of a unit and digits of a count.
const UNIT_MAX: usize = 3;

/// Letters of what follows that are looked at.
const WORD_MAX: usize = 32;

/// How a value is tied to the word for a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// By a sign, or a word that says a value.
    Sign,
    /// By a word that says a value or a state.
    Says,
    /// By a word that leads to what is set.
    Towards,
    /// It follows at once.
    Beside,
    /// It stands before.
    Before,
}

/// A value without blanks, or one between quotes.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    pub text: &'a str,
    pub is_quoted: bool,
    /// What follows.
    pub rest: &'a str,
}

impl<'a> Value<'a> {
    /// A value as it stands in a text.
    pub fn bare(text: &'a str, rest: &'a str) -> Value<'a> {
        Value {
            text,
            is_quoted: false,
            rest,
        }
    }

    /// Whether it has the form of a secret that is told under such a word.
    pub fn is_secret(&self, kind: Kind, tie: Tie) -> bool {
        match kind {
            Kind::Phrase => self.is_phrase(tie),
            Kind::Code => self.is_code(tie),
            Kind::Key => match tie {
                Tie::Sign | Tie::Says => self.is_key(),
                Tie::Towards | Tie::Beside | Tie::Before => false,
            },
            Kind::Short => match tie {
                Tie::Sign => self.is_short(ALONE_MIN),
                Tie::Says => self.is_short(BESIDE_MIN) && self.text.starts_with(char::is_alphabetic),
                Tie::Towards => self.is_short(BESIDE_MIN),
                Tie::Beside | Tie::Before => false,
            },
        }
    }

    /// Letters among digits or many digits that nothing goes on from, and that measure nothing.
    fn is_short(&self, size_min: usize) -> bool {
        let is_number = self.letters() == 0 && self.digits() >= DIGITS_MIN;
        let is_mixed = self.is_mixed() && self.size() >= size_min && !self.measures();
        (is_number || is_mixed) && self.ends_its_clause()
    }

    /// Digits and a unit, however many: `2500m`.
    fn measures(&self) -> bool {
        let unit = self.text.trim_start_matches(|c: char| c.is_ascii_digit());
        unit.len() < self.text.len() && unit.chars().count() <= UNIT_MAX && unit.chars().all(char::is_alphabetic)
    }

    fn is_phrase(&self, tie: Tie) -> bool {
        let is_mixed = self.is_mixed() && !self.counts();
        match tie {
            Tie::Sign | Tie::Says if self.is_quoted => self.says() && !self.is_state(),
            Tie::Sign | Tie::Says => {
                let is_word = || self.is_word() && self.ends_its_clause() && !self.is_state();
                let is_number = self.letters() == 0 && self.digits() > 0 && self.stands_alone();
                is_mixed || self.digits() >= DIGITS_MIN || is_number || self.is_odd() || is_word()
            }
            Tie::Towards | Tie::Before => {
                self.is_quoted && self.says()
                    || is_mixed && self.size() >= ALONE_MIN
                    || self.digits() >= DIGITS_MIN
                    || self.is_odd()
            }
            Tie::Beside => {
                let is_secret = is_mixed && self.size() >= BESIDE_MIN || self.digits() >= DIGITS_MIN || self.is_quoted;
                self.says() && is_secret && self.ends_its_clause() && !self.is_state()
            }
        }
    }

    fn is_code(&self, tie: Tie) -> bool {
        let is_number = self.letters() == 0;
        match tie {
            Tie::Beside => is_number && self.digits() >= DIGITS_MIN,
            Tie::Sign | Tie::Says | Tie::Towards | Tie::Before => {
                let is_short = is_number && self.digits() >= CODE_DIGITS_MIN && self.stands_alone();
                let is_mixed = self.is_mixed() && self.digits() >= CODE_DIGITS_MIN && !self.counts();
                let is_quoted = self.is_quoted && self.digits() > 0;
                self.digits() >= DIGITS_MIN || is_short || is_mixed || is_quoted
            }
        }
    }

    fn is_key(&self) -> bool {
        let size_min = if self.stands_alone() { ALONE_MIN } else { MIXED_MIN };
        let is_mixed = self.is_mixed() && self.size() >= size_min && !self.counts();
        is_mixed || (self.letters() == 0 && self.digits() >= DIGITS_MIN)
    }

    /// Whether it may be a secret at all: what is doubtful is not shown, though it may be kept.
    pub fn may_be_secret(&self) -> bool {
        let is_mixed = self.is_mixed() && self.size() >= ALONE_MIN && !self.counts();
        is_mixed || self.is_odd() || self.digits() >= DIGITS_MIN || (self.is_quoted && self.says() && !self.is_state())
    }

    /// Whether it goes on with a secret that was told before it: letters among digits or signs, and neither a count nor an address.
    pub fn is_part(&self) -> bool {
        let is_mixed = self.is_mixed() && !self.measures() && !self.counts();
        let is_signed = self.is_odd() && !self.text.chars().all(char::is_alphanumeric);
        self.size() >= PART_MIN && (is_mixed || is_signed) && !self.text.contains("://")
    }

    fn digits(&self) -> usize {
        self.text.chars().filter(|c| c.is_numeric()).count()
    }

    fn letters(&self) -> usize {
        self.text.chars().filter(|c| c.is_alphabetic()).count()
    }

    fn size(&self) -> usize {
        self.text.chars().count()
    }

    fn says(&self) -> bool {
        self.text.chars().any(char::is_alphanumeric)
    }

    /// Letters and digits.
    pub fn is_mixed(&self) -> bool {
        self.digits() > 0 && self.letters() > 0
    }

    /// A small number, with a unit or without one.
    pub fn is_count(&self) -> bool {
        (self.letters() == 0 && self.digits() < DIGITS_MIN) || self.counts()
    }

    /// A word for a state, or for what stands elsewhere.
    pub fn is_state(&self) -> bool {
        let word = self.text.to_lowercase();
        let is_place = self.text.starts_with(['$', '%']) && self.digits() == 0;
        is_place || table::is_state(&word) || table::is(Sort::About, &word) || table::is(Sort::Joins, &word)
    }

    /// Digits and a unit, such as `3kg`, `2nd` or `4-digit`; a short one that stands alone may be a secret.
    fn counts(&self) -> bool {
        let unit = self.text.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = self.text.len() - unit.len();
        let (unit, is_joined) = unit.strip_prefix('-').map_or((unit, false), |unit| (unit, true));
        let is_unit = !unit.is_empty() && unit.chars().all(char::is_alphabetic);
        let is_count = (1..=UNIT_MAX).contains(&digits) && is_unit;
        is_count && (is_joined || (unit.chars().count() <= UNIT_MAX && !self.stands_alone()))
    }

    /// A single word, which is no address, no part of a program and no name for what follows.
    fn is_word(&self) -> bool {
        let is_plain = self.text.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '’'));
        is_plain && self.letters() > 1 && !self.rest.starts_with([':', '='])
    }

    /// A word that nobody writes so: a capital or a sign amid its letters.
    fn is_odd(&self) -> bool {
        let mut before: Option<char> = None;
        let mut lasts = self.text.chars().peekable();
        while let Some(c) = lasts.next() {
            let is_capital = c.is_uppercase() && before.is_some_and(char::is_lowercase);
            let is_sign = matches!(c, '!' | '#' | '$' | '%' | '^' | '*' | '+' | '=' | '~' | '?' | '@');
            let is_amid =
                before.is_some_and(char::is_alphanumeric) && lasts.peek().is_some_and(|c| c.is_alphanumeric());
            if is_capital || (is_sign && is_amid) {
                return true;
            }
            before = Some(c);
        }
        false
    }

    /// Whether nothing follows that could go on with it. A mark is a word.
    fn stands_alone(&self) -> bool {
        let rest = self.rest.trim_start_matches([' ', '\t', '\u{a0}']);
        !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '[' | '('))
    }

    /// Whether what follows begins something else.
    pub fn ends_its_clause(&self) -> bool {
        let next = || {
            let rest = self.rest.trim_start();
            let word: String = rest
                .chars()
                .take_while(|c| c.is_alphanumeric())
                .take(WORD_MAX)
                .collect();
            let word = word.to_lowercase();
            table::is(Sort::Joins, &word) || table::is(Sort::About, &word)
        };
        self.stands_alone() || next()
    }
}
