//! A message as Markdown for a model's window, within a budget of tokens (M-005, M-006, M-007).
//!
//! The document's five contexts are the headings, in its order, and the rest comes last. Lines are taken in the order of what is missed
//! most, as long as they fit, and what is left out is said in the text itself. Rules are told once more by themselves, for who puts
//! them elsewhere. Invariants: all of it together keeps the budget; a value stays on its own line, so that none can pretend to be a
//! heading or a rule; no secret is in it.

use std::cmp::Reverse;

use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use utoipa::ToSchema;

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

const POLICIES: &str = "policyContext.policies";
const FUNCTIONS: &str = "mcpContext.mcpFunctionList";
const SERVICES: &str = "mcpContext.mcpServiceList";
const UPDATES: &str = "taskContext.statusUpdates";
const TASK: &str = "Task Context";
const MCP: &str = "MCP Context";
const RESOURCES: &str = "Resource Context";
/// What is told of a function, and of a resource.
const FUNCTION: &[&str] = &["functionName", "description"];
const RESOURCE: &[&str] = &["resourceType", "quantity", "bandwidth"];

/// What becomes a section: the member of the message, the heading of its context (section 3 of the document), its own, and what is
/// told of each item one after another, where it is a list of objects.
type Row = (&'static str, &'static str, &'static str, &'static [&'static str]);

/// Every section, in the document's order.
const ROWS: [Row; 11] = [
    ("taskContext", TASK, "", &[]),
    ("taskContext.goals", TASK, "Goals", &[]),
    ("taskContext.todoItems", TASK, "To do", &["itemId", "description"]),
    (UPDATES, TASK, "What happened, newest first", &["timestamp", "message"]),
    (SERVICES, MCP, "Services", &["serviceName", "version"]),
    (FUNCTIONS, MCP, "Functions to choose from", FUNCTION),
    (POLICIES, "Policy Context", "", &["policyId", "rule"]),
    ("resourceContext.requiredResources", RESOURCES, "Needed", RESOURCE),
    ("resourceContext.availableResources", RESOURCES, "At hand", RESOURCE),
    ("securityContext", "Security Context", "Guidance, no permission", &[]),
    ("others", "Also said", "", &[]),
];
/// Their places in the order of what is missed most: rules, the task, what is to do, what happened, functions, services, resources,
/// security, the rest.
const MISSED_MOST_FIRST: [usize; 11] = [6, 0, 1, 2, 3, 5, 4, 7, 8, 9, 10];

/// Lines of one member.
struct Section {
    place: usize,
    /// How many lines there are, kept or not.
    of: usize,
    lines: Vec<Line>,
}

struct Line {
    text: String,
    /// What is told once more by itself; of most lines nothing is.
    rule: Option<String>,
}

/// Lines that did not fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = LeftOutLines)]
pub struct LeftOut {
    /// Such as `taskContext.statusUpdates`.
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
    let sections = MISSED_MOST_FIRST.map(|place| Section::of(place, message));
    let mut sections: Vec<Section> = sections.into_iter().filter(|section| section.of > 0).collect();
    let whole = Rendered::of(&sections);
    if whole.tokens <= tokens_max {
        return whole;
    }
    // Room for the note in its longest form comes first.
    let all: Vec<LeftOut> = sections.iter().map(|section| section.left_out(0)).collect();
    let mut room = tokens_max.max(TOKENS_MIN).saturating_sub(estimate(&note(&all)));
    for section in &mut sections {
        let mut heading = estimate(&section.headed(true));
        section.lines.retain(|line| {
            let rule = line.rule.as_deref().map_or(0, estimate);
            let cost = estimate(&format!("- {}\n", line.text)) + rule + heading;
            if cost <= room {
                (room, heading) = (room - cost, 0);
                return true;
            }
            false
        });
    }
    Rendered::of(&sections)
}

impl Rendered {
    fn of(sections: &[Section]) -> Rendered {
        let cut = sections.iter().filter(|section| section.lines.len() < section.of);
        let left_out: Vec<LeftOut> = cut.map(|section| section.left_out(section.lines.len())).collect();
        let rules = sections.iter().flat_map(|section| &section.lines);
        let guidance: Vec<String> = rules.filter_map(|line| line.rule.clone()).collect();
        let markdown = written(sections, &left_out);
        Rendered {
            tokens: estimate(&markdown) + guidance.iter().map(|rule| estimate(rule)).sum::<u64>(),
            markdown,
            guidance,
            left_out,
        }
    }
}

fn written(sections: &[Section], left_out: &[LeftOut]) -> String {
    let mut shown: Vec<&Section> = sections.iter().filter(|section| !section.lines.is_empty()).collect();
    shown.sort_by_key(|section| section.place);
    let mut text = String::new();
    let mut context = "";
    for section in shown {
        let begins = context != ROWS[section.place].1;
        context = ROWS[section.place].1;
        text.push_str(&section.headed(begins));
        for line in &section.lines {
            text.push_str(&format!("- {}\n", line.text));
        }
    }
    if !left_out.is_empty() {
        text.push_str(&note(left_out));
    }
    text.trim_start().to_owned()
}

fn note(left_out: &[LeftOut]) -> String {
    let named = left_out
        .iter()
        .map(|left| format!("{} ({} of {})", left.member, left.lines, left.of));
    format!("\n_Left out to save room: {}._\n", named.collect::<Vec<_>>().join(", "))
}

impl Section {
    fn of(place: usize, message: &Message) -> Section {
        let (member, ..) = ROWS[place];
        let plain = |lines: Vec<String>| lines.into_iter().map(|text| Line { text, rule: None }).collect();
        let lines: Vec<Line> = match member {
            "taskContext" => plain(task_lines(message.context(member))),
            "securityContext" => plain(security_lines(message.context(member))),
            "others" => plain(rest(message)),
            list => list_lines(list, ROWS[place].3, message),
        };
        let of = lines.len();
        Section { place, of, lines }
    }

    fn left_out(&self, kept: usize) -> LeftOut {
        LeftOut {
            member: ROWS[self.place].0,
            lines: self.of - kept,
            of: self.of,
        }
    }

    /// The headings above it: its context's, where that `begins` with it, and its own.
    fn headed(&self, begins: bool) -> String {
        let (_, context, own, _) = ROWS[self.place];
        let mut text = String::new();
        if begins {
            text.push_str(&format!("\n## {context}\n"));
        }
        if !own.is_empty() {
            text.push_str(&format!("\n### {own}\n"));
        }
        text + "\n"
    }
}

fn task_lines(task: &Map<String, Value>) -> Vec<String> {
    let named = [("Name", "taskName"), ("Id", "taskId"), ("Progress", "taskProgress")];
    let named = named
        .iter()
        .filter_map(|(name, member)| Some((name, text(task, member)?)));
    named.map(|(name, said)| line(&format!("{name}: {said}"))).collect()
}

/// One line an item.
fn list_lines(list: &str, told: &[&str], message: &Message) -> Vec<Line> {
    let (context, name) = list.split_once('.').unwrap_or_default();
    let mut items: Vec<&Value> = items(message.context(context), name).iter().collect();
    if list == UPDATES {
        items.sort_by_key(|update| Reverse(update["timestamp"].as_str().and_then(At::parse)));
    }
    let one = |item: &Value| Line {
        text: item_line(list, told, item),
        rule: item["rule"].as_str().filter(|_| list == POLICIES).map(line),
    };
    items.into_iter().map(one).collect()
}

fn item_line(list: &str, told: &[&str], item: &Value) -> String {
    let Value::Object(members) = item else {
        return line(item.as_str().unwrap_or_default());
    };
    let mut said: Vec<&str> = told.iter().filter_map(|name| text(members, name)).collect();
    if list == FUNCTIONS && said.len() < told.len() {
        said.push("(not described)");
    }
    let said = said.join(if list == SERVICES { " " } else { ": " });
    // A rule is told as it is, and the id of an update says nothing.
    let is_told = |name: &str| told.contains(&name) || name == "updateId" || list == POLICIES;
    let others = members.iter().filter(|(name, _)| !is_told(name));
    let others: Vec<String> = others.map(|(name, value)| member(name, value)).collect();
    match others.is_empty() {
        true => line(&said),
        false => line(&format!("{said} ({})", others.join("; "))),
    }
}

/// What no context of the document holds: members of the message, and of each context but that of security, which tells its own.
fn rest(message: &Message) -> Vec<String> {
    let mut rest = others(object(message.document.get("agentContext")), shape::AGENT_CONTEXT);
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
    let is_known = |name: &str| known.iter().any(|row| row.name == name);
    let others = members.iter().filter(|(name, _)| !is_known(name));
    others.map(|(name, value)| member(name, value)).collect()
}

fn security_lines(security: &Map<String, Value>) -> Vec<String> {
    let mut lines = Vec::new();
    for (context, value) in security {
        match context.as_str() {
            // What it says of authentication is nothing for a model.
            "authenticationInfo" => {}
            "accessControl" | "dataProtection" => {
                let members = object(Some(value)).iter();
                lines.extend(members.filter_map(|(name, value)| security_line(name, value)));
            }
            _ => lines.push(member(context, value)),
        }
    }
    lines.retain(|line| !line.ends_with(MARK));
    lines
}

/// What one member says of access or protection.
fn security_line(name: &str, value: &Value) -> Option<String> {
    let label = match name {
        "role" => "Role",
        "permissions" => "Permissions",
        "encryptionEnabled" => "Encryption",
        "encryptionAlgorithm" => "Encryption algorithm",
        _ => return Some(member(name, value)),
    };
    let said = match value {
        Value::String(text) => text.clone(),
        Value::Bool(on) => (if *on { "on" } else { "off" }).to_owned(),
        Value::Array(items) if !items.is_empty() => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            items.join(", ")
        }
        Value::Array(_) | Value::Null | Value::Number(_) | Value::Object(_) => return None,
    };
    Some(line(&format!("{label}: {said}")))
}

fn member(name: &str, value: &Value) -> String {
    match value {
        Value::String(text) => line(&format!("{name}: {text}")),
        other => line(&format!("{name}: {other}")),
    }
}

/// A text on one line, without control characters, and not endless, so that no part of it can pretend to be a heading or a rule.
fn line(text: &str) -> String {
    let (head, end) = match text.char_indices().nth(LINE_CHARS_MAX) {
        Some((end, _)) => (&text[..end], "…"),
        None => (text, ""),
    };
    let words = head.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ") + end
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
        assert_eq!(rendered.guidance.len(), 2);
        assert!(!rendered.markdown.contains("eyJ"), "no token");
    }

    #[test]
    fn what_does_not_fit_is_left_out_from_the_end_and_said_m006() {
        let whole = render(&figure(), 4_000).tokens;
        assert!(render(&figure(), whole).left_out.is_empty(), "at its size it is whole");
        let less = render(&figure(), whole - 1);
        assert!(!less.left_out.is_empty() && less.tokens < whole);
        let small = render(&figure(), TOKENS_MIN);
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
        let updates: Vec<_> = (1..=28)
            .map(|day| {
                json!({"updateId": format!("U{day}"), "timestamp": format!("2026-01-{day:02}T00:00:00Z"),
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
