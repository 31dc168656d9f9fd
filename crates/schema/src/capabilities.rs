//! What a client says that it can take (Z-182), for every mouth through which a template is negotiated.
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
    use super::CapabilityFault;
    use super::Form;
    use super::IGNORED_MAX;

    fn read(value: Value) -> (Option<Form>, Vec<String>) {
        let read = Capabilities::read(&value).expect("capabilities");
        (read.form, read.ignored)
    }

    #[test]
    fn the_first_form_that_there_is_counts_and_nothing_else_is_heeded_z182() {
        let none: Vec<String> = Vec::new();
        assert_eq!(read(json!({})), (None, none.clone()));
        assert_eq!(read(json!({"formats": null})), (None, none.clone()));
        assert_eq!(read(json!({"formats": []})), (None, none.clone()));
        assert_eq!(
            read(json!({"formats": ["gbnf", "markdown"]})),
            (Some(Form::Gbnf), none.clone())
        );
        assert_eq!(read(json!({"formats": ["template", "gbnf"]})), (None, none));
        assert_eq!(
            read(
                json!({"streaming": true, "formats": ["protobuf", "GBNF", "json-schema"], "max_keys": 9, "never": null})
            ),
            (
                Some(Form::JsonSchema),
                ["streaming", "formats.protobuf", "formats.GBNF", "max_keys"]
                    .map(str::to_owned)
                    .to_vec()
            )
        );
        assert_eq!(
            read(json!({"formats": ["xml"]})),
            (None, vec!["formats.xml".to_owned()])
        );
    }

    #[test]
    fn a_name_is_told_so_that_it_ends_no_line_and_no_list_z182() {
        let long = "x".repeat(100);
        let (_, ignored) = read(json!({"a, b\r\n": 1, "é": 1, long: 1}));
        assert_eq!(ignored, ["a__b__".to_owned(), "_".to_owned(), "x".repeat(64)]);
        let many: Map<String, Value> = (0..40).map(|n| (format!("c{n}"), json!(1))).collect();
        assert_eq!(read(Value::Object(many)).1.len(), IGNORED_MAX);
    }

    #[test]
    fn what_has_the_wrong_form_is_named_z182() {
        for (value, fault) in [
            (json!([]), CapabilityFault::NotAnObject),
            (json!("gbnf"), CapabilityFault::NotAnObject),
            (json!({"formats": "gbnf"}), CapabilityFault::Formats),
            (json!({"formats": ["gbnf", 7]}), CapabilityFault::Formats),
        ] {
            assert_eq!(Capabilities::read(&value), Err(fault), "{value}");
        }
    }
}
