//! Grounds: what an inducer decided about a key and why, as it decided it (Z-109 … Z-114, Z-126).
//!
//! Shapes alone: who decides fills them in on the way, nobody guesses them afterwards, and the words for them are found
//! elsewhere. They lie beside the proposal that carries them. Invariants: every list is bounded; no text of a fragment is
//! in them, only names that may be a key's, values that may be listed, and counts.

use serde::Deserialize;
use serde::Serialize;

use crate::domain::pool::reading::ValueType;
use crate::domain::template::name::KeyName;

/// Why a key is as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Grounds {
    /// Fragments that were read, the clients who said them, and what they were held against.
    pub fragments: u64,
    pub clients: u64,
    pub background: u64,
    pub name: Naming,
    pub kind: Typing,
    pub values: Valuing,
    /// What the fragments have in common, the most frequent first.
    pub features: Vec<Feature>,
    /// The comparison with the keys that existed; none where none was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Nearest>,
}

/// Words or vectors: what settled a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    #[default]
    Words,
    Vectors,
}

/// Where a name comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NameSource {
    /// Nobody said.
    #[default]
    Untold,
    /// The words that most fragments share.
    Phrase,
    /// A reader said so.
    Reader,
    /// A general name that fits best.
    Vocabulary,
    /// A key of the service, with the opposite role.
    Sibling,
    /// The role that the fragments speak of.
    Role,
    /// The noun that stands with the values, or that most fragments say.
    Noun,
    /// Two words that are often said together here and seldom elsewhere.
    Pair,
    /// What the numbers count.
    Counted,
    /// What the unit behind the numbers measures, or the unit of a duration.
    Unit,
    /// A word around the values that tells what they are: `rating`, `by`, `titled`.
    Cue,
    /// How the service's own keys begin.
    Prefix,
    /// The service's word for its people.
    Party,
    /// The service's own noun: nothing said more.
    Service,
    /// The type of the values: nothing said more.
    Type,
}

/// A name that was considered and lost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunnerUp {
    pub name: String,
    pub score: f64,
}

/// Why this name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Naming {
    /// What induction called the key; a refinement keeps the name of the key that it refines.
    pub name: String,
    pub source: NameSource,
    pub settled_by: Settled,
    /// What it scored and what it had to score, where names were ranked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needed: Option<f64>,
    /// The best of those that lost.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runners_up: Vec<RunnerUp>,
    /// The name that was found, where another key bears it and the key got one like it or the next best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
}

impl Naming {
    /// By a source, by words.
    pub fn by(source: NameSource) -> Naming {
        Naming {
            source,
            ..Naming::default()
        }
    }
}

/// What the values are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueKind {
    #[default]
    Untold,
    Percent,
    Money,
    Date,
    Time,
    Duration,
    Number,
    Place,
    Person,
    Title,
    /// A phone number or an e-mail address.
    Contact,
    Choice,
    Level,
    Rhythm,
    Switch,
}

/// Which test decided the type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TypeRule {
    #[default]
    Untold,
    /// The kind of typed value that most fragments hold.
    Dominant,
    /// Durations, and bare numbers beside them.
    DurationWithNumbers,
    Addresses,
    /// Names close no list, however often each is heard: places, people, names that are no ordinary words, words never
    /// heard elsewhere, words such as `called`.
    Places,
    People,
    ProperNames,
    NewWords,
    NameCues,
    /// Names without a value that recurs.
    NamesWithoutValues,
    /// How much of something: one noun, several degrees.
    Degrees,
    /// How often, in words.
    Rhythms,
    /// Yes or no.
    YesOrNo,
    /// Two values, and one denies the other.
    Opposites,
    /// Nearer to a general switch than to any general list.
    NearerToSwitch,
    /// Few values that exclude each other and cover most of what is said.
    List,
    /// Neither typed, nor names, nor a list, nor a switch.
    Text,
}

