//! What a client says that it can take (Z-182), for every transport through which a template is negotiated.
//!
//! Heeds what decides how a template is served. Invariant: what is not heeded changes nothing and is named in the answer, so that
//! no client takes silence for consent.

use serde_json::Value;

use crate::export::Form;

/// The template itself, among the names of forms.
const TEMPLATE: &str = "template";
/// Names that are told as not heeded; more are left out.
const IGNORED_MAX: usize = 32;
/// Characters of one of them.
const NAME_CHARS_MAX: usize = 64;

/// Capabilities as they are understood here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// The first form of `formats` that there is; `None` for the template itself.
    pub form: Option<Form>,
    /// What is not heeded: `streaming`, `formats.protobuf`.
    pub ignored: Vec<String>,
}

/// Why capabilities cannot be read. Holds no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CapabilityFault {
    #[error("`capabilities` is an object, with a member for each capability")]
    NotAnObject,
    #[error("`capabilities.formats` is a list of names, the most wanted first")]
    Formats,
}

impl Capabilities {
    /// Reads `{"formats"?}`; `formats` names forms in the client's order, `template` for the template itself, which is served too
    /// where none of them is known.
    ///
    /// # Errors
    /// What has the wrong form.
    pub fn read(value: &Value) -> Result<Capabilities, CapabilityFault> {
        let members = value.as_object().ok_or(CapabilityFault::NotAnObject)?;
        let mut read = Capabilities::default();
        let mut chosen = false;
        for (name, value) in members {
            if value.is_null() {
                continue;
            }
            if name != "formats" {
                read.ignore(name);
                continue;
            }
            for wanted in value.as_array().ok_or(CapabilityFault::Formats)? {
                let wanted = wanted.as_str().ok_or(CapabilityFault::Formats)?;
                match Form::parse(wanted) {
                    None if wanted != TEMPLATE => read.ignore(&format!("formats.{wanted}")),
                    known if !chosen => {
                        read.form = known;
                        chosen = true;
                    }
                    _ => {}
                }
            }
        }
        Ok(read)
    }

    /// Names what is not heeded: a client's own word, so cut, and with nothing in it that would end a line or a list.
    fn ignore(&mut self, name: &str) {
        let plain = |letter: char| {
            if letter.is_ascii_alphanumeric() || "._-".contains(letter) {
                letter
            } else {
                '_'
            }
        };
        let name: String = name.chars().take(NAME_CHARS_MAX).map(plain).collect();
        if self.ignored.len() < IGNORED_MAX && !self.ignored.contains(&name) {
            self.ignored.push(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;
    use serde_json::Value;
    use serde_json::json;

    use super::Capabilities;
    use super::Form;
    use super::IGNORED_MAX;

    /// The form and what is ignored; why it cannot be read, where it cannot.
    fn read(value: &Value) -> Value {
        match Capabilities::read(value) {
            Ok(read) => json!([read.form.map(Form::name), read.ignored]),
            Err(fault) => json!(fault.to_string().contains("formats")),
        }
    }

    #[test]
    fn the_first_form_that_there_is_counts_and_nothing_else_is_heeded_z182() {
        let long = "x".repeat(100);
        for (said, expected) in [
            (json!({}), json!([null, []])),
            (json!({"formats": null}), json!([null, []])),
            (json!({"formats": []}), json!([null, []])),
            (json!({"formats": ["gbnf", "markdown"]}), json!(["gbnf", []])),
            (json!({"formats": ["template", "gbnf"]}), json!([null, []])),
            (json!({"formats": ["xml"]}), json!([null, ["formats.xml"]])),
            (
                json!({"streaming": true, "formats": ["protobuf", "GBNF", "json-schema"], "never": null}),
                json!(["json-schema", ["streaming", "formats.protobuf", "formats.GBNF"]]),
            ),
            // A name is told so that it ends no line and no list.
            (
                json!({"a, b\r\n": 1, "é": 1, long: 1}),
                json!([null, ["a__b__", "_", "x".repeat(64)]]),
            ),
            (json!([]), json!(false)),
            (json!("gbnf"), json!(false)),
            (json!({"formats": "gbnf"}), json!(true)),
            (json!({"formats": ["gbnf", 7]}), json!(true)),
        ] {
            assert_eq!(read(&said), expected, "{said}");
        }
        let many: Map<String, Value> = (0..40).map(|n| (format!("c{n}"), json!(1))).collect();
        assert_eq!(
            read(&Value::Object(many))[1].as_array().map(Vec::len),
            Some(IGNORED_MAX)
        );
    }
}
