//! What a number that can be set may be: its range, its unit, what it means, and how far a template may go from what the operator set;
//! and the macro that defines a section of them, each once.

use serde_json::Value;

/// The form and range of one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// `true` or `false`.
    Flag,
    /// A whole number between these, both included.
    Whole(i64, i64),
    /// A number between these, both included.
    Real(f64, f64),
    /// One of these words, the strictest first.
    Word(&'static [&'static str]),
}

impl Range {
    /// The range in words.
    pub fn words(self) -> String {
        match self {
            Range::Flag => "true or false".to_owned(),
            Range::Whole(low, high) => format!("whole number, {low} to {high}"),
            Range::Real(low, high) => format!("number, {low} to {high}"),
            Range::Word(words) => words.join(" or "),
        }
    }

    /// Whether a value is of this form and within the range.
    pub fn holds(self, value: &Value) -> bool {
        match self {
            Range::Flag => value.is_boolean(),
            Range::Whole(low, high) => value.as_i64().is_some_and(|number| (low..=high).contains(&number)),
            Range::Real(low, high) => value.as_f64().is_some_and(|number| (low..=high).contains(&number)),
            Range::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        }
    }

    /// A value of this form as a number: of a flag whether it is set, of a word its place.
    fn number(self, value: &Value) -> f64 {
        match self {
            Range::Flag => f64::from(u8::from(value == true)),
            Range::Whole(..) | Range::Real(..) => value.as_f64().unwrap_or(0.0),
            Range::Word(words) => words.iter().position(|word| value == word).unwrap_or(0) as f64,
        }
    }
}

/// How far a template may go from what the operator set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latitude {
    /// As far as the range allows.
    Free,
    /// The operator's number is a floor; of a flag, that it is set.
    Raise,
    /// The operator's number is a ceiling.
    Lower,
    /// The operator's number is a ceiling, and 0 is above all others.
    Shorten,
    /// Of words: none after the operator's.
    Tighten,
}

impl Latitude {
    /// What a template may only do; `None` where it may do anything.
    pub fn words(self) -> Option<&'static str> {
        match self {
            Latitude::Free => None,
            Latitude::Raise => Some("A template may only make it stricter: raise it, or set it where it is not."),
            Latitude::Lower | Latitude::Shorten => Some("A template may only make it stricter: lower it."),
            Latitude::Tighten => Some("A template may only make it stricter: take a word that stands before it."),
        }
    }
}

/// One number, as settings and, of a policy, templates may have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Such as `policy.pool.link_min`.
    pub path: &'static str,
    pub range: Range,
    pub latitude: Latitude,
    /// Empty where the value has none.
    pub unit: &'static str,
    pub meaning: &'static str,
}

impl Bound {
    /// Whether a template's value may stand where the operator's is `own`. Both are within the range.
    pub fn allows(&self, own: &Value, value: &Value) -> bool {
        let endless = |value: f64| if value == 0.0 { f64::INFINITY } else { value };
        let (own, value) = (self.range.number(own), self.range.number(value));
        match self.latitude {
            Latitude::Free => true,
            Latitude::Raise => value >= own,
            Latitude::Lower | Latitude::Tighten => value <= own,
            Latitude::Shorten => endless(value) <= endless(own),
        }
    }
}

/// Shares and similarities.
pub const SHARE: Range = Range::Real(0.0, 1.0);
/// Counts that bound memory.
pub const COUNT: Range = Range::Whole(1, 1_000_000_000);
/// Durations, up to a hundred years.
pub const SECONDS: Range = Range::Whole(1, 3_155_760_000);

/// Defines a section of numbers by its path, such as `policy.pool`: each with its meaning as a doc comment, its type, default and range, how far a template may go
/// where that is not free, and its unit.
#[macro_export]
macro_rules! section {
    (@latitude) => { $crate::bound::Latitude::Free };
    (@latitude $latitude:ident) => { $crate::bound::Latitude::$latitude };
    ($(#[$about:meta])* $section:literal $name:ident
     $($(#[doc = $meaning:literal])+ $field:ident: $type:ty = $default:expr, $range:expr, $($latitude:ident,)? $unit:literal;)+) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
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
            /// Every number, in the order of the settings' page.
            pub const BOUNDS: &[$crate::bound::Bound] = &[$($crate::bound::Bound {
                path: concat!($section, ".", stringify!($field)),
                range: $range,
                latitude: $crate::section!(@latitude $($latitude)?),
                unit: $unit,
                meaning: concat!($($meaning),+).trim_ascii(),
            }),+];
        }
    };
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_operator_set_is_a_floor_or_a_ceiling_z127() {
        let words = Range::Word(&["review", "certain", "auto"]);
        let days = Range::Whole(0, 100);
        for (range, latitude, own, value, allowed) in [
            (days, Latitude::Free, json!(3), json!(1), true),
            (Range::Flag, Latitude::Raise, json!(true), json!(false), false),
            (Range::Flag, Latitude::Raise, json!(false), json!(true), true),
            (days, Latitude::Raise, json!(3), json!(3), true),
            (days, Latitude::Raise, json!(3), json!(2), false),
            (SHARE, Latitude::Lower, json!(0.1), json!(0.1), true),
            (SHARE, Latitude::Lower, json!(0.1), json!(0.2), false),
            (days, Latitude::Shorten, json!(0), json!(30), true),
            (days, Latitude::Shorten, json!(30), json!(0), false),
            (days, Latitude::Shorten, json!(30), json!(31), false),
            (days, Latitude::Shorten, json!(0), json!(0), true),
            (words, Latitude::Tighten, json!("certain"), json!("review"), true),
            (words, Latitude::Tighten, json!("certain"), json!("certain"), true),
            (words, Latitude::Tighten, json!("certain"), json!("auto"), false),
        ] {
            let bound = Bound {
                path: "policy.pool.some",
                range,
                latitude,
                unit: "",
                meaning: "",
            };
            assert_eq!(bound.allows(&own, &value), allowed, "{latitude:?} {own} {value}");
        }
    }
}
