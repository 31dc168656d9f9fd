//! The query: known parameters only, each once.

use std::collections::BTreeMap;

use actix_web::web;
use percent_encoding::percent_decode_str;

use crate::app::end_as::Right;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// Parameters as they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    values: BTreeMap<String, String>,
}

impl Query {
    /// Reads a query string.
    ///
    /// # Errors
    /// 400 naming a parameter that is not known, with those that are, or one that is given twice.
    pub fn read(text: &str, known: &[&str]) -> Result<Query, Problem> {
        if text.is_empty() {
            return Ok(Query::default());
        }
        if !is_well_encoded(text) {
            let what = "the query is not percent-encoded UTF-8: a % must be followed by two hexadecimal digits";
            return Err(Problem::new(Code::BadParameter, what));
        }
        let pairs = web::Query::<Vec<(String, String)>>::from_query(text)
            .map_err(|_| Problem::new(Code::BadParameter, "the query cannot be read"))?
            .into_inner();
        let mut values = BTreeMap::new();
        for (name, value) in pairs {
            if !known.contains(&name.as_str()) {
                let those = if known.is_empty() {
                    "none is".to_owned()
                } else {
                    format!("known are {}", known.join(", "))
                };
                // The name is the caller's own text: cut, and quoted so that it stays one word.
                let name: String = name.chars().take(64).collect();
                return Err(Problem::new(
                    Code::UnknownParameter,
                    format!("the parameter {name:?} is not known here; {those}"),
                ));
            }
            if values.insert(name.clone(), value).is_some() {
                return Err(Problem::new(
                    Code::BadParameter,
                    format!("the parameter {name} is given twice"),
                ));
            }
        }
        Ok(Query { values })
    }

    /// A parameter as text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// By which right something is ended: `as=operator`, or nothing for one's own.
    ///
    /// # Errors
    /// [`Code::BadParameter`] for anything else.
    pub fn right(&self) -> Result<Right, Problem> {
        match self.text("as") {
            None => Ok(Right::Own),
            Some("operator") => Ok(Right::Operator),
            Some(_) => {
                let what = "the parameter as must be operator, or be left out";
                Err(Problem::new(Code::BadParameter, what))
            }
        }
    }

    /// A parameter that is `true` or `false`.
    ///
    /// # Errors
    /// 400 when it is neither.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, Problem> {
        self.parsed(name, "true or false")
    }

    /// A parameter that is a whole number, not negative.
    ///
    /// # Errors
    /// 400 when it is not.
    pub fn number(&self, name: &str) -> Result<Option<u64>, Problem> {
        self.parsed(name, "a whole number, 0 or more")
    }

    /// How many are wanted: from 1 to `most`, `usual` where nothing is said.
    ///
    /// # Errors
    /// When it is no whole number between them.
    pub fn count(&self, name: &str, usual: u64, most: u64) -> Result<usize, Problem> {
        let asked = self.number(name)?.unwrap_or(usual);
        if !(1..=most).contains(&asked) {
            let what = format!("the parameter {name} must be 1 to {most}");
            return Err(Problem::new(Code::BadParameter, what));
        }
        Ok(usize::try_from(asked).unwrap_or(usize::MAX))
    }

    fn parsed<T: std::str::FromStr>(&self, name: &str, what: &str) -> Result<Option<T>, Problem> {
        self.text(name)
            .map(|text| {
                text.parse()
                    .map_err(|_| Problem::new(Code::BadParameter, format!("the parameter {name} must be {what}")))
            })
            .transpose()
    }
}

/// Whether each `%` begins an escape, and what is escaped is UTF-8: the parser below takes anything else for text.
fn is_well_encoded(text: &str) -> bool {
    let is_escape = |rest: &str| rest.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2;
    text.split('%').skip(1).all(is_escape) && percent_decode_str(text).decode_utf8().is_ok()
}

#[cfg(test)]
mod tests {
    use super::Query;
    use crate::wire::codes::Code;

    #[test]
    fn known_parameters_are_read_and_broken_escapes_refused_not_taken_for_text_z181() {
        let known = ["since", "experimental", "q"];
        let query = Query::read("since=7&experimental=false&q=zh%2DH+x", &known).expect("a query");
        assert_eq!(
            (query.number("since"), query.flag("experimental")),
            (Ok(Some(7)), Ok(Some(false)))
        );
        assert_eq!(query.text("q"), Some("zh-H x"));
        assert_eq!(Query::read("", &[]), Ok(Query::default()));
        for (text, code) in [
            ("q=%C3%bc%25", None),
            ("q=%", Some(Code::BadParameter)),
            ("q=%2", Some(Code::BadParameter)),
            ("q=%zz", Some(Code::BadParameter)),
            ("q=%+1", Some(Code::BadParameter)),
            ("q=%ff", Some(Code::BadParameter)),
            ("q=%C3&since=%BC", Some(Code::BadParameter)),
            ("since=1&since=2", Some(Code::BadParameter)),
            ("sinse=7", Some(Code::UnknownParameter)),
        ] {
            assert_eq!(
                Query::read(text, &known).err().map(|problem| problem.code),
                code,
                "{text}"
            );
        }
        let unknown = Query::read("sinse=7", &known).expect_err("unknown").detail;
        assert!(
            unknown.contains("sinse") && unknown.contains("since, experimental"),
            "{unknown}"
        );
        for (text, right) in [
            ("since=0", true),
            ("since=18446744073709551615", true),
            ("since=-1", false),
            ("since=", false),
            ("experimental=yes", false),
        ] {
            let query = Query::read(text, &known).expect("a query");
            let read = (query.number("since").is_ok(), query.flag("experimental").is_ok());
            assert_eq!(read == (true, true), right, "{text}");
        }
    }
}
