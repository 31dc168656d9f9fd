//! The extension request (Z-022): what a client asks the scenario to be able to say, in its own words and without a payload.
//!
//! Takes the body apart; what becomes of the wishes is decided where those of `other` are. Invariant: a fault names a member,
//! never what stood in it.

use serde::Deserialize;
use serde_json::Map;
use serde_json::Value;

use crate::exchange::envelope;
use crate::exchange::other::OtherLimits;
use crate::numeral::Numeral;

/// `{"wishes": ["text"], "revision"?}`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionRequest {
    pub wishes: Vec<String>,
    /// The revision of the template that the client knows.
    pub revision: Option<u64>,
    /// Names of members that it does not have.
    pub unknown: Vec<String>,
}

/// Its members.
const WISHED: [&str; 2] = ["wishes", "revision"];

/// Why a body is no extension request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtensionFault {
    #[error("the body must be a JSON object with `wishes`, a list of texts")]
    NotAnObject,
    #[error("`wishes` must be a list of 1 to {0} texts (service.other_strings_max)")]
    Wishes(usize),
    #[error("`wishes/{place}` says nothing; a wish must be in words")]
    Empty { place: usize },
    #[error("`wishes/{place}` has {bytes} bytes; a wish must have 1 to {most} (service.other_bytes_max)")]
    Length { place: usize, bytes: usize, most: usize },
    #[error("`revision` must be an integer from 0")]
    Revision,
    #[error("`{0}` is no member of an extension request")]
    Unknown(String),
    #[error("`{given}` is no member of an extension request: `{member}` is meant")]
    Meant { given: String, member: &'static str },
}

impl ExtensionRequest {
    /// Reads a body.
    ///
    /// # Errors
    /// What is missing, unknown or beyond the limits that hold for `other` too.
    pub fn parse(body: &str, limits: OtherLimits) -> Result<ExtensionRequest, ExtensionFault> {
        let members: Map<String, Value> = serde_json::from_str(body).map_err(|_| ExtensionFault::NotAnObject)?;
        let mut unknown = Vec::new();
        for name in members.keys().filter(|name| !WISHED.contains(&name.as_str())) {
            let given = envelope::shown(name);
            if let Some(member) = envelope::meant(name, &WISHED) {
                return Err(ExtensionFault::Meant { given, member });
            }
            // What a submission may say of itself does not hold here: passed over, a trial would be put on record.
            if envelope::meant(name, &envelope::MEMBERS).is_some() {
                return Err(ExtensionFault::Unknown(given));
            }
            unknown.push(given);
        }
        let stated = members.get("revision").filter(|stated| !stated.is_null());
        let count = |stated: &Value| stated.as_number().and_then(|number| Numeral::of(number).count());
        let revision = stated
            .map(|stated| count(stated).ok_or(ExtensionFault::Revision))
            .transpose()?;
        let items = members
            .get("wishes")
            .and_then(|wishes| Vec::<&str>::deserialize(wishes).ok());
        let items = items.filter(|items| (1..=limits.strings_max).contains(&items.len()));
        let items = items.ok_or(ExtensionFault::Wishes(limits.strings_max))?;
        let wishes = items.into_iter().map(str::trim).enumerate();
        let wishes = wishes.map(|(place, wish)| match wish.len() {
            0 => Err(ExtensionFault::Empty { place }),
            bytes if bytes > limits.bytes_max => Err(ExtensionFault::Length {
                place,
                bytes,
                most: limits.bytes_max,
            }),
            _ => Ok(wish.to_owned()),
        });
        Ok(ExtensionRequest {
            wishes: wishes.collect::<Result<_, _>>()?,
            revision,
            unknown,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ExtensionFault;
    use super::ExtensionRequest;
    use crate::exchange::other::OtherLimits;

    fn parse(body: &str) -> Result<ExtensionRequest, ExtensionFault> {
        let limits = OtherLimits {
            strings_max: 2,
            bytes_max: 8,
        };
        ExtensionRequest::parse(body, limits)
    }

    #[test]
    fn wishes_are_taken_up_to_the_limits_of_other_z022() {
        for (body, wishes, revision, unknown) in [
            (
                r#"{"wishes":[" seat ","xxxxxxxx"]}"#,
                json!(["seat", "xxxxxxxx"]),
                None,
                json!([]),
            ),
            (
                r#"{"wishes":["a"],"strength":4711}"#,
                json!(["a"]),
                None,
                json!(["strength"]),
            ),
            (r#"{"wishes":["a"],"revision":7}"#, json!(["a"]), Some(7), json!([])),
            (r#"{"wishes":["a"],"revision":null}"#, json!(["a"]), None, json!([])),
        ] {
            let read = parse(body).expect("a request");
            assert_eq!(
                (json!(read.wishes), read.revision, json!(read.unknown)),
                (wishes, revision, unknown)
            );
        }
    }

    #[test]
    fn what_is_no_request_is_named_without_a_value_that_stood_in_it_z022() {
        let length = ExtensionFault::Length {
            place: 0,
            bytes: 9,
            most: 8,
        };
        let meant = ExtensionFault::Meant {
            given: "Revisions".to_owned(),
            member: "revision",
        };
        for (body, fault) in [
            ("{", ExtensionFault::NotAnObject),
            ("[]", ExtensionFault::NotAnObject),
            ("{}", ExtensionFault::Wishes(2)),
            (r#"{"wishes":[]}"#, ExtensionFault::Wishes(2)),
            (r#"{"wishes":["a","b","c"]}"#, ExtensionFault::Wishes(2)),
            (r#"{"wishes":"4711"}"#, ExtensionFault::Wishes(2)),
            (r#"{"wishes":[4711]}"#, ExtensionFault::Wishes(2)),
            (r#"{"wishes":["a","  "]}"#, ExtensionFault::Empty { place: 1 }),
            (r#"{"wishes":["471100000"]}"#, length),
            (r#"{"wishes":["a"],"revision":-4711}"#, ExtensionFault::Revision),
            (
                r#"{"wishes":["a"],"dryrun":4711}"#,
                ExtensionFault::Unknown("dryrun".to_owned()),
            ),
            (r#"{"wishes":["a"],"Revisions":4711}"#, meant),
        ] {
            assert!(!fault.to_string().contains("4711"), "{fault}");
            assert_eq!(parse(body), Err(fault), "{body}");
        }
    }
}
