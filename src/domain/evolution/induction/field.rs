//! The field of a general name: what it is about, beside what it is. `drink` is the field of `drink_temperature`.
//!
//! A name is found by what its values mean, so that it may come out of a field of which nobody here speaks: a laundry that
//! asks for hot or cold has no drinks. Knows the words that are said and the names that are taken; ranks nothing.

use std::collections::BTreeSet;

use crate::domain::evolution::induction::closed::stems;
use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::service::Service;
use crate::domain::evolution::lexicon;

/// Last words that say what a value is whatever it is about; before any other, the words belong together
/// (`payment_plan`).
const HEADS: [&str; 16] = [
    "class",
    "condition",
    "format",
    "frequency",
    "length",
    "level",
    "method",
    "mode",
    "quality",
    "reason",
    "size",
    "speed",
    "status",
    "temperature",
    "tier",
    "type",
];
/// Of these, what needs nobody to say of what.
const MEASURES: [&str; 4] = ["length", "size", "speed", "temperature"];
/// A sort says nothing without its field: such a name is no other by another field.
pub const SORT: &str = "type";
/// A service of which nothing is known.
const NAMELESS: &str = "item";

/// Stems of every word that the cluster, its background or the service says.
pub fn spoken(cluster: &Cluster, service: &Service<'_>) -> BTreeSet<String> {
    let said = cluster.said.keys().chain(cluster.background_said.keys());
    let said = said.chain(&service.about).map(|word| lexicon::stem(word));
    let keys = service.keys.iter().flat_map(|key| {
        let name = key.key_name.as_str().replace('_', " ");
        stems(&format!("{name} {}", key.semantic_description))
    });
    said.chain(keys).collect()
}

/// The last word of a name out of a field of which nothing is said.
pub fn foreign<'n>(name: &'n str, spoken: &BTreeSet<String>) -> Option<&'n str> {
    let (field, head) = name.rsplit_once('_')?;
    let said = |word: &str| spoken.contains(&lexicon::stem(&lexicon::lemma(word)));
    (HEADS.contains(&head) && !field.split('_').any(said)).then_some(head)
}

/// The name as this service would give it: a measure stands alone, anything else but a sort is said of the service's own
/// noun.
pub fn at_home(name: &str, spoken: &BTreeSet<String>, service: &Service<'_>) -> String {
    let Some(head) = foreign(name, spoken).filter(|head| *head != SORT) else {
        return name.to_owned();
    };
    let alone = Some(head.to_owned()).filter(|_| MEASURES.contains(&head));
    let own = Some(format!("{}_{head}", service.entity)).filter(|_| service.entity != NAMELESS);
    let mut names = alone.into_iter().chain(own);
    names
        .find(|name| !service.taken(name))
        .unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::at_home;
    use super::foreign;
    use super::spoken;
    use crate::domain::evolution::induction::cluster::Cluster;
    use crate::domain::evolution::induction::fragment::Fragment;
    use crate::domain::evolution::induction::pooled;
    use crate::domain::evolution::induction::service::Service;
    use crate::domain::time::At;

    fn cluster(members: &[&str], background: &[&str]) -> Cluster {
        let read = |text: &&str| Fragment::read((*text).to_owned(), None, At(0), pooled::eyes());
        Cluster::count(
            members.iter().map(read).collect(),
            background.iter().map(read).collect(),
        )
    }

    #[test]
    fn a_name_is_foreign_where_nobody_speaks_of_its_field_z111() {
        let service = Service::read("ski_school", "Book ski lessons", Vec::new());
        let words = spoken(
            &cluster(&["the slopes were icy", "a beginner"], &["two courses for my son"]),
            &service,
        );
        assert_eq!(foreign("drink_temperature", &words), Some("temperature"));
        assert_eq!(foreign("workout_type", &words), Some("type"));
        assert_eq!(
            foreign("course_level", &words),
            None,
            "the background speaks of courses"
        );
        assert_eq!(foreign("slope_type", &words), None, "the cluster does");
        assert_eq!(foreign("lesson_length", &words), None, "the service does");
        assert_eq!(
            foreign("payment_plan", &words),
            None,
            "a plan is none without its payment"
        );
        assert_eq!(foreign("genre", &words), None, "one word has no field");
    }

    #[test]
    fn what_is_asked_of_another_field_is_said_of_the_services_own_noun_z111() {
        let mut service = Service::read("laundry", "Have laundry washed", Vec::new());
        let words = spoken(&cluster(&["hot please"], &[]), &service);
        assert_eq!(service.entity, "laundry");
        let named = |service: &Service<'_>, name: &str| at_home(name, &words, service);
        assert_eq!(
            named(&service, "drink_temperature"),
            "temperature",
            "a measure stands alone"
        );
        assert_eq!(named(&service, "course_level"), "laundry_level");
        assert_eq!(named(&service, "workout_type"), "workout_type", "a sort of what?");
        service.visible.insert("temperature".to_owned());
        assert_eq!(
            named(&service, "drink_temperature"),
            "laundry_temperature",
            "taken (Z-113)"
        );
        service.visible.insert("laundry_temperature".to_owned());
        assert_eq!(
            named(&service, "drink_temperature"),
            "drink_temperature",
            "both are taken"
        );
    }

    #[test]
    fn a_service_of_which_nothing_is_known_keeps_the_name_z111() {
        let service = Service::read("", "", Vec::new());
        let words = spoken(&cluster(&["a quux"], &[]), &service);
        assert_eq!(at_home("course_level", &words, &service), "course_level");
    }
}
