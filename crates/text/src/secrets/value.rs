//! What a secret looks like: no blanks, letters among digits or many digits; and what merely counts or names something.
//!
//! Looks at a value and at what follows it. Knows no words but those for states. Invariant: what stands in the place of a secret
//! is none, and the answer is the same once secrets that follow are marked.

use crate::secrets::keyword::Kind;
use crate::secrets::keyword::WORDS;
use crate::secrets::keyword::is_state;

/// Digits from which on a number is a secret, however it goes on.
const DIGITS_MIN: usize = 4;
/// Digits of a code that stands alone; the shortest are printed on cards.
const CODE_DIGITS_MIN: usize = 3;
/// Characters of a key that stands alone, and of one that something follows.
const ALONE_MIN: usize = 4;
const MIXED_MIN: usize = 8;
/// Characters of a phrase that follows its word at once, or of a short word for it with no sign.
const BESIDE_MIN: usize = 6;
/// Characters of what goes on with a secret.
const PART_MIN: usize = 3;
/// Letters of a unit and digits of a count.
const UNIT_MAX: usize = 3;
/// Letters of what follows that are looked at.
const WORD_MAX: usize = 32;

/// How a value is tied to the word for a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// By a sign.
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

impl Tie {
    /// Whether it is said that the secret is the value.
    pub fn says(self) -> bool {
        matches!(self, Tie::Sign | Tie::Says)
    }
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
        let mixed = |size_min: usize| self.is_mixed() && self.size() >= size_min && !self.counts();
        let number = |digits_min: usize| self.letters() == 0 && self.digits() >= digits_min;
        match (kind, tie) {
            (Kind::Phrase, Tie::Sign | Tie::Says) => {
                let is_word = self.is_quoted && self.says() || self.is_word() && self.ends_its_clause();
                let is_number = number(1) && self.stands_alone();
                mixed(1) || self.digits() >= DIGITS_MIN || is_number || self.is_odd() || (is_word && !self.is_state())
            }
            (Kind::Phrase, Tie::Towards | Tie::Before) => {
                self.is_quoted && self.says() || mixed(ALONE_MIN) || self.digits() >= DIGITS_MIN || self.is_odd()
            }
            (Kind::Phrase, Tie::Beside) => {
                let has_form = mixed(BESIDE_MIN) || self.digits() >= DIGITS_MIN || self.is_quoted && self.says();
                has_form && self.ends_its_clause() && !self.is_state()
            }
            (Kind::Code, Tie::Beside) => number(DIGITS_MIN),
            (Kind::Code, _) => {
                let is_short = number(CODE_DIGITS_MIN) && self.stands_alone();
                let is_mixed = mixed(1) && self.digits() >= CODE_DIGITS_MIN;
                self.digits() >= DIGITS_MIN || is_short || is_mixed || self.is_quoted && self.digits() > 0
            }
            (Kind::Key, Tie::Sign | Tie::Says) => {
                mixed(if self.stands_alone() { ALONE_MIN } else { MIXED_MIN }) || number(DIGITS_MIN)
            }
            // "My pass is tulip77" tells one, "the pass is 2500m high" does not.
            (Kind::Short, Tie::Sign | Tie::Says | Tie::Towards) => {
                let size_min = if tie == Tie::Sign { ALONE_MIN } else { BESIDE_MIN };
                let is_mixed = self.is_mixed() && self.size() >= size_min && !self.measures();
                let is_spelt = tie != Tie::Says || self.text.starts_with(char::is_alphabetic);
                is_spelt && (is_mixed || number(DIGITS_MIN)) && self.ends_its_clause()
            }
            (Kind::Key, Tie::Towards) | (Kind::Key | Kind::Short, Tie::Beside | Tie::Before) => false,
        }
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
        let is_place = self.text.starts_with(['$', '%']) && self.digits() == 0;
        is_place || is_state(&self.text.to_lowercase())
    }

    /// Whether what follows begins something else.
    pub fn ends_its_clause(&self) -> bool {
        let next = || {
            let word = self.rest.trim_start().chars().take_while(|c| c.is_alphanumeric());
            let word = word.take(WORD_MAX).collect::<String>().to_lowercase();
            WORDS.holds("joins", &word) || WORDS.holds("about", &word)
        };
        self.stands_alone() || next()
    }

    /// Whether nothing follows that could go on with it. A mark is a word.
    fn stands_alone(&self) -> bool {
        let rest = self.rest.trim_start_matches([' ', '\t', '\u{a0}']);
        !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '[' | '('))
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

    /// Digits and a unit, however many: `2500m`.
    fn measures(&self) -> bool {
        let unit = self.text.trim_start_matches(|c: char| c.is_ascii_digit());
        unit.len() < self.text.len() && unit.chars().count() <= UNIT_MAX && unit.chars().all(char::is_alphabetic)
    }

    /// Digits and a unit, such as `3kg`, `2nd` or `4-digit`; a short one that stands alone may be a secret.
    fn counts(&self) -> bool {
        let unit = self.text.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = self.text.len() - unit.len();
        let joined = unit.strip_prefix('-');
        let unit = joined.unwrap_or(unit);
        let is_unit = !unit.is_empty() && unit.chars().all(char::is_alphabetic);
        let is_short = || unit.chars().count() <= UNIT_MAX && !self.stands_alone();
        (1..=UNIT_MAX).contains(&digits) && is_unit && (joined.is_some() || is_short())
    }

    /// A single word, which is no address, no part of a program and no name for what follows.
    fn is_word(&self) -> bool {
        let is_plain = self.text.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '’'));
        is_plain && self.letters() > 1 && !self.rest.starts_with([':', '='])
    }

    /// A word that nobody writes so: a capital or a sign amid its letters.
    fn is_odd(&self) -> bool {
        let chars: Vec<char> = self.text.chars().collect();
        let is_sign = |c: char| matches!(c, '!' | '#' | '$' | '%' | '^' | '*' | '+' | '=' | '~' | '?' | '@');
        let is_capital = |pair: &[char]| pair[0].is_lowercase() && pair[1].is_uppercase();
        let is_amid = |three: &[char]| three[0].is_alphanumeric() && is_sign(three[1]) && three[2].is_alphanumeric();
        chars.windows(2).any(is_capital) || chars.windows(3).any(is_amid)
    }
}
