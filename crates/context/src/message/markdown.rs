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

use crate::message::agent_context::AgentContext;
use crate::message::agent_context::Message;
use crate::message::agent_context::Resource;
use crate::message::agent_context::SecurityContext;
use crate::message::agent_context::TaskContext;
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

fn sections(message: &Message) -> Vec<Section> {
    let AgentContext {
        task_context,
        mcp_context,
        policy_context,
        resource_context,
        security_context,
        more,
    } = &message.agent_context;
    let mut sections = Vec::new();
    let policies = policy_context
        .iter()
        .flat_map(|policies| policies.policies.iter().flatten());
    let (rules, apart): (Vec<String>, Vec<String>) = policies
        .map(|policy| {
            let named = line(&format!("{}: {}", policy.policy_id, policy.rule));
            (named, line(&policy.rule))
        })
        .unzip();
    if !rules.is_empty() {
        sections.push(Section {
            member: "policyContext.policies",
            place: (POLICY, 0),
            heading: "",
            lines: rules,
            apart,
        });
    }
    let mut add = |member, place, heading, lines: Vec<String>| {
        if !lines.is_empty() {
            let apart = Vec::new();
            sections.push(Section {
                member,
                place,
                heading,
                lines,
                apart,
            });
        }
    };
    if let Some(task) = task_context {
        add("taskContext", (TASK, 0), "", task_lines(task));
        let goals = task.goals.iter().flatten().map(|goal| line(goal));
        add("taskContext.goals", (TASK, 1), "Goals", goals.collect());
        let items = task.todo_items.iter().flatten();
        let items = items.map(|item| line(&format!("{}: {}{}", item.item_id, item.description, also(&item.more))));
        add("taskContext.todoItems", (TASK, 2), "To do", items.collect());
        let mut updates: Vec<_> = task.status_updates.iter().flatten().collect();
        updates.sort_by_key(|update| Reverse(At::parse(&update.timestamp)));
        let updates = updates.into_iter().map(|update| {
            line(&format!(
                "{}: {}{}",
                update.timestamp,
                update.message,
                also(&update.more)
            ))
        });
        add(
            "taskContext.statusUpdates",
            (TASK, 3),
            "What happened, newest first",
            updates.collect(),
        );
    }
    if let Some(mcp) = mcp_context {
        let functions = mcp.mcp_function_list.iter().flatten().map(|function| {
            let what = function.description.as_deref().unwrap_or("(not described)");
            line(&format!("{}: {what}{}", function.function_name, also(&function.more)))
        });
        add(
            "mcpContext.mcpFunctionList",
            (MCP, 1),
            "Functions to choose from",
            functions.collect(),
        );
        let services = mcp.mcp_service_list.iter().flatten().map(|service| {
            let version = service
                .version
                .as_deref()
                .map(|version| format!(" {version}"))
                .unwrap_or_default();
            line(&format!("{}{version}{}", service.service_name, also(&service.more)))
        });
        add("mcpContext.mcpServiceList", (MCP, 0), "Services", services.collect());
    }
    if let Some(resources) = resource_context {
        let of = |list: &Option<Vec<Resource>>| list.iter().flatten().map(resource).collect::<Vec<_>>();
        add(
            "resourceContext.requiredResources",
            (RESOURCE, 0),
            "Needed",
            of(&resources.required_resources),
        );
        add(
            "resourceContext.availableResources",
            (RESOURCE, 1),
            "At hand",
            of(&resources.available_resources),
        );
    }
    if let Some(security) = security_context {
        add(
            "securityContext",
            (SECURITY, 0),
            "Guidance, no permission",
            security_lines(security),
        );
    }
    let mut rest: Vec<String> = members(more);
    rest.extend(task_context.iter().flat_map(|task| members(&task.more)));
    rest.extend(mcp_context.iter().flat_map(|mcp| members(&mcp.more)));
    rest.extend(policy_context.iter().flat_map(|policies| members(&policies.more)));
    rest.extend(resource_context.iter().flat_map(|resources| members(&resources.more)));
    rest.extend(members(&message.more));
    add("others", (REST, 0), "", rest);
    sections
}

fn task_lines(task: &TaskContext) -> Vec<String> {
    let named = [
        ("Name", &task.task_name),
        ("Id", &task.task_id),
        ("Progress", &task.task_progress),
    ];
    named
        .iter()
        .filter_map(|(name, value)| Some(line(&format!("{name}: {}", value.as_ref()?))))
        .collect()
}

fn security_lines(security: &SecurityContext) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(access) = &security.access_control {
        lines.extend(access.role.iter().map(|role| line(&format!("Role: {role}"))));
        let permissions = access.permissions.iter().filter(|list| !list.is_empty());
        lines.extend(permissions.map(|list| line(&format!("Permissions: {}", list.join(", ")))));
        lines.extend(members(&access.more));
    }
    if let Some(protection) = &security.data_protection {
        let enabled = protection
            .encryption_enabled
            .map(|enabled| if enabled { "on" } else { "off" });
        lines.extend(enabled.map(|enabled| format!("Encryption: {enabled}")));
        let algorithm = protection.encryption_algorithm.iter();
        lines.extend(algorithm.map(|algorithm| line(&format!("Encryption algorithm: {algorithm}"))));
        lines.extend(members(&protection.more));
    }
    // What it says of authentication is nothing for a model.
    let rest = security.more.iter().filter(|(name, _)| *name != "authenticationInfo");
    lines.extend(rest.map(|(name, value)| member(name, value)));
    lines.retain(|line| !line.ends_with(MARK));
    lines
}

fn resource(resource: &Resource) -> String {
    let mut said = vec![resource.resource_type.clone()];
    said.extend(resource.quantity.clone());
    said.extend(resource.bandwidth.clone());
    line(&format!("{}{}", said.join(": "), also(&resource.more)))
}

fn members(more: &Map<String, Value>) -> Vec<String> {
    more.iter().map(|(name, value)| member(name, value)).collect()
}

fn member(name: &str, value: &Value) -> String {
    let said = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    line(&format!("{name}: {said}"))
}

fn also(more: &Map<String, Value>) -> String {
    if more.is_empty() {
        return String::new();
    }
    format!(" ({})", members(more).join("; "))
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
        read(include_str!("figure_2.json")).expect("a message").message
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
        let message = read(&text.to_string()).expect("a message").message;
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
            let message = read(&text.to_string()).expect("a message").message;
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
