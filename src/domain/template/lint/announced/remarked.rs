//! Lists behind the words of the grammar whose entries are more than words: with remarks in brackets, with a conjunction of their
//! own, with words that stand for true and false, or with a last one that says that there are others.
//!
//! Invariant: a remark that makes its value one of some cases, or names another, gives no values.

use std::sync::LazyLock;

use regex::Regex;

use crate::domain::template::annotation;
use crate::domain::template::constraint::ENUM_MAX;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::lint::announced::LIST;
use crate::domain::template::lint::announced::VALUES;
use crate::domain::template::lint::announced::entries::are_kinds;
use crate::domain::template::lint::announced::entries::by_slashes;
use crate::domain::template::lint::announced::entries::entries;
use crate::domain::template::lint::announced::entries::is_kind_alone;
use crate::domain::template::lint::announced::entries::is_value;
use crate::domain::template::lint::announced::entries::tells;
use crate::domain::template::lint::announced::pattern;
use crate::domain::template::lint::mapping;
use crate::domain::template::lint::sentences;
use crate::domain::template::punctuation::without_stop;

/// The words of the grammar, or others like them, where a sentence may begin.
static MARK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)(?:^|[.;!?\n])\s*(?<mark>{VALUES}(?:\s+(?:are|is))?\s*:)"
    ))
});

/// One entry, with the conjunction before it and the remark behind it.
static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"(?i)^\s*(?<joint>(?:and|or)\s+)?['"`“]?(?<value>[^()'"`“”]+?)['"`”]?\s*(?:\((?<remark>[^()]+)\))?\s*$"#)
});

/// Words of a remark that make of the value one that holds at times, or name another one.
static QUALIFIES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:also|default|deprecated|e\.?g|etc|except|formerly|if|instead|not|only|optional(?:ly)?|or|otherwise|unless|usually|when|where)\b|…|\.\.",
    )
});

/// Words that stand within a value or between two.
static JOINING: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\s(?<joint>and|or|&)\s"));

/// Words behind values which say that there are others.
static OTHERS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)[\s,;]*(?:\b(?:and|or)\s+)?(?:\betc(?:etera)?|\b(?:so\s+(?:forth|on)|others|more|similar(?:\s+\p{L}+)?|the\s+like)|…|\.{2,3})\s*[.)]*\s*$",
    )
});

/// A list whose entries are read.
pub struct Remarked {
    pub values: Vec<String>,
    /// In the prose, from the words that announce it to its last entry.
    pub start: usize,
    pub end: usize,
    /// Its entries as they are written.
    written: Vec<String>,
}

/// The list behind the first words of the grammar that no plainer reading understands.
pub fn list(prose: &str) -> Option<Remarked> {
    let (start, clause) = behind_mark(prose)?;
    if !clause.contains(['(', '&']) && !JOINING.is_match(clause) {
        return None;
    }
    let (values, written) = read(clause)?;
    Some(Remarked {
        values,
        start,
        end: clause.as_ptr() as usize - prose.as_ptr() as usize + clause.len(),
        written,
    })
}

impl Remarked {
    /// The text with the list as a sentence of the grammar, and its remarks behind it; `None` where the grammar has no such values.
    pub fn in_the_grammar(&self, text: &str) -> Option<String> {
        let sentence = format!("{LIST} {}", self.values.join(", "));
        annotation::closed_list(&sentence)?;
        let remarks: Vec<&str> = self
            .written
            .iter()
            .filter(|written| written.contains('('))
            .map(String::as_str)
            .collect();
        let remarks = match remarks.is_empty() {
            true => String::new(),
            false => format!(". In words: {}", remarks.join(", ")),
        };
        Some(format!(
            "{}{sentence}{remarks}{}",
            text.get(..self.start)?,
            text.get(self.end..)?
        ))
    }
}

/// The text with the truth values that the listed words of a boolean stand for; `None` where it lists others, or none.
pub fn as_truths(key: &KeyDefinition, prose: &str) -> Option<String> {
    let (start, clause) = behind_mark(prose)?;
    let (values, _) = read(clause)?;
    let truths: Vec<bool> = values
        .iter()
        .map(|value| mapping::truth_of(value))
        .collect::<Option<_>>()?;
    let [one, other] = truths[..] else { return None };
    let are_plain = values.iter().all(|value| matches!(value.as_str(), "true" | "false"));
    if one == other || are_plain {
        return None;
    }
    let end = clause.as_ptr() as usize - prose.as_ptr() as usize + clause.len();
    let said = format!("{LIST} {one} ({}), {other} ({})", values[0], values[1]);
    let text = &key.semantic_description;
    Some(format!("{}{said}{}", text.get(..start)?, text.get(end..)?))
}

/// The text without the lists of its sentences that say that there are other values.
pub fn without_open(text: &str) -> String {
    let said = sentences::sentences(text);
    said.into_iter().filter(|sentence| !is_open(sentence)).collect()
}

/// Whether a sentence lists values behind the words of the grammar, and says that there are others.
pub fn is_open(sentence: &str) -> bool {
    let Some(mark) = MARK.captures(sentence).and_then(|found| found.name("mark")) else {
        return false;
    };
    let behind = &sentence[mark.end()..];
    OTHERS.find(behind.trim_end()).is_some_and(|others| {
        let values: Vec<&str> = behind[..others.start()].split([',', ';', '/']).map(str::trim).collect();
        let is_named = |value: &&str| is_value(value) && !tells(value) && !is_kind_alone(value) && !value.is_empty();
        values.iter().all(is_named) && !are_kinds(&values)
    })
}

