//! General key names that fit a cluster, by what its fragments and values mean.
//!
//! Compares vectors of `name: gloss` with the middle of the cluster, less the middle of its background, and with its
//! values. Ranks only; whether a rank is good enough is decided where the name is.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::domain::evolution::induction::closed::stems;
use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::field;
use crate::domain::evolution::induction::meanings::Meanings;
use crate::domain::evolution::induction::service::Service;
use crate::domain::evolution::induction::values::ValueSet;
use crate::domain::evolution::lexicon;
use crate::domain::evolution::lexicon::Term;

/// Kinds of terms that are found by meaning.
const KINDS: [&str; 2] = ["cat", "bool"];
/// Fragments that stand for the cluster and for its background.
const FRAGMENTS_MAX: usize = 60;
const BACKGROUND_MAX: usize = 100;
/// Values that are read together.
const VALUES_MAX: usize = 8;
/// How much the background takes away, and what the words that a term shares with the cluster add.
const BACKGROUND_WEIGHT: f64 = 0.5;
const WORDS_WEIGHT: f64 = 0.10;
const WORDS_MAX: f64 = 1.5;
/// What a term gains that names the service's own noun: a service speaks of its events, not of some music.
const ENTITY_BONUS: f64 = 0.05;
/// What a sort loses out of a field of which nobody speaks here. Other names lose nothing: their last word fits as it is.
const FOREIGN_MALUS: f64 = 0.08;

/// Every text whose vector helps with a cluster that is closed or a switch.
pub fn texts(cluster: &Cluster, values: &ValueSet) -> Vec<String> {
    let mut texts: Vec<String> = terms().map(|term| meaning(&term)).collect();
    texts.extend(members(cluster).map(str::to_owned));
    texts.extend(background(cluster).map(str::to_owned));
    if !values.values.is_empty() {
        texts.push(joined(values));
    }
    texts.extend(values.values.iter().map(|value| value.surface.clone()));
    texts.sort();
    texts.dedup();
    texts
}

/// A term as it is embedded.
pub fn meaning(term: &Term) -> String {
    format!("{}: {}", term.name.replace('_', " "), term.gloss)
}

/// Terms of a kind that are not visible, best first; `None` where nothing was embedded. `values` is empty where the
/// values are not to count.
pub fn rank(
    meanings: &Meanings,
    cluster: &Cluster,
    service: &Service<'_>,
    kind: &str,
    values: &ValueSet,
) -> Option<Vec<(f64, Term)>> {
    let middle = meanings.centroid(members(cluster))?;
    let around = meanings.centroid(background(cluster));
    let joined = Some(joined(values)).filter(|joined| !joined.is_empty());
    let said = said(cluster);
    let spoken = field::spoken(cluster, service);
    // A list is not called after one of its own values.
    let values: BTreeSet<String> = values
        .values
        .iter()
        .filter(|value| !value.lemmas.contains(' '))
        .map(|value| lexicon::stem(&value.lemmas))
        .collect();
    let mut ranked: Vec<(f64, Term)> = terms()
        .filter(|term| term.kind == kind && !service.taken(term.name))
        .filter(|term| !values.contains(&lexicon::stem(&lexicon::lemma(term.name))))
        .filter_map(|term| {
            let text = meaning(&term);
            let vector = meanings.vector(&text).filter(|own| own.width() == middle.width())?;
            let here = vector.cosine(&middle).value();
            let elsewhere = around.as_ref().map_or(0.0, |around| vector.cosine(around).value());
            let fit = here - BACKGROUND_WEIGHT * elsewhere;
            let fit = match joined.as_ref().and_then(|joined| meanings.cosine(&text, joined)) {
                Some(values) => 0.5 * fit + 0.5 * values,
                None => fit,
            };
            let words: f64 = stems(&text).iter().filter_map(|stem| said.get(stem)).sum();
            let own = term.name.split('_').any(|word| word == service.entity);
            let about = if own { ENTITY_BONUS } else { 0.0 };
            let foreign = field::foreign(term.name, &spoken) == Some(field::SORT);
            let malus = if foreign { FOREIGN_MALUS } else { 0.0 };
            Some((fit + WORDS_WEIGHT * words.min(WORDS_MAX) + about - malus, term))
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.name.cmp(b.1.name)));
    Some(ranked)
}

/// The mean cosine of values that share no word and are heard often; one value alone is like itself.
pub fn likeness(meanings: &Meanings, cluster: &Cluster, values: &ValueSet) -> Option<(f64, usize)> {
    let big: Vec<&str> = values
        .values
        .iter()
        .filter(|value| value.held_by.count() as f64 >= 0.08 * cluster.size())
        .map(|value| value.surface.as_str())
        .collect();
    let mut cosines = Vec::new();
    for (at, one) in big.iter().enumerate() {
        for other in big.iter().skip(at + 1) {
            if !one.split(' ').any(|word| other.split(' ').any(|own| own == word)) {
                cosines.push(meanings.cosine(one, other)?);
            }
        }
    }
    let mean = if cosines.is_empty() {
        if big.len() > 1 { 0.0 } else { 1.0 }
    } else {
        cosines.iter().sum::<f64>() / cosines.len() as f64
    };
    Some((mean, big.len()))
}

