//! What kind of thing a text key holds, by its name, and what kind of thing a text is, by its own words and those before
//! it. A date is no city, "by Ada" names no song. What is of no plain kind contradicts nothing.

use crate::domain::evolution::judge::measure;
use crate::domain::evolution::judge::said::Said;
use crate::domain::evolution::judge::said::Span;
use crate::domain::evolution::lexicon;
use crate::domain::template::key::KeyDefinition;

/// What a text key holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Place,
    Person,
    /// The name of a work, an event, a house.
    Title,
    /// One of a few classes of things.
    Class,
    Phone,
    /// A price, a time, a length: something with a number.
    Quantity,
    Date,
    Other,
}

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nature {
    Number,
    Moment,
    Place,
    Person,
    /// One plain word of the dictionary.
    Plain,
    Words,
}

/// The kind of a key by the words of its name, the last first, else by its description.
pub fn of_key(key: &KeyDefinition) -> Kind {
    let of = |text: &str| {
        let words: Vec<String> = lexicon::tokens(text)
            .into_iter()
            .take(40)
            .map(|token| token.word)
            .collect();
        words.iter().rev().find_map(|word| of_word(word))
    };
    // `city_of_event` is a city: what follows a preposition only says of what.
    let name = key.key_name.as_str().replace('_', " ");
    let head = [" of ", " for ", " per "]
        .iter()
        .find_map(|of| Some(name.split_once(of)?.0));
    head.and_then(of)
        .or_else(|| of(&name))
        .or_else(|| {
            // "Name of the director of the movie": what is named first is meant.
            let described = key.semantic_description.to_lowercase();
            let words: Vec<String> = lexicon::tokens(&described)
                .into_iter()
                .take(8)
                .map(|token| token.word)
                .collect();
            let telling = words
                .iter()
                .filter(|word| !matches!(word.as_str(), "from" | "to" | "where"));
            telling.into_iter().find_map(|word| of_word(word))
        })
        .unwrap_or(Kind::Other)
}

fn of_word(word: &str) -> Option<Kind> {
    let word = lexicon::lemma(word);
    let classes = lexicon::classes();
    let person = classes.agent.values().any(|agent| *agent == word)
        || classes.agent.contains_key(&word) && word != "song" && word != "book" && word != "music";
    match word.as_str() {
        "city" | "location" | "where" | "destination" | "origin" | "airport" | "station" | "area" | "town"
        | "country" | "region" | "address" | "street" | "neighborhood" | "venue" | "pickup" | "dropoff" | "from"
        | "to" => Some(Kind::Place),
        "driver" | "doctor" | "dentist" | "stylist" | "therapist" | "person" | "sender" | "recipient" | "guest"
        | "teacher" | "cast" | "host" => Some(Kind::Person),
        "title" | "song" | "movie" | "album" | "event" | "hotel" | "restaurant" | "attraction" | "property"
        | "book" | "show" | "film" | "place" | "track" => Some(Kind::Title),
        "genre" | "type" | "category" | "subcategory" | "class" | "kind" | "cuisine" | "style" | "mode" | "device" => {
            Some(Kind::Class)
        }
        "phone" | "telephone" => Some(Kind::Phone),
        "fare" | "price" | "cost" | "balance" | "total" | "amount" | "time" | "duration" | "length" | "rating"
        | "year" => Some(Kind::Quantity),
        "date" | "day" => Some(Kind::Date),
        _ if person => Some(Kind::Person),
        _ => None,
    }
}

fn nature(value: &str) -> Nature {
    let read = Said::read(value);
    let covered = |span: Span| span.to - span.from >= read.words().saturating_sub(1);
    if read.dates.iter().chain(&read.times).any(|moment| covered(moment.span)) {
        return Nature::Moment;
    }
    let lower = value.trim().to_lowercase();
    let counted = |at: usize| {
        let one = Span { from: at, to: at + 1 };
        let number = read.numbers.iter().any(|(span, _)| span.meets(one));
        number || measure::of_word(read.word(at)).is_some() || lexicon::stop(read.word(at))
    };
    if !read.numbers.is_empty() && (0..read.words()).all(counted) {
        return Nature::Number;
    }
    // "12 Main Street".
    if read.words() > 2 && lower.starts_with(|c: char| c.is_ascii_digit()) && !lower.contains(':') {
        return Nature::Place;
    }
    if lexicon::place(&lower) || lower.contains(", ") && lower.split(", ").next().is_some_and(lexicon::place) {
        return Nature::Place;
    }
    // "LAX" is a code, whatever the dictionary says of the word.
    if (2..=4).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Nature::Words;
    }
    let first = read.word(0);
    if read.words() <= 3 && lexicon::given_name(first) {
        return Nature::Person;
    }
    if read.words() == 1 && lexicon::known(&lexicon::lemma(first)) {
        return Nature::Plain;
    }
    Nature::Words
}

/// Whether a text that is itself a date or a time can be what a key of this kind holds at all.
pub fn holds_moments(key: &KeyDefinition) -> bool {
    match of_key(key) {
        Kind::Quantity | Kind::Date | Kind::Other => true,
        Kind::Place | Kind::Person | Kind::Title | Kind::Class | Kind::Phone => false,
    }
}

