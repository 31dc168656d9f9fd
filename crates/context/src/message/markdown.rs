//! A message as Markdown for a model's window, within a budget of tokens (M-005, M-006, M-007).
//!
//! The document's five contexts are the headings, in its order, and the rest comes last. Lines are taken in the order of what is missed
//! most: rules, the task, what is to do, what happened (the newest first), functions, services, resources, security, the rest, as long
//! as they fit, and what is left out is said in the text itself. Rules are told once more by themselves, for who puts them elsewhere. Invariants: all of it together keeps
//! the budget; a value stays on its own line, so that none can pretend to
//! be a heading or a rule; no secret is in it.

use std::cmp::Reverse;

use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

use crate::message::agent_context::Message;
use crate::message::agent_context::items;
use crate::message::agent_context::object;
use crate::message::agent_context::text;
use crate::message::shape;
use crate::message::shape::Member;
use crate::message::shape::Shape;
use schema::export::tokens::estimate;
use schema::time::At;
use text::secrets::prose::MARK;

/// The smallest budget: what is left out must still be said.
pub const TOKENS_MIN: u64 = 160;
/// Characters of one line.
const LINE_CHARS_MAX: usize = 2_000;

/// The document's contexts as headings (section 3), and what it does not have.
const CONTEXTS: [&str; 6] = [
    "Task Context",
    "MCP Context",
    "Policy Context",
    "Resource Context",
    "Security Context",
    "Also said",
];
const TASK: usize = 0;
const MCP: usize = 1;
const POLICY: usize = 2;
const RESOURCE: usize = 3;
const SECURITY: usize = 4;
const REST: usize = 5;

/// Lines of one member.
struct Section {
    /// As the message names it, such as `taskContext.goals`.
    member: &'static str,
    /// Its context, and where it stands in it.
    place: (usize, usize),
    /// Within the context; empty where the context's own is enough.
    heading: &'static str,
    lines: Vec<String>,
    /// What is told of each line once more by itself; of most nothing is.
    apart: Vec<String>,
}

/// What was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    pub member: &'static str,
    pub lines: usize,
    /// How many there were.
    pub of: usize,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    pub markdown: String,
    /// The rules in it, each by itself.
    pub guidance: Vec<String>,
    /// Estimated, of both.
    pub tokens: u64,
    pub left_out: Vec<LeftOut>,
}

/// Writes a message within a budget of tokens, at least [`TOKENS_MIN`].
pub fn render(message: &Message, tokens_max: u64) -> Rendered {
    let sections = sections(message);
    let whole = Rendered::of(&sections, Vec::new());
    if whole.tokens <= tokens_max {
        return whole;
    }
    // Room for the note in its longest form comes first.
    let all: Vec<LeftOut> = sections.iter().map(|section| section.left(0)).collect();
    let note = estimate(&self::note(&all));
    let mut room = tokens_max.max(TOKENS_MIN).saturating_sub(note);
    let mut kept: Vec<Section> = Vec::new();
    let mut left_out = Vec::new();
    for section in &sections {
        let heading = estimate(&headed(section, true));
        let (mut lines, mut apart) = (Vec::new(), Vec::new());
        let mut begun = false;
        for (place, line) in section.lines.iter().enumerate() {
            let again = section.apart.get(place);
            let twice = again.map_or(0, |again| estimate(again));
            let cost = estimate(&format!("- {line}\n")) + twice + if begun { 0 } else { heading };
            if cost <= room {
                room -= cost;
                begun = true;
                lines.push(line.clone());
                apart.extend(again.cloned());
            }
        }
        if lines.len() < section.lines.len() {
            left_out.push(section.left(lines.len()));
        }
        if begun {
            kept.push(Section {
                lines,
                apart,
                ..*section
            });
        }
    }
    Rendered::of(&kept, left_out)
}

impl Rendered {
    fn of(sections: &[Section], left_out: Vec<LeftOut>) -> Rendered {
        let markdown = written(sections, &left_out);
        let guidance: Vec<String> = sections.iter().flat_map(|section| section.apart.clone()).collect();
        let apart: u64 = guidance.iter().map(|rule| estimate(rule)).sum();
        Rendered {
            tokens: estimate(&markdown) + apart,
            markdown,
            guidance,
            left_out,
        }
    }
}

