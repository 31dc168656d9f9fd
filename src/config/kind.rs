//! What a setting's value may be.

use toml::Value;

use engine::scenario::bounds::Range;

/// How much is logged.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Entries of a list of texts, and bytes of each.
const WORDS_MAX: usize = 1_000;
const WORD_BYTES_MAX: usize = 1_024;

/// The form and range of one setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Any text.
    Text,
    /// A level of the log, or a list of levels, all but one with the module that they are for.
    Levels,
    /// One of these.
    Choice(&'static [&'static str]),
    /// A list out of these, each at most once.
    Several(&'static [&'static str]),
    /// A list of texts, at most [`WORDS_MAX`] of at most [`WORD_BYTES_MAX`] bytes.
    Words,
    /// `true` or `false`.
    Flag,
    /// A whole number between these, both included.
    Whole(i64, i64),
    /// A number between these, both included.
    Real(f64, f64),
}

impl Kind {
    /// The form of a number, or of a word, of the policy.
    pub const fn of(range: Range) -> Kind {
        match range {
            Range::Flag => Kind::Flag,
            Range::Whole(low, high) => Kind::Whole(low, high),
            Range::Real(low, high) => Kind::Real(low, high),
            Range::Word(words) => Kind::Choice(words),
        }
    }

    /// The range in words.
    pub fn range(self) -> String {
        match self {
            Kind::Text => "text".to_owned(),
            Kind::Levels => format!("{}, or a list such as info,otherwise=debug", LEVELS.join(", ")),
            Kind::Choice(choices) => choices.join(" or "),
            Kind::Several(choices) => format!("list out of {}", choices.join(", ")),
            Kind::Words => format!("list of at most {WORDS_MAX} texts"),
            Kind::Flag => Range::Flag.words(),
            Kind::Whole(low, high) => Range::Whole(low, high).words(),
            Kind::Real(low, high) => Range::Real(low, high).words(),
        }
    }

    /// The value in the form that the setting is read in.
    ///
    /// # Errors
    /// The range in words, when the value is not within it.
    pub fn check(self, value: &Value) -> Result<Value, String> {
        let fits = match (self, value) {
            (Kind::Text, Value::String(_)) | (Kind::Flag, Value::Boolean(_)) => true,
            (Kind::Levels, Value::String(text)) => text.split(',').all(is_directive),
            (Kind::Choice(choices), Value::String(text)) => choices.contains(&text.as_str()),
            (Kind::Several(choices), Value::Array(items)) => items.iter().enumerate().all(|(at, item)| {
                let known = item.as_str().is_some_and(|item| choices.contains(&item));
                known && !items.iter().take(at).any(|before| before == item)
            }),
            (Kind::Words, Value::Array(items)) => {
                let text = |item: &Value| item.as_str().is_some_and(|text| text.len() <= WORD_BYTES_MAX);
                items.len() <= WORDS_MAX && items.iter().all(text)
            }
            (Kind::Whole(low, high), Value::Integer(number)) => (low..=high).contains(number),
            (Kind::Real(low, high), Value::Float(number)) => (low..=high).contains(number),
            (Kind::Real(low, high), Value::Integer(number)) => {
                // A whole number is a fine way to write a real one; those in any range here are exact as f64.
                let number = *number as f64;
                if (low..=high).contains(&number) {
                    return Ok(Value::Float(number));
                }
                false
            }
            (
                Kind::Text
                | Kind::Levels
                | Kind::Choice(_)
                | Kind::Several(_)
                | Kind::Words
                | Kind::Flag
                | Kind::Whole(..)
                | Kind::Real(..),
                _,
            ) => false,
        };
        if fits { Ok(value.clone()) } else { Err(self.range()) }
    }

