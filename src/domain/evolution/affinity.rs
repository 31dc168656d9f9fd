//! Affinity: how far the fragments of a cluster speak of a key that exists already (Z-113, Z-126).
//!
//! Reads values, words and roles of the fragments against the key's type, values and name; what the embeddings add comes
//! later, in [`Affinity::covered`]. Siblings such as origin and destination look alike to an embedding, so a role that
//! clashes is a veto, whatever else agrees. Knows no patch and no state.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;

use crate::domain::evolution::alike::alike;
use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::decision;
use crate::domain::evolution::induction::decision::Decision;
use crate::domain::evolution::induction::decision::Kind;
use crate::domain::evolution::induction::meanings::Meanings;
use crate::domain::evolution::induction::service;
use crate::domain::evolution::induction::service::KeyKind;
use crate::domain::evolution::induction::service::Service;
use crate::domain::evolution::induction::service::side_of;
use crate::domain::evolution::induction::sort;
use crate::domain::evolution::induction::typed;
use crate::domain::evolution::induction::wording;
use crate::domain::evolution::lexicon;
use crate::domain::template::closed_list::NONE;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::name::KeyName;

/// Share of the members that must say a word before it counts as theirs.
const SAID_MIN: f64 = 0.10;

/// The weights of the logistic rule, fitted on clusters of ten services with one service's domain left out at a time:
/// constant, kind, role, listed values, cosine to the members, cosine to the candidate, unsupported words.
const CONSTANT: f64 = -15.35;
const KIND: f64 = 3.88;
const ROLE: f64 = 1.53;
const LISTED: f64 = 14.30;
const MEMBERS: f64 = 7.37;
const CANDIDATE: f64 = 12.63;
const UNSUPPORTED: f64 = -2.47;

/// Probability at or above which a cluster means a key that exists (Z-126).
pub const COVERED_MIN: f64 = 0.43;

/// Words of a name that say its form, or nothing by themselves.
const GENERIC: [&str; 12] = [
    "number", "of", "num", "name", "date", "time", "type", "the", "is", "has", "for", "in",
];

/// How a cluster and a key agree apart from their embeddings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Affinity {
    /// 1 for the same kind of value, one half for one that may stand for the other, else 0.
    pub kind: f64,
    /// The roles exclude each other, or the key has one that nobody speaks of.
    pub clash: bool,
    /// Same kind, and the same role or none on either side; weighted by `kind`.
    pub role: f64,
    /// Share of the members that say one of the key's listed values.
    pub listed: f64,
    /// Share of the words of the key's name that neither the members nor the candidate support.
    pub unsupported: f64,
}

impl Affinity {
    /// Probability that the cluster means the key. `members`: cosine of the mean member and the key's `name:
    /// description`; `candidate`: that of the candidate's own `name: description` and the key's.
    pub fn covered(&self, members: f64, candidate: f64) -> f64 {
        if self.clash {
            return 0.0;
        }
        let evidence = CONSTANT
            + KIND * self.kind
            + ROLE * self.role
            + LISTED * self.listed
            + MEMBERS * members
            + CANDIDATE * candidate
            + UNSUPPORTED * self.unsupported;
        1.0 / (1.0 + (-evidence).exp())
    }
}

/// A cluster next to the keys that exist.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Relation {
    /// What the candidate would be called if the service had no keys: `name: description`, to be embedded.
    pub free: String,
    /// That name alone.
    pub called: Option<KeyName>,
    /// Whether that name is a guess: a title of the service's own thing, of which hardly anybody spoke.
    #[serde(default)]
    pub guessed: bool,
    /// The service's own noun, a lemma.
    #[serde(default)]
    pub entity: String,
    /// The key that tells apart the sorts of what nearly all fragments ask for one sort of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort_of: Option<KeyName>,
    pub affinities: BTreeMap<KeyName, Affinity>,
}

/// What learned choices that list nothing yet were found to take one of.
pub type Choices = BTreeMap<KeyName, Vec<String>>;

