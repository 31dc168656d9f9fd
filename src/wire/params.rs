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

    /// A text.
    ///
    /// # Errors
    /// `bad_request` when it is none.
    pub fn text(&self, name: &str) -> Result<Option<&str>, Problem> {
        let read = |value: &Value| !value.is_string();
        match self.given(name) {
            Some(value) if read(value) => Err(wrong(&format!("`{name}` is a string"))),
            value => Ok(value.and_then(Value::as_str)),
        }
    }

    /// A text, or a list of texts joined by commas.
    ///
    /// # Errors
    /// `bad_request` when it is neither.
    pub fn texts(&self, name: &str) -> Result<Option<String>, Problem> {
        let Some(Value::Array(items)) = self.given(name) else {
            return Ok(self.text(name)?.map(str::to_owned));
        };
        let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
        let texts = texts.ok_or_else(|| wrong(&format!("`{name}` is a string or a list of strings")))?;
        Ok(Some(texts.join(", ")).filter(|joined| !joined.is_empty()))
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
        match self.given(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(wrong(&format!("`{name}` is true or false"))),
        }
    }

    /// A whole number, not negative; `17.0` is one as well, for clients that know no other numbers.
    ///
    /// # Errors
    /// `bad_request` when it is none.
    pub fn whole(&self, name: &str) -> Result<Option<u64>, Problem> {
        let Some(value) = self.given(name) else { return Ok(None) };
        let number = value.as_number();
        number
            .and_then(|number| Numeral::of(number).count())
            .map(Some)
            .ok_or_else(|| wrong(&format!("`{name}` is a whole number, 0 or more")))
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
