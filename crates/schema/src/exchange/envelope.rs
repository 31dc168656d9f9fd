//! The submission's envelope (Z-176, docs/design.md §4); the draft's bare form is the same with fewer members.
//!
//! Takes the envelope apart and leaves the payload as text. Invariant: a fault names a member, never what stood in it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::Deserializer;
use serde::de::IgnoredAny;
use serde::de::MapAccess;
use serde::de::Visitor;
use serde_json::value::RawValue;

use crate::json_text;
use crate::numeral;

/// Its members.
pub const MEMBERS: [&str; 9] = [
    "schema_id",
    "payload",
    "utterance",
    "language",
    "revision",
    "pinned",
    "dry_run",
    "handling",
    "idempotency_key",
];
/// Unknown members that are named, and characters of a name that are: more of them tell nothing new.
const UNKNOWN_MAX: usize = 16;
const NAME_CHARS_MAX: usize = 64;
/// Letters from which on one edit leaves a name recognisable.
const EDITED_MIN: usize = 5;

/// The member that an unknown one is meant to be: the same but for case, `_` and `-`, or but for one edit. To pass it over would be
/// to put on record what was only to be tried.
pub fn meant<'m>(name: &str, members: &[&'m str]) -> Option<&'m str> {
    let fold = |name: &str| -> String {
        let letters = name.chars().filter(|c| !matches!(c, '_' | '-'));
        letters.flat_map(char::to_lowercase).take(NAME_CHARS_MAX).collect()
    };
    let given = fold(name);
    let is_meant = |member: &&&str| {
        let member = fold(member);
        given == member || (given.chars().count() >= EDITED_MIN && strsim::osa_distance(&given, &member) <= 1)
    };
    members.iter().find(is_meant).copied()
}

/// A name of a client's own as it is said back.
pub fn shown(name: &str) -> String {
    let cut: String = name.chars().take(NAME_CHARS_MAX).collect();
    cut.escape_debug().to_string()
}

/// [`MEMBERS`], all but the first two optional; other members are named and passed over, unless one is [`meant`] to be one of these,
/// `null` for an optional member means absent, and a member that is written twice is refused: readers differ in which one they take.
#[derive(Debug)]
pub struct Envelope<'a> {
    pub schema_id: Cow<'a, str>,
    pub payload: &'a RawValue,
    pub utterance: Option<String>,
    pub language: Option<String>,
    pub revision: Option<u64>,
    /// Whether the payload is to be judged by the template of that revision.
    pub pinned: bool,
    pub dry_run: bool,
    /// True where wrong values of optional keys are to be kept out if the template allows it (`handling` of RFC 7240).
    pub lenient: bool,
    /// `idempotency_key`, as JSON: a member of an item of a batch. A carrier that has another place for it must not pass over it.
    pub idempotency_key: Option<&'a RawValue>,
    /// Names of the first members that are none, and how many more there are.
    pub unknown: Vec<String>,
    pub unknown_beyond: usize,
}

