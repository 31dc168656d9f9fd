//! Reading a JSON object member by member, so that everything that is wrong is told by its place, and none of it by its value.
//!
//! Invariant: an object that gives a member twice is refused. Which of the two counts nobody knows: one reader takes the first,
//! another the last, so that what one of them allowed the other never saw.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Formatter;

use serde::Deserialize;
use serde::Deserializer;
use serde::Serialize;
use serde::de::MapAccess;
use serde::de::Visitor;
use serde_json::Map;
use serde_json::Number;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use schema::json_text::Oddity;
use schema::json_text::read_closely;
use schema::numeral::Numeral;
use schema::place::POINTER_BYTES_MAX;
use schema::place::Step;

/// Bytes of an identifier that somebody else gave.
pub const ID_BYTES_MAX: usize = 256;

/// One member that is wrong. Holds no value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = WrongField)]
pub struct FieldFault {
    /// Such as `message.parts[0].text`.
    pub field: String,
    /// In a few words, to follow the field.
    pub description: String,
}

/// Characters that are shown of a name which is a caller's own word.
const NAME_CHARS_SHOWN: usize = 64;

impl FieldFault {
    /// A fault of this member.
    pub fn new(field: impl Into<String>, description: impl Into<String>) -> FieldFault {
        FieldFault {
            field: field.into(),
            description: description.into(),
        }
    }
}

/// What is wrong with the members of an object, told together.
#[derive(Debug, Default)]
pub struct Faults(Vec<FieldFault>);

impl Faults {
    /// What was read; where it could not be, that is noted, and the default stands in.
    pub fn take<T: Default>(&mut self, read: Result<T, FieldFault>) -> T {
        read.unwrap_or_else(|fault| {
            self.0.push(fault);
            T::default()
        })
    }

    /// Notes that a member is wrong.
    pub fn note(&mut self, field: impl Into<String>, description: impl Into<String>) {
        self.0.push(FieldFault::new(field, description));
    }

    /// Notes all of these.
    pub fn extend(&mut self, faults: impl IntoIterator<Item = FieldFault>) {
        self.0.extend(faults);
    }

    /// Whether nothing was noted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value, where nothing was noted.
    ///
    /// # Errors
    /// Everything that was noted.
    pub fn none_in<T>(self, value: T) -> Result<T, Vec<FieldFault>> {
        if self.0.is_empty() { Ok(value) } else { Err(self.0) }
    }
}

/// A caller's own word, cut and without what would break a line.
pub fn shown(name: &str) -> String {
    let shown: String = name.chars().take(NAME_CHARS_SHOWN).collect();
    shown.escape_debug().to_string()
}

/// An object whose members are read one by one; unknown ones are ignored but where [`Fields::only`] is asked.
pub struct Fields<'a> {
    /// Where it stands, with a dot at its end; empty at the top.
    within: String,
    members: BTreeMap<Cow<'a, str>, &'a RawValue>,
}

/// Members as they come, doubled ones too.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Members<'a>, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((Key(name), value)) = map.next_entry()? {
                    members.push((name, value));
                }
                Ok(Members(members))
            }
        }
        source.deserialize_map(Each)
    }
}

