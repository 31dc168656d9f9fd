//! Names that are written more than once within one object: of a payload's values, of a template that is to be published, or of any
//! text that is read as a whole.
//!
//! Looks at the text alone: of such a name one reader takes the first and another the last, and once it is read the others are gone.
//! Those of the payload itself are noted while it is scanned. Each asker gives the place its own form. Invariant: a payload without an
//! object in it costs one search.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::defect::Defect;
use crate::exchange::walk;
use crate::exchange::walk::Step;
use crate::exchange::walk::Token;

/// Places that a publisher is told of.
const DEFECTS_MAX: usize = 32;

/// The payload's keys within whose values a name is repeated, each once, in their order; at most so many.
pub fn keys(payload: &str, most: usize) -> Vec<String> {
    if payload.matches('{').nth(1).is_none() {
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    // A key is read once, however often names are repeated within its value.
    let mut last: &str = "";
    each(payload, |steps| {
        if let [Step::Member(written), _, ..] = steps
            && !std::ptr::eq(*written, last)
        {
            last = written;
            let key = walk::name(written);
            if !found.contains(&key) {
                found.push(key);
            }
        }
        enough(found.len() >= most)
    });
    found
}

/// What stands against publishing a template: every member that is written more than once, by its place. A client is warned of
/// such a name and its submission goes on; what a publisher agrees on must be read alike by all.
pub fn defects(template: &str) -> Vec<Defect> {
    let mut found: Vec<Defect> = Vec::new();
    each(template, |steps| {
        let pointer = walk::pointer(steps);
        if found.iter().all(|defect| defect.pointer != pointer) {
            found.push(Defect {
                pointer,
                requirement: "Z-035".to_owned(),
                message: "is written more than once in its object; readers differ in which one they take".to_owned(),
            });
        }
        enough(found.len() >= DEFECTS_MAX)
    });
    found
}

/// The first name that is repeated, in the form that its steps are given.
pub fn first(text: &str, told: impl Fn(&[Step<'_>]) -> String) -> Option<String> {
    let mut found = None;
    each(text, |steps| {
        found = Some(told(steps));
        ControlFlow::Break(())
    });
    found
}

/// Shows the steps to every name that its object holds already, until it is enough.
fn each<'t>(text: &'t str, mut visit: impl FnMut(&[Step<'t>]) -> ControlFlow<()>) {
    let mut open: Vec<BTreeSet<Cow<'t, str>>> = Vec::new();
    // Whether it broke off is of no interest: what was found then is enough.
    let _ = walk::walk(text, |steps, token| {
        match token {
            Token::Object => open.push(BTreeSet::new()),
            Token::ObjectEnd => drop(open.pop()),
            Token::Name(written) => {
                let is_new = open.last_mut().is_none_or(|names| names.insert(plain(written)));
                if !is_new {
                    return visit(steps);
                }
            }
            Token::Number(_) => {}
        }
        ControlFlow::Continue(())
    });
}

/// Whether to go on.
fn enough(is_enough: bool) -> ControlFlow<()> {
    if is_enough {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

/// A name as it compares: read where it holds an escape, else as it is written.
fn plain(written: &str) -> Cow<'_, str> {
    if written.contains('\\') {
        return Cow::Owned(walk::name(written));
    }
    Cow::Borrowed(written.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::DEFECTS_MAX;
    use super::defects;
    use super::keys;

    #[test]
    fn a_name_that_is_repeated_in_one_object_is_told_by_the_key_it_lies_in() {
        for (payload, found) in [
            (r#"{"a": 1, "a": 2}"#, &[][..]),
            (r#"{"a": {"b": 1, "b": 2}, "c": {"b": 1}}"#, &["a"]),
            (r#"{"a": {"b": 1, "\u0062": 2}}"#, &["a"]),
            (r#"{"a": {"b\"": 1, "b": 2, "b\\": 3}}"#, &[]),
            (r#"{"a": [{"b": 1}, {"b": 1}], "c": "{{", "d": {"b": {"b": 1}}}"#, &[]),
            (
                r#"{"a": [[{"b": {"c": {}, "c": {}}}]], "\u0078": {"y": 1, "y": 1}}"#,
                &["a", "x"],
            ),
            (
                r#"{"a": {"b": {"c": 1}, "c": 1, "b": {"c": 1}}, "a": {"d": 1, "d": 1}}"#,
                &["a"],
            ),
        ] {
            assert_eq!(keys(payload, 9), found, "{payload}");
        }
        assert_eq!(keys(r#"{"a": {"b": 1, "b": 2}, "c": {"b": 1, "b": 2}}"#, 1), ["a"]);
    }

    #[test]
    fn a_name_that_is_repeated_in_a_template_is_told_by_its_place_z035() {
        let places =
            |template: &str| -> Vec<String> { defects(template).into_iter().map(|defect| defect.pointer).collect() };
        assert_eq!(places(r#"{"a": 1, "b": {"a": 1}, "c": [{"a": 1}, {"a": 2}]}"#), [""; 0]);
        assert_eq!(places(r#"{"a": 1, "\u0061": 2}"#), ["/a"]);
        assert_eq!(
            places(
                r#"{"keys": [{"x": 1}, {"required": true, "constraints": {"enum": 1, "enum": 2}, "required": false}]}"#
            ),
            ["/keys/1/constraints/enum", "/keys/1/required"]
        );
        let many = format!("{{{}}}", [r#""x": {"y": 1, "y": 2}"#; 2].join(","));
        assert_eq!(places(&many), ["/x/y", "/x"]);
        let many: Vec<String> = (0..99).map(|n| format!(r#""k{n}": {{"y": 1, "y": 2}}"#)).collect();
        assert_eq!(places(&format!("{{{}}}", many.join(","))).len(), DEFECTS_MAX);
    }
}