/// Why a body is no submission.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeFault {
    /// The parser's message, which holds a position and no value.
    #[error("the body is not JSON: {0}")]
    NotJson(String),
    #[error("the body must be a JSON object with `schema_id` and `payload`")]
    NotAnObject,
    #[error("`{0}` is missing")]
    Missing(&'static str),
    #[error("`{0}` is written twice: nobody could tell which one counts")]
    Twice(&'static str),
    #[error("`{given}` is no member of a submission: `{member}` is meant")]
    Meant { given: String, member: &'static str },
    #[error("`{member}` must be {expected}")]
    WrongType {
        member: &'static str,
        expected: &'static str,
    },
}

impl<'a> Envelope<'a> {
    /// Reads a submission's body.
    ///
    /// # Errors
    /// What is missing or wrong; never what the payload holds.
    pub fn parse(body: &'a str) -> Result<Envelope<'a>, EnvelopeFault> {
        let Ok(Members(members)) = serde_json::from_str(body) else {
            let read: Result<IgnoredAny, _> = serde_json::from_str(body);
            return Err(read.map_or_else(
                |error| EnvelopeFault::NotJson(json_text::why(body, &error)),
                |_| EnvelopeFault::NotAnObject,
            ));
        };
        let mut known: BTreeMap<&'static str, &'a RawValue> = BTreeMap::new();
        let mut twice = None;
        let mut unknown: Vec<&str> = Vec::new();
        for (name, raw) in &members {
            match MEMBERS.into_iter().find(|member| member == name) {
                Some(member) if known.insert(member, raw).is_some() => twice = twice.or(Some(member)),
                Some(_) => {}
                None => unknown.push(name),
            }
        }
        if let Some(member) = twice {
            return Err(EnvelopeFault::Twice(member));
        }
        let misspelt = unknown
            .iter()
            .find_map(|name| Some((shown(name), meant(name, &MEMBERS)?)));
        if let Some((given, member)) = misspelt {
            return Err(EnvelopeFault::Meant { given, member });
        }
        Ok(Envelope {
            schema_id: read::<Text>(&known, "schema_id", "a string")?
                .ok_or(EnvelopeFault::Missing("schema_id"))?
                .0,
            payload: known.get("payload").ok_or(EnvelopeFault::Missing("payload"))?,
            utterance: read(&known, "utterance", "a string")?,
            language: read(&known, "language", "a string with a BCP 47 language tag")?,
            revision: read::<Count>(&known, "revision", "an integer from 0")?.map(|count| count.0),
            pinned: read(&known, "pinned", "a boolean")?.unwrap_or(false),
            dry_run: read(&known, "dry_run", "a boolean")?.unwrap_or(false),
            lenient: matches!(
                read(&known, "handling", "`lenient` or `strict`")?,
                Some(Handling::Lenient)
            ),
            idempotency_key: known.get("idempotency_key").copied().filter(|raw| raw.get() != "null"),
            unknown_beyond: unknown.len().saturating_sub(UNKNOWN_MAX),
            unknown: unknown.into_iter().take(UNKNOWN_MAX).map(shown).collect(),
        })
    }
}

/// The members of an object as they are written, those that are written twice included.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members<'de>, D::Error> {
        struct Written;

        impl<'de> Visitor<'de> for Written {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Written)
    }
}

/// A string that borrows where it can.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The treatment of wrong values of optional keys.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Handling {
    Strict,
    Lenient,
}

