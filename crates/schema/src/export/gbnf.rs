//! `gbnf`: a grammar of llama.cpp that writes nothing but payloads.
//!
//! Keys come in the sheet's order, so that a decoder never has to choose one twice; strings may hold any character but a
//! lone surrogate. Where a rule cannot be written down, the grammar is wider and the rule lost. Invariant: what is written
//! for a key without a loss is accepted, and every value that is accepted can be written, but for numbers of more than
//! 19 digits. The grammar grows with the template's own size alone.

pub mod number;

pub mod pattern;

pub mod format;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::export::loss::Losses;
use crate::export::shape::Elements;
use crate::export::shape::Members;
use crate::export::shape::Shape;
use crate::export::shape::Text;
use crate::export::sheet::Sheet;
use crate::keyword::Keyword;

/// Repetitions that are counted; llama.cpp refuses a grammar with more than 2,000.
pub const REPEATS_MAX: u64 = 1_000;

/// The rules that are written once, each where something needs it, with those that it needs itself.
const SHARED: [(&str, &str, &[&str]); 16] = [
    ("ws", "(\" \" | \"\\n\" [ \\t]{0,20})?", &[]),
    (
        "char",
        "[^\"\\\\\\x00-\\x1F\\x7F] | \"\\\\\" ([\"\\\\/bfnrt] | \"u\" unit)",
        &["unit"],
    ),
    (
        "unit",
        "[0-9a-cA-CefEF] [0-9a-fA-F]{3} | [dD] [0-7] [0-9a-fA-F]{2}",
        &[],
    ),
    ("string", "\"\\\"\" char* \"\\\"\"", &["char"]),
    ("integer", "\"-\"? (\"0\" | [1-9] [0-9]{0,18})", &[]),
    (
        "number",
        "integer (\".\" [0-9]{1,18})? ([eE] [-+]? [0-9]{1,2})?",
        &["integer"],
    ),
    ("boolean", "\"true\" | \"false\"", &[]),
    (
        "value",
        "string | number | boolean | \"null\" | array | object",
        &["string", "number", "boolean", "array", "object"],
    ),
    (
        "array",
        "\"[\" ws (value (\",\" ws value)*)? ws \"]\"",
        &["ws", "value"],
    ),
    (
        "object",
        "\"{\" ws (member (\",\" ws member)*)? ws \"}\"",
        &["ws", "member"],
    ),
    ("member", "string \":\" ws value", &["string", "ws", "value"]),
    ("date", format::DATE, &[]),
    ("time", format::TIME, &[]),
    ("duration", format::DURATION, &[]),
    ("uuid", format::UUID, &[]),
    ("ipv4", format::IPV4, &[]),
];

/// A grammar that is being written.
struct Writer<'l> {
    rules: Vec<(String, String)>,
    shared: BTreeSet<&'static str>,
    losses: &'l mut Losses,
}

/// The grammar's text.
pub fn text(sheet: &Sheet<'_>, losses: &mut Losses) -> String {
    let mut writer = Writer {
        rules: Vec::new(),
        shared: BTreeSet::new(),
        losses,
    };
    let mut entries: Vec<Entry> = Vec::new();
    for key in &sheet.keys {
        writer.losses.enter(&key.name);
        let rule = format!("key-{}", key.name.replace('_', "-"));
        let value = writer.value(&key.shape, &rule);
        writer.shared("ws");
        writer.rules.push((
            rule.clone(),
            format!("{} ws {value}", literal(&format!("\"{}\":", key.name))),
        ));
        entries.push(Entry {
            written: rule,
            required: key.required,
        });
    }
    let root = writer.object(&entries, "root");
    let mut text = format!("root ::= {root}\n");
    for (name, body) in &writer.rules {
        text.push_str(&format!("{name} ::= {body}\n"));
    }
    for (name, body, _) in SHARED.iter().filter(|(name, _, _)| writer.shared.contains(name)) {
        text.push_str(&format!("{name} ::= {body}\n"));
    }
    text
}

/// A member as it is written, name and value.
struct Entry {
    written: String,
    required: bool,
}

