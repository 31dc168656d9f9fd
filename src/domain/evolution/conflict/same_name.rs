//! What a name says, and whether two names say the same (Z-113).
//!
//! A name is read as what it is about, the roles that it bears (departure and return are two) and the form of its values
//! (a type and a name are two). Knows no key and no value.

use std::collections::BTreeSet;

use crate::domain::evolution::lexicon;
use crate::domain::template::name::KeyName;

/// Words that say a key's form and not what it is about, and which form. Two forms are two keys: a type is no name.
const FORM: [(&str, Form); 27] = [
    ("amount", Form::Count),
    ("category", Form::Sort),
    ("choice", Form::Plain),
    ("city", Form::Place),
    ("class", Form::Sort),
    ("count", Form::Count),
    ("date", Form::Date),
    ("detail", Form::Plain),
    ("flag", Form::Plain),
    ("genre", Form::Sort),
    ("has", Form::Plain),
    ("is", Form::Plain),
    ("kind", Form::Sort),
    ("location", Form::Place),
    ("name", Form::Name),
    ("num", Form::Count),
    ("number", Form::Count),
    ("of", Form::Plain),
    ("option", Form::Plain),
    ("place", Form::Place),
    ("preference", Form::Plain),
    ("preferred", Form::Plain),
    ("selection", Form::Plain),
    ("time", Form::Time),
    ("title", Form::Name),
    ("type", Form::Sort),
    ("value", Form::Plain),
];

/// Words that only join those of a name.
const GLUE: [&str; 12] = [
    "a", "an", "and", "at", "by", "for", "in", "on", "or", "per", "the", "with",
];

/// The form of a key's values, as far as its name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// Goes with any other.
    Plain,
    Sort,
    Name,
    Count,
    Date,
    Time,
    Place,
}

/// What a name says: what it is about (stems), the roles that it bears, and its forms.
#[derive(Default)]
pub struct Said {
    pub about: BTreeSet<String>,
    pub roles: BTreeSet<String>,
    pub forms: BTreeSet<Form>,
}

impl Said {
    /// Reads a name.
    pub fn by(name: &KeyName) -> Said {
        let classes = lexicon::classes();
        let joined = name
            .as_str()
            .replace("check_in", "checkin")
            .replace("check_out", "checkout")
            .replace("pick_up", "pickup")
            .replace("drop_off", "dropoff");
        let mut said = Said::default();
        for word in joined.split('_') {
            let opposite = |word: &str| classes.antonym.iter().any(|(a, b)| a == word || b == word);
            if let Some(role) = classes.role.get(word) {
                said.roles.insert(role.clone());
            } else if let Some((_, form)) = FORM.iter().find(|(form, _)| *form == word) {
                said.forms.insert(*form);
            } else if let Some(side) = classes.concept.get(word) {
                said.roles.insert(side.clone());
            } else if opposite(word) {
                said.roles.insert(word.to_owned());
            } else if !GLUE.contains(&word) {
                said.about.insert(lexicon::stem(&lexicon::lemma(word)));
            }
        }
        said.forms.remove(&Form::Plain);
        said
    }

    /// The stem of the thing whose sorts the key tells apart: `account`, where it is `account_type`.
    pub fn sorted(&self) -> Option<&str> {
        let mut about = self.about.iter();
        let thing = about.next().filter(|_| about.next().is_none())?;
        (self.forms.iter().eq([&Form::Sort]) && self.roles.is_empty()).then_some(thing)
    }

    /// What a name says besides the service's own thing.
    fn beside(name: &KeyName, entity: &str) -> Said {
        let mut said = Said::by(name);
        said.about.remove(&lexicon::stem(&lexicon::lemma(entity)));
        said
    }

    /// The same roles, about the same, and no two forms.
    fn agrees(&self, other: &Said) -> bool {
        let two_forms = !self.forms.is_empty() && !other.forms.is_empty() && self.forms.is_disjoint(&other.forms);
        self.roles == other.roles && self.about == other.about && !two_forms
    }
}

/// By name: the same roles, about the same, and no two forms. Where roles are all there is (`departure_date`), they alone
/// must agree.
pub fn same_name(candidate: &KeyName, key: &KeyName) -> bool {
    let (ours, theirs) = (Said::by(candidate), Said::by(key));
    ours.agrees(&theirs) && !(ours.about.is_empty() && ours.roles.is_empty())
}

/// Whether both are names for the title of one thing: `movie_name` and `movie_title`.
pub fn same_title(candidate: &KeyName, key: &KeyName) -> bool {
    let title = |name: &KeyName| Said::by(name).forms.iter().eq([&Form::Name]);
    same_name(candidate, key) && title(candidate) && title(key)
}

/// Whether two names differ in nothing but the service's own thing: `doctor_specialty` and `specialty` where doctors are
/// found.
pub fn same_but_for(candidate: &KeyName, key: &KeyName, entity: &str) -> bool {
    let (ours, theirs) = (Said::beside(candidate, entity), Said::beside(key, entity));
    let but_for = Said::by(candidate).about != Said::by(key).about;
    but_for && ours.agrees(&theirs) && !ours.about.is_empty()
}

/// Whether a name is a switch for the very thing whose values another name's key tells apart: `has_coating`, where there is
/// `lens_coating`.
pub fn switch_of(candidate: &KeyName, key: &KeyName) -> bool {
    let ours = Said::by(candidate);
    let mut words = key.as_str().rsplit('_');
    let thing = words.find(|word| !FORM.iter().any(|(form, _)| form == word));
    let thing = thing.map(|word| lexicon::stem(&lexicon::lemma(word)));
    ours.roles == Said::by(key).roles && thing.is_some_and(|thing| ours.about.iter().eq([&thing]))
}

/// Whether both names say which sort of the service's own thing is wanted: `movie_type` and `genre` where movies are offered.
pub fn same_sort(candidate: &KeyName, key: &KeyName, entity: &str) -> bool {
    let sort_of_it = |name: &KeyName| {
        let said = Said::beside(name, entity);
        said.roles.is_empty() && said.forms.iter().eq([&Form::Sort]) && said.about.is_empty()
    };
    sort_of_it(candidate) && sort_of_it(key)
}
