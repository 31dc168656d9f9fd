//! The formats of JSON Schema that are asserted: one table, for whoever publishes, shows or writes one.
//!
//! Invariant: each sample is a text of its format, and what a grammar writes is one, whatever is left out.

/// One format.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    pub name: &'static str,
    /// Some of its texts.
    pub samples: &'static [&'static str],
    /// Its texts as a grammar of llama.cpp writes them, out of names of [`RULES`] and literals; none where a grammar does not tell them
    /// apart.
    pub grammar: Option<&'static str>,
    /// Whether some of its texts are not written, however long their numbers are: leap seconds beside an offset, whose hour and minute
    /// follow from it.
    pub is_narrowed: bool,
}

/// The formats that are asserted; any other is an annotation.
pub const FORMATS: [Format; 19] = [
    written("date", &["2026-05-04", "2024-02-29"], "date"),
    narrowed(
        "date-time",
        &["2026-05-04T09:00:00Z", "2026-05-04T09:00:00+02:00"],
        "date [Tt] time",
    ),
    written("duration", &["PT2H", "P1DT12H"], "duration"),
    plain("email", &["a@example.org"]),
    plain("hostname", &["example.org", "host"]),
    plain("idn-email", &["a@example.org"]),
    plain("idn-hostname", &["example.org", "host"]),
    written("ipv4", &["192.0.2.1"], "ipv4"),
    plain("ipv6", &["2001:db8::1"]),
    plain("iri", &["https://example.org/a"]),
    plain("iri-reference", &["/a", "https://example.org/a"]),
    plain("json-pointer", &["/a/b", ""]),
    plain("regex", &["^a$"]),
    plain("relative-json-pointer", &["0/a"]),
    narrowed("time", &["09:00:00Z", "23:59:59+02:00"], "time"),
    plain("uri", &["https://example.org/a"]),
    plain("uri-reference", &["/a", "https://example.org/a"]),
    plain("uri-template", &["https://example.org/{id}", "plain"]),
    written("uuid", &["123e4567-e89b-12d3-a456-426614174000"], "uuid"),
];

/// What grammars of formats have in common: RFC 3339's full-date on the proleptic Gregorian calendar, its full-time, and the durations
/// of its appendix A; RFC 4122; RFC 2673, section 3.2.
pub const RULES: [(&str, &str); 5] = [
    (
        "date",
        "[0-9]{4} \"-\" ((\"01\" | \"03\" | \"05\" | \"07\" | \"08\" | \"10\" | \"12\") \"-\" (\"0\" [1-9] | [12] [0-9] | \"3\" [01]) | (\"04\" | \"06\" | \"09\" | \"11\") \"-\" (\"0\" [1-9] | [12] [0-9] | \"30\") | \"02-\" (\"0\" [1-9] | \"1\" [0-9] | \"2\" [0-8])) | ([0-9]{2} (\"0\" [48] | [2468] [048] | [13579] [26]) | ([02468] [048] | [13579] [26]) \"00\") \"-02-29\"",
    ),
    (
        "time",
        "([01] [0-9] | \"2\" [0-3]) \":\" [0-5] [0-9] \":\" [0-5] [0-9] (\".\" [0-9]{1,19})? ([Zz] | [-+] ([01] [0-9] | \"2\" [0-3]) \":\" [0-5] [0-9]) | \"23:59:60\" (\".\" [0-9]{1,19})? ([Zz] | [-+] \"00:00\")",
    ),
    (
        "duration",
        "\"P\" ([0-9]{1,19} \"W\" | ([0-9]{1,19} \"Y\" ([0-9]{1,19} \"M\" ([0-9]{1,19} \"D\")?)? | [0-9]{1,19} \"M\" ([0-9]{1,19} \"D\")? | [0-9]{1,19} \"D\") (\"T\" ([0-9]{1,19} \"H\" ([0-9]{1,19} \"M\" ([0-9]{1,19} \"S\")?)? | [0-9]{1,19} \"M\" ([0-9]{1,19} \"S\")? | [0-9]{1,19} \"S\"))? | \"T\" ([0-9]{1,19} \"H\" ([0-9]{1,19} \"M\" ([0-9]{1,19} \"S\")?)? | [0-9]{1,19} \"M\" ([0-9]{1,19} \"S\")? | [0-9]{1,19} \"S\"))",
    ),
    (
        "uuid",
        "[0-9a-fA-F]{8} \"-\" [0-9a-fA-F]{4} \"-\" [0-9a-fA-F]{4} \"-\" [0-9a-fA-F]{4} \"-\" [0-9a-fA-F]{12}",
    ),
    (
        "ipv4",
        "(\"25\" [0-5] | \"2\" [0-4] [0-9] | \"1\" [0-9]{2} | [1-9]? [0-9]) (\".\" (\"25\" [0-5] | \"2\" [0-4] [0-9] | \"1\" [0-9]{2} | [1-9]? [0-9])){3}",
    ),
];

const fn plain(name: &'static str, samples: &'static [&'static str]) -> Format {
    Format {
        name,
        samples,
        grammar: None,
        is_narrowed: false,
    }
}

const fn written(name: &'static str, samples: &'static [&'static str], grammar: &'static str) -> Format {
    Format {
        grammar: Some(grammar),
        ..plain(name, samples)
    }
}

const fn narrowed(name: &'static str, samples: &'static [&'static str], grammar: &'static str) -> Format {
    Format {
        is_narrowed: true,
        ..written(name, samples, grammar)
    }
}

/// The format of a name.
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

impl Format {
    /// A pattern of texts of the format, out of its grammar.
    pub fn pattern(&self) -> Option<String> {
        Some(format!("^(?:{})$", spelt(self.grammar?)))
    }
}

/// An expression of a grammar as a pattern: literals stand unquoted, and rules in place of their names.
fn spelt(grammar: &str) -> String {
    let mut pattern = String::new();
    for (place, part) in grammar.split('"').enumerate() {
        if place % 2 == 1 {
            pattern += &part.replace('.', "\\.");
            continue;
        }
        for word in part.split_inclusive([' ', '(', ')', '|']) {
            let name = word.trim_end_matches([' ', '(', ')', '|']);
            match RULES.iter().find(|(own, _)| *own == name) {
                Some((_, rule)) => pattern += &format!("(?:{})", spelt(rule)),
                None => pattern += name,
            }
            pattern += word[name.len()..].trim();
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::FORMATS;
    use crate::budget::Budget;
    use crate::json_schema;
    use crate::pattern;
    use crate::pattern::Length;

    #[test]
    fn the_pattern_of_a_format_holds_its_samples_and_its_texts_are_of_the_format_z048() {
        for format in FORMATS.iter().filter(|format| format.grammar.is_some()) {
            let pattern = format.pattern().expect("a pattern");
            let valid = |schema: &Value, text: &str| {
                let compiled = json_schema::compile::<jsonschema::json::SerdeJson>(schema).expect("a schema");
                compiled.is_valid(&json!(text))
            };
            for sample in format.samples {
                assert!(
                    valid(&json!({ "pattern": pattern }), sample),
                    "{} {sample}",
                    format.name
                );
            }
            let texts = pattern::texts(&pattern, Length::default(), &Budget::default());
            assert!(!texts.is_empty(), "{}", format.name);
            for text in texts {
                assert!(valid(&json!({"format": format.name}), &text), "{} {text}", format.name);
            }
        }
    }
}