impl Section {
    fn left(&self, kept: usize) -> LeftOut {
        LeftOut {
            member: self.member,
            lines: self.lines.len() - kept,
            of: self.lines.len(),
        }
    }
}

/// The headings above a section: its context's, where that `begins` with it, and its own.
fn headed(section: &Section, begins: bool) -> String {
    let mut text = String::new();
    if begins {
        text.push_str(&format!("\n## {}\n", CONTEXTS[section.place.0]));
    }
    if !section.heading.is_empty() {
        text.push_str(&format!("\n### {}\n", section.heading));
    }
    text.push('\n');
    text
}

fn written(sections: &[Section], left_out: &[LeftOut]) -> String {
    let mut text = String::new();
    let mut shown: Vec<&Section> = sections.iter().collect();
    shown.sort_by_key(|section| section.place);
    let mut context = None;
    for section in shown {
        let above = headed(section, context != Some(section.place.0));
        context = Some(section.place.0);
        text.push_str(if text.is_empty() { above.trim_start() } else { &above });
        for line in &section.lines {
            text.push_str(&format!("- {line}\n"));
        }
    }
    if !left_out.is_empty() {
        text.push_str(&note(left_out));
    }
    text
}

fn note(left_out: &[LeftOut]) -> String {
    let named: Vec<String> = left_out
        .iter()
        .map(|left| format!("{} ({} of {})", left.member, left.lines, left.of))
        .collect();
    format!("\n_Left out to save room: {}._\n", named.join(", "))
}

/// A list of a context that becomes a section, one line an item.
struct List {
    /// As the message names it: the context and its member.
    member: &'static str,
    place: (usize, usize),
    heading: &'static str,
    /// Members of an item that are told one after another, where it is an object.
    shown: &'static [&'static str],
}

const fn list(
    member: &'static str,
    place: (usize, usize),
    heading: &'static str,
    shown: &'static [&'static str],
) -> List {
    List {
        member,
        place,
        heading,
        shown,
    }
}

const POLICIES: List = list("policyContext.policies", (POLICY, 0), "", &["policyId", "rule"]);
const UPDATES: List = list(
    "taskContext.statusUpdates",
    (TASK, 3),
    "What happened, newest first",
    &["timestamp", "message"],
);
const FUNCTIONS: List = list(
    "mcpContext.mcpFunctionList",
    (MCP, 1),
    "Functions to choose from",
    &["functionName", "description"],
);
const SERVICES: List = list(
    "mcpContext.mcpServiceList",
    (MCP, 0),
    "Services",
    &["serviceName", "version"],
);
/// What is told of a resource.
const RESOURCE_MEMBERS: &[&str] = &["resourceType", "quantity", "bandwidth"];
/// The lists that come after the rules and the task itself, in the order of what is missed most.
const LISTS: [List; 7] = [
    list("taskContext.goals", (TASK, 1), "Goals", &[]),
    list("taskContext.todoItems", (TASK, 2), "To do", &["itemId", "description"]),
    UPDATES,
    FUNCTIONS,
    SERVICES,
    list(
        "resourceContext.requiredResources",
        (RESOURCE, 0),
        "Needed",
        RESOURCE_MEMBERS,
    ),
    list(
        "resourceContext.availableResources",
        (RESOURCE, 1),
        "At hand",
        RESOURCE_MEMBERS,
    ),
];

/// What a message says, in the order of what is missed most.
fn sections(message: &Message) -> Vec<Section> {
    let mut sections = vec![POLICIES.section(message)];
    let task = message.context("taskContext");
    let named = [("Name", "taskName"), ("Id", "taskId"), ("Progress", "taskProgress")];
    let named = named
        .iter()
        .filter_map(|(name, member)| Some(line(&format!("{name}: {}", text(task, member)?))));
    let plain = |member, place, heading, lines| Section {
        member,
        place,
        heading,
        lines,
        apart: Vec::new(),
    };
    sections.push(plain("taskContext", (TASK, 0), "", named.collect()));
    sections.extend(LISTS.iter().map(|list| list.section(message)));
    let guidance = security_lines(message.context("securityContext"));
    sections.push(plain(
        "securityContext",
        (SECURITY, 0),
        "Guidance, no permission",
        guidance,
    ));
    sections.push(plain("others", (REST, 0), "", rest(message)));
    sections.retain(|section| !section.lines.is_empty());
    sections
}

