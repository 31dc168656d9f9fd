//! A few texts that match a pattern: its shortest ones, with its first letters, and one step longer.
//!
//! Looks at no word boundaries, so that a text may not match after all: the caller checks each.

use regex_syntax::hir::Class;
use regex_syntax::hir::Hir;
use regex_syntax::hir::HirKind;

use crate::json_schema::engine_pattern;

/// Texts kept at each step.
const TEXTS_MAX: usize = 16;
/// Bytes of one text.
const BYTES_MAX: usize = 512;
/// Repetitions made beyond the least.
const REPEATS_MAX: u32 = 3;

/// Texts that the pattern may match, the shortest of each kind first; none where it cannot be read.
pub fn matches(pattern: &str) -> Vec<String> {
    match regex_syntax::parse(&engine_pattern(pattern)) {
        Ok(hir) => of(&hir),
        Err(_) => Vec::new(),
    }
}

fn of(hir: &Hir) -> Vec<String> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![String::new()],
        HirKind::Literal(literal) => String::from_utf8(literal.0.to_vec()).into_iter().collect(),
        HirKind::Class(class) => letters(class),
        HirKind::Repetition(repetition) => {
            let once = of(&repetition.sub);
            let least = repetition.min;
            let most = repetition
                .max
                .unwrap_or(u32::MAX)
                .min(least.saturating_add(REPEATS_MAX));
            let mut texts = Vec::new();
            for times in [least, least.saturating_add(1), most] {
                if times > most {
                    continue;
                }
                for text in &once {
                    let Ok(times) = usize::try_from(times) else { continue };
                    if text.len().saturating_mul(times) <= BYTES_MAX {
                        keep(&mut texts, text.repeat(times));
                    }
                }
            }
            texts
        }
        HirKind::Capture(capture) => of(&capture.sub),
        HirKind::Concat(parts) => {
            let mut texts = vec![String::new()];
            for part in parts {
                let ends = of(part);
                let mut longer = Vec::new();
                // Every end is tried, and then every beginning with the plainest end.
                let plain = ends.first();
                let beginning = texts.first().cloned();
                for end in &ends {
                    if let Some(beginning) = &beginning {
                        keep(&mut longer, format!("{beginning}{end}"));
                    }
                }
                for text in &texts {
                    if let Some(end) = plain {
                        keep(&mut longer, format!("{text}{end}"));
                    }
                }
                longer.retain(|text| text.len() <= BYTES_MAX);
                texts = longer;
            }
            texts
        }
        HirKind::Alternation(ways) => {
            let mut texts = Vec::new();
            for way in ways {
                for text in of(way) {
                    keep(&mut texts, text);
                }
            }
            texts
        }
    }
}

/// A letter and a digit where the class has them, and the first and last of its ranges.
fn letters(class: &Class) -> Vec<String> {
    let Class::Unicode(class) = class else {
        return Vec::new();
    };
    let holds = |letter: char| {
        class
            .ranges()
            .iter()
            .any(|range| range.start() <= letter && letter <= range.end())
    };
    let mut texts: Vec<String> = Vec::new();
    for letter in ['a', '7', 'A', '-', ' '].into_iter().filter(|letter| holds(*letter)) {
        keep(&mut texts, letter.to_string());
    }
    for range in class.ranges() {
        for letter in [range.start(), range.end()] {
            if !letter.is_control() {
                keep(&mut texts, letter.to_string());
            }
        }
        if texts.len() >= TEXTS_MAX {
            break;
        }
    }
    texts
}

fn keep(texts: &mut Vec<String>, text: String) {
    if texts.len() < TEXTS_MAX && !texts.contains(&text) {
        texts.push(text);
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn texts_of_usual_patterns_are_found_z048() {
        for pattern in [
            "^[A-Z]{3}$",
            "^[a-z]+$",
            r"^\d{4}-\d{2}$",
            "^(yes|no)$",
            "^SKU-[0-9]{2,}$",
            "^[a-z]{2}(-[A-Z]{2})?$",
            "b",
            "",
        ] {
            let compiled = regex::Regex::new(pattern).expect("a pattern");
            let texts = matches(pattern);
            assert!(texts.iter().any(|text| compiled.is_match(text)), "{pattern}: {texts:?}");
            assert!(texts.len() <= super::TEXTS_MAX);
        }
    }

    #[test]
    fn a_longer_text_is_tried_where_one_may_be_longer_z048() {
        let texts = matches("^[a-z]+$");
        assert!(texts.iter().any(|text| text.len() == 1) && texts.iter().any(|text| text.len() > 1));
        assert!(matches("^(yes|no)$").contains(&"no".to_owned()));
    }

    #[test]
    fn what_would_grow_without_end_is_bounded() {
        for pattern in ["(a{100}){100}", "((a|b|c|d){9}){9}", "[a-z]{500}[a-z]{500}", "("] {
            assert!(
                matches(pattern).iter().all(|text| text.len() <= super::BYTES_MAX),
                "{pattern}"
            );
        }
    }
}