/// Compares a cluster with keys. `service` is what the candidate was induced for; what is in `choices` is held against as if
/// it listed that.
pub fn relate<'k>(
    cluster: &Cluster,
    service: &Service<'_>,
    keys: impl IntoIterator<Item = &'k KeyDefinition>,
    choices: &Choices,
) -> Relation {
    let keys: Vec<&KeyDefinition> = keys.into_iter().collect();
    let bare = Service {
        keys: Vec::new(),
        visible: BTreeSet::new(),
        entity: service.entity.clone(),
        about: service.about.clone(),
    };
    let free = decision::decide(cluster, &bare, &Meanings::default());
    let told = Told::of(cluster, service, &free);
    Relation {
        sort_of: sort::mostly(cluster, keys.iter().copied()).cloned(),
        affinities: keys
            .into_iter()
            .map(|key| {
                let choice = choices.get(&key.key_name).map(Vec::as_slice);
                (key.key_name.clone(), told.affinity(key, choice, &service.entity))
            })
            .collect(),
        called: KeyName::parse(&free.name),
        guessed: decision::guessed(&free, cluster, service),
        entity: service.entity.clone(),
        free: format!(
            "{}: {}",
            free.name.replace('_', " "),
            wording::about(&free.name, &free.kind, &service.entity)
        ),
    }
}

/// What the cluster tells: its kind, its sides, its words.
struct Told<'c> {
    cluster: &'c Cluster,
    kind: KeyKind,
    /// A duration or a share, which a plain number may hold.
    measured: bool,
    sides: BTreeSet<String>,
    /// Stems of the free name.
    named: BTreeSet<String>,
    /// Stems that enough members say.
    said: BTreeSet<String>,
}

