//! What is told in confidence: the value of a password, a code or a key, said in plain words of several languages (X-02).
//!
//! One rule: a word for a secret, what ties a value to it, and a value that has the form of a secret or can be nothing else; or the
//! value first. Knows neither JSON nor the forms of well-known keys. Invariants: linear in the text; taking out twice is taking out once.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::closed;
use crate::languages::WORDS;
use crate::pattern::exact;
use crate::pattern::fixed;
use crate::personal_data::is_number_word;
use crate::personal_data::is_unit;
use crate::secrets::keyword::Keyword;
use crate::secrets::keyword::Kind;
use crate::secrets::keyword::alternatives;
use crate::secrets::keyword::is_state;
use crate::secrets::keyword::keywords;

/// What stands where a secret stood.
pub const MARK: &str = "[redacted]";

/// How often a text is gone through at most: what a mark leaves behind may tell another secret, in contrived texts.
const ROUNDS_MAX: usize = 4;
/// Words for a secret that are looked at in one text, each with what stands around it. A body of nothing but prose on passwords
/// holds fewer; the number is no share of the length, so that what is left of a text is not too much again.
const KEYWORDS_MAX: usize = 2_048;
/// Bytes around a word for a secret in which its value begins, and of a value: no text costs more than it is long.
const TIED_WITHIN: usize = 160;
const VALUE_MAX: usize = 512;
/// Words that are looked at where a value may stand, and those for numbers that spell a code.
const LOOKED_AT_MAX: usize = 12;
const SPELT_MIN: usize = 3;
/// Further tokens that are taken for parts of a secret ("p@ss w0rd"), and the characters of each.
const PARTS_MAX: usize = 4;
const PART_MIN: usize = 3;
/// Digits from which on a number is a secret, however it goes on, and those of a code that stands alone, as on cards.
const DIGITS_MIN: usize = 4;
const CODE_DIGITS_MIN: usize = 3;
/// Characters of letters with digits that are a secret where nobody says that they are one, and of a key that something follows.
const MIXED_MIN: usize = 4;
const KEY_MIN: usize = 8;

/// How a value is tied to the word for a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tie {
    /// A sign or a word says that the secret is this: a value, or a state.
    Said,
    /// It is set to it or follows at once: that may be anything.
    Near,
    /// It stands before.
    Before,
}

/// What is said under the word for a secret: without blanks, or between quotes.
#[derive(Clone, Debug)]
struct Told<'t> {
    kind: Kind,
    tie: Tie,
    range: Range<usize>,
    text: &'t str,
    is_quoted: bool,
    /// What follows.
    rest: &'t str,
}

const BLANK: &str = r"[ \t\u{a0}]";
const SIGN: &str = "(?:->|=>|:=|[:=：→])";

/// From the word for a secret to a value that follows at once or behind what it is set to: "PIN 4711", "PIN - 4711", "the PIN to 4711".
static BESIDE: LazyLock<Regex> = LazyLock::new(|| fixed(&format!("{}(?:{})?{BLANK}+", lead(), towards())));
/// To what it is set to behind what it is for: "the PIN for the safe to 4711".
static SET: LazyLock<Regex> = LazyLock::new(|| fixed(&format!("{}{}(?:{}){BLANK}+", lead(), between(), towards())));
/// To what it is said to be, over words that stand before values and states alike: "the PIN is now: 4711". The second one is that of
/// words which change their ends.
static SAID: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [&["says"][..], &["says", "says_declined"]].map(|sorts| {
        let (lead, between, fillers) = (lead(), between(), alternatives(&["filler"], " "));
        let (unspaced, spaced): (Vec<&str>, Vec<&str>) = sorts
            .iter()
            .flat_map(|sort| WORDS.words(sort))
            .partition(|word| is_unspaced(word));
        let (unspaced, spaced) = (unspaced.join("|"), spaced.join("|"));
        fixed(&format!(
            r"{lead}(?:{between})??(?:{BLANK}*(?:{SIGN}|{unspaced})|['’]s\b|{BLANK}+(?:{spaced})\b)(?:[\s*`]*(?:{SIGN}|(?:{fillers})\b)){{0,4}}[\s*`]*"
        ))
    })
});
/// A value before the word for a secret: "hunter2 is my password", "use 5519 as the pickup PIN", "make 5519 my PIN".
static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    let value =
        |name: &str| format!(r#"["'“„‘(]*(?P<{name}>[\p{{L}}\p{{N}}](?:\S*[^\s:.!?=,;)\]}}>"'“”’`])?)["'“”’`]*\s+"#);
    let (said, made) = (value("value"), value("made"));
    let (links, makes, about) = (
        alternatives(&["says", "says_declined", "taken"], " "),
        alternatives(&["makes"], " "),
        alternatives(&["about"], " "),
    );
    fixed(&format!(
        r#"(?:^|\s)(?:{said}(?P<link>{links})\s+|(?:{makes})\s+{made}(?:(?:{about})\s+)?)(?P<between>(?:[\p{{L}}'’-]+\s+){{0,4}}[\p{{L}}'’-]*)[\s"'“„`*]*$"#
    ))
});

