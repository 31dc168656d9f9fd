//! What a pattern of ECMA-262 says of its texts: some of them, and how long they are.
//!
//! Looks at the parts of one pattern; what two patterns say of each other is not decided. Invariant: what is said of all texts is proved,
//! and a text that is given is only likely to match, so that whoever takes one checks it.

use std::collections::BTreeSet;

use regex_syntax::ParserBuilder;
use regex_syntax::hir::Class;
use regex_syntax::hir::ClassUnicode;
use regex_syntax::hir::ClassUnicodeRange;
use regex_syntax::hir::Hir;
use regex_syntax::hir::HirKind;
use regex_syntax::hir::Look;
use regex_syntax::hir::Repetition;

use crate::ecma;
use crate::json_schema::engine_pattern;

/// Levels of a pattern that are looked at.
const NEST_MAX: u32 = 64;
/// Texts that are given of each part.
const TEXTS_MAX: usize = 32;
/// Characters of a text that is given.
const CHARS_MAX: usize = 256;
/// Characters of a class that are tried, the plainest first.
const LETTERS: &str = "aAz0Z9 -_.é";

/// The fewest characters of texts, and the most where there is a most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Length {
    pub least: u64,
    pub most: Option<u64>,
}

fn parsed(pattern: &str) -> Option<Hir> {
    ParserBuilder::new().nest_limit(NEST_MAX).build().parse(pattern).ok()
}

/// Texts that a pattern likely matches, the plainest first: each part by itself is varied, and repeated as often as these lengths ask
/// too.
pub fn texts(pattern: &str, length: Length) -> Vec<String> {
    let Some(hir) = parsed(&engine_pattern(pattern)) else {
        return Vec::new();
    };
    let own = written(&hir, length);
    // Whatever stands around a match where the pattern does not say where texts begin and end.
    let around = own.first().map(|text| [format!("a{text}"), format!("{text}a")]);
    own.iter().cloned().chain(around.into_iter().flatten()).collect()
}

fn written(hir: &Hir, length: Length) -> Vec<String> {
    let mut texts = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![String::new()],
        HirKind::Literal(text) => vec![String::from_utf8_lossy(&text.0).into_owned()],
        HirKind::Class(Class::Unicode(class)) => letters(class),
        HirKind::Class(Class::Bytes(_)) => Vec::new(),
        HirKind::Repetition(repetition) => repeated(repetition, length),
        HirKind::Capture(capture) => written(&capture.sub, length),
        HirKind::Alternation(ways) => ways.iter().flat_map(|way| written(way, length)).collect(),
        HirKind::Concat(parts) => {
            let parts: Vec<Vec<String>> = parts.iter().map(|part| written(part, length)).collect();
            if parts.iter().any(Vec::is_empty) {
                return Vec::new();
            }
            let with = |at: usize, varied: &str| -> String {
                let part = |(place, texts): (usize, &Vec<String>)| match place == at {
                    true => varied.to_owned(),
                    false => texts.first().cloned().unwrap_or_default(),
                };
                parts.iter().enumerate().map(part).collect()
            };
            let varied = parts.iter().enumerate();
            let varied = varied.flat_map(|(at, texts)| texts.iter().skip(1).map(move |text| (at, text)));
            std::iter::once(with(parts.len(), ""))
                .chain(varied.map(|(at, text)| with(at, text)))
                .collect()
        }
    };
    let mut seen = BTreeSet::new();
    texts.retain(|text| text.len() <= CHARS_MAX && seen.insert(text.clone()));
    texts.truncate(TEXTS_MAX);
    texts
}

fn letters(class: &ClassUnicode) -> Vec<String> {
    let ranges = class.ranges();
    let holds = |letter: &char| {
        ranges
            .iter()
            .any(|range| (range.start()..=range.end()).contains(letter))
    };
    let plain = LETTERS.chars().filter(holds);
    let ends = ranges.iter().flat_map(|range| [range.start(), range.end()]);
    plain.chain(ends).map(String::from).collect()
}

fn repeated(repetition: &Repetition, length: Length) -> Vec<String> {
    let (least, most) = (u64::from(repetition.min), repetition.max.map(u64::from));
    let more = [
        Some(least),
        Some(least.max(1)),
        Some(least + 1),
        most,
        Some(length.least),
        length.most,
    ];
    let asked = more
        .into_iter()
        .flatten()
        .filter(|times| *times >= least && most.is_none_or(|most| *times <= most));
    let times: Vec<usize> = asked
        .filter_map(|times| usize::try_from(times).ok())
        .filter(|times| *times <= CHARS_MAX)
        .collect();
    let once = written(&repetition.sub, length);
    let plain = once
        .first()
        .into_iter()
        .flat_map(|text| times.iter().map(|times| text.repeat(*times)));
    let few = usize::try_from(least.max(1)).ok().filter(|times| *times <= CHARS_MAX);
    let other = once.iter().skip(1).filter_map(|text| Some(text.repeat(few?)));
    plain.chain(other).collect()
}