impl<'c> Told<'c> {
    fn of(cluster: &'c Cluster, service: &Service<'_>, free: &Decision) -> Told<'c> {
        let mut sides = sides(&free.name);
        let role = match &free.kind {
            Kind::Date | Kind::Time => typed::roles(cluster, service).into_iter().next(),
            Kind::Place(role) => role.clone(),
            Kind::Percent
            | Kind::Money
            | Kind::Duration
            | Kind::Number
            | Kind::Person
            | Kind::Title
            | Kind::Contact(_)
            | Kind::Closed
            | Kind::Level
            | Kind::Rhythm
            | Kind::Boolean => None,
        };
        sides.extend(role.as_deref().and_then(side_of).map(str::to_owned));
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for fragment in &cluster.fragments {
            for stem in fragment
                .lemmas
                .iter()
                .map(|lemma| lexicon::stem(lemma))
                .collect::<BTreeSet<_>>()
            {
                *counts.entry(stem).or_default() += 1;
            }
        }
        Told {
            kind: kind_of(&free.kind),
            measured: matches!(free.kind, Kind::Duration | Kind::Percent),
            sides,
            named: stems(&free.name),
            said: counts
                .into_iter()
                .filter(|(_, count)| *count as f64 >= SAID_MIN * cluster.size())
                .map(|(stem, _)| stem)
                .collect(),
            cluster,
        }
    }

    fn affinity(&self, key: &KeyDefinition, choice: Option<&[String]>, entity: &str) -> Affinity {
        let name = key.key_name.as_str();
        let theirs = sides(name);
        let opposed = !theirs.is_empty() && !self.sides.is_empty() && theirs.is_disjoint(&self.sides);
        let agree = !theirs.is_disjoint(&self.sides) || (theirs.is_empty() && self.sides.is_empty());
        let kind = self.same_kind(key, choice.is_some());
        let words: Vec<&str> = name
            .split('_')
            .filter(|word| !GENERIC.contains(word) && *word != "out")
            .collect();
        let unsupported = words.iter().filter(|word| !self.supports(word, entity)).count();
        Affinity {
            kind,
            clash: opposed || roles(name).any(|word| !self.speaks_of(word)),
            role: if agree { kind } else { 0.0 },
            listed: self.says_one_of(choice.unwrap_or(&service::listed(key)), &key.key_name),
            unsupported: if words.is_empty() {
                0.0
            } else {
                unsupported as f64 / words.len() as f64
            },
        }
    }

    fn same_kind(&self, key: &KeyDefinition, is_choice: bool) -> f64 {
        let words: BTreeSet<&str> = key.key_name.as_str().split('_').collect();
        let listed = is_choice || key.constraints.contains_key("enum");
        // A telephone number is no name, and an address is more than a place.
        if words.contains("phone") {
            return 0.0;
        }
        if words.contains("address") && !listed {
            return if self.kind == KeyKind::Place { 0.5 } else { 0.0 };
        }
        let theirs = if is_choice {
            KeyKind::Closed
        } else {
            service::kind_of(key)
        };
        let near = matches!(
            (self.kind, theirs),
            (KeyKind::Money, KeyKind::Number)
                | (KeyKind::Number, KeyKind::Money)
                | (
                    KeyKind::Closed | KeyKind::Title | KeyKind::Person | KeyKind::Place | KeyKind::Boolean,
                    KeyKind::Text
                )
                | (KeyKind::Closed | KeyKind::Text, KeyKind::Title)
                | (KeyKind::Title | KeyKind::Text | KeyKind::Boolean, KeyKind::Closed)
                | (KeyKind::Closed, KeyKind::Boolean)
        );
        if self.kind == theirs && !(self.measured && theirs == KeyKind::Number) {
            1.0
        } else if near || (self.measured && theirs == KeyKind::Number) {
            0.5
        } else {
            0.0
        }
    }

    /// Whether a side, the free name or enough members stand behind a word of the key's name.
    fn speaks_of(&self, word: &str) -> bool {
        let stem = lexicon::stem(&lexicon::lemma(word));
        let side = lexicon::classes().concept.get(word);
        side.is_some_and(|side| self.sides.contains(side)) || self.named.contains(&stem) || self.said.contains(&stem)
    }

    fn supports(&self, word: &str, entity: &str) -> bool {
        let general = match self.kind {
            KeyKind::Place => matches!(word, "location" | "city" | "area"),
            KeyKind::Money => matches!(word, "amount" | "price" | "cost"),
            KeyKind::Date
            | KeyKind::Time
            | KeyKind::Boolean
            | KeyKind::Closed
            | KeyKind::Number
            | KeyKind::Person
            | KeyKind::Title
            | KeyKind::Text => false,
        };
        general || lexicon::lemma(word) == entity || self.speaks_of(word)
    }

    /// Share of the members that say how a listed value begins, or that in other words.
    fn says_one_of(&self, values: &[String], name: &KeyName) -> f64 {
        let values = values.iter().filter(|value| value.as_str() != NONE);
        let first = |value: &String| lexicon::tokens(&value.replace('_', " ")).into_iter().next();
        let firsts: BTreeSet<String> = values
            .filter_map(first)
            .map(|token| lexicon::lemma(&token.word))
            .collect();
        let spoken: BTreeSet<&String> = self.cluster.fragments.iter().flat_map(|one| &one.lemmas).collect();
        let begins = |lemma: &&String| firsts.iter().any(|first| alike(lemma, first, name));
        let beginnings: BTreeSet<&String> = spoken.into_iter().filter(begins).collect();
        self.cluster
            .share_where(|fragment| fragment.lemmas.iter().any(|lemma| beginnings.contains(lemma)))
    }
}

fn kind_of(kind: &Kind) -> KeyKind {
    match kind {
        Kind::Percent | Kind::Duration | Kind::Number => KeyKind::Number,
        Kind::Money => KeyKind::Money,
        Kind::Date => KeyKind::Date,
        Kind::Time => KeyKind::Time,
        Kind::Place(_) => KeyKind::Place,
        Kind::Person => KeyKind::Person,
        Kind::Title => KeyKind::Title,
        Kind::Contact(_) => KeyKind::Text,
        Kind::Closed | Kind::Level | Kind::Rhythm => KeyKind::Closed,
        Kind::Boolean => KeyKind::Boolean,
    }
}

/// The sides of a journey or a period that the words of a name stand for.
fn sides(name: &str) -> BTreeSet<String> {
    let concept = &lexicon::classes().concept;
    let pair = name.split('_').take(2).collect::<Vec<_>>().join("_");
    name.split('_')
        .chain(std::iter::once(pair.as_str()))
        .filter_map(|word| concept.get(word).cloned())
        .collect()
}

