//! Words of general English that stand for each other where a flag is asked for, and their opposites.

use crate::domain::evolution::lexicon;

/// Stems of one meaning each.
const KIN: [&[&str]; 14] = [
    &[
        "kid", "child", "children", "toddler", "famili", "son", "daughter", "babi", "boy", "girl",
    ],
    &["wifi", "internet", "wireless", "wi"],
    &["pet", "dog", "cat", "anim", "puppi"],
    &["share", "pool", "carpool", "other", "stranger", "split"],
    &["smoke", "smoker", "cigarett", "cigar"],
    &["free", "complimentari", "gratis", "costless"],
    &["park", "garag"],
    &["wheelchair", "accessibl", "disabl"],
    &["outdoor", "patio", "terrac", "outsid", "garden"],
    &["vegetarian", "vegan", "meatless", "plant"],
    &["subtitl", "caption"],
    &["laundri", "washer", "wash"],
    &["refund", "cancel", "cancell"],
    &["direct", "nonstop", "nonstopp"],
];
/// Pairs of a stem and what says the contrary.
const CONTRARY: [(&str, &str); 6] = [
    ("share", "alone"),
    ("share", "privat"),
    ("share", "solo"),
    ("free", "paid"),
    ("outdoor", "indoor"),
    ("direct", "stopov"),
];

/// The stems that say the same as one, itself first.
pub fn of(stem: &str) -> Vec<String> {
    let mut kin = vec![stem.to_owned()];
    let group = KIN
        .iter()
        .find(|group| group.iter().any(|word| lexicon::stem(word) == stem || *word == stem));
    kin.extend(
        group
            .into_iter()
            .flat_map(|group| group.iter())
            .filter(|word| **word != stem)
            .map(|word| (*word).to_owned()),
    );
    kin
}

/// The stems that say the contrary of one.
pub fn contrary(stem: &str) -> Vec<String> {
    CONTRARY
        .iter()
        .filter(|(word, _)| lexicon::stem(word) == stem)
        .map(|(_, other)| lexicon::stem(other))
        .collect()
}