/// Words of a key's name that ask for a site within a city.
fn sites(key: &KeyDefinition) -> Vec<&str> {
    key.key_name
        .as_str()
        .split('_')
        .filter(|word| matches!(*word, "airport" | "station" | "address" | "street" | "venue"))
        .collect()
}

/// Whether a city was said where this key wants a site (an airport, a street), and a sibling holds the city.
pub fn city_for_site(key: &KeyDefinition, siblings: &[&KeyDefinition], value: &str, said: &Said) -> bool {
    let own = sites(key);
    !own.is_empty()
        && of_key(key) == Kind::Place
        && !value.starts_with(|c: char| c.is_ascii_digit())
        && !own.iter().any(|word| said.stems().contains(&lexicon::stem(word)))
        && siblings
            .iter()
            .take(64)
            .any(|sibling| of_key(sibling) == Kind::Place && sites(sibling).is_empty())
}

/// Whether a text that was said there cannot be what a key of this kind holds.
pub fn contradicts(key: &KeyDefinition, value: &str, said: &Said, span: Span) -> bool {
    let before = |distance: usize| span.from.checked_sub(distance).map_or("", |at| said.word(at));
    let located = matches!(
        before(1),
        "in" | "into" | "to" | "from" | "near" | "around" | "at" | "via" | "visit" | "visiting" | "leaving"
    ) || (before(1) == "of" && before(2) == "out")
        || (before(1) == "the" && matches!(before(2), "in" | "to" | "from" | "near" | "around"));
    let named = matches!(
        before(1),
        "called" | "named" | "titled" | "name" | "title" | "label" | "entitled"
    ) || (before(1) == "it" && matches!(before(2), "call" | "name" | "label" | "title"));
    let entitled = named
        || (span.to..(span.to + 5).min(said.words()))
            .take_while(|at| !said.breaks_before(*at))
            .any(|at| matches!(said.word(at), "title" | "name"));
    let watched = matches!(before(1), "watch" | "watching" | "see" | "seeing");
    // "Thriller movies": a word that only says what kind.
    let qualifies = matches!(
        lexicon::lemma(said.word(span.to)).as_str(),
        "movie" | "film" | "song" | "music" | "story" | "show" | "event" | "type" | "kind" | "genre" | "class"
    );
    let by =
        before(1) == "by" || (before(2) == "by" && said.stems().get(span.from - 1).is_some_and(|stem| stem == "the"));
    let agent = agent_before(said, span);
    match (of_key(key), nature(value)) {
        (Kind::Place, Nature::Number | Nature::Moment | Nature::Person) => true,
        (Kind::Place, Nature::Plain) => !located,
        (Kind::Place, Nature::Words) => by || agent.is_some() || watched || entitled,
        (Kind::Person, Nature::Number | Nature::Moment | Nature::Plain) => agent.is_none() && !by,
        (Kind::Person, Nature::Place) => located,
        (Kind::Person, Nature::Person | Nature::Words) => {
            watched || agent.is_some_and(|agent| !agents(key).is_empty() && !agents(key).contains(&agent))
        }
        (Kind::Class, Nature::Number | Nature::Moment | Nature::Place | Nature::Person) => true,
        (Kind::Class, Nature::Words) => by || agent.is_some() || named || watched || before(1) == "with",
        (Kind::Title, Nature::Number | Nature::Moment) => !named,
        (Kind::Title, Nature::Place) => located,
        (Kind::Title, Nature::Person | Nature::Words) => by || agent.is_some_and(|agent| agent != "artist" && !named),
        (Kind::Title, Nature::Plain) => !named && (by || qualifies || matches!(before(1), "a" | "an" | "some" | "any")),
        (Kind::Phone, _) => value.chars().filter(char::is_ascii_digit).count() < 7,
        (Kind::Quantity, Nature::Place | Nature::Person | Nature::Plain | Nature::Words) => true,
        (Kind::Date, Nature::Number | Nature::Place | Nature::Person | Nature::Plain | Nature::Words) => true,
        (Kind::Place | Kind::Class, Nature::Place | Nature::Plain)
        | (Kind::Quantity, Nature::Number | Nature::Moment)
        | (Kind::Date, Nature::Moment)
        | (Kind::Other, _) => false,
    }
}

/// The agent nouns that a key's name holds: `director` of `directed_by`.
fn agents(key: &KeyDefinition) -> Vec<&'static str> {
    let agent = &lexicon::classes().agent;
    key.key_name
        .as_str()
        .split('_')
        .filter_map(|word| agent.get(word).map(String::as_str))
        .collect()
}

/// The agent noun that stands shortly before: "directed by …" says `director`.
fn agent_before(said: &Said, span: Span) -> Option<&'static str> {
    let agent = &lexicon::classes().agent;
    let from = span.from.saturating_sub(3);
    (from..span.from)
        .rev()
        .take_while(|at| !said.breaks_before(at + 1))
        .find_map(|at| {
            let word = said.word(at);
            let tells = match word {
                "song" | "songs" | "music" | "book" | "books" => said.word(at + 1) == "by",
                // "Call Ada" speaks of a person, "call the event …" gives a name.
                "call" => at + 1 == span.from,
                _ => true,
            };
            agent.get(word).map(String::as_str).filter(|_| tells)
        })
}
