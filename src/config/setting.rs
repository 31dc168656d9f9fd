//! What a setting is: its path, form, range, unit and meaning; and the macro that defines a section of them.
//!
//! Invariant (held by tests): the settings listed are exactly the fields of [`crate::config::Settings`], and each default is within
//! its range.

use toml::Value;

use engine::bound;
use engine::bound::Bound;
use engine::bound::Range;

/// How much is logged.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
/// Entries of a list of texts, and bytes of each: more than any deployment names, less than an attack on memory.
const WORDS_MAX: usize = 1_000;
const WORD_BYTES_MAX: usize = 1_024;

/// Shares and similarities.
pub const SHARE: Kind = Kind::of(bound::SHARE);
/// Counts that bound memory.
pub const COUNT: Kind = Kind::of(bound::COUNT);
/// Durations, up to a hundred years.
pub const SECONDS: Kind = Kind::of(bound::SECONDS);

/// One setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Such as `server.listen`.
    pub path: &'static str,
    pub kind: Kind,
    /// Empty where the value has none.
    pub unit: &'static str,
    pub meaning: &'static str,
}

impl From<&'static Bound> for Setting {
    fn from(bound: &'static Bound) -> Setting {
        Setting {
            path: bound.path,
            kind: Kind::of(bound.range),
            unit: bound.unit,
            meaning: bound.meaning,
        }
    }
}

/// Defines a section of settings, each with its meaning as a doc comment, its default, its range and its unit, as a struct with defaults:
/// `name: Type = default, Kind, "unit";`.
macro_rules! section {
    ($(#[$about:meta])* $section:literal $name:ident
     $($(#[doc = $meaning:literal])+ $field:ident: $type:ty = $default:expr, $kind:expr $(, $unit:literal)?;)+) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $($(#[doc = $meaning])+ pub $field: $type,)+
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)+ }
            }
        }

        impl $name {
            /// In the order of the pages.
            pub const SETTINGS: &'static [Setting] =
                &[$(Setting {
                    path: concat!($section, ".", stringify!($field)),
                    kind: $kind,
                    unit: concat!("" $(, $unit)?),
                    meaning: concat!($($meaning),+).trim_ascii(),
                }),+];
        }
    };
}

pub(crate) use section;

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
    const fn of(range: Range) -> Kind {
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
            // A whole number is a fine way to write a real one; those in any range here are exact as f64.
            (Kind::Real(..), Value::Integer(number)) => return self.check(&Value::Float(*number as f64)),
            _ => false,
        };
        if fits { Ok(value.clone()) } else { Err(self.range()) }
    }

    /// Reads text from the environment or the command line.
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
    let (module, level) = text.rsplit_once('=').unwrap_or(("_", text));
    !module.trim().is_empty() && LEVELS.iter().any(|known| known.eq_ignore_ascii_case(level.trim()))
}

#[cfg(test)]
mod tests {
    use toml::Value;

    use super::Kind;

    #[test]
    fn each_kind_reads_its_texts_and_refuses_others() {
        let cases: [(Kind, &[&str], &[&str]); 6] = [
            (Kind::Whole(1, 3), &["1", "3"], &["0", "4", "x", "1.5"]),
            (Kind::Real(0.0, 1.0), &["0", "1"], &["1.01", "-0.01", "NaN"]),
            (Kind::Flag, &["true"], &["yes"]),
            (Kind::Choice(&["a", "b"]), &["a"], &["c"]),
            (Kind::Several(&["a", "b"]), &["", "a", "b, a"], &["a,c", "a,a"]),
            (
                Kind::Levels,
                &[
                    "info",
                    "WARN",
                    "off",
                    "info,otherwise=debug",
                    "info, otherwise::http=trace",
                ],
                &["loud", "", "info,", "otherwise", "otherwise=loud", "=debug"],
            ),
        ];
        for (kind, right, wrong) in cases {
            for text in right {
                assert!(kind.read(text).is_ok(), "{kind:?} {text}");
            }
            for text in wrong {
                assert_eq!(kind.read(text), Err(kind.range()), "{kind:?} {text}");
            }
        }
        assert_eq!(Kind::Real(0.0, 1.0).check(&Value::Integer(1)), Ok(Value::Float(1.0)));
        let list = |count: usize, bytes: usize| Value::Array(vec![Value::String("x".repeat(bytes)); count]);
        let text = || Value::String("2".to_owned());
        for (kind, value, ok) in [
            (Kind::Whole(1, 3), text(), false),
            (Kind::Several(&["2"]), text(), false),
            (Kind::Words, text(), false),
            (Kind::Words, Value::Array(vec![Value::Integer(1)]), false),
            (Kind::Words, list(0, 0), true),
            (Kind::Words, list(1_000, 1), true),
            (Kind::Words, list(1_001, 1), false),
            (Kind::Words, list(1, 1_024), true),
            (Kind::Words, list(1, 1_025), false),
        ] {
            assert_eq!(kind.check(&value).is_ok(), ok, "{kind:?}");
        }
        let two = Value::Array(vec!["a".into(), "b".into()]);
        assert_eq!(Kind::Words.read("a, b"), Ok(two));
    }
}