/// Where the words of the grammar begin, and what stands behind them in their sentence.
fn behind_mark(prose: &str) -> Option<(usize, &str)> {
    let mut marks = MARK.captures_iter(prose).filter_map(|found| found.name("mark"));
    let mark = marks.next().filter(|_| marks.next().is_none())?;
    let sentence = sentences::sentences(&prose[mark.end()..]).first().copied()?;
    let clause = without_stop(sentence);
    Some((mark.start(), clause)).filter(|_| !clause.trim().is_empty())
}

/// The values of a list, and its entries as they are written.
fn read(clause: &str) -> Option<(Vec<String>, Vec<String>)> {
    let parts = parts(clause);
    let last = parts.len().checked_sub(1)?;
    let mut values: Vec<String> = Vec::new();
    let mut written: Vec<String> = Vec::new();
    for (n, part) in parts.into_iter().enumerate() {
        let found = ENTRY.captures(part)?;
        let value = found.name("value")?.as_str().trim();
        let remark = found.name("remark").map_or("", |remark| remark.as_str());
        let joins = JOINING.captures(value).and_then(|found| found.name("joint"));
        let own = match joins.map(|joint| joint.as_str().to_lowercase()) {
            // "Bed and breakfast, half board" names two; what stands so at the end may be the last two.
            Some(joint) if joint == "or" || n == last => entries(value)?.into_iter().map(str::to_owned).collect(),
            Some(_) | None => vec![value.to_owned()],
        };
        let is_right =
            |value: &String| is_value(value) && (!tells(value) || !value.contains(' ')) && !is_kind_alone(value);
        if found.name("joint").is_some() && n != last || !own.iter().all(is_right) || QUALIFIES.is_match(remark) {
            return None;
        }
        values.extend(own);
        let joint = found.name("joint").map_or(0, |joint| joint.end());
        written.push(part[joint..].trim().to_owned());
    }
    let mut once = values.clone();
    once.sort_unstable();
    once.dedup();
    let names: Vec<&str> = values.iter().map(String::as_str).collect();
    let fits = (2..=ENUM_MAX).contains(&values.len()) && once.len() == values.len() && !are_kinds(&names);
    fits.then_some((values, written))
}

/// What stands between the commas of a clause, or its semicolons, but for those in brackets; and between its last two.
fn parts(clause: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let mut start = 0;
    let mut parts = Vec::new();
    let by_slashes = by_slashes(clause);
    for (at, c) in clause.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' | ';' | '|' | '/' if depth == 0 && (c == '/') == by_slashes => {
                parts.push(&clause[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    let rest = &clause[start..];
    // "Single (1 bed) or double (2 beds)".
    let joint = JOINING
        .find_iter(rest)
        .find(|joint| rest[..joint.start()].ends_with(')') || rest[joint.end()..].contains('('));
    match joint {
        Some(joint) if rest[..joint.start()].matches('(').count() == rest[..joint.start()].matches(')').count() => {
            parts.push(&rest[..joint.start()]);
            parts.push(&rest[joint.end()..]);
        }
        Some(_) | None => parts.push(rest),
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::is_open;
    use super::list;

    #[test]
    fn entries_with_remarks_or_conjunctions_of_their_own_are_read_z048() {
        let of = |clause: &str| list(&format!("The thing. Acceptable values: {clause}.")).map(|list| list.values);
        for (clause, values) in [
            (
                "single (1 bed), double (2 beds), suite",
                vec!["single", "double", "suite"],
            ),
            (
                "single (1 bed), double (2 beds) and suite",
                vec!["single", "double", "suite"],
            ),
            ("single (1 bed) or double (2 beds)", vec!["single", "double"]),
            ("small (one, maybe two), large", vec!["small", "large"]),
            (
                "bed and breakfast, half board, none",
                vec!["bed and breakfast", "half board", "none"],
            ),
        ] {
            assert_eq!(
                of(clause),
                Some(values.into_iter().map(str::to_owned).collect()),
                "{clause}"
            );
        }
        for clause in [
            "single (or double), suite",
            "single (if free), suite",
            "airport codes (IATA), city names",
            "single (1 bed), see our site",
            "single (1 bed), and others",
            "red, blue",
        ] {
            assert_eq!(of(clause), None, "{clause}");
        }
    }

    #[test]
    fn a_list_that_says_that_there_are_others_is_open_z040() {
        for text in [
            "Acceptable values: red, blue, etc.",
            "Acceptable values: red, blue and so on.",
            "Acceptable values: red, blue and others.",
            "Acceptable values: red, blue, …",
            "Valid options are: red, blue, ...",
        ] {
            assert!(is_open(text), "{text}");
        }
        for text in [
            "Acceptable values: red, blue.",
            "Acceptable values: any.",
            "Acceptable values: city names, etc.",
            "Acceptable values: IATA airport codes (e.g., PEK, SHA, JFK) or city names.",
            "Red, blue, etc.",
        ] {
            assert!(!is_open(text), "{text}");
        }
    }
}
