//! Members that an object gives twice, wherever in a text they stand.
//!
//! Which of them counts nobody knows: one reader takes the first, another the last, so what one of them allowed the other never saw.
//! A text whose shape is read member by member is asked by [`Fields`](crate::a2a_task::field::Fields); this is for those that
//! are read as a whole. Invariant: a text that is no JSON has none; what is wrong with it is told by
//! whoever reads it.

use crate::a2a_task::field::FieldFault;
use crate::a2a_task::field::shown;
use schema::json_text::Oddity;
use schema::json_text::read_closely;
use schema::place::POINTER_BYTES_MAX;
use schema::place::Step;

/// Says no to a text of which an object, at whatever depth, gives a member twice.
///
/// # Errors
/// The first such member, by its place.
pub fn refused(text: &str) -> Result<(), FieldFault> {
    let mut twice = None;
    let read = read_closely(text, &mut |oddity, at| {
        if oddity == Oddity::Repeated && twice.is_none() {
            twice = Some(place(&at.steps()));
        }
    });
    match twice.filter(|_| read.is_ok()) {
        Some(place) => Err(FieldFault::new(place, "is given twice")),
        None => Ok(()),
    }
}

/// Steps as faults tell a place, such as `parts[0].text`, as far as it is told.
fn place(steps: &[Step<'_>]) -> String {
    let mut place = String::new();
    for step in steps {
        let further = match step {
            Step::Root => continue,
            Step::Element(nth) => format!("[{nth}]"),
            Step::Member(name) if place.is_empty() => shown(name),
            Step::Member(name) => format!(".{}", shown(name)),
        };
        if place.len() + further.len() > POINTER_BYTES_MAX {
            break;
        }
        place.push_str(&further);
    }
    place
}

#[cfg(test)]
mod tests {
    use super::POINTER_BYTES_MAX;
    use super::refused;

    #[test]
    fn the_first_member_that_is_given_twice_is_named_by_its_place() {
        for (text, place) in [
            (r#"{"a": 1, "a": 1}"#, "a"),
            (
                r#"{"a": {"b": [0, {"c": 1, "d": null, "\u0063": 2}]}, "a": 0}"#,
                "a.b[1].c",
            ),
            (r#"[{"a": "x"}, {"a": 1.5, "a": -7, "a": true}]"#, "[1].a"),
        ] {
            let fault = refused(text).expect_err(text);
            assert_eq!(
                (fault.field.as_str(), fault.description.as_str()),
                (place, "is given twice")
            );
        }
    }

    #[test]
    fn a_name_in_several_objects_is_given_once_and_what_is_no_json_is_told_by_its_reader() {
        for text in [
            r#"{"a": {"a": [{"a": 1}, {"a": 1e999999}]}, "b": 123456789012345678901234567890}"#,
            r#"{"a": 1, "a": 1"#,
            "",
            "7",
        ] {
            assert_eq!(refused(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn neither_a_deep_text_nor_a_long_name_makes_a_long_place() {
        let deep = format!(
            "{}{}{}",
            r#"{"key": "#.repeat(120),
            r#"{"a": 1, "a": 1}"#,
            "}".repeat(120)
        );
        let fault = refused(&deep).expect_err("twice");
        assert!(
            fault.field.starts_with("key.key") && fault.field.ends_with("key.a"),
            "{}",
            fault.field
        );
        let long = format!(
            "{}{}{}",
            format!(r#"{{"{}": "#, "k".repeat(99)).repeat(99),
            r#"{"a": 1, "a": 1}"#,
            "}".repeat(99)
        );
        assert!(refused(&long).expect_err("twice").field.len() <= POINTER_BYTES_MAX);
        let twice = r#"{"a": 1, "a": 1}"#;
        let deeper = format!("{}{twice}{}", "[".repeat(1 << 20), "]".repeat(1 << 20));
        assert_eq!(refused(&deeper), Ok(()), "which no reader takes");
    }
}