/// Why this type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Typing {
    pub value: ValueKind,
    pub rule: TypeRule,
    pub settled_by: Settled,
    /// The share of the fragments that the rule counts, and what it had to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needed: Option<f64>,
    /// Fragments whose value could be read as one of this key, and how sure that was on average, 0 to 1.
    pub read: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

/// Why these values, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValuesRule {
    #[default]
    Untold,
    /// At least two could be listed.
    Listed,
    /// Fewer than two could.
    TooFew,
    /// At least two could, but too little was said to tell so many apart.
    Unproven,
    /// Names close no list.
    Names,
    /// The type says what is right.
    Typed,
    /// On or off.
    Switch,
}

/// How many phrases could not be listed, by the first test that they failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LeftOut {
    pub too_rare: u64,
    /// As usual in the background.
    pub usual: u64,
    /// Names, or no ordinary words.
    pub no_ordinary_words: u64,
    /// Said by one client alone.
    pub one_client: u64,
}

impl LeftOut {
    /// All of them.
    pub fn all(&self) -> u64 {
        let LeftOut {
            too_rare,
            usual,
            no_ordinary_words,
            one_client,
        } = self;
        too_rare + usual + no_ordinary_words + one_client
    }
}

/// A listed value and how many fragments ask for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ValueCount {
    pub value: String,
    pub fragments: u64,
}

/// Why these values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Valuing {
    pub rule: ValuesRule,
    /// The share of the fragments that hold a value that was found, and the share of the values that are the most
    /// frequent one; only where values were looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<f64>,
    /// As listed, or as they would be if more was said, most frequent first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub listed: Vec<ValueCount>,
    pub left_out: LeftOut,
}

/// Types and roles that some of the fragments share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Feature {
    pub types: Vec<ValueType>,
    /// Role tags such as `SRC` or `RET`.
    pub roles: Vec<String>,
    pub fragments: u64,
}

/// A key that was near.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Near {
    pub key_name: KeyName,
    /// That the fragments mean this key.
    pub probability: f64,
    /// Why it is another key, however likely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barred: Option<Barred>,
}

/// Why a key is another one, however likely the fragments mean it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Barred {
    /// It says only yes or no, and the fragments say more (Z-071, Z-072).
    OnlyOnOrOff,
    /// Both list their values and share none.
    OtherValues,
}

/// What decided the comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NearRule {
    /// The cluster has a key already; no other was compared.
    SameCluster,
    /// A key of the very name.
    ExactName,
    /// The fragments mean it, more likely than is allowed for a key of its own.
    Likelihood,
    /// A key whose name says the same.
    SameName,
    /// A learned key for the sorts of a thing, of which one is asked for: "a savings account", `account_type`.
    OneOfItsSorts,
    /// A key that nearly had the same name, or whose name the candidate nearly had.
    NearlySameName,
    /// The one key that takes such a value, where the name says no more than its type.
    OnlyKey,
    /// No key is the same.
    #[default]
    Nothing,
}

/// The comparison with the keys that exist.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Nearest {
    pub compared: u64,
    /// The likeliest first; empty where there were no vectors to tell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub likeliest: Vec<Near>,
    /// The probability from which on a key is the same.
    pub needed: f64,
    pub rule: NearRule,
    /// The key that the rule found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_name: Option<KeyName>,
}

/// A number as it is kept: three places.
pub fn rounded(number: f64) -> f64 {
    (number * 1_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::Grounds;
    use super::rounded;

    #[test]
    fn grounds_that_know_less_are_read_z109() {
        let read: Grounds = serde_json::from_str(r#"{"fragments": 3, "name": {"source": "role"}}"#).expect("grounds");
        assert_eq!(read.fragments, 3);
        let again = serde_json::to_value(&read).and_then(serde_json::from_value::<Grounds>);
        assert_eq!(again.expect("grounds"), read);
    }

    #[test]
    fn numbers_have_three_places() {
        assert!((rounded(0.123_49) - 0.123).abs() < 1e-12);
        assert!((rounded(0.1235) - 0.124).abs() < 1e-12);
    }
}