    /// Reads text from the environment or the command line.
    ///
    /// # Errors
    /// The range in words, when the text is not of this kind.
    pub fn read(self, text: &str) -> Result<Value, String> {
        let value = match self {
            Kind::Text | Kind::Levels | Kind::Choice(_) => Some(Value::String(text.to_owned())),
            Kind::Several(_) | Kind::Words => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Some(Value::Array(items.map(|item| Value::String(item.to_owned())).collect()))
            }
            Kind::Flag => text.parse().ok().map(Value::Boolean),
            Kind::Whole(..) => text.parse().ok().map(Value::Integer),
            Kind::Real(..) => text.parse().ok().map(Value::Float),
        };
        self.check(&value.ok_or_else(|| self.range())?)
    }
}

/// `LEVEL` or `module=LEVEL`. A word alone that is no level would be read as a module whose every line is logged.
fn is_directive(text: &str) -> bool {
    let (module, level) = match text.rsplit_once('=') {
        Some((module, level)) => (Some(module.trim()), level),
        None => (None, text),
    };
    module.is_none_or(|module| !module.is_empty())
        && LEVELS.iter().any(|known| known.eq_ignore_ascii_case(level.trim()))
}

#[cfg(test)]
mod tests {
    use toml::Value;

    use super::Kind;

    #[test]
    fn a_level_of_the_log_is_one_that_exists() {
        for (text, ok) in [
            ("info", true),
            ("WARN", true),
            ("off", true),
            ("info,otherwise=debug", true),
            ("info, otherwise::http=trace", true),
            ("loud", false),
            ("", false),
            ("info,", false),
            ("otherwise", false),
            ("otherwise=loud", false),
            ("=debug", false),
        ] {
            assert_eq!(Kind::Levels.read(text).is_ok(), ok, "{text}");
        }
        let range = Kind::Levels.read("loud").expect_err("no level");
        assert!(range.contains("error, warn, info, debug, trace"), "{range}");
    }

    #[test]
    fn a_list_holds_known_words_each_once() {
        let kind = Kind::Several(&["a", "b"]);
        for (text, ok) in [("", true), ("a", true), ("b, a", true), ("a,c", false), ("a,a", false)] {
            assert_eq!(kind.read(text).is_ok(), ok, "{text}");
        }
        assert!(kind.check(&Value::String("a".to_owned())).is_err());
        assert_eq!(kind.range(), "list out of a, b");
    }

    #[test]
    fn a_list_of_texts_is_bounded_at_its_edge() {
        let list = |count: usize, bytes: usize| Value::Array(vec![Value::String("x".repeat(bytes)); count]);
        for (value, ok) in [
            (list(0, 0), true),
            (list(1_000, 1), true),
            (list(1_001, 1), false),
            (list(1, 1_024), true),
            (list(1, 1_025), false),
            (Value::String("a".to_owned()), false),
            (Value::Array(vec![Value::Integer(1)]), false),
        ] {
            assert_eq!(Kind::Words.check(&value).is_ok(), ok);
        }
        assert_eq!(
            Kind::Words.read("a, b"),
            Kind::Words.check(&Value::Array(vec!["a".into(), "b".into()]))
        );
    }

    #[test]
    fn ranges_hold_at_their_edges() {
        let whole = Kind::Whole(1, 3);
        for (text, ok) in [
            ("0", false),
            ("1", true),
            ("3", true),
            ("4", false),
            ("x", false),
            ("1.5", false),
        ] {
            assert_eq!(whole.read(text).is_ok(), ok, "{text}");
        }
        let real = Kind::Real(0.0, 1.0);
        for (text, ok) in [
            ("0", true),
            ("1", true),
            ("1.01", false),
            ("-0.01", false),
            ("NaN", false),
        ] {
            assert_eq!(real.read(text).is_ok(), ok, "{text}");
        }
        assert_eq!(real.check(&Value::Integer(1)), Ok(Value::Float(1.0)));
        assert!(real.check(&Value::Integer(2)).is_err());
        assert!(whole.check(&Value::String("2".to_owned())).is_err());
        assert!(Kind::Flag.read("yes").is_err());
        assert!(Kind::Choice(&["a", "b"]).read("c").is_err());
    }
}