/// A whole number, not negative; `17.0` is one as well, as JSON Schema has it.
#[derive(Deserialize)]
struct Count(#[serde(deserialize_with = "numeral::count")] u64);

fn read<'a, T: Deserialize<'a>>(
    known: &BTreeMap<&'static str, &'a RawValue>,
    member: &'static str,
    expected: &'static str,
) -> Result<Option<T>, EnvelopeFault> {
    let Some(raw) = known.get(member) else {
        return Ok(None);
    };
    serde_json::from_str(raw.get()).map_err(|_| EnvelopeFault::WrongType { member, expected })
}

#[cfg(test)]
mod tests {
    use super::Envelope;
    use super::EnvelopeFault;

    fn fault(body: &str) -> EnvelopeFault {
        Envelope::parse(body).expect_err("a fault")
    }

    /// A submission with one more member.
    fn with(member: &str, value: &str) -> String {
        format!(r#"{{"schema_id": "a", "payload": {{}}, "{member}": {value}}}"#)
    }

    #[test]
    fn the_bare_envelope_of_the_draft_and_every_optional_member_are_read_z176() {
        let bare = r#"{"schema_id": "flight_booking_v1", "payload": {"origin": "PEK"}}"#;
        let full = r#"{"x": [1], "dry_run": true, "pinned": true, "revision": 17, "language": "de", "utterance": "a\nb",
            "schema_id": "s\u0031", "payload": 4, "x": 2}"#;
        let nulls = r#"{"schema_id": "s", "payload": null, "utterance": null, "revision": null, "dry_run": null}"#;
        let payload = r#"{"origin": "PEK"}"#;
        for (body, id, payload, said, flags) in [
            (bare, "flight_booking_v1", payload, [None, None], (None, false, false)),
            (full, "s1", "4", [Some("a\nb"), Some("de")], (Some(17), true, true)),
            (nulls, "s", "null", [None, None], (None, false, false)),
        ] {
            let read = Envelope::parse(body).expect("an envelope");
            assert_eq!((&*read.schema_id, read.payload.get()), (id, payload));
            assert_eq!([read.utterance.as_deref(), read.language.as_deref()], said);
            assert_eq!((read.revision, read.dry_run, read.pinned), flags);
            assert_eq!(read.unknown, vec!["x"; if body == full { 2 } else { 0 }]);
        }
        for (texts, read) in [
            ("0 0.0", Some(0)),
            ("1000 1000.0 1e3", Some(1_000)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616 17.5 -1.0 \"17\"", None),
        ] {
            for text in texts.split(' ') {
                let body = with("revision", text);
                assert_eq!(
                    Envelope::parse(&body).ok().and_then(|read| read.revision),
                    read,
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn a_member_that_is_meant_to_be_another_is_refused_by_the_name_of_that_z176() {
        let dry_run = "dryrun dryRun DRY-RUN dry_rum dri_run drry_run dr_yrun rdyrun dryrn";
        for (given, member) in dry_run.split(' ').map(|given| (given, "dry_run")).chain([
            ("_pinned_", "pinned"),
            ("pined", "pinned"),
            ("Revision", "revision"),
            ("langauge", "language"),
            ("schemaId", "schema_id"),
            ("idempotency-key", "idempotency_key"),
            ("utterances", "utterance"),
            ("payloads", "payload"),
        ]) {
            let told = fault(&with(given, "true"));
            let given = given.to_owned();
            assert_eq!(told, EnvelopeFault::Meant { given, member });
        }
        let alone = fault(r#"{"schemaId": "a", "payload": {}}"#);
        assert!(alone.to_string().contains("`schema_id` is meant"), "{alone}");
        for other in "note dry run pin metadata client dryest xx_dry_run langs".split(' ') {
            let body = with(other, "true");
            let envelope = Envelope::parse(&body).unwrap_or_else(|fault| panic!("{other}: {fault}"));
            assert_eq!(envelope.unknown, [other]);
        }
    }

    #[test]
    fn so_many_unknown_members_are_named_and_no_more_z176() {
        for (count, named, beyond) in [(16, 16, 0), (17, 16, 1), (40, 16, 24)] {
            let members: String = (0..count).map(|n| format!(r#", "note{n}": 0"#)).collect();
            let body = format!(r#"{{"schema_id": "a", "payload": {{}}{members}}}"#);
            let envelope = Envelope::parse(&body).expect("an envelope");
            assert_eq!((envelope.unknown.len(), envelope.unknown_beyond), (named, beyond));
        }
        let long = with(&format!("{}\\u0007", "ä".repeat(64)), "0");
        assert_eq!(Envelope::parse(&long).expect("an envelope").unknown, ["ä".repeat(64)]);
    }

    #[test]
    fn faults_say_what_is_missing_twice_or_wrong_and_quote_nothing_z176() {
        let wrong = |member, expected| EnvelopeFault::WrongType { member, expected };
        let twice = r#"{"schema_id": "a", "payload": {}, "dry_run": true, "dry_run": false, "schema_id": "b"}"#;
        let hidden = r#"{"schema_id": "a", "payload": {}, "p\u0061yload": {}}"#;
        for (body, expected) in [
            (r#"{"payload": {}}"#, EnvelopeFault::Missing("schema_id")),
            (
                r#"{"schema_id": null, "payload": {}}"#,
                EnvelopeFault::Missing("schema_id"),
            ),
            (r#"{"schema_id": "a"}"#, EnvelopeFault::Missing("payload")),
            (r#"{"schema_id": 1, "payload": {}}"#, wrong("schema_id", "a string")),
            (&with("revision", "-1"), wrong("revision", "an integer from 0")),
            (twice, EnvelopeFault::Twice("dry_run")),
            (hidden, EnvelopeFault::Twice("payload")),
        ] {
            assert_eq!(fault(body), expected, "{body}");
        }
        for scalar in ["1", "-1", "1.5", "null", "true", "\"a\"", "[1, {}]"] {
            assert_eq!(fault(scalar), EnvelopeFault::NotAnObject, "{scalar}");
        }
        for broken in [
            "",
            "{",
            r#"{"payload": secret-marker}"#,
            "{} x",
            r#"{"schema_id": "secret-marker"#,
        ] {
            let fault = fault(broken);
            assert!(matches!(fault, EnvelopeFault::NotJson(_)), "{broken}");
            assert!(!fault.to_string().contains("secret-marker"));
        }
    }
}