/// Between quotes, or digits in groups, as "12 34" is written.
static QUOTED: LazyLock<Regex> = LazyLock::new(|| exact(r#"^["'“”„‘’‚«»`]([^"'“”„‘’‚«»`\n\\\[]{1,120})["'“”„‘’‚«»`]"#));
static GROUPS: LazyLock<Regex> = LazyLock::new(|| exact(r"^[0-9]{1,3}(?:[ \t\u{a0}][0-9]{1,4}\b){1,12}"));
/// Where a value without blanks ends: before the signs that end its sentence, and before what is no more of it: another parameter,
/// member, cell or tag, the end of what it stands in, or a mark.
static VALUE_END: LazyLock<Regex> = LazyLock::new(|| {
    exact(concat!(
        r#"[.,;:!?*…"'“”„‘’‚«»`(\[{<|\\)\]}>]*(?:\s|$)|[、。，]|[&,;]["']?[\w.-]{1,64}["']?[=:]"#,
        r#"|\\[nrtu/\\"']|</|<[^\s<>]{1,64}>|\[redacted\]|["'“”’»`][.,;:&<)\]}>]|[)\]}>][.,;:&<"'“”’»`]"#,
    ))
});
static CLAUSE_END: LazyLock<Regex> = LazyLock::new(|| exact(r"[,;.!?](?:\s|$)|\n"));
/// A capital or a sign amid letters: nobody writes a word so.
static ODD: LazyLock<Regex> = LazyLock::new(|| exact(r"\p{Ll}\p{Lu}|[\p{L}\p{N}][!#$%^*+=~?@][\p{L}\p{N}]"));
static WORD: LazyLock<Regex> = LazyLock::new(|| exact(r"^[\p{L}’-]*\p{L}[\p{L}’-]*\p{L}[\p{L}’-]*$"));
/// `4-digit`; and `3kg`, `2nd`, which is one as well where something follows.
static COUNT: LazyLock<Regex> = LazyLock::new(|| exact(r"^[0-9]{1,3}(?:-\p{L}+|(?P<unit>\p{L}{1,3}))$"));

/// The word itself may be quoted or set in bold; a remark in brackets, and words that belong to it.
fn lead() -> String {
    let nouns = alternatives(&["noun"], " ");
    format!(r#"^["'*`]*(?:{BLANK}*\([^()\[\n]{{0,48}}\))?(?:{BLANK}+(?:{nouns})\b\.?)*"#)
}

/// What leads to what it is set to: "to", "to be", a dash.
fn towards() -> String {
    let towards = alternatives(&["towards"], " ");
    format!("(?:{BLANK}+(?:{towards})){{1,2}}|{BLANK}*[-–—]")
}

/// What the secret is for.
fn between() -> String {
    let about = alternatives(&["about"], " ");
    format!(r"(?P<between>{BLANK}+(?:{about})(?:{BLANK}+[^\s:=.,;!?]{{1,64}}){{0,5}}?)")
}

fn is_unspaced(word: &str) -> bool {
    word.starts_with(|c: char| !c.is_lowercase())
}

/// A text without the secrets that it tells by words; `None` where it tells none.
pub fn scrubbed(text: &str) -> Option<String> {
    let mut clean = scrubbed_once(text)?;
    for _ in 0..ROUNDS_MAX {
        match scrubbed_once(&clean) {
            Some(next) => clean = next,
            None => return Some(clean),
        }
    }
    Some(MARK.to_owned())
}

fn scrubbed_once(text: &str) -> Option<String> {
    let mut secrets: Vec<Range<usize>> = Vec::new();
    for (at, keyword) in keywords(text).enumerate() {
        if at == KEYWORDS_MAX {
            // What is not looked at may tell secrets.
            secrets.push(keyword.start..text.len());
            break;
        }
        // What stands in a secret is taken out with it.
        if !secrets.iter().rev().any(|secret| secret.contains(&keyword.start)) {
            let told = told(text, keyword).filter(Told::is_secret);
            secrets.extend(told.map(|told| told.range.start..with_parts(text, &told)));
        }
    }
    secrets.sort_unstable_by_key(|secret| (secret.start, secret.end));
    let (mut clean, mut copied) = (String::new(), 0);
    for secret in secrets {
        if secret.start >= copied {
            clean.push_str(&text[copied..secret.start]);
            clean.push_str(MARK);
        }
        copied = copied.max(secret.end);
    }
    (copied > 0).then(|| clean + &text[copied..])
}

/// Whether a text may tell a secret: by a value that has the form of one, or by one of which nobody can say what it is. What
/// merely mentions a secret, or its state, tells none.
pub fn may_tell(text: &str) -> bool {
    let may = |keyword| told(text, keyword).any(|told| told.is_secret() || is_doubtful(text, &told));
    keywords(text)
        .enumerate()
        .any(|(at, keyword)| at == KEYWORDS_MAX || may(keyword))
}

/// Whether a value, said after a name with a sign between them, is a secret. `rest` is what follows it.
pub fn is_value_of(name: &str, value: &str, rest: &str) -> bool {
    let kind = keywords(name).next().map_or(Kind::Key, |keyword| keyword.kind);
    Told::bare(kind, Tie::Said, value, rest).is_secret()
}

/// Values that may be the secret that a word speaks of.
fn told(text: &str, keyword: Keyword) -> impl Iterator<Item = Told<'_>> {
    let behind = within(&text[keyword.end..], TIED_WITHIN);
    let ties = [
        (Tie::Near, &*BESIDE),
        (Tie::Near, &*SET),
        (Tie::Said, &SAID[usize::from(keyword.is_declined)]),
    ];
    let after = ties.into_iter().filter_map(move |(tie, pattern)| {
        let found = pattern.captures(behind)?;
        let between = found.name("between").map_or("", |between| between.as_str());
        let joins = between
            .split_whitespace()
            .any(|word| WORDS.holds("joins", &word.to_lowercase()));
        let tied = found.get(0)?;
        // On the next line may stand something else as well.
        let tie = if tied.as_str().contains('\n') { Tie::Near } else { tie };
        (!joins)
            .then(|| value_at(text, keyword.end + tied.end(), keyword.kind, tie))
            .flatten()
    });
    before(text, keyword).into_iter().chain(after)
}

/// The value that begins at a place.
fn value_at(text: &str, at: usize, kind: Kind, tie: Tie) -> Option<Told<'_>> {
    let behind = within(&text[at..], VALUE_MAX);
    let (range, is_quoted) = if let Some(quoted) = QUOTED.captures(behind) {
        (quoted.get(1)?.range(), true)
    } else if let Some(groups) = GROUPS.find(behind).filter(|_| kind != Kind::Key) {
        (groups.range(), false)
    } else {
        (0..VALUE_END.find(behind).map_or(behind.len(), |end| end.start()), false)
    };
    let said = &behind[range.clone()];
    let rest = text[at + range.end..].trim_start_matches(|c| is_quoted && "\"'“”„‘’‚«»`".contains(c));
    said.contains(char::is_alphanumeric).then(|| Told {
        kind,
        tie,
        range: at + range.start..at + range.end,
        text: said,
        is_quoted,
        rest,
    })
}

/// What stands before the word for a secret that ends its clause.
fn before(text: &str, keyword: Keyword) -> Option<Told<'_>> {
    let floor = text.floor_char_boundary(keyword.start.saturating_sub(TIED_WITHIN));
    let found = BEFORE
        .captures(&text[floor..keyword.start])
        .filter(|_| ends_clause(&text[keyword.end..]))?;
    let holds = |sorts: &[&str], word: &str| sorts.iter().any(|sort| WORDS.holds(sort, word));
    let belongs = |word: &str| {
        let word = word.to_lowercase();
        let is_own = closed::is_soft(&word) || holds(&["own"], &word) || !is_state(&word);
        is_own && !holds(&["about", "joins", "says"], &word)
    };
    let is_link = |link: &str| keyword.is_declined || !holds(&["says_declined"], &link.to_lowercase());
    if !found["between"].split_whitespace().all(belongs)
        || !found.name("link").is_none_or(|link| is_link(link.as_str()))
    {
        return None;
    }
    let value = found.name("value").or(found.name("made"))?;
    // What goes on before the floor is cut, and no word.
    (value.start() > 0 || floor == 0).then(|| Told {
        range: floor + value.start()..floor + value.end(),
        ..Told::bare(keyword.kind, Tie::Before, value.as_str(), &text[floor + value.end()..])
    })
}