impl List {
    fn section(&self, message: &Message) -> Section {
        let (context, name) = self.member.split_once('.').unwrap_or_default();
        let mut items: Vec<&Value> = items(message.context(context), name).iter().collect();
        if self.member == UPDATES.member {
            items.sort_by_key(|update| Reverse(update["timestamp"].as_str().and_then(At::parse)));
        }
        let is_rules = self.member == POLICIES.member;
        let rules = items.iter().filter(|_| is_rules);
        Section {
            member: self.member,
            place: self.place,
            heading: self.heading,
            apart: rules.filter_map(|policy| policy["rule"].as_str()).map(line).collect(),
            lines: items.into_iter().map(|item| self.line(item)).collect(),
        }
    }

    fn line(&self, item: &Value) -> String {
        let Value::Object(members) = item else {
            return line(item.as_str().unwrap_or_default());
        };
        let mut said: Vec<&str> = self.shown.iter().filter_map(|name| text(members, name)).collect();
        if self.member == FUNCTIONS.member && said.len() < self.shown.len() {
            said.push("(not described)");
        }
        let said = said.join(if self.member == SERVICES.member { " " } else { ": " });
        // A rule is told as it is, and the id of an update says nothing.
        let is_told = |name: &str| self.shown.contains(&name) || name == "updateId" || self.member == POLICIES.member;
        let others = members.iter().filter(|(name, _)| !is_told(name));
        let others: Vec<String> = others.map(|(name, value)| member(name, value)).collect();
        match others.is_empty() {
            true => line(&said),
            false => line(&format!("{said} ({})", others.join("; "))),
        }
    }
}

/// What no context of the document holds: members of the message, and of each context but that of security, which tells its own.
fn rest(message: &Message) -> Vec<String> {
    let all = object(message.document.get("agentContext"));
    let mut rest = others(all, shape::AGENT_CONTEXT);
    for context in shape::AGENT_CONTEXT {
        if let Shape::Object(rows) = context.shape
            && context.name != "securityContext"
        {
            rest.extend(others(message.context(context.name), rows));
        }
    }
    rest.extend(others(&message.document, shape::MESSAGE));
    rest
}

fn others(members: &Map<String, Value>, known: &[Member]) -> Vec<String> {
    let others = members
        .iter()
        .filter(|(name, _)| !known.iter().any(|row| row.name == *name));
    others.map(|(name, value)| member(name, value)).collect()
}

fn security_lines(security: &Map<String, Value>) -> Vec<String> {
    let mut lines = Vec::new();
    for (context, value) in security {
        let members = object(Some(value));
        match context.as_str() {
            // What it says of authentication is nothing for a model.
            "authenticationInfo" => {}
            "accessControl" | "dataProtection" => {
                lines.extend(members.iter().filter_map(|(name, value)| security_line(name, value)));
            }
            _ => lines.push(member(context, value)),
        }
    }
    lines.retain(|line| !line.ends_with(MARK));
    lines
}

/// What one member says of access or protection.
fn security_line(name: &str, value: &Value) -> Option<String> {
    let said = match (name, value) {
        ("role" | "permissions" | "encryptionEnabled" | "encryptionAlgorithm", Value::Null) => return None,
        ("role", _) => format!("Role: {}", value.as_str()?),
        ("permissions", _) => {
            let permissions: Vec<&str> = value.as_array()?.iter().filter_map(Value::as_str).collect();
            if permissions.is_empty() {
                return None;
            }
            format!("Permissions: {}", permissions.join(", "))
        }
        ("encryptionEnabled", _) => format!("Encryption: {}", if value.as_bool()? { "on" } else { "off" }),
        ("encryptionAlgorithm", _) => format!("Encryption algorithm: {}", value.as_str()?),
        _ => return Some(member(name, value)),
    };
    Some(line(&said))
}

fn member(name: &str, value: &Value) -> String {
    match value {
        Value::String(text) => line(&format!("{name}: {text}")),
        other => line(&format!("{name}: {other}")),
    }
}

/// A text on one line, without control characters, and not endless.
fn line(text: &str) -> String {
    match text.char_indices().nth(LINE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", one_line(&text[..end])),
        None => one_line(text),
    }
}