impl<'a> Fields<'a> {
    /// An object at a place such as `message.`.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(text: &'a str, within: &str) -> Result<Fields<'a>, FieldFault> {
        let field = match within.trim_end_matches('.') {
            "" => "the body",
            place => place,
        };
        let Members(read) = serde_json::from_str(text).map_err(|error| FieldFault::new(field, no_object(&error)))?;
        let mut fields = Fields {
            within: within.to_owned(),
            members: BTreeMap::new(),
        };
        for (name, value) in read {
            if fields.members.contains_key(&name) {
                // Which of them counts nobody knows.
                return Err(FieldFault::new(fields.place(&shown(&name)), "is given twice"));
            }
            fields.members.insert(name, value);
        }
        Ok(fields)
    }

    /// Says no to a member that is none of these, so that a slip of the pen is not taken for silence.
    ///
    /// # Errors
    /// The first one that is not known.
    pub fn only(&self, known: &[&str]) -> Result<(), FieldFault> {
        let is_known = |given: &str| known.iter().any(|name| *name == given || defined(name) == given);
        let Some(unknown) = self.members.keys().find(|given| !is_known(given)) else {
            return Ok(());
        };
        let what = format!("is not known; known are {}", known.join(", "));
        Err(FieldFault::new(self.place(&shown(unknown)), what))
    }

    /// The names of its members, as they were given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members.keys().map(AsRef::as_ref)
    }

    /// Where a member stands.
    pub fn place(&self, name: &str) -> String {
        format!("{}{name}", self.within)
    }

    /// A member's text as it came; `null` counts as left out.
    pub fn raw(&self, name: &str) -> Option<&'a str> {
        self.given(name).filter(|text| *text != "null")
    }

    /// The same, `null` included. A member may also bear the name that it has in the protocol's definition: `task_id` for
    /// `taskId`, as readers of ProtoJSON take both.
    pub fn given(&self, name: &str) -> Option<&'a str> {
        let found = self.members.get(name);
        let found = found.or_else(|| self.members.get(defined(name).as_str()));
        found.map(|raw| raw.get())
    }

    /// A member of this type.
    ///
    /// # Errors
    /// When it is of another one.
    pub fn get<T: Deserialize<'a>>(&self, name: &str, expected: &str) -> Result<Option<T>, FieldFault> {
        let Some(text) = self.raw(name) else { return Ok(None) };
        let read = serde_json::from_str(text).map(Some);
        read.map_err(|_| FieldFault::new(self.place(name), format!("must be {expected}")))
    }

    /// A string; empty where it is left out.
    ///
    /// # Errors
    /// When it is no string.
    pub fn text(&self, name: &str) -> Result<String, FieldFault> {
        Ok(self.get::<String>(name, "a string")?.unwrap_or_default())
    }

    /// An identifier; empty where it is left out.
    ///
    /// # Errors
    /// When it is no string, longer than [`ID_BYTES_MAX`], or holds control characters.
    pub fn id(&self, name: &str) -> Result<String, FieldFault> {
        let text = self.text(name)?;
        if text.len() > ID_BYTES_MAX || text.chars().any(char::is_control) {
            let what = format!("must have at most {ID_BYTES_MAX} bytes and no control characters");
            return Err(FieldFault::new(self.place(name), what));
        }
        Ok(text)
    }

    /// An object of anything; empty where it is left out.
    ///
    /// # Errors
    /// When it is no object, or a member of it is given twice.
    pub fn object(&self, name: &str) -> Result<Map<String, Value>, FieldFault> {
        let read = self.get(name, "an object")?;
        if let Some(text) = self.raw(name) {
            Fields::read(text, &format!("{}.", self.place(name)))?;
        }
        Ok(read.unwrap_or_default())
    }

    /// A whole number from 0; `7.0` is one as well.
    ///
    /// # Errors
    /// When it is none.
    pub fn count(&self, name: &str) -> Result<Option<u64>, FieldFault> {
        self.numbers(name, "a whole number from 0", |number: Number| {
            Numeral::of(&number).count()
        })
    }

    /// A list of whole numbers from 0.
    ///
    /// # Errors
    /// When it is none.
    pub fn counts(&self, name: &str) -> Result<Option<Vec<u64>>, FieldFault> {
        let read = |numbers: Vec<Number>| numbers.iter().map(|number| Numeral::of(number).count()).collect();
        self.numbers(name, "a list of whole numbers from 0", read)
    }

    fn numbers<T: Deserialize<'a>, C>(
        &self,
        name: &str,
        expected: &str,
        read: impl FnOnce(T) -> Option<C>,
    ) -> Result<Option<C>, FieldFault> {
        let Some(given) = self.get(name, expected)? else {
            return Ok(None);
        };
        let wrong = || FieldFault::new(self.place(name), format!("must be {expected}"));
        read(given).map(Some).ok_or_else(wrong)
    }
}

/// Why a text is no object: it is something else, or cannot be read at all. The parser's own words might quote it.
fn no_object(error: &serde_json::Error) -> String {
    if error.is_data() {
        return "must be a JSON object".to_owned();
    }
    let (line, column) = (error.line(), error.column());
    format!("is not JSON: it cannot be parsed at line {line} column {column}")
}

