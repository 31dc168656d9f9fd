//! Walks the text of JSON where only the text says how something was written.
//!
//! Knows where each token stands, and nothing of what it means nor whether the text is JSON, which its reader says. Invariant: builds
//! no value and copies nothing, and holds no more steps than [`DEPTH_MAX`], whatever the text is.

use std::ops::ControlFlow;

use crate::defect::pointer_to;
use crate::json_text::DEPTH_MAX;

/// Bytes of a place that is told; what lies deeper is told by what it lies in.
pub const PLACE_BYTES_MAX: usize = 1_024;
/// Bytes of a name as it is written that a place may hold: each byte may be written as an escape of six.
const WRITTEN_BYTES_MAX: usize = 6 * PLACE_BYTES_MAX + 2;

/// Where a value stands in what holds it.
#[derive(Clone, Copy, Debug)]
pub enum Step<'t> {
    /// The name as it is written, with its quotes.
    Member(&'t str),
    Element(usize),
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'t> {
    /// The name of a member as it is written; the last step is that member.
    Name(&'t str),
    Number(&'t str),
    /// An object begins or ends.
    Object,
    ObjectEnd,
}

/// Shows every token with the steps to it, until it is enough or too deep.
pub fn walk<'t>(text: &'t str, mut visit: impl FnMut(&[Step<'t>], Token<'t>) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut steps: Vec<Step<'t>> = Vec::new();
    let mut names_next = false;
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at).copied() {
        if steps.len() > DEPTH_MAX {
            return ControlFlow::Break(());
        }
        let token = match byte {
            b'"' => {
                let string = string(&text[at..]);
                if let (true, Some(Step::Member(name))) = (names_next, steps.last_mut()) {
                    *name = string;
                    visit(&steps, Token::Name(string))?;
                }
                names_next = false;
                string
            }
            b'-' | b'0'..=b'9' => {
                let number = number(&text[at..]);
                visit(&steps, Token::Number(number))?;
                number
            }
            other => {
                match other {
                    b'{' => {
                        visit(&steps, Token::Object)?;
                        steps.push(Step::Member(""));
                    }
                    b'[' => steps.push(Step::Element(0)),
                    b'}' | b']' => {
                        steps.pop();
                        if other == b'}' {
                            visit(&steps, Token::ObjectEnd)?;
                        }
                    }
                    b',' => {
                        if let Some(Step::Element(place)) = steps.last_mut() {
                            *place += 1;
                        }
                    }
                    _ => {}
                }
                if matches!(other, b'{' | b',') {
                    names_next = matches!(steps.last(), Some(Step::Member(_)));
                }
                at += 1;
                continue;
            }
        };
        at += token.len().max(1);
    }
    ControlFlow::Continue(())
}

/// The string that a text begins with, quotes included.
fn string(text: &str) -> &str {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    &text[..end.map_or(text.len(), |end| end + 2)]
}

/// The number that a text begins with.
fn number(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && !matches!(letter, '-' | '+' | '.' | 'e' | 'E'));
    &text[..end.unwrap_or(text.len())]
}

/// A name as it was meant.
pub fn name(written: &str) -> String {
    serde_json::from_str(written).unwrap_or_default()
}

/// Steps as a JSON pointer, as far as it is told.
pub fn pointer(steps: &[Step<'_>]) -> String {
    let mut pointer = String::new();
    for step in steps {
        let further = match step {
            Step::Element(place) => pointer_to(&pointer, &place.to_string()),
            Step::Member(written) if written.len() > WRITTEN_BYTES_MAX => break,
            Step::Member(written) => pointer_to(&pointer, &name(written)),
        };
        if further.len() > PLACE_BYTES_MAX {
            break;
        }
        pointer = further;
    }
    pointer
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::DEPTH_MAX;
    use super::Token;
    use super::pointer;
    use super::walk;

    #[test]
    fn a_text_that_is_deeper_than_any_parser_reads_is_not_walked_to_its_end() {
        for open in ["[", "{\"a\":"] {
            let mut deepest = 0;
            let ended = walk(&open.repeat(1 << 20), |steps, _| {
                deepest = deepest.max(steps.len());
                ControlFlow::Continue(())
            });
            assert!(ended.is_break() && deepest <= DEPTH_MAX + 1, "{open}");
        }
        assert!(
            walk("]}]\"\\", |_, _| ControlFlow::Continue(())).is_continue(),
            "no JSON"
        );
    }

    #[test]
    fn every_token_is_shown_where_it_stands() {
        let text = r#" {"a\"{": "1", "b": [2, {"c": -3.5e1}], "\u0064": {}} "#;
        let mut shown = Vec::new();
        let ended = walk(text, |steps, token| {
            shown.push((pointer(steps), token));
            ControlFlow::Continue(())
        });
        assert!(ended.is_continue());
        let shown: Vec<(&str, Token<'_>)> = shown.iter().map(|(at, token)| (at.as_str(), *token)).collect();
        assert_eq!(
            shown,
            [
                ("", Token::Object),
                ("/a\"{", Token::Name(r#""a\"{""#)),
                ("/b", Token::Name("\"b\"")),
                ("/b/0", Token::Number("2")),
                ("/b/1", Token::Object),
                ("/b/1/c", Token::Name("\"c\"")),
                ("/b/1/c", Token::Number("-3.5e1")),
                ("/b/1", Token::ObjectEnd),
                ("/d", Token::Name(r#""\u0064""#)),
                ("/d", Token::Object),
                ("/d", Token::ObjectEnd),
                ("", Token::ObjectEnd),
            ]
        );
        let mut seen = 0;
        let ended = walk(text, |_, _| {
            seen += 1;
            ControlFlow::Break(())
        });
        assert!(ended.is_break());
        assert_eq!(seen, 1);
    }
}
