//! The grammar that writes nothing but payloads: one walk over the shapes of the keys, for `gbnf` and `lark`.
//!
//! Keys come in the sheet's order, so that a decoder never has to choose one twice; strings may hold any character but a
//! lone surrogate. Lists, short ranges, lengths, counts and the formats that a grammar tells apart are written down; where another rule
//! stands, the grammar is wider and the rule lost. Invariant: what is written for a key without a loss is accepted, and every value that
//! is accepted can be written, but for numbers of more than 19 digits. The grammar grows with the template's own size alone.

use std::collections::BTreeSet;

use serde_json::Map;
use serde_json::Value;

use crate::export::loss::Losses;
use crate::export::shape::Fact;
use crate::export::shape::Members;
use crate::export::shape::Shape;
use crate::export::sheet::Sheet;
use crate::format;
use crate::key::KeyType;
use crate::keyword::Keyword;
use crate::rule::Rule;

/// Repetitions that are counted; llama.cpp refuses a grammar with more than 2,000.
const REPEATS_MAX: u64 = 1_000;
/// Whole numbers of a range that are written one by one.
const RANGE_MAX: f64 = 100.0;

/// The rules that are written once, where something needs them, beside those of formats: each after whatever needs it.
const SHARED: [(&str, &str); 10] = [
    ("value", "string | number | boolean | \"null\" | array | object"),
    ("object", "\"{\" ws (member (\",\" ws member)*)? ws \"}\""),
    ("array", "\"[\" ws (value (\",\" ws value)*)? ws \"]\""),
    ("member", "string \":\" ws value"),
    ("string", "\"\\\"\" char* \"\\\"\""),
    (
        "char",
        "[^\"\\\\\\x00-\\x1F\\x7F] | \"\\\\\" ([\"\\\\/bfnrt] | \"u\" unit)",
    ),
    ("unit", "[0-9a-cA-CefEF] [0-9a-fA-F]{3} | [dD] [0-7] [0-9a-fA-F]{2}"),
    ("number", "integer (\".\" [0-9]{1,18})? ([eE] [-+]? [0-9]{1,2})?"),
    ("integer", "\"-\"? (\"0\" | [1-9] [0-9]{0,18})"),
    ("boolean", "\"true\" | \"false\""),
];
const WHITE_SPACE: (&str, &str) = ("ws", "(\" \" | \"\\n\" [ \\t]{0,20})?");

/// Within the name of a rule for what follows a member: a comma and the next one, or nothing.
pub const AFTER: &str = "--after-";

/// A grammar that is being written.
struct Writer<'l> {
    rules: Vec<(String, String)>,
    losses: &'l mut Losses,
}

/// The rules of a grammar that writes nothing but payloads, in llama.cpp's notation: `root` first, each before what it needs.
pub fn rules(sheet: &Sheet<'_>, losses: &mut Losses) -> Vec<(String, String)> {
    let mut writer = Writer {
        rules: Vec::new(),
        losses,
    };
    let mut entries: Vec<(String, bool)> = Vec::new();
    for key in &sheet.keys {
        writer.losses.enter(&key.name);
        let rule = format!("key-{}", key.name.replace('_', "-"));
        let value = writer.value(&key.shape, &rule);
        let name = literal(&format!("\"{}\":", key.name));
        writer.rules.push((rule.clone(), format!("{name} ws {value}")));
        entries.push((rule, key.required));
    }
    let root = writer.object(&entries, "root");
    writer.rules.insert(0, ("root".to_owned(), root));
    let shared = [WHITE_SPACE].into_iter().chain(SHARED).chain(format::RULES);
    let mut used: BTreeSet<&str> = BTreeSet::new();
    for (_, body) in &writer.rules {
        used.extend(names(body));
    }
    for (name, body) in SHARED.into_iter().chain(SHARED) {
        if used.contains(name) {
            used.extend(names(body));
        }
    }
    let shared = shared.filter(|(name, _)| used.contains(*name));
    let shared: Vec<(String, String)> = shared.map(|(name, body)| (name.to_owned(), body.to_owned())).collect();
    drop(used);
    writer.rules.into_iter().chain(shared).collect()
}

