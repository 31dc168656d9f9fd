//! A text against what was said: the words themselves, a short form, most of the words; and whether they stand where
//! this key's value would.

use crate::domain::evolution::judge::Case;
use crate::domain::evolution::judge::alias;
use crate::domain::evolution::judge::cues;
use crate::domain::evolution::judge::enumeration;
use crate::domain::evolution::judge::is_default;
use crate::domain::evolution::judge::kind;
use crate::domain::evolution::judge::kind::Kind;
use crate::domain::evolution::judge::measure;
use crate::domain::evolution::judge::said::Said;
use crate::domain::evolution::judge::said::Span;
use crate::domain::evolution::judge::side;
use crate::domain::evolution::judge::when;
use crate::domain::evolution::lexicon;
use crate::domain::evolution::moment;
use crate::domain::evolution::rhythm;
use crate::domain::template::closed_list::NONE;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::mapping_example;

/// Letters that two forms of a word must begin with: "dramatic" and "drama".
const KINDRED_MIN: usize = 4;

/// Judges one text.
pub fn judge(value: &str, said: &Said, case: &Case<'_>) -> Option<bool> {
    let allowed = enumeration(case.key);
    if is_default(case) {
        return default(value, said, case, &allowed);
    }
    if (moment::is_date(value) || moment::is_time(value)) && said.phrases(value).is_empty() {
        if !kind::holds_moments(case.key) {
            return Some(false);
        }
        return if moment::is_date(value) {
            when::date(value, said, case)
        } else {
            when::time(value, said, case)
        };
    }
    if let Some(agrees) = in_rhythm(value, said, &allowed) {
        return Some(agrees);
    }
    let spans = spans(value, said);
    if !spans.is_empty() {
        // "Check my savings" says `savings`, though `checking` has the same stem.
        let exact = spans.iter().any(|span| exactly(value, *span, said));
        if !exact
            && allowed
                .iter()
                .any(|other| said.phrases(other).iter().any(|span| exactly(other, *span, said)))
        {
            return Some(false);
        }
        let fits =
            |span: &&Span| !hidden_in_longer(value, **span, said, &allowed) && !misplaced(value, **span, said, case);
        return Some(spans.iter().find(fits).is_some_and(|span| !said.negated(span.from)));
    }
    if !allowed.is_empty() {
        return listed(value, said, case, &allowed);
    }
    let (held, all) = said.share_of(value, &cues(case.key));
    match (held, all) {
        (_, 0) => None,
        (0, _) if shown_for(value, said, case.key) => Some(true),
        (0, _) => Some(false),
        (held, all) if held * 2 >= all => Some(true),
        (_, _) => None,
    }
}

/// Whether the rhythm that is said is the value, where the list is one of rhythms: "every other week" for `every two weeks`.
fn in_rhythm(value: &str, said: &Said, allowed: &[String]) -> Option<bool> {
    let ours = rhythm::named(value)?;
    let of_rhythms = allowed
        .iter()
        .filter(|other| *other != NONE)
        .all(|other| rhythm::named(other).is_some());
    let lemmas: Vec<String> = (0..said.words()).map(|at| lexicon::lemma(said.word(at))).collect();
    let (theirs, place) = rhythm::of(&lemmas).filter(|_| of_rhythms && !allowed.is_empty())?;
    Some(ours == theirs && !said.negated(place.start))
}

/// Right when it is refused in words, wrong when another value is asked for, unjudged when nothing is said.
fn default(value: &str, said: &Said, case: &Case<'_>, allowed: &[String]) -> Option<bool> {
    let other = allowed
        .iter()
        .filter(|other| other.as_str() != value)
        .chain(case.surfaces)
        .find_map(|other| said.phrase(other));
    match other {
        Some(at) => Some(said.negated(at)),
        None => said
            .first_of(&cues(case.key))
            .filter(|at| said.negated(*at))
            .map(|_| true),
    }
}

/// A value of a closed list that was not said in its own words.
fn listed(value: &str, said: &Said, case: &Case<'_>, allowed: &[String]) -> Option<bool> {
    let another = allowed
        .iter()
        .any(|other| *other != value.to_lowercase() && said.phrase(other).is_some());
    let mapped = mapping_example::shown(&case.key.semantic_description)
        .into_iter()
        .filter(|example| example.value.eq_ignore_ascii_case(value))
        .any(|example| said.holds_most_of(example.said));
    match (mapped, another) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => said.first_of(&cues(case.key)).is_none().then_some(false),
    }
}

/// Whether the utterance says what the key's own examples show for the value in other words: `bike` of `'taking my bike
/// along' -> bicycle`. A noun that an example of another value shows too tells nothing.
fn shown_for(value: &str, said: &Said, key: &KeyDefinition) -> bool {
    let (own, others): (Vec<_>, Vec<_>) = mapping_example::shown(&key.semantic_description)
        .into_iter()
        .partition(|example| example.value.eq_ignore_ascii_case(value));
    let cues = cues(key);
    let in_other_words = own
        .iter()
        .filter(|example| Said::read(example.said).share_of(value, &cues).0 == 0);
    let mut telling = in_other_words
        .flat_map(|example| lexicon::tokens(example.said))
        .map(|token| token.word)
        .filter(|word| lexicon::noun(word) && !cues.contains(&lexicon::stem(word)))
        .filter(|word| {
            others
                .iter()
                .all(|example| Said::read(example.said).phrase(word).is_none())
        });
    telling.any(|word| said.phrase(&word).is_some_and(|at| !said.negated(at)))
}

