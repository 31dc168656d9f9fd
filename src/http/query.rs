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
    use super::is_well_encoded;
    use crate::wire::codes::Code;

    #[test]
    fn known_parameters_are_read() {
        let query = Query::read(
            "since=7&experimental=false&preferred_language=zh%2DHans",
            &["since", "experimental", "preferred_language"],
        )
        .expect("a query");
        assert_eq!(query.number("since"), Ok(Some(7)));
        assert_eq!(query.flag("experimental"), Ok(Some(false)));
        assert_eq!(query.text("preferred_language"), Some("zh-Hans"));
        assert_eq!(Query::read("", &[]), Ok(Query::default()));
    }

    #[test]
    fn broken_escapes_are_refused_not_taken_for_text_z181() {
        for (text, well) in [
            ("", true),
            ("q=a+b", true),
            ("q=%C3%bc%25", true),
            ("q=%", false),
            ("q=%2", false),
            ("q=%zz", false),
            ("q=%+1", false),
            ("q=%ff", false),
            ("q=%C3", false),
            ("q=%C3&x=%BC", false),
        ] {
            assert_eq!(is_well_encoded(text), well, "{text}");
        }
        assert_eq!(
            Query::read("q=%zz", &["q"]).map_err(|p| p.code),
            Err(Code::BadParameter)
        );
    }

    #[test]
    fn unknown_doubled_and_unreadable_ones_are_named() {
        let unknown = Query::read("sinse=7", &["since", "x"]).expect_err("unknown");
        assert_eq!(unknown.code, Code::UnknownParameter);
        assert!(
            unknown.detail.contains("sinse") && unknown.detail.contains("since, x"),
            "{}",
            unknown.detail
        );
        assert_eq!(
            Query::read("since=1&since=2", &["since"]).map_err(|p| p.code),
            Err(Code::BadParameter)
        );
        for (text, ok) in [
            ("since=0", true),
            ("since=-1", false),
            ("since=", false),
            ("since=18446744073709551615", true),
        ] {
            let query = Query::read(text, &["since"]).expect("a query");
            assert_eq!(query.number("since").is_ok(), ok, "{text}");
        }
        let query = Query::read("experimental=yes", &["experimental"]).expect("a query");
        assert_eq!(query.flag("experimental").map_err(|p| p.code), Err(Code::BadParameter));
    }
}