/// A part of a rule's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'b> {
    /// Between its quotes, as it is spelt.
    Literal(&'b str),
    /// With its brackets.
    Class(&'b str),
    /// A rule's name.
    Name(&'b str),
    /// A repetition in braces.
    Count(&'b str),
    /// A bracket, a sign or white space.
    Sign(char),
}

/// The parts of a rule's body.
pub fn tokens<'b>(body: &'b str) -> Vec<Token<'b>> {
    let mut tokens = Vec::new();
    let mut rest = body;
    while let Some(first) = rest.chars().next() {
        let (length, token): (usize, fn(&'b str) -> Token<'b>) = match first {
            '"' => (ended(rest, '"'), |text| Token::Literal(&text[1..text.len() - 1])),
            '[' => (ended(rest, ']'), Token::Class),
            '{' => (ended(rest, '}'), Token::Count),
            c if c.is_ascii_alphabetic() => {
                let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
                (rest.find(|c| !is_name(c)).unwrap_or(rest.len()), Token::Name)
            }
            _ => {
                tokens.push(Token::Sign(first));
                rest = &rest[first.len_utf8()..];
                continue;
            }
        };
        let (text, after) = rest.split_at(length);
        tokens.push(token(text));
        rest = after;
    }
    tokens
}

/// How long what begins a text is, up to a sign that no backslash stands before.
fn ended(text: &str, end: char) -> usize {
    let mut letters = text.char_indices().skip(1);
    while let Some((at, c)) = letters.next() {
        match c {
            '\\' => drop(letters.next()),
            c if c == end => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// The names of rules in a rule's body.
pub fn names(body: &str) -> impl Iterator<Item = &str> {
    tokens(body).into_iter().filter_map(|token| match token {
        Token::Name(name) => Some(name),
        Token::Literal(_) | Token::Class(_) | Token::Count(_) | Token::Sign(_) => None,
    })
}

impl Writer<'_> {
    /// An expression for a value, in brackets where it has alternatives; `rule` begins the names of rules that it needs, with
    /// two hyphens after it, which no key's name gives.
    fn value(&mut self, shape: &Shape, rule: &str) -> String {
        match shape {
            Shape::Other => "(string | \"[\" ws (string (\",\" ws string)*)? ws \"]\")".to_owned(),
            Shape::Listed { values, of: _ } => listed(values),
            Shape::Scalar(KeyType::String, facts) => self.text(facts),
            Shape::Scalar(KeyType::Boolean, _) => "boolean".to_owned(),
            Shape::Scalar(KeyType::Null, _) => literal("null"),
            Shape::Scalar(key_type, facts) => match short_range(*key_type, facts) {
                Some(values) => listed(&values),
                None => {
                    self.lose(facts);
                    key_type.name().to_owned()
                }
            },
            Shape::Array(each, facts) => self.array(each, facts, rule),
            Shape::Object(members) => self.members(members, rule),
            Shape::Anything => "value".to_owned(),
            Shape::Never(nearest) => {
                self.losses.unenforced("not");
                self.value(nearest, rule)
            }
            Shape::Any(shapes) => {
                let ways = shapes.iter().enumerate();
                let ways: Vec<String> = ways
                    .map(|(n, shape)| self.value(shape, &format!("{rule}--{n}")))
                    .collect();
                either(&ways)
            }
        }
    }

    fn text(&mut self, facts: &[Fact]) -> String {
        let (formats, facts): (Vec<&Fact>, Vec<&Fact>) = facts.iter().partition(|fact| fact.keyword == Keyword::Format);
        let format = formats.first().and_then(|fact| format::find(fact.value.as_str()?));
        if let Some(format) = format
            && let Some(grammar) = format.grammar
        {
            self.lose(facts);
            if format.is_narrowed {
                self.losses.narrowed(Keyword::Format.name());
            }
            return format!("\"\\\"\" {grammar} \"\\\"\"");
        }
        self.lose(formats);
        let (lengths, others): (Vec<&Fact>, Vec<&Fact>) =
            facts.into_iter().partition(|fact| fact.keyword != Keyword::Pattern);
        self.lose(others);
        if lengths.is_empty() {
            return "string".to_owned();
        }
        let (_, counted) = self.counted(&lengths, 0);
        format!("\"\\\"\" {} \"\\\"\"", repeated("char", &counted))
    }

    /// Notes what is asked and not written.
    fn lose<'f>(&mut self, facts: impl IntoIterator<Item = &'f Fact>) {
        for fact in facts.into_iter().filter(|fact| fact.is_enforced()) {
            self.losses.unenforced(fact.keyword.name());
        }
    }

    /// The count that one of the keywords asks for, which is lost where it is more than is counted.
    fn bound(&mut self, facts: &[&Fact], keywords: [Keyword; 2]) -> Option<u64> {
        let fact = facts.iter().find(|fact| keywords.contains(&fact.keyword))?;
        let count = fact.value.as_u64()?;
        if count > REPEATS_MAX {
            self.losses.unenforced(fact.keyword.name());
        }
        Some(count)
    }

    /// The least count, and `{least,most}` for what comes after the `first` ones, wider where that would be more than is counted.
    fn counted(&mut self, facts: &[&Fact], first: u64) -> (u64, String) {
        let least = self.bound(facts, [Keyword::MinLength, Keyword::MinItems]);
        let least = least.unwrap_or(0).min(REPEATS_MAX);
        let most = self.bound(facts, [Keyword::MaxLength, Keyword::MaxItems]);
        let further = least.saturating_sub(first);
        let most = most.filter(|most| *most <= REPEATS_MAX);
        let most = most.map(|most| most.saturating_sub(first).max(further).to_string());
        (least, format!("{{{further},{}}}", most.unwrap_or_default()))
    }

    fn array(&mut self, each: &Shape, facts: &[Fact], rule: &str) -> String {
        let (counts, others): (Vec<&Fact>, Vec<&Fact>) =
            facts.iter().partition(|fact| fact.keyword != Keyword::UniqueItems);
        let most = counts.iter().find(|fact| fact.keyword == Keyword::MaxItems);
        let most = most.and_then(|fact| fact.value.as_u64());
        if most.is_none_or(|most| most > 1) {
            self.lose(others);
        }
        let item = format!("{rule}--item");
        let before = self.losses.descend(Keyword::Items, None);
        let each = self.value(each, &item);
        self.losses.ascend(before);
        if most == Some(0) {
            return "\"[\" ws \"]\"".to_owned();
        }
        self.rules.push((item.clone(), each));
        let (least, more) = self.counted(&counts, 1);
        let some = format!("{item} {}", repeated(&format!("(\",\" ws {item})"), &more));
        match least {
            0 => format!("\"[\" ws ({some})? ws \"]\""),
            _ => format!("\"[\" ws {some} ws \"]\""),
        }
    }

    fn members(&mut self, Members { declared, rest }: &Members, rule: &str) -> String {
        if declared.is_empty() {
            return match rest.as_deref() {
                None => "\"{\" ws \"}\"".to_owned(),
                Some(Shape::Anything) => "object".to_owned(),
                Some(rest) => {
                    let member = format!("{rule}--rest");
                    let before = self.losses.descend(Keyword::AdditionalProperties, None);
                    let value = self.value(rest, &member);
                    self.losses.ascend(before);
                    self.rules.push((member.clone(), format!("string \":\" ws {value}")));
                    format!("\"{{\" ws ({member} (\",\" ws {member})*)? ws \"}}\"")
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
            let name = literal(&format!("{}:", Value::String(member.name.clone())));
            self.rules.push((own.clone(), format!("{name} ws {value}")));
            entries.push((own, member.required));
        }
        self.object(&entries, rule)
    }

    /// An object of these members in this order, required ones first: each by the rule that writes its name and value.
    fn object(&mut self, entries: &[(String, bool)], rule: &str) -> String {
        let of = |required: bool| {
            entries
                .iter()
                .filter(move |entry| entry.1 == required)
                .map(|(rule, _)| rule.as_str())
        };
        let (required, optional): (Vec<&str>, Vec<&str>) = (of(true).collect(), of(false).collect());
        if required.is_empty() {
            // Whichever comes first stands without a comma; what may follow each is one rule, shared by all before it.
            let mut ways = Vec::new();
            for (n, entry) in optional.iter().enumerate() {
                let next = format!("{rule}{AFTER}{n}");
                ways.push(format!("{entry} {next}"));
                let body = match optional.get(n + 1) {
                    Some(following) => format!("(\",\" ws {following})? {rule}{AFTER}{}", n + 1),
                    None => "\"\"".to_owned(),
                };
                self.rules.push((next, body));
            }
            return format!("\"{{\" ws ({})? ws \"}}\"", ways.join(" | "));
        }
        let mut body = required.join(" \",\" ws ");
        for entry in optional {
            body.push_str(&format!(" (\",\" ws {entry})?"));
        }
        format!("\"{{\" ws {body} ws \"}}\"")
    }
}

/// What stands as often as is counted; not every reader takes a count of none.
fn repeated(each: &str, counted: &str) -> String {
    match counted {
        "{0,0}" => "\"\"".to_owned(),
        counted => format!("{each}{counted}"),
    }
}

/// The whole numbers that facts leave, where they are few.
fn short_range(key_type: KeyType, facts: &[Fact]) -> Option<Vec<Value>> {
    let asked: Map<String, Value> = facts
        .iter()
        .map(|fact| (fact.keyword.name().to_owned(), fact.value.clone()))
        .collect();
    let end = |keywords: [Keyword; 2]| {
        keywords
            .into_iter()
            .filter_map(|keyword| asked.get(keyword.name())?.as_f64())
    };
    let low = end([Keyword::Minimum, Keyword::ExclusiveMinimum])
        .reduce(f64::max)?
        .ceil();
    let high = end([Keyword::Maximum, Keyword::ExclusiveMaximum])
        .reduce(f64::min)?
        .floor();
    let is_short = key_type == KeyType::Integer && high - low <= RANGE_MAX && low.abs().max(high.abs()) < 1e15;
    let rule = Rule::compile(key_type, &asked);
    #[expect(clippy::cast_possible_truncation, reason = "both are whole and below 10^15")]
    let range = is_short.then(|| (low as i64..=high as i64).map(Value::from))?;
    let values: Vec<Value> = range.filter(|value| rule.accepts(value)).collect();
    (!values.is_empty()).then_some(values)
}

fn listed(values: &[Value]) -> String {
    let ways: Vec<String> = values.iter().map(|value| literal(&value.to_string())).collect();
    either(&ways)
}

/// Alternatives, in brackets where there are several.
fn either(ways: &[String]) -> String {
    match ways {
        [one] => one.clone(),
        several => format!("({})", several.join(" | ")),
    }
}

/// A text as the grammar spells it.
fn literal(text: &str) -> String {
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