fn terms() -> impl Iterator<Item = Term> {
    lexicon::vocabulary()
        .iter()
        .filter(|term| KINDS.contains(&term.kind))
        .copied()
}

fn members(cluster: &Cluster) -> impl Iterator<Item = &str> {
    cluster
        .fragments
        .iter()
        .take(FRAGMENTS_MAX)
        .map(|fragment| fragment.text.as_str())
}

/// Evenly out of the whole background: its clusters stand there one after the other.
fn background(cluster: &Cluster) -> impl Iterator<Item = &str> {
    let step = cluster.background.len().div_ceil(BACKGROUND_MAX).max(1);
    cluster
        .background
        .iter()
        .step_by(step)
        .map(|fragment| fragment.text.as_str())
}

fn joined(values: &ValueSet) -> String {
    let surfaces: Vec<&str> = values
        .values
        .iter()
        .take(VALUES_MAX)
        .map(|value| value.surface.as_str())
        .collect();
    surfaces.join(", ")
}

/// Stems that the cluster says more often than its background, by how much they tell.
fn said(cluster: &Cluster) -> BTreeMap<String, f64> {
    let mut said: BTreeMap<String, f64> = BTreeMap::new();
    for word in cluster.said.keys().filter(|word| !lexicon::stop(word)) {
        let telling = cluster.share_of(word) * cluster.contrast(word).clamp(0.0, 2.0);
        let most = said.entry(lexicon::stem(word)).or_default();
        *most = f64::max(*most, telling);
    }
    said
}

#[cfg(test)]
mod tests {
    use super::likeness;
    use super::meaning;
    use super::rank;
    use super::terms;
    use super::texts;
    use crate::domain::evolution::induction::closed;
    use crate::domain::evolution::induction::cluster::Cluster;
    use crate::domain::evolution::induction::decision;
    use crate::domain::evolution::induction::decision::Kind;
    use crate::domain::evolution::induction::fragment::Fragment;
    use crate::domain::evolution::induction::meanings::Meanings;
    use crate::domain::evolution::induction::pooled;
    use crate::domain::evolution::induction::service::Service;
    use crate::domain::evolution::induction::switch;
    use crate::domain::evolution::induction::values;
    use crate::domain::evolution::induction::values::ValueSet;
    use crate::domain::pool::vector::Vector;
    use crate::domain::time::At;

    fn cluster() -> Cluster {
        let read = |text: &str| Fragment::read(text.to_owned(), None, At(0), pooled::eyes());
        let members = ["zorb please", "a zorb for me", "quux please", "a quux for me"];
        let background = ["the blue one", "something else"];
        Cluster::count(members.map(read).to_vec(), background.map(read).to_vec())
    }

