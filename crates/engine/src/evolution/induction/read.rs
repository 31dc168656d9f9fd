//! A key of a wish that a reader put words to: the reader's name, type and description, and examples that the engine reads off the texts
//! (Z-109 … Z-112).
//!
//! Words that nobody said are the reader's to choose; a word that somebody said and too few others is nobody's to show. A name with one
//! waits until more say it or the reader finds another; a description with one gives way to the name.

use std::collections::BTreeSet;

use serde_json::Map;
use serde_json::Value;
use text::analysis::Analysis;
use text::number;
use text::phrase::Phrase;

use crate::evolution::induction::Abstention;
use crate::evolution::induction::CLOCK_PATTERN;
use crate::evolution::induction::COUNTED;
use crate::evolution::induction::Cluster;
use crate::evolution::induction::SHOWN_MAX;
use crate::evolution::induction::TYPED_MIN;
use crate::evolution::induction::enough;
use crate::evolution::induction::nearest_first;
use crate::evolution::induction::of_several;
use crate::evolution::induction::only;
use crate::evolution::induction::optional;
use crate::evolution::induction::rationale;
use crate::evolution::induction::sentence;
use crate::evolution::induction::without_courtesy;
use crate::evolution::screen;
use crate::evolution::screen::heard;
use crate::pool::heading::Wish;
use crate::pool::hold::Hold;
use crate::pool::proposal::Proposal;
use crate::pool::proposal::Shown;
use crate::pool::rationale::Certainty;
use crate::pool::rationale::NameSource;
use schema::key::KeyType;

/// Makes a proposal of a cluster that was read. `is_few` says whether a text holds what somebody
/// said and too few others did.
///
/// # Errors
/// Why there is none.
pub fn propose_read(cluster: &Cluster<'_>, wish: &Wish, is_few: &dyn Fn(&str) -> bool) -> Result<Proposal, Abstention> {
    // How many it takes for the engine to find a name is no matter where a person has found one.
    match wish.by_hand {
        true => of_several(cluster)?,
        false => enough(cluster)?,
    }
    let open = |text: &str| cluster.personal || !is_few(text) && screen::is_open(text);
    let name = wish.key_name.as_str().replace('_', " ");
    let texts = [Some(name.as_str()), wish.title.as_deref(), wish.unit.as_deref()];
    if !texts.into_iter().flatten().all(open) {
        return Err(Abstention::Words);
    }
    let mut holds = Vec::new();
    let mut about = wish.description.clone();
    if about.is_empty() || !open(&about) {
        about = sentence(wish.title.as_deref().unwrap_or(&name));
    }
    if let Some(unit) = &wish.unit {
        about = format!("{} ({unit}).", about.trim_end_matches('.'));
    }
    // Who has read nothing learns nothing by guessing: a value with a word that few said is as one that nobody said.
    let shares = |value: &str| heard::words(value).all(|word| (cluster.shares)(&word));
    let may_tell = |value: &str| !wish.by_hand || cluster.personal || shares(value);
    let is_said = |value: &&String| may_tell(value) && cluster.said.iter().any(|said| contains(said.text, value));
    let values: Vec<String> = wish.values.iter().filter(is_said).cloned().collect();
    let read = values_of(cluster, wish, &values);
    let is_time = wish.key_type == KeyType::String
        && values.is_empty()
        && read.iter().flatten().count() as f64 >= TYPED_MIN * read.len() as f64;
    let read = if is_time || wish.key_type != KeyType::String || !values.is_empty() {
        read
    } else {
        vec![None; read.len()]
    };
    let takes_values = is_number(wish.key_type) || !wish.values.is_empty() && wish.key_type == KeyType::String;
    if takes_values && read.iter().all(Option::is_none) {
        holds.push(Hold::Values);
    }
    // What the reader did not see may say something else.
    let shown = nearest_first(cluster).into_iter().filter_map(|at| {
        let is_denied = cluster.said[at].is_denied?;
        let (value, from) = match wish.key_type {
            KeyType::Boolean => (Some((!is_denied).to_string()), None),
            _ => read[at].clone().map(|(value, from)| (Some(value), Some(from)))?,
        };
        Some(Shown {
            fragment: without_courtesy(cluster.said[at].text),
            value,
            from,
        })
    });
    let shown: Vec<Shown> = shown.take(SHOWN_MAX).collect();
    let mut constraints = Map::new();
    if is_time {
        constraints.insert("pattern".to_owned(), Value::String(CLOCK_PATTERN.to_owned()));
    }
    let mut key = optional(wish.key_name.clone(), wish.key_type, constraints);
    key.sensitive = wish.sensitive;
    key.set_title(wish.title.clone());
    let surfaces: BTreeSet<String> = read.iter().flatten().map(|(value, _)| value.clone()).collect();
    Ok(Proposal {
        surfaces: surfaces.into_iter().collect(),
        examples: shown.iter().map(|shown| shown.fragment.clone()).collect(),
        sensitive: None,
        grounds: rationale(
            cluster,
            key.key_name.as_str(),
            NameSource::Reader,
            certainty(cluster, &name, &read),
        ),
        holds,
        about,
        shown,
        key,
        read: Some(Box::new(wish.clone())),
    })
}

fn certainty(cluster: &Cluster<'_>, name: &str, read: &[Option<(String, String)>]) -> Certainty {
    let content = Phrase::read(name).content();
    let said = cluster.said.iter();
    Certainty {
        named: said
            .clone()
            .filter(|said| content.is_subset(&Phrase::read(said.text).content()))
            .count() as u64,
        valued: read.iter().flatten().count() as u64,
        denied: said.filter(|said| said.is_denied == Some(true)).count() as u64,
    }
}

fn is_number(key_type: KeyType) -> bool {
    matches!(key_type, KeyType::Integer | KeyType::Number)
}

/// Whether a text holds a value as it stands, whatever its letters' case.
fn contains(text: &str, value: &str) -> bool {
    text.to_lowercase().contains(&value.to_lowercase())
}

/// Of each fragment the value, and the words that it was read from.
fn values_of(cluster: &Cluster<'_>, wish: &Wish, values: &[String]) -> Vec<Option<(String, String)>> {
    let read = |text: &str| {
        let numbers = || number::numbers(&Analysis::of(text), cluster.language);
        if is_number(wish.key_type) {
            let is_whole = |value: &str| wish.key_type == KeyType::Number || !value.contains('.');
            return only(text, &numbers(), &COUNTED).filter(|(value, _)| is_whole(value));
        }
        if values.is_empty() {
            return only(text, &numbers(), &[number::Kind::Time]);
        }
        let said = values.iter().filter(|value| contains(text, value));
        // Of "front" and "front row" the longer is meant; of two that are apart it is not clear which.
        let longest = said.clone().max_by_key(|value| value.chars().count())?;
        let is_only = said.into_iter().all(|value| contains(longest, value));
        is_only.then(|| (longest.clone(), longest.clone()))
    };
    cluster.said.iter().map(|said| read(said.text)).collect()
}

#[cfg(test)]
mod tests;