impl<'t> Told<'t> {
    /// A value as it stands in a text.
    fn bare(kind: Kind, tie: Tie, text: &'t str, rest: &'t str) -> Told<'t> {
        Told {
            kind,
            tie,
            range: 0..text.len(),
            text,
            is_quoted: false,
            rest,
        }
    }

    /// Whether it has the form of a secret that is told under such a word.
    fn is_secret(&self) -> bool {
        let (size, digits, alone) = (self.text.chars().count(), self.digits(), stands_alone(self.rest));
        let is_mixed = self.is_mixed() && !self.is_count();
        let is_number = digits > 0 && !self.is_mixed();
        let is_said = self.tie == Tie::Said;
        match self.kind {
            Kind::Phrase => {
                let is_word = WORD.is_match(self.text) && ends_clause(self.rest) && !self.rest.starts_with([':', '=']);
                let is_said = is_said && (is_mixed || is_number && alone && size > 1 || is_word && !self.is_state());
                self.is_quoted || is_said || is_mixed && size >= MIXED_MIN || digits >= DIGITS_MIN || self.is_odd()
            }
            Kind::Code => {
                let is_short = digits >= CODE_DIGITS_MIN && (is_number && alone || is_mixed);
                digits >= DIGITS_MIN || is_short || self.is_quoted && digits > 0
            }
            // "The pass is 2500 m high" tells none.
            Kind::Key => {
                let ends = ends_clause(self.rest);
                let is_mixed = is_mixed && size >= if ends { MIXED_MIN } else { KEY_MIN } && !self.is_measure();
                self.tie != Tie::Before && is_mixed || is_said && is_number && digits >= DIGITS_MIN && ends
            }
        }
    }

    /// Whether it may be a secret at all: what is doubtful is not shown, though it may be kept.
    fn may_be_secret(&self) -> bool {
        let is_mixed = self.is_mixed() && self.text.chars().count() >= MIXED_MIN && !self.is_count();
        is_mixed || self.is_odd() || self.digits() >= DIGITS_MIN || self.is_quoted && !self.is_state()
    }

    fn digits(&self) -> usize {
        self.text.chars().filter(|c| c.is_numeric()).count()
    }

    /// Letters and digits.
    fn is_mixed(&self) -> bool {
        self.digits() > 0 && self.text.contains(char::is_alphabetic)
    }

    fn is_odd(&self) -> bool {
        ODD.is_match(self.text)
    }

    /// Digits and a unit; a short one that stands alone may be a secret.
    fn is_count(&self) -> bool {
        let count = COUNT.captures(self.text);
        count.is_some_and(|count| count.name("unit").is_none() || !stands_alone(self.rest))
    }

    /// Digits and a unit, however many: `2500m`.
    fn is_measure(&self) -> bool {
        is_unit(self.text.trim_start_matches(|c: char| c.is_ascii_digit()))
    }

    /// A word for a state, or for what stands elsewhere.
    fn is_state(&self) -> bool {
        self.text.starts_with(['$', '%']) && self.digits() == 0 || is_state(&self.text.to_lowercase())
    }
}