/// Everywhere that the text, its head before a comma, or a form of it stands.
fn spans(value: &str, said: &Said) -> Vec<Span> {
    let whole = said.phrases(value);
    if !whole.is_empty() {
        return whole;
    }
    let head = value.split(',').next().unwrap_or(value);
    let of_head = said.phrases(head);
    if !of_head.is_empty() {
        return of_head;
    }
    if let Some(span) = alias::find(said, value) {
        return vec![span];
    }
    let lower = value.to_lowercase();
    let kindred = (0..said.words()).find(|at| {
        let word = said.word(*at);
        let shared = word.chars().zip(lower.chars()).take_while(|(a, b)| a == b).count();
        let shorter = word.chars().count().min(lower.chars().count());
        let whole = shared >= KINDRED_MIN && shared == shorter;
        let nearly = shared > KINDRED_MIN && shared + 2 >= shorter;
        (whole || nearly) && !lexicon::stop(word) && !lower.contains(' ')
    });
    kindred.map(|at| Span { from: at, to: at + 1 }).into_iter().collect()
}

/// "Premium economy" does not say `economy` where both are on the list.
fn hidden_in_longer(value: &str, span: Span, said: &Said, allowed: &[String]) -> bool {
    allowed
        .iter()
        .filter(|other| other.len() > value.len())
        .any(|other| said.phrases(other).iter().any(|longer| longer.meets(span)))
}

/// Whether the text was said of something else.
fn misplaced(value: &str, span: Span, said: &Said, case: &Case<'_>) -> bool {
    let own = side::of_key(case.key, case.siblings);
    let kind = kind::of_key(case.key);
    if own.is_some() && kind != Kind::Title && side::of_place(said, span).is_some_and(|said| Some(said) != own) {
        return true;
    }
    // A key with the value on its closed list has the better claim than one without.
    let listed = on_its_list(case.key, value);
    let fits = |sibling: &KeyDefinition| !listed || on_its_list(sibling, value);
    if side::needs_its_mark(case.key, case.siblings, said, side::of_place(said, span), &fits) {
        return true;
    }
    if !enumeration(case.key).is_empty() {
        return false;
    }
    if kind::contradicts(case.key, value, said, span) {
        return true;
    }
    if kind == Kind::Quantity
        && let (Some(wanted), Some(found)) = (measure::of_key(case.key), measure::of_number(said, span))
        && wanted != found
    {
        return true;
    }
    if kind::city_for_site(case.key, case.siblings, value, said) {
        return true;
    }
    let cues = cues(case.key);
    let named_after = |stem: &String| cues.contains(stem);
    case.siblings.iter().take(64).any(|sibling| {
        (on_its_list(sibling, value) && !self::cues(sibling).iter().any(named_after))
            || (kind == Kind::Title
                && kind::of_key(sibling) == Kind::Title
                && trailed(said, span).is_some_and(|stem| !named_after(stem) && self::cues(sibling).contains(stem)))
            || announced(said, span).is_some_and(|stem| !named_after(stem) && self::cues(sibling).contains(stem))
    })
}

/// Whether a value is on a sibling's closed list.
fn on_its_list(sibling: &KeyDefinition, value: &str) -> bool {
    enumeration(sibling).contains(&value.to_lowercase())
}

/// Whether the words that were said are those of the value, and not merely of one stem with them.
fn exactly(value: &str, span: Span, said: &Said) -> bool {
    let wanted = lexicon::tokens(&value.to_lowercase().replace('_', " "));
    wanted.len() == span.to - span.from
        && wanted
            .iter()
            .enumerate()
            .all(|(ahead, token)| lexicon::lemma(&token.word) == lexicon::lemma(said.word(span.from + ahead)))
}

/// The noun in the singular that closes a name: "the Water Fountain song".
fn trailed(said: &Said, span: Span) -> Option<&String> {
    let word = said.word(span.to);
    (lexicon::lemma(word) == word && !said.breaks_before(span.to))
        .then(|| said.stems().get(span.to))
        .flatten()
}

/// The noun that announces a value: "the album …", "a song called …". A word that marks an end of a journey announces
/// nothing, as [`side`] has read it, and neither does a verb: "please check Lima".
fn announced(said: &Said, span: Span) -> Option<&String> {
    let mut at = span.from.checked_sub(1)?;
    for _ in 0..2 {
        if matches!(said.word(at), "called" | "named" | "titled" | "is" | "the" | "entitled") {
            at = at.checked_sub(1)?;
        }
    }
    let word = said.word(at);
    let noun = !side::marks_an_end(word) && lexicon::part_of_speech(word) != 'v';
    said.stems().get(at).filter(|_| noun && !said.breaks_before(at + 1))
}