/// Whether a pattern says where texts begin and where they end, whichever way it takes.
fn is_anchored(hir: &Hir) -> bool {
    let said = hir.properties();
    said.look_set_prefix().contains(Look::Start) && said.look_set_suffix().contains(Look::End)
}

/// The characters that the parts of a pattern are made of.
fn characters(hir: &Hir) -> ClassUnicode {
    let mut own = ClassUnicode::empty();
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(text) => {
            let letters = String::from_utf8_lossy(&text.0);
            letters
                .chars()
                .for_each(|letter| own.push(ClassUnicodeRange::new(letter, letter)));
        }
        HirKind::Class(Class::Unicode(class)) => own.union(class),
        HirKind::Class(Class::Bytes(_)) => own.negate(),
        HirKind::Repetition(repetition) => own = characters(&repetition.sub),
        HirKind::Capture(capture) => own = characters(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().for_each(|part| own.union(&characters(part)));
        }
    }
    own
}

/// How many characters the texts have at least and at most that a pattern matches; `None` for one that is no pattern.
pub fn lengths(pattern: &str) -> Option<Length> {
    let hir = parsed(&ecma::to_rust(pattern).ok()?)?;
    // A character takes up to four bytes.
    let bytes = if characters(&hir).is_ascii() { 1 } else { 4 };
    let said = hir.properties();
    let count = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX);
    Some(Length {
        least: count(said.minimum_len()?.div_ceil(bytes)),
        most: said.maximum_len().map(count).filter(|_| is_anchored(&hir)),
    })
}

#[cfg(test)]
mod tests {
    use super::Length;
    use super::lengths;
    use super::texts;
    use crate::json_schema::engine_pattern;

    #[test]
    fn texts_of_a_pattern_vary_each_part_of_it_z048() {
        for (pattern, length, wanted) in [
            ("^[A-Z]{2,3}$", Length::default(), "AA AAA ZZ"),
            ("^[A-Za-z]{2}$", Length::default(), "aa AA zz"),
            (r"^(GB|FR|DE)\d{2}$", Length::default(), "GB00 FR00 DE00 GB99"),
            ("^ab$", Length::default(), "ab"),
            (r"^\w+-\d*$", Length::default(), "a- aa- a-0 Z-"),
            ("^a$|^b$", Length::default(), "a b"),
            ("[0-9]{4}", Length::default(), "0000 a0000 0000a"),
            (r"^\p{L}$", Length::default(), "a A é"),
            (
                "^a+$",
                Length {
                    least: 6,
                    most: Some(9),
                },
                "a aa aaaaaa aaaaaaaaa",
            ),
        ] {
            let found = texts(pattern, length);
            let regex = regex::Regex::new(&engine_pattern(pattern)).expect("a pattern");
            assert!(regex.is_match(&found[0]), "{pattern}: {found:?}");
            for text in wanted.split(' ') {
                assert!(
                    found.iter().any(|found| found == text),
                    "{pattern}: {text} in {found:?}"
                );
            }
        }
        assert_eq!(texts("(", Length::default()), [""; 0]);
        let long = texts("^[a-z]{300}$", Length::default());
        assert_eq!(long, [""; 0], "longer than any that is given");
    }

    #[test]
    fn the_lengths_of_a_pattern_are_counted_z048() {
        for (pattern, least, most) in [
            ("^[A-Z]{8}$", 8, Some(8)),
            ("[A-Z]{8}", 8, None),
            ("^[A-Z]{8}", 8, None),
            ("^(yes|no)$", 2, Some(3)),
            ("^a$|^bcd$", 1, Some(3)),
            ("^a$|bcd$", 1, None),
            ("^a+$", 1, None),
            (r"^\d{2}-\d{2,4}$", 5, Some(7)),
            // As many bytes as each may take.
            ("^é{3}$", 2, Some(6)),
            ("^$", 0, Some(0)),
            ("", 0, None),
        ] {
            assert_eq!(lengths(pattern), Some(Length { least, most }), "{pattern}");
        }
        for none in ["(?i)abc", "^(?=a)b$", r"^(a)\1$", "("] {
            assert_eq!(lengths(none), None, "{none}");
        }
    }
}
