//! The description of an induced key: what it is, which values it accepts, and examples (Z-112).

use crate::domain::evolution::induction::decision::Kind;
use crate::domain::evolution::induction::listing::Listing;
use crate::domain::evolution::lexicon;
use crate::domain::pool::proposal::Shown;
use crate::domain::template::closed_list::NONE;

/// People who made the thing that a service is about; nobody else is somebody "of the song".
const MAKERS: [&str; 7] = [
    "actor", "artist", "author", "composer", "director", "producer", "designer",
];

/// Characters of an induced description.
pub const DESCRIPTION_MAX: usize = 400;
/// Begins the sentence that names the values.
pub const VALUES_LEAD: &str = "Acceptable values: ";

/// Writes the description: what the key is, the values that it accepts if they are listed, examples; those that do not fit are left out
/// from the end.
pub fn describe<S: AsRef<str>>(about: String, values: &[S], examples: &[Shown]) -> String {
    let mut text = about;
    if !values.is_empty() {
        text.push(' ');
        text.push_str(&values_sentence(values));
    }
    let mut open = String::new();
    for example in examples {
        let lead = if open.is_empty() { " Examples: " } else { "; " };
        let next = match &example.value {
            Some(value) => format!("{lead}'{}' -> {value}", example.fragment),
            None => format!("{lead}'{}'", example.fragment),
        };
        if text.chars().count() + open.chars().count() + next.chars().count() < DESCRIPTION_MAX {
            open.push_str(&next);
        }
    }
    if !open.is_empty() {
        text.push_str(&open);
        text.push('.');
    }
    text.chars().take(DESCRIPTION_MAX).collect()
}

/// The sentence of a description that names the values.
pub fn values_sentence<S: AsRef<str>>(values: &[S]) -> String {
    let values: Vec<&str> = values.iter().map(AsRef::as_ref).collect();
    format!("{VALUES_LEAD}{}.", values.join(", "))
}

/// The listed values with `none`; nothing where none are listed.
pub fn accepted(listing: &Listing) -> Vec<String> {
    if listing.values.is_empty() {
        return Vec::new();
    }
    let none = Some(NONE.to_owned()).filter(|none| !listing.values.contains(none));
    listing.values.iter().cloned().chain(none).collect()
}

/// What the key is, in the rules' own words.
pub fn about(name: &str, kind: &Kind, entity: &str) -> String {
    let words = name
        .replace('_', " ")
        .replace("check in ", "check-in ")
        .replace("check out ", "check-out ");
    let mut letters = words.chars();
    let title: String = letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default();
    let known = words
        .split(' ')
        .any(|word| word.trim_end_matches('s') == entity.trim_end_matches('s'));
    let (of, for_the) = if known || entity == "item" {
        (String::new(), String::new())
    } else {
        (format!(" of the {entity}"), format!(" for the {entity}"))
    };
    let bare = |suffixes: &[&str]| {
        suffixes
            .iter()
            .find_map(|suffix| words.strip_suffix(suffix))
            .unwrap_or(&words)
            .to_owned()
    };
    let gloss = || {
        let mut terms = lexicon::vocabulary().iter();
        let term = terms.find(|term| term.kind == "bool" && term.name == name);
        term.map_or(String::new(), |term| format!(" ({})", term.gloss))
    };
    let words = words.as_str();
    match kind {
        Kind::Place(role) => match role.as_deref() {
            Some("destination") => format!("{title}: city or place to go to."),
            Some("origin") => format!("{title}: city or place to leave from."),
            Some(_) | None => format!("{title}: city, area or address{for_the}."),
        },
        Kind::Date => format!("{title}{of}, as YYYY-MM-DD; relative days count from the request."),
        Kind::Time => format!("{title}{of}, as HH:MM (24 h)."),
        Kind::Money => format!("{title}: sum of money as a plain number."),
        Kind::Percent => format!("{title}, as a number from 0 to 100."),
        Kind::Duration | Kind::Number if words.contains("number of") || words.contains(" per ") => {
            format!("{title}{for_the}.")
        }
        Kind::Duration | Kind::Number => format!("{title}{of}."),
        Kind::Person if MAKERS.contains(&words) => format!("{title}: name of the {words}{of}."),
        Kind::Person => format!("{title}: name of the {}.", bare(&[" name"])),
        Kind::Contact(contact) => format!("{title}: {}.", contact.gloss()),
        Kind::Title => format!("{title}: title or name of the {}.", bare(&[" name", " title"])),
        Kind::Boolean => format!("{title}{}: whether the user wants it (true or false).", gloss()),
        Kind::Level => format!("{title}: how much the user wants."),
        Kind::Rhythm => format!("{title}: how often the user wants it."),
        Kind::Closed if words.ends_with("preference") => format!("{title} the user wants."),
        // What a user wants beside a flight is not of the flight: a sport to watch.
        Kind::Closed => format!("{title} the user wants{for_the}."),
    }
}

#[cfg(test)]
mod tests {
    use super::about;
    use crate::domain::evolution::induction::decision::Kind;

    #[test]
    fn a_general_switch_says_what_it_means_z112() {
        assert_eq!(
            about("has_elevator", &Kind::Boolean, "house"),
            "Has elevator (lift in the building): whether the user wants it (true or false)."
        );
        assert_eq!(
            about("has_zorb", &Kind::Boolean, "house"),
            "Has zorb: whether the user wants it (true or false)."
        );
    }

    #[test]
    fn only_makers_are_people_of_the_thing_z112() {
        assert_eq!(
            about("artist", &Kind::Person, "song"),
            "Artist: name of the artist of the song."
        );
        assert_eq!(
            about("recipient_name", &Kind::Person, "account"),
            "Recipient name: name of the recipient."
        );
    }

    #[test]
    fn a_choice_is_for_the_thing_and_not_of_it_z112() {
        let says = |name: &str| about(name, &Kind::Closed, "flight");
        assert_eq!(says("sport"), "Sport the user wants for the flight.");
        assert_eq!(says("flight_class"), "Flight class the user wants.");
        assert_eq!(says("seat_preference"), "Seat preference the user wants.");
    }

    #[test]
    fn a_measure_is_the_things_and_a_count_is_for_it_z112() {
        assert_eq!(about("weight", &Kind::Number, "parcel"), "Weight of the parcel.");
        assert_eq!(
            about("number_of_bags", &Kind::Number, "flight"),
            "Number of bags for the flight."
        );
    }
}
