//! What is counted: of a key by its name, of a number by the noun beside it. "Two rooms" is no number of guests.

use crate::domain::evolution::judge::said::Said;
use crate::domain::evolution::judge::said::Span;
use crate::domain::evolution::lexicon;
use crate::domain::template::key::KeyDefinition;

/// Words between a number and the noun that it counts.
const REACH: usize = 3;

/// Things that are counted or measured apart from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// People, and what is reserved one for each.
    Party,
    Rooms,
    Duration,
    Rating,
    Money,
    Bags,
    Stops,
    Distance,
}

/// The measure of a word (lower case).
pub fn of_word(word: &str) -> Option<Measure> {
    let word = lexicon::lemma(word);
    if lexicon::classes().persons.contains(&word) {
        return Some(Measure::Party);
    }
    match word.as_str() {
        "ticket" | "seat" | "party" | "group" | "adult" | "child" | "kid" | "traveler" | "traveller" | "rider"
        | "attendee" | "player" | "family" | "colleague" | "buddy" | "wife" | "husband" | "spot" | "other" => {
            Some(Measure::Party)
        }
        "room" | "bedroom" | "suite" => Some(Measure::Rooms),
        "day" | "night" | "week" | "hour" | "minute" | "month" | "duration" | "length" | "stay" => {
            Some(Measure::Duration)
        }
        "star" | "rating" | "rated" | "review" | "score" | "rate" => Some(Measure::Rating),
        "$" | "dollar" | "buck" | "usd" | "euro" | "pound" | "cent" | "price" | "cost" | "fare" | "amount"
        | "balance" | "budget" | "fee" | "rent" | "money" | "payment" => Some(Measure::Money),
        "bag" | "luggage" | "suitcase" | "baggage" => Some(Measure::Bags),
        "stop" | "transfer" | "layover" | "connection" => Some(Measure::Stops),
        "mile" | "kilometer" | "km" | "meter" => Some(Measure::Distance),
        _ => None,
    }
}

/// The measure of a key, by the words of its name, else of its description.
pub fn of_key(key: &KeyDefinition) -> Option<Measure> {
    let name = key.key_name.as_str().replace('_', " ");
    // `price_per_night` is a price, and so is `price_of_ticket`; `number_of_tickets` counts what it is of.
    let head = name.split(" per ").next().unwrap_or_default();
    let (head, of) = head.split_once(" of ").unwrap_or((head, ""));
    let last = |text: &str| measures(text).last();
    let amount = matches!(head, "amount" | "total amount");
    let own = last(head).filter(|_| !amount || of.is_empty());
    own.or_else(|| last(of))
        .or_else(|| last(head))
        .or_else(|| measures(&key.semantic_description.to_lowercase()).next())
}

/// The measures that the words of a text name, in order.
fn measures(text: &str) -> impl Iterator<Item = Measure> {
    let words = lexicon::tokens(text.split(" per ").next().unwrap_or_default());
    words.into_iter().take(40).filter_map(|token| of_word(&token.word))
}

/// The measure of a number by the words beside it.
pub fn of_number(said: &Said, span: Span) -> Option<Measure> {
    if span.from > 0 && said.word(span.from - 1) == "$" {
        return Some(Measure::Money);
    }
    let behind = span.to..(span.to + REACH).min(said.words());
    let behind = behind
        .take_while(|at| !said.breaks_before(*at))
        .find_map(|at| of_word(said.word(at)));
    behind.or_else(|| {
        let before = span.from.saturating_sub(REACH)..span.from;
        before.rev().find_map(|at| match of_word(said.word(at)) {
            // "rating of 4", "group of 3", "rooms: 2".
            found @ (Some(Measure::Rating | Measure::Money | Measure::Rooms | Measure::Bags) | None) => found,
            found @ Some(Measure::Party) => {
                found.filter(|_| matches!(said.word(span.from - 1), "of" | "is" | "are" | "be"))
            }
            Some(Measure::Duration | Measure::Stops | Measure::Distance) => None,
        })
    })
}