/// A member's name as the protocol's definition has it.
fn defined(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 2);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// Refuses a text of which an object, at whatever depth, gives a member twice; for what is read as a whole. A text that is no JSON is
/// left to whoever reads it.
///
/// # Errors
/// The first such member, by its place.
pub fn refuse_repeated(text: &str) -> Result<(), FieldFault> {
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
    use super::Fields;
    use super::ID_BYTES_MAX;
    use super::POINTER_BYTES_MAX;
    use super::refuse_repeated;

    #[test]
    fn members_are_read_by_either_name_and_told_by_their_place() {
        let text = r#"{"a": 7, "b": null, "c": {"d": 1}, "ab": "x", "history_length": 3, "taskId": "t", "task_id": "u",
            "m": {"a": 1, "b": 2, "a": 3}, "o": []}"#;
        let fields = Fields::read(text, "message.").expect("an object");
        assert_eq!(fields.text("a").expect_err("no string").field, "message.a");
        assert_eq!((fields.text("b"), fields.given("b")), (Ok(String::new()), Some("null")));
        assert_eq!(fields.raw("c"), Some(r#"{"d": 1}"#));
        assert_eq!(fields.text("ab"), Ok("x".to_owned()));
        assert_eq!(fields.count("historyLength"), Ok(Some(3)));
        assert_eq!(fields.text("taskId"), Ok("t".to_owned()), "its own name goes first");
        assert_eq!(fields.object("c").map(|object| object.len()), Ok(1));
        assert_eq!(fields.object("m").expect_err("twice").field, "message.m.a");
        assert_eq!(fields.object("o").expect_err("a list").description, "must be an object");
    }

    #[test]
    fn what_is_no_object_is_told_without_what_stands_there() {
        for (text, said) in [
            ("", "is not JSON: it cannot be parsed at line 1 column 0"),
            ("{\"a\": secret}", "is not JSON: it cannot be parsed at line 1 column 7"),
            (
                "{\"a\": 1,\n  \"b\"",
                "is not JSON: it cannot be parsed at line 2 column 5",
            ),
            ("{} x", "is not JSON: it cannot be parsed at line 1 column 4"),
            ("7", "must be a JSON object"),
            ("null", "must be a JSON object"),
            ("[{}]", "must be a JSON object"),
            (r#"{"a": 1, "a": 1}"#, "is given twice"),
        ] {
            let fault = Fields::read(text, "").err().expect("a fault");
            assert_eq!(fault.description, said, "{text}");
        }
        let field = |text: &str, within: &str| Fields::read(text, within).err().map(|fault| fault.field);
        assert_eq!(field("[]", ""), Some("the body".to_owned()));
        assert_eq!(field("[]", "message."), Some("message".to_owned()));
    }

    #[test]
    fn a_member_that_is_not_known_is_named() {
        let only = |text: &str, known: &[&str]| Fields::read(text, "a.").expect("an object").only(known);
        let fault = only(
            r#"{"role":"user","task_id":"t","sensitiv\u0000":true}"#,
            &["role", "taskId", "sensitive"],
        );
        let fault = fault.expect_err("a slip");
        assert_eq!(fault.field, "a.sensitiv\\0");
        assert_eq!(fault.description, "is not known; known are role, taskId, sensitive");
        let long = format!("{{\"{}\":1}}", "x".repeat(1_000));
        assert_eq!(only(&long, &[]).expect_err("unknown").field.len(), 2 + 64);
        assert_eq!(only(r#"{"role":"user","task_id":"t"}"#, &["role", "taskId"]), Ok(()));
    }

    #[test]
    fn counts_and_ids_are_read_up_to_their_ends() {
        let read =
            |text: String, is_right: fn(&Fields<'_>) -> bool| is_right(&Fields::read(&text, "").expect("an object"));
        for (text, right) in [
            ("0", true),
            ("7.0", true),
            ("18446744073709551615", true),
            ("18446744073709551616", false),
            ("-1", false),
            ("1.5", false),
        ] {
            assert_eq!(
                read(format!("{{\"n\":{text}}}"), |fields| fields.count("n").is_ok()),
                right,
                "{text}"
            );
            assert_eq!(
                read(format!("{{\"n\":[0,{text}]}}"), |fields| fields.counts("n").is_ok()),
                right,
                "{text}"
            );
        }
        for (id, right) in [
            ("i".repeat(ID_BYTES_MAX), true),
            ("i".repeat(ID_BYTES_MAX + 1), false),
            ("a\\nb".to_owned(), false),
        ] {
            assert_eq!(
                read(format!("{{\"id\":\"{id}\"}}"), |fields| fields.id("id").is_ok()),
                right,
                "{id}"
            );
        }
    }

    #[test]
    fn the_first_member_that_is_given_twice_at_any_depth_is_named_by_its_place() {
        let name = "k".repeat(99);
        let long = format!(
            "{}{{\"a\":1,\"a\":1}}{}",
            format!("{{\"{name}\":").repeat(99),
            "}".repeat(99)
        );
        assert!(refuse_repeated(&long).expect_err("twice").field.len() <= POINTER_BYTES_MAX);
        let beyond_any_reader = format!("{}{{\"a\":1,\"a\":1}}{}", "[".repeat(1 << 20), "]".repeat(1 << 20));
        for (text, place) in [
            (r#"{"a": 1, "a": 1}"#, Some("a")),
            (
                r#"{"a": {"b": [0, {"c": 1, "d": null, "\u0063": 2}]}, "a": 0}"#,
                Some("a.b[1].c"),
            ),
            (r#"[{"a": "x"}, {"a": 1.5, "a": -7, "a": true}]"#, Some("[1].a")),
            (
                r#"{"a": {"a": [{"a": 1}, {"a": 1e999999}]}, "b": 123456789012345678901234567890}"#,
                None,
            ),
            (r#"{"a": 1, "a": 1"#, None),
            ("", None),
            (&beyond_any_reader, None),
        ] {
            assert_eq!(refuse_repeated(text).err().map(|fault| fault.field).as_deref(), place);
        }
    }
}
