//! The members of a call's params, each read by its name. `null` is absent, unknown members are passed over.
//!
//! Invariant: what is said of a wrong one names the member, never what stood in it.

use serde_json::Map;
use serde_json::Value;

use crate::wire::codes::Code;
use crate::wire::problem::Problem;
use schema::numeral::Numeral;

/// Members by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params(Map<String, Value>);

impl From<Map<String, Value>> for Params {
    fn from(members: Map<String, Value>) -> Params {
        Params(members)
    }
}

impl Params {
    /// Reads a JSON text.
    ///
    /// # Errors
    /// `bad_request` when it is no object.
    pub fn parse(text: &str) -> Result<Params, Problem> {
        match serde_json::from_str(text) {
            Ok(Value::Object(members)) => Ok(Params(members)),
            Ok(_) | Err(_) => Err(wrong("params are an object, with a member for each parameter")),
        }
    }

    /// What is given beside these members.
    pub fn without(&mut self, names: &[&str]) -> Map<String, Value> {
        let mut members = std::mem::take(&mut self.0);
        members.retain(|name, _| !names.contains(&name.as_str()));
        members
    }

    /// A member as it came.
    pub fn given(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn read<'a, T>(
        &'a self,
        name: &str,
        what: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, Problem> {
        let Some(value) = self.given(name) else { return Ok(None) };
        read(value)
            .map(Some)
            .ok_or_else(|| wrong(&format!("`{name}` is {what}")))
    }

    /// A text.
    ///
    /// # Errors
    /// `bad_request` when it is none.
    pub fn text(&self, name: &str) -> Result<Option<&str>, Problem> {
        self.read(name, "a string", Value::as_str)
    }

    /// A text, or a list of texts joined by commas.
    ///
    /// # Errors
    /// `bad_request` when it is neither.
    pub fn texts(&self, name: &str) -> Result<Option<String>, Problem> {
        let texts = self.read(name, "a string or a list of strings", |value| match value.as_array() {
            None => value.as_str().map(|text| vec![text]),
            Some(items) => items.iter().map(Value::as_str).collect(),
        })?;
        Ok(texts.filter(|texts| !texts.is_empty()).map(|texts| texts.join(", ")))
    }

    /// A text that must be there.
    ///
    /// # Errors
    /// `bad_request` when it is missing or no text.
    pub fn required(&self, name: &str) -> Result<&str, Problem> {
        self.text(name)?.ok_or_else(|| {
            // Most likely it is there under another name. That is the caller's own word: cut, and without control characters.
            let given = self
                .0
                .keys()
                .find(|given| *given != name)
                .map(|given| given.chars().take(64).collect::<String>());
            let given = given.map(|given| format!("; given is `{}`", given.escape_debug()));
            wrong(&format!("`{name}` is missing{}", given.unwrap_or_default()))
        })
    }

    /// True or false.
    ///
    /// # Errors
    /// `bad_request` when it is neither.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, Problem> {
        self.read(name, "true or false", Value::as_bool)
    }

    /// A whole number, not negative; `17.0` is one as well, for clients that know no other numbers.
    ///
    /// # Errors
    /// `bad_request` when it is none.
    pub fn whole(&self, name: &str) -> Result<Option<u64>, Problem> {
        self.read(name, "a whole number, 0 or more", |value| {
            Numeral::of(value.as_number()?).count()
        })
    }

    /// A text, or a whole number as text.
    ///
    /// # Errors
    /// `bad_request` when it is neither.
    pub fn text_or_whole(&self, name: &str) -> Result<Option<String>, Problem> {
        if self.given(name).is_some_and(Value::is_number) {
            return Ok(self.whole(name)?.map(|number| number.to_string()));
        }
        Ok(self.text(name)?.map(str::to_owned))
    }
}

fn wrong(what: &str) -> Problem {
    Problem::new(Code::BadRequest, what)
}

#[cfg(test)]
mod tests {
    use super::Params;

    #[test]
    fn members_are_read_by_name_null_is_absent_and_a_wrong_one_is_named_and_not_quoted_z045() {
        let params = Params::parse(r#"{"a": "x", "n": 7.0, "f": false, "z": null, "r": 12}"#).expect("params");
        assert_eq!((params.text("a"), params.required("a")), (Ok(Some("x")), Ok("x")));
        assert_eq!((params.whole("n"), params.whole("nowhere")), (Ok(Some(7)), Ok(None)));
        assert_eq!((params.flag("f"), params.flag("z")), (Ok(Some(false)), Ok(None)));
        assert_eq!(params.text_or_whole("r"), Ok(Some("12".to_owned())));
        assert_eq!(params.text_or_whole("a"), Ok(Some("x".to_owned())));
        let params = Params::parse(r#"{"a": 4711, "n": "4711", "h": 0.5, "m": -1}"#).expect("params");
        for (problem, name) in [
            (params.text("a").err(), "`a`"),
            (params.required("a").err(), "`a`"),
            (params.required("nowhere").err(), "`nowhere`"),
            (params.whole("n").err(), "`n`"),
            (params.whole("h").err(), "`h`"),
            (params.whole("m").err(), "`m`"),
            (params.flag("n").err(), "`n`"),
            (params.text_or_whole("h").err(), "`h`"),
        ] {
            let detail = problem.expect("a problem").detail;
            assert!(detail.contains(name) && !detail.contains("4711"), "{detail}");
        }
        assert!(
            ["[]", "1", "null", "{"]
                .into_iter()
                .all(|text| Params::parse(text).is_err())
        );
    }
}