    fn service() -> Service<'static> {
        Service::read("things", "Get things", Vec::new())
    }

    /// Members point along the first axis, the background along the second, `near` where it is told, other terms along
    /// the fourth and values along the fifth.
    fn meanings(cluster: &Cluster, found: &ValueSet, near: &[(&str, [f32; 5])]) -> Meanings {
        let texts = texts(cluster, found);
        let said = |fragments: &[Fragment], text: &str| fragments.iter().any(|fragment| fragment.text == text);
        let vectors = texts
            .iter()
            .map(|text| {
                let named = near
                    .iter()
                    .find(|(name, _)| text == name || text.starts_with(&format!("{}: ", name.replace('_', " "))));
                let axis = match named {
                    Some((_, axis)) => *axis,
                    None if said(&cluster.fragments, text) => [1.0, 0.0, 0.0, 0.0, 0.0],
                    None if said(&cluster.background, text) => [0.0, 1.0, 0.0, 0.0, 0.0],
                    None if terms().any(|term| meaning(&term) == *text) => [0.0, 0.0, 0.0, 1.0, 0.0],
                    None => [0.0, 0.0, 0.0, 0.0, 1.0],
                };
                Vector::quantise(&axis).expect("a vector")
            })
            .collect();
        Meanings::of(&texts, vectors)
    }

    #[test]
    fn the_term_that_means_the_members_and_not_everything_gives_the_name_z111() {
        let cluster = cluster();
        let none = ValueSet::default();
        let both = [
            ("doneness", [0.8, 0.6, 0.0, 0.0, 0.0]),
            ("pattern", [0.8, 0.0, 0.6, 0.0, 0.0]),
        ];
        let ranked = rank(&meanings(&cluster, &none, &both), &cluster, &service(), "cat", &none).expect("vectors");
        let names: Vec<&str> = ranked.iter().take(2).map(|(_, term)| term.name).collect();
        assert_eq!(names, ["pattern", "doneness"]);
    }

    #[test]
    fn without_vectors_nothing_is_ranked_and_words_decide_z110() {
        let cluster = cluster();
        let none = ValueSet::default();
        assert!(rank(&Meanings::default(), &cluster, &service(), "cat", &none).is_none());
        let found = values::find(&cluster, "thing");
        let by_words = closed::decide(&cluster, &service(), found.clone(), &Meanings::default());
        let near = [("doneness", [1.0, 0.0, 0.0, 0.0, 0.0])];
        let by_meaning = closed::decide(&cluster, &service(), found.clone(), &meanings(&cluster, &found, &near));
        assert_ne!(by_words.name, "doneness");
        assert_eq!(by_meaning.name, "doneness");
    }

    #[test]
    fn a_distant_term_gives_no_name_z111() {
        let cluster = cluster();
        let found = values::find(&cluster, "thing");
        // Half of the score is the members' and half the values', which point elsewhere.
        let named = |cosine: f32| {
            let near = [("doneness", [cosine, 0.0, (1.0 - cosine * cosine).sqrt(), 0.0, 0.0])];
            closed::decide(&cluster, &service(), found.clone(), &meanings(&cluster, &found, &near)).name
        };
        assert_eq!(named(0.64), "doneness");
        assert_ne!(named(0.56), "doneness");
    }

    #[test]
    fn a_visible_name_is_not_found_again_z113() {
        let cluster = cluster();
        let none = ValueSet::default();
        let near = [("doneness", [1.0, 0.0, 0.0, 0.0, 0.0])];
        let mut service = service();
        service.visible.insert("doneness".to_owned());
        let ranked = rank(&meanings(&cluster, &none, &near), &cluster, &service, "cat", &none).expect("vectors");
        assert!(ranked.iter().all(|(_, term)| term.name != "doneness"));
    }

    #[test]
    fn a_list_is_not_called_after_one_of_its_values_z111() {
        let read = |text: &str| Fragment::read(text.to_owned(), None, At(0), pooled::eyes());
        let members = ["sports please", "some sports", "quux please", "some quux"];
        let cluster = Cluster::count(members.map(read).to_vec(), Vec::new());
        let found = values::find(&cluster, "thing");
        let near = [
            ("sport", [1.0, 0.0, 0.0, 0.0, 0.0]),
            ("doneness", [0.9, 0.0, 0.4, 0.0, 0.0]),
        ];
        let named = closed::decide(&cluster, &service(), found.clone(), &meanings(&cluster, &found, &near)).name;
        assert_eq!(named, "doneness");
    }

    #[test]
    fn what_is_nearer_to_a_switch_than_to_a_list_is_one_z111() {
        let cluster = cluster();
        let none = ValueSet::default();
        let likely = |switch: f32, list: f32| {
            let axis = |cosine: f32| [cosine, 0.0, (1.0 - cosine * cosine).sqrt(), 0.0, 0.0];
            let near = [("roaming", axis(switch)), ("doneness", axis(list))];
            switch::likely(&cluster, &service(), &none, &meanings(&cluster, &none, &near), false).is_some()
        };
        assert!(likely(0.8, 0.5));
        assert!(!likely(0.5, 0.8));
        assert!(!likely(0.2, 0.1), "near to neither");
    }

    #[test]
    fn values_that_mean_the_same_are_alike_z111() {
        let cluster = cluster();
        let found = values::find(&cluster, "thing");
        assert_eq!(found.values.len(), 2, "{:?}", found.values);
        let with = |axis| {
            likeness(
                &meanings(&cluster, &found, &[("zorb", [1.0, 0.0, 0.0, 0.0, 0.0]), ("quux", axis)]),
                &cluster,
                &found,
            )
        };
        let (alike, big) = with([0.9, 0.0, 0.1, 0.0, 0.0]).expect("vectors");
        assert!(alike > 0.9 && big == 2);
        let (apart, _) = with([0.0, 1.0, 0.0, 0.0, 0.0]).expect("vectors");
        assert!(apart < 0.1);
        assert!(likeness(&Meanings::default(), &cluster, &found).is_none());
    }

    #[test]
    fn every_term_is_asked_for_once_z109() {
        let texts = texts(&cluster(), &ValueSet::default());
        assert!(terms().all(|term| texts.contains(&meaning(&term))));
        assert!(texts.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn a_title_that_nobody_named_is_called_after_what_it_means_z110_z111() {
        let read = |text: &str| Fragment::read(text.to_owned(), None, At(0), pooled::eyes());
        let names = [
            "The Silver Fox",
            "Old Mill Runner",
            "Green Arrow",
            "Blue Anchor",
            "Red Lion",
        ];
        let cluster = Cluster::count(names.map(read).to_vec(), vec![read("something else")]);
        let named = |near: &[(&str, [f32; 5])]| {
            let found = values::find(&cluster, &service().entity);
            let decision = decision::decide(&cluster, &service(), &meanings(&cluster, &found, near));
            (decision.kind, decision.name)
        };
        assert_eq!(named(&[]), (Kind::Title, "item_name".to_owned()));
        let (far, near) = ([0.35, 0.0, 0.0, 0.94, 0.0], [0.45, 0.0, 0.0, 0.89, 0.0]);
        assert_eq!(named(&[("doneness", far)]), (Kind::Title, "item_name".to_owned()));
        assert_eq!(named(&[("doneness", near)]), (Kind::Closed, "doneness".to_owned()));
    }
}
