//! Whether every text of one pattern is one of another: a proof over sequences of characters that stand so many times.
//!
//! Takes no alternatives of several characters apart. Invariant: `true` is a proof, `false` means that none was found.

use regex_syntax::hir::Class;
use regex_syntax::hir::ClassUnicode;
use regex_syntax::hir::ClassUnicodeRange;
use regex_syntax::hir::Hir;
use regex_syntax::hir::HirKind;

use crate::domain::template::expression::Expression;

/// Places of one pattern that are compared, and repetitions of a group that are written out.
const PLACES_MAX: usize = 64;

/// Characters out of a set, so many in a row.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    of: ClassUnicode,
    least: u64,
    /// `None` where there is no most.
    most: Option<u64>,
}

/// Whether whatever `writer` matches is proved to be matched by `reader`.
pub fn holds(reader: &str, writer: &str) -> bool {
    let both = places(reader).zip(places(writer));
    both.is_some_and(|(reader, writer)| is_within(&writer, &reader))
}

/// Whether the places of a writer can be laid into those of a reader: each takes none, one or several of them whole.
fn is_within(writer: &[Place], reader: &[Place]) -> bool {
    // How the rest of the writer from a place on fits into what is left of the reader, from its end to its beginning.
    let mut fits: Vec<bool> = (0..=writer.len()).map(|from| from == writer.len()).collect();
    for place in reader.iter().rev() {
        fits = (0..=writer.len())
            .map(|from| takes(place, &writer[from..], &fits[from..]))
            .collect();
    }
    fits.first() == Some(&true)
}

/// Whether a reader's place takes so many of a writer's places that the rest fits behind it.
fn takes(place: &Place, writer: &[Place], fits_behind: &[bool]) -> bool {
    let mut taken = (0_u64, Some(0_u64));
    for (count, fits) in fits_behind.iter().enumerate() {
        let (least, most) = taken;
        let is_few = place.most.is_none_or(|max| most.is_some_and(|most| most <= max));
        if *fits && least >= place.least && is_few {
            return true;
        }
        let Some(next) = writer.get(count).filter(|next| is_part(&next.of, &place.of)) else {
            return false;
        };
        taken = (least.saturating_add(next.least), plus(most, next.most));
    }
    false
}

fn plus(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.zip(other).map(|(one, other)| one.saturating_add(other))
}

/// Whether each character of one set is in the other.
fn is_part(part: &ClassUnicode, whole: &ClassUnicode) -> bool {
    let mut beyond = part.clone();
    beyond.difference(whole);
    beyond.ranges().is_empty()
}

/// The places of a pattern; where it is not anchored, anything may stand.
fn places(pattern: &str) -> Option<Vec<Place>> {
    let Expression { begins, ends, parts } = Expression::read(pattern)?;
    let anything = |is_anchored: bool| {
        (!is_anchored).then(|| Place {
            of: ClassUnicode::new([ClassUnicodeRange::new('\0', char::MAX)]),
            least: 0,
            most: None,
        })
    };
    let mut all: Vec<Place> = anything(begins).into_iter().collect();
    for part in &parts {
        add(part, &mut all)?;
    }
    all.extend(anything(ends));
    let mut joined: Vec<Place> = Vec::new();
    for next in all {
        match joined.last_mut().filter(|last| last.of == next.of) {
            Some(last) => {
                last.least = last.least.saturating_add(next.least);
                last.most = plus(last.most, next.most);
            }
            None => joined.push(next),
        }
    }
    (joined.len() <= PLACES_MAX).then_some(joined)
}

/// Adds the places of a part; `None` where it is none of characters that stand so many times.
fn add(part: &Hir, all: &mut Vec<Place>) -> Option<()> {
    let once = |of: ClassUnicode| Place {
        of,
        least: 1,
        most: Some(1),
    };
    match part.kind() {
        HirKind::Empty => {}
        HirKind::Literal(text) => {
            let text = std::str::from_utf8(&text.0).ok()?;
            all.extend(
                text.chars()
                    .map(|c| once(ClassUnicode::new([ClassUnicodeRange::new(c, c)]))),
            );
        }
        HirKind::Class(Class::Unicode(of)) => all.push(once(of.clone())),
        HirKind::Capture(capture) => add(&capture.sub, all)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| add(part, all))?,
        HirKind::Repetition(repetition) => {
            let mut own = Vec::new();
            add(&repetition.sub, &mut own)?;
            match &own[..] {
                [single] if single.least == 1 && single.most == Some(1) => all.push(Place {
                    of: single.of.clone(),
                    least: u64::from(repetition.min),
                    most: repetition.max.map(u64::from),
                }),
                _ if repetition.max == Some(repetition.min) => {
                    let times = usize::try_from(repetition.min)
                        .ok()
                        .filter(|times| *times <= PLACES_MAX)?;
                    for _ in 0..times {
                        all.extend(own.iter().cloned());
                    }
                }
                _ => return None,
            }
        }
        HirKind::Class(Class::Bytes(_)) | HirKind::Look(_) | HirKind::Alternation(_) => return None,
    }
    (all.len() <= PLACES_MAX * PLACES_MAX).then_some(())
}

#[cfg(test)]
mod tests {
    use super::holds;

    #[test]
    fn a_pattern_holds_one_of_fewer_characters_or_times_z048() {
        for (reader, writer) in [
            ("^[A-Z]{2,3}$", "^[A-Z]{3}$"),
            ("^[A-Za-z]{2}$", "^[A-Z][a-z]$"),
            ("^[a-z][a-z]$", "^[a-z]{2}$"),
            ("^[0-9]+$", "^[0-9]{4}$"),
            ("^[0-9]*$", "^$"),
            ("^[A-Z]{2}-?[0-9]+$", "^[A-Z]{2}[0-9]{3}$"),
            ("^([0-9]{2}:){2}[0-9]{2}$", "^[0-5][0-9]:[0-5][0-9]:[0-5][0-9]$"),
            (r"^\w+$", r"^\d{3}$"),
            ("^a", "^ab$"),
        ] {
            assert!(holds(reader, writer), "{reader} {writer}");
        }
    }

    #[test]
    fn nothing_is_proved_that_is_not_so_z048() {
        for (reader, writer) in [
            ("^[A-Z]{3}$", "^[A-Z]{2,3}$"),
            ("^[A-Z]{2}$", "^[A-Za-z]{2}$"),
            ("^[0-9]{1,3}$", "^[0-9]+$"),
            ("^[0-9]{4}$", "[0-9]{4}"),
            ("^ab$", "^a"),
            ("^[A-Z]-[0-9]$", "^[A-Z][0-9]$"),
            ("^a{2}b{2}$", "^a{3}b$"),
            ("^(ab){1,2}$", "^(ab){3}$"),
            ("^a$", "(?i)^a$"),
        ] {
            assert!(!holds(reader, writer), "{reader} {writer}");
        }
    }
}