impl Writer<'_> {
    /// The name of a shared rule, which is then written with those that it needs.
    fn shared(&mut self, name: &'static str) -> String {
        if self.shared.insert(name)
            && let Some((_, _, needs)) = SHARED.iter().find(|(shared, _, _)| *shared == name)
        {
            for need in *needs {
                self.shared(need);
            }
        }
        name.to_owned()
    }

    /// An expression for a value, in brackets where it has alternatives; `rule` begins the names of rules that it needs, with
    /// two hyphens after it, which no key's name gives.
    fn value(&mut self, shape: &Shape, rule: &str) -> String {
        match shape {
            Shape::Other => {
                let string = self.shared("string");
                let ws = self.shared("ws");
                format!("({string} | \"[\" {ws} ({string} (\",\" {ws} {string})*)? {ws} \"]\")")
            }
            Shape::Listed { values, of: _ } => {
                let ways: Vec<String> = values.iter().map(|value| literal(&value.to_string())).collect();
                either(&ways)
            }
            Shape::Text(text) => self.text(text),
            Shape::Number(range) => match number::between(range, self.losses) {
                Some(written) => written,
                None if range.integer => self.shared("integer"),
                None => self.shared("number"),
            },
            Shape::Boolean => self.shared("boolean"),
            Shape::Null => literal("null"),
            Shape::Array(elements) => self.array(elements, rule),
            Shape::Object(members) => self.members(members, rule),
            Shape::Anything => self.shared("value"),
            Shape::Never(nearest) => {
                self.losses.unenforced("not");
                self.value(nearest, rule)
            }
            Shape::Any(shapes) => {
                let ways: Vec<String> = shapes
                    .iter()
                    .enumerate()
                    .map(|(n, shape)| self.value(shape, &format!("{rule}--{n}")))
                    .collect();
                either(&ways)
            }
        }
    }

    fn text(&mut self, text: &Text) -> String {
        let Text {
            length_min,
            length_max,
            pattern,
            format,
            hint: _,
        } = text;
        let by_pattern = pattern.as_deref().and_then(pattern::written);
        let by_format = format.as_deref().and_then(format::rule);
        if let Some((written, needs_char)) = by_pattern {
            self.lose_length(length_min.is_some(), length_max.is_some());
            if format.is_some() {
                self.losses.unenforced(Keyword::Format.name());
            }
            if needs_char {
                self.shared("char");
            }
            return format!("\"\\\"\" {written} \"\\\"\"");
        }
        if pattern.is_some() {
            self.losses.unenforced(Keyword::Pattern.name());
        }
        if let Some(rules) = by_format {
            self.lose_length(length_min.is_some(), length_max.is_some());
            if format.as_deref().is_some_and(format::is_narrowed) {
                self.losses.narrowed(Keyword::Format.name());
            }
            let rules: Vec<String> = rules.iter().map(|rule| self.format_part(rule)).collect();
            return format!("\"\\\"\" {} \"\\\"\"", rules.join(" "));
        }
        if format.is_some() {
            self.losses.unenforced(Keyword::Format.name());
        }
        let (least, most) = (length_min.unwrap_or(0), *length_max);
        if least == 0 && most.is_none() {
            return self.shared("string");
        }
        let counted = self.counted(least, most, Keyword::MinLength, Keyword::MaxLength);
        self.shared("char");
        format!("\"\\\"\" char{counted} \"\\\"\"")
    }

    fn format_part(&mut self, part: &'static str) -> String {
        if SHARED.iter().any(|(name, _, _)| *name == part) {
            self.shared(part)
        } else {
            part.to_owned()
        }
    }

    fn lose_length(&mut self, least: bool, most: bool) {
        if least {
            self.losses.unenforced(Keyword::MinLength.name());
        }
        if most {
            self.losses.unenforced(Keyword::MaxLength.name());
        }
    }

    /// `{least,most}`, wider where that would be more than is counted.
    fn counted(&mut self, least: u64, most: Option<u64>, low: Keyword, high: Keyword) -> String {
        let least = if least > REPEATS_MAX {
            self.losses.unenforced(low.name());
            REPEATS_MAX
        } else {
            least
        };
        match most {
            Some(most) if most > REPEATS_MAX => {
                self.losses.unenforced(high.name());
                format!("{{{least},}}")
            }
            Some(most) => format!("{{{least},{}}}", most.max(least)),
            None => format!("{{{least},}}"),
        }
    }

    fn array(&mut self, elements: &Elements, rule: &str) -> String {
        let Elements {
            each,
            items_min,
            items_max,
            unique,
        } = elements;
        if *unique && items_max.is_none_or(|most| most > 1) {
            self.losses.unenforced(Keyword::UniqueItems.name());
        }
        let item = format!("{rule}--item");
        let before = self.losses.descend(Keyword::Items, None);
        let each = self.value(each, &item);
        self.losses.ascend(before);
        let ws = self.shared("ws");
        if *items_max == Some(0) {
            return format!("\"[\" {ws} \"]\"");
        }
        self.rules.push((item.clone(), each));
        let least = items_min.unwrap_or(0);
        let more = self.counted(
            least.saturating_sub(1),
            items_max.map(|most| most.saturating_sub(1)),
            Keyword::MinItems,
            Keyword::MaxItems,
        );
        let some = format!("{item} (\",\" {ws} {item}){more}");
        if least == 0 {
            format!("\"[\" {ws} ({some})? {ws} \"]\"")
        } else {
            format!("\"[\" {ws} {some} {ws} \"]\"")
        }
    }

    fn members(&mut self, Members { declared, rest }: &Members, rule: &str) -> String {
        let ws = self.shared("ws");
        if declared.is_empty() {
            return match rest.as_deref() {
                None => format!("\"{{\" {ws} \"}}\""),
                Some(Shape::Anything) => self.shared("object"),
                Some(rest) => {
                    let member = format!("{rule}--rest");
                    let before = self.losses.descend(Keyword::AdditionalProperties, None);
                    let value = self.value(rest, &member);
                    self.losses.ascend(before);
                    let string = self.shared("string");
                    self.rules
                        .push((member.clone(), format!("{string} \":\" {ws} {value}")));
                    format!("\"{{\" {ws} ({member} (\",\" {ws} {member})*)? {ws} \"}}\"")
                }
            };
        }
        if rest.is_some() {
            self.losses.narrowed(Keyword::AdditionalProperties.name());
        }
        let mut entries = Vec::new();
        for (n, member) in declared.iter().enumerate() {
            let own = format!("{rule}--{n}");
            let before = self.losses.descend(Keyword::Properties, Some(&member.name));
            let value = self.value(&member.shape, &own);
            self.losses.ascend(before);
            let name = Value::String(member.name.clone()).to_string();
            self.rules
                .push((own.clone(), format!("{} {ws} {value}", literal(&format!("{name}:")))));
            entries.push(Entry {
                written: own,
                required: member.required,
            });
        }
        self.object(&entries, rule)
    }

    /// An object of these members in this order, required ones first.
    fn object(&mut self, entries: &[Entry], rule: &str) -> String {
        let ws = self.shared("ws");
        let required: Vec<&str> = entries
            .iter()
            .filter(|entry| entry.required)
            .map(|entry| entry.written.as_str())
            .collect();
        let optional: Vec<&str> = entries
            .iter()
            .filter(|entry| !entry.required)
            .map(|entry| entry.written.as_str())
            .collect();
        if required.is_empty() {
            // Whichever comes first stands without a comma; what may follow each is one rule, shared by all before it.
            let mut ways = Vec::new();
            for (n, entry) in optional.iter().enumerate() {
                let next = format!("{rule}--after-{n}");
                ways.push(format!("{entry} {next}"));
                let body = match optional.get(n + 1) {
                    Some(following) => format!("(\",\" {ws} {following})? {rule}--after-{}", n + 1),
                    None => "\"\"".to_owned(),
                };
                self.rules.push((next, body));
            }
            return format!("\"{{\" {ws} ({})? {ws} \"}}\"", ways.join(" | "));
        }
        let mut body = required.join(&format!(" \",\" {ws} "));
        for entry in optional {
            body.push_str(&format!(" (\",\" {ws} {entry})?"));
        }
        format!("\"{{\" {ws} {body} {ws} \"}}\"")
    }
}

/// Alternatives, in brackets where there are several.
fn either(ways: &[String]) -> String {
    match ways {
        [one] => one.clone(),
        several => format!("({})", several.join(" | ")),
    }
}

/// A text as the grammar spells it.
pub fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for c in text.chars() {
        match c {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}