/// Whether what has no form of a secret may be one all the same: it says no state, or something near it has such a form.
fn is_doubtful(text: &str, told: &Told<'_>) -> bool {
    match (told.kind, told.tie) {
        (Kind::Phrase, Tie::Before) => return !told.is_state(),
        (_, Tie::Before) => return false,
        // "The pass is 2500 m high" tells none.
        (Kind::Key, _) => return told.is_odd() || told.is_mixed() && told.may_be_secret() && !told.is_measure(),
        (_, Tie::Near) => return told.may_be_secret(),
        (_, Tie::Said) => {}
    }
    let clause = within(&text[told.range.start..], VALUE_MAX);
    let clause = CLAUSE_END.find(clause).map_or(clause, |end| &clause[..end.start()]);
    let trimmed = |word: &'_ str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '$').to_owned();
    let words: Vec<String> = clause.split_whitespace().take(LOOKED_AT_MAX).map(trimmed).collect();
    let begins_another = |word: &str| ["about", "joins"].iter().any(|sort| WORDS.holds(sort, word));
    let mut said = words
        .iter()
        .filter(|word| !word.is_empty())
        .take_while(|word| !begins_another(&word.to_lowercase()));
    let spelt = said.clone().take_while(|word| is_number_word(&word.to_lowercase()));
    if told.kind == Kind::Code && spelt.count() >= SPELT_MIN {
        return true;
    }
    said.any(|word| {
        let value = Told::bare(told.kind, told.tie, word, " of");
        let is_small = value.digits() < DIGITS_MIN && (value.digits() > 0 || is_number_word(&word.to_lowercase()));
        let is_open = told.kind == Kind::Phrase && !is_small && !value.is_state();
        value.may_be_secret() || is_open
    })
}