/// A text on one line, without control characters, so that no part of it can pretend to be a heading or another rule.
pub fn one_line(text: &str) -> String {
    let mut one = String::with_capacity(text.len());
    for c in text.chars() {
        if !(c.is_whitespace() || c.is_control()) {
            one.push(c);
        } else if !one.ends_with(' ') {
            one.push(' ');
        }
    }
    one.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::proptest;
    use serde_json::json;

    use super::LINE_CHARS_MAX;
    use super::Message;
    use super::TOKENS_MIN;
    use super::estimate;
    use super::render;
    use crate::message::agent_context::read;

    fn figure() -> Message {
        read(include_str!("figure_2.json")).expect("a message")
    }

    #[test]
    fn figure_2_is_written_under_the_documents_headings_m006_m007_m015_m021_m027() {
        let rendered = render(&figure(), 4_000);
        assert_eq!(rendered.left_out, []);
        assert_eq!(rendered.markdown, include_str!("figure_2.md"));
        let apart: u64 = rendered.guidance.iter().map(|rule| estimate(rule)).sum();
        assert!(apart > 0);
        assert_eq!(rendered.tokens, estimate(&rendered.markdown) + apart);
        assert!(!rendered.markdown.contains("eyJ"), "no token");
    }

    #[test]
    fn what_does_not_fit_is_left_out_from_the_end_and_said_m006() {
        let whole = render(&figure(), 4_000).tokens;
        assert!(render(&figure(), whole).left_out.is_empty(), "at its size it is whole");
        let less = render(&figure(), whole - 1);
        assert!(!less.left_out.is_empty() && less.tokens < whole);
        let small = render(&figure(), TOKENS_MIN);
        assert!(small.tokens <= TOKENS_MIN, "{}", small.tokens);
        assert!(
            small.markdown.contains("## Policy Context\n\n- P001"),
            "{}",
            small.markdown
        );
        for left in &small.left_out {
            let said = format!("{} ({} of {})", left.member, left.lines, left.of);
            assert!(small.markdown.contains(&said), "{said} in {}", small.markdown);
        }
        assert!(small.left_out.iter().any(|left| left.member == "securityContext"));
    }

    #[test]
    fn the_newest_update_stays_longest_and_no_value_becomes_a_heading_m006() {
        let updates: Vec<_> = (1..=40)
            .map(|day| {
                json!({"updateId": format!("U{day}"), "timestamp": format!("2026-01-{:02}T00:00:00Z", (day - 1) % 28 + 1),
                    "message": "Something\n## happened\n- again and again"})
            })
            .collect();
        let text = json!({"agentContext": {"taskContext": {"statusUpdates": updates},
            "vendorContext": "x".repeat(LINE_CHARS_MAX + 1)}});
        let message = read(&text.to_string()).expect("a message");
        let rendered = render(&message, 300);
        assert!(rendered.markdown.contains("2026-01-28") && !rendered.markdown.contains("2026-01-02"));
        assert_eq!(rendered.markdown.matches("\n## ").count(), 0, "{}", rendered.markdown);
        assert!(render(&message, 100_000).markdown.contains('…'));
    }

    proptest! {
        #[test]
        fn the_budget_is_kept_for_any_message_m006(
            rules in proptest::collection::vec("\\PC{0,200}", 0..20),
            // A goal may not look like the line of a policy.
            goals in proptest::collection::vec("g\\PC{0,200}", 0..20),
            tokens_max in TOKENS_MIN..1_000,
        ) {
            let policies: Vec<_> = rules.iter().map(|rule| json!({"policyId": "P", "rule": rule})).collect();
            let text = json!({"agentContext": {"policyContext": {"policies": policies}, "taskContext": {"goals": goals}}});
            let message = read(&text.to_string()).expect("a message");
            let rendered = render(&message, tokens_max);
            let apart: u64 = rendered.guidance.iter().map(|rule| estimate(rule)).sum();
            let tokens = estimate(&rendered.markdown) + apart;
            assert_eq!(tokens, rendered.tokens, "all that goes into a window is counted");
            assert!(tokens <= tokens_max, "{tokens} > {tokens_max}");
            let told = rendered.markdown.lines().filter(|line| line.starts_with("- P:")).count();
            let dropped = rendered.left_out.iter().find(|left| left.member == "policyContext.policies");
            assert_eq!((told, told + dropped.map_or(0, |left| left.lines)), (rendered.guidance.len(), rules.len()));
        }
    }
}