fn stems(name: &str) -> BTreeSet<String> {
    const FORM: [&str; 13] = [
        "number", "num", "name", "date", "time", "type", "the", "is", "has", "for", "amount", "value", "event",
    ];
    name.split('_')
        .filter(|word| !FORM.contains(word))
        .map(|word| lexicon::stem(&lexicon::lemma(word)))
        .collect()
}

/// The words of a name that set it apart from its opposite.
fn roles(name: &str) -> impl Iterator<Item = &str> {
    name.split('_').filter(|word| {
        !matches!(*word, "to" | "from" | "start" | "end")
            && lexicon::classes()
                .antonym
                .iter()
                .any(|(a, b)| (a == word || b == word) && !word.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::Affinity;
    use super::COVERED_MIN;
    use super::Choices;
    use super::Relation;
    use crate::domain::evolution::induction;
    use crate::domain::evolution::induction::Inducement;
    use crate::domain::evolution::induction::Member;
    use crate::domain::pool::reading::Reading;
    use crate::domain::template::effective::EffectiveKey;
    use crate::domain::template::key::KeyDefinition;
    use crate::domain::template::name::KeyName;
    use crate::domain::time::At;

    fn key(name: &str, constraints: Value, description: &str) -> KeyDefinition {
        serde_json::from_value(json!({
            "key_name": name, "key_type": "string", "required": false,
            "semantic_description": description, "constraints": constraints,
        }))
        .expect("a key")
    }

    fn relation(fragments: &[&str], keys: &[KeyDefinition]) -> Relation {
        relation_with(fragments, keys, &Choices::new())
    }

    fn relation_with(fragments: &[&str], keys: &[KeyDefinition], choices: &Choices) -> Relation {
        let members: Vec<Member> = fragments
            .iter()
            .map(|text| Member {
                text: (*text).to_owned(),
                client: None,
                reading: Reading::default(),
                at: At(0),
            })
            .collect();
        let visible: Vec<EffectiveKey> = keys.iter().cloned().map(EffectiveKey::bare).collect();
        let inducement = Inducement {
            members: &members,
            background: &[],
            scenario: "train tickets",
            description: "Find and book a train.",
            keys: &visible,
            personal: false,
            example_clients_min: 0,
        };
        induction::draft(&inducement)
            .expect("the cluster asks for a key")
            .relate(keys, choices)
    }

    fn to(relation: &Relation, name: &str) -> Affinity {
        relation.affinities[&KeyName::parse(name).expect("a name")]
    }

    #[test]
    fn a_title_is_a_guess_where_nobody_says_of_what_z126() {
        let names = [
            "The Silver Fox",
            "Old Mill Runner",
            "Green Arrow",
            "Blue Anchor",
            "Red Lion",
        ];
        let bare = relation(&names, &[]);
        let said = names.map(|name| format!("the item called {name}"));
        let told = relation(&said.each_ref().map(String::as_str), &[]);
        let name = |relation: &Relation| relation.called.as_ref().map(ToString::to_string);
        assert_eq!((name(&bare).as_deref(), bare.guessed), (Some("item_name"), true));
        assert_eq!((name(&told).as_deref(), told.guessed), (Some("item_name"), false));
    }

    const LEAVING: [&str; 5] = [
        "I want to leave on March 3rd",
        "leaving on the 4th of May",
        "I will depart on Monday",
        "departing on June 12th",
        "I need to leave on Friday",
    ];

    fn dates() -> [KeyDefinition; 3] {
        let date = |name: &str, text: &str| key(name, json!({"format": "date"}), text);
        [
            date("departure_date", "Date of departure."),
            date("return_date", "Date of return."),
            date("date", "Date of the journey."),
        ]
    }

    #[test]
    fn a_role_that_clashes_is_a_veto_whatever_looks_alike_z113_z126() {
        let relation = relation(&LEAVING, &dates());
        assert!(to(&relation, "return_date").clash);
        assert!(to(&relation, "return_date").covered(1.0, 1.0).abs() < f64::EPSILON);
        let same = to(&relation, "departure_date");
        assert!(!same.clash);
        assert!((same.kind - 1.0).abs() < f64::EPSILON && (same.role - 1.0).abs() < f64::EPSILON);
        assert!(same.covered(0.6, 0.9) >= COVERED_MIN);
        assert!(same.covered(0.2, 0.3) < COVERED_MIN);
    }

    #[test]
    fn a_role_that_nobody_speaks_of_is_a_veto_z113_z126() {
        let account = |name: &str| key(name, json!({"enum": ["checking", "savings"]}), "Type of account.");
        let keys = [account("account_type"), account("recipient_account_type")];
        let fragments = [
            "use my checking account",
            "from the savings account",
            "checking account please",
            "it is a savings account",
        ];
        let relation = relation(&fragments, &keys);
        assert!(to(&relation, "recipient_account_type").clash);
        let own = to(&relation, "account_type");
        assert!(!own.clash);
        assert!(
            (own.listed - 1.0).abs() < f64::EPSILON,
            "each says a listed value: {own:?}"
        );
    }

    #[test]
    fn an_open_choice_is_held_against_as_what_it_would_list_z113_z126() {
        let fragments = [
            "a window seat please",
            "an aisle seat",
            "one seat at the window",
            "the aisle",
            "a seat in the middle",
        ];
        let known = key("seat_preference", json!({}), "Seat.");
        let keys = [known.clone()];
        let told = |choices| to(&relation_with(&fragments, &keys, &choices), "seat_preference");
        let (text, choice) = (
            told(Choices::new()),
            told([(known.key_name, vec!["window".to_owned(), "aisle".to_owned()])].into()),
        );
        assert!(text.listed.abs() < f64::EPSILON && text.kind < 1.0, "{text:?}");
        assert!((choice.listed - 0.8).abs() < f64::EPSILON, "{choice:?}");
        assert!((choice.kind - 1.0).abs() < f64::EPSILON, "{choice:?}");
        assert!(choice.covered(0.5, 0.5) > text.covered(0.5, 0.5));
    }

    #[test]
    fn a_listed_value_in_other_words_is_said_z126() {
        let known = key("ward", json!({"enum": ["cardiology", "large", "eye clinic"]}), "Ward.");
        let listed = |fragments: &[&str]| to(&relation(fragments, std::slice::from_ref(&known)), "ward").listed;
        let words = [
            "the cardio ward",
            "a ward with a cardiologist",
            "a big ward",
            "the ward for eyes",
        ];
        assert!((listed(&words) - 1.0).abs() < f64::EPSILON);
        let others = [
            "the card ward",
            "a ward with a carpenter",
            "a small ward",
            "the ward for ears",
        ];
        assert!(listed(&others).abs() < f64::EPSILON);
    }

    #[test]
    fn other_kinds_of_value_do_not_agree_z126() {
        let keys = [
            key("departure_date", json!({"format": "date"}), "Date of departure."),
            key("phone_number", json!({}), "Telephone number."),
            key("train_class", json!({"enum": ["first", "second"]}), "Class."),
        ];
        let fragments = [
            "2 tickets please",
            "I need three tickets",
            "just 1 ticket",
            "tickets for four people",
        ];
        let relation = relation(&fragments, &keys);
        for name in ["departure_date", "phone_number", "train_class"] {
            let affinity = to(&relation, name);
            assert!(affinity.kind.abs() < f64::EPSILON, "{name}: {affinity:?}");
        }
        assert!(relation.free.contains("ticket"), "{}", relation.free);
    }

    #[test]
    fn words_of_the_name_that_nobody_supports_count_against_it_z126() {
        let keys = [
            key("departure_date", json!({"format": "date"}), "Date."),
            key("invoice_date", json!({"format": "date"}), "Date."),
        ];
        let relation = relation(&LEAVING, &keys);
        assert!(to(&relation, "departure_date").unsupported.abs() < f64::EPSILON);
        assert!((to(&relation, "invoice_date").unsupported - 1.0).abs() < f64::EPSILON);
    }
}