/// Where a secret ends, over further tokens that look like parts of it ("p@ss w0rd").
fn with_parts(text: &str, told: &Told<'_>) -> usize {
    let mut end = told.range.end;
    if told.is_quoted || told.kind == Kind::Code || told.tie != Tie::Said {
        return end;
    }
    for _ in 0..PARTS_MAX {
        let rest = text[end..].trim_start_matches([' ', '\t', '\u{a0}']);
        let start = text.len() - rest.len();
        let Some(part) = value_at(text, start, Kind::Key, Tie::Said).filter(|part| start > end && !part.is_quoted)
        else {
            break;
        };
        let is_mixed = part.is_mixed() && !part.is_measure() && !part.is_count();
        let is_signed = part.is_odd() && !part.text.chars().all(char::is_alphanumeric);
        let is_part = part.text.chars().count() >= PART_MIN && (is_mixed || is_signed);
        if !is_part || part.text.contains("://") {
            break;
        }
        end = part.range.end;
    }
    end
}

/// Whether nothing follows that could go on with a value. A mark is a word.
fn stands_alone(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', '\t', '\u{a0}']);
    !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '[' | '('))
}

/// Whether what follows begins something else.
fn ends_clause(rest: &str) -> bool {
    let next = within(rest.trim_start(), VALUE_MAX);
    let next = next
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default()
        .to_lowercase();
    stands_alone(rest) || WORDS.holds("joins", &next) || WORDS.holds("about", &next)
}

/// The beginning of a text.
fn within(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests;
