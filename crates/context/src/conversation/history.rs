//! What of a conversation goes to one agent: which turns, the summary before them, and what was left out (P-030 … P-035).
//!
//! Plans by what the index knows, so that nothing has to be read that does not go out; the words come after. Invariant: a turn
//! that a summary covers goes out as it was said only where the coordinator asked for the last turns by their number, or marked it
//! to be kept.

use serde_json::Value;
use serde_json::json;

use crate::a2a_task::message::Part;
use crate::a2a_task::typed_part::HISTORY;
use crate::a2a_task::typed_part::HISTORY_VERSION;
use crate::conversation::index::Conversation;
use crate::conversation::recipient::Recipient;
use crate::conversation::summary::Item;
use crate::conversation::turn::as_history;
use text::redaction::REDACTED_BYTES_MAX;
use text::redaction::redacted;

/// What of the history goes out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub summary: bool,
    /// Places of turns, from 0, in their order.
    pub turns: Vec<usize>,
    /// Those that stand in the summary as they were said.
    pub kept: Vec<usize>,
    /// Turns marked sensitive that would have gone out, or that the summary would have covered: it never holds them.
    pub sensitive: usize,
}

/// Which turns go to an agent. `before` is how many of the first turns there are for it: the query itself may be the last one.
pub fn plan(conversation: &Conversation, recipient: &Recipient, before: usize) -> Plan {
    if !recipient.gets(HISTORY) {
        return Plan::default();
    }
    let before = before.min(conversation.turns.len());
    let first = match recipient.last_turns {
        Some(last) => before.saturating_sub(last),
        None => conversation.covered().min(before),
    };
    let mut plan = Plan {
        summary: recipient.summary && conversation.summary.is_some(),
        ..Plan::default()
    };
    let lets_out = |sensitive: bool| !sensitive || recipient.sensitive;
    if recipient.summary {
        let before = conversation.turns.iter().enumerate().take(first);
        let kept = before.filter(|(_, turn)| turn.keep && lets_out(turn.sensitive));
        plan.kept = kept.map(|(place, _)| place).collect();
    }
    if plan.summary {
        let covered = conversation.turns.iter().take(first.min(conversation.covered()));
        let left_out = covered.filter(|turn| turn.sensitive && !(turn.keep && lets_out(true)));
        plan.sensitive = left_out.count();
    }
    for (place, turn) in conversation.turns.iter().enumerate().take(before).skip(first) {
        if !lets_out(turn.sensitive) {
            plan.sensitive += 1;
        } else {
            plan.turns.push(place);
        }
    }
    plan
}

/// The part that holds the history, with a record of what was made of it (P-034); `None` where nothing goes out. `summary` is what
/// was made of the turns that it covers, with those that stand in it as they were said.
pub fn part(
    conversation: &Conversation,
    recipient: &Recipient,
    plan: &Plan,
    summary: &[Item],
    said: &[Item],
) -> Option<Part> {
    if !recipient.gets(HISTORY) || (summary.is_empty() && said.is_empty() && plan.sensitive == 0 && !plan.summary) {
        return None;
    }
    let turns: Vec<Item> = said.iter().map(|item| item.shown(recipient)).collect();
    let data = as_history(summary.iter().chain(&turns).map(Item::said));
    let mut part = Part::data(data.to_string(), "application/json").typed(HISTORY, HISTORY_VERSION);
    if let Some(made) = conversation.summary.as_ref().filter(|_| plan.summary) {
        let record = json!({
            "turns": made.turns, "first_turn": 1, "last_turn": made.turns, "items": summary.len(), "method": made.method,
            "model": made.model, "made_at": made.at.rfc3339(),
        });
        part.metadata.insert("summarised".to_owned(), record);
    }
    let verbatim: Vec<usize> = plan.turns.iter().map(|place| place + 1).collect();
    if !plan.kept.is_empty() {
        let kept: Vec<usize> = plan.kept.iter().map(|place| place + 1).collect();
        part.metadata.insert("keptTurns".to_owned(), json!(kept));
    }
    part.metadata.insert("verbatimTurns".to_owned(), json!(verbatim));
    if !recipient.sensitive {
        part.metadata.insert("redacted".to_owned(), Value::Bool(true));
    }
    if plan.sensitive > 0 {
        part.metadata
            .insert("sensitiveTurnsLeftOut".to_owned(), json!(plan.sensitive));
    }
    Some(part)
}

/// What was made of the first turns, with those among them that stand as they were said, in the order of the conversation.
pub fn with_kept(mut summary: Vec<Item>, kept: &[Item], recipient: &Recipient) -> Vec<Item> {
    summary.extend(kept.iter().map(|item| item.shown(recipient)));
    summary.sort_by_key(|item| item.turn);
    summary
}

impl Item {
    /// The same as this agent gets it.
    fn shown(&self, recipient: &Recipient) -> Item {
        Item {
            content: shown(&self.content, recipient),
            ..self.clone()
        }
    }
}

/// Words as an agent gets them: without what is personal, unless it was declared to get that too.
pub fn shown(content: &str, recipient: &Recipient) -> String {
    if recipient.sensitive {
        content.to_owned()
    } else {
        redacted_whole(content)
    }
}

/// A text of any length without what is personal, line by line.
pub fn redacted_whole(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut rest = line;
        let mut pieces = Vec::new();
        while rest.len() > REDACTED_BYTES_MAX {
            let head = &rest[..rest.floor_char_boundary(REDACTED_BYTES_MAX)];
            // Cut between words, so that no number or address is halved.
            let end = head
                .rfind(char::is_whitespace)
                .filter(|end| *end > 0)
                .unwrap_or(head.len());
            pieces.push(redacted(&rest[..end]));
            rest = rest[end..].trim_start();
        }
        pieces.push(redacted(rest));
        lines.push(pieces.join(" "));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::Conversation;
    use super::Item;
    use super::Plan;
    use super::Recipient;
    use super::part;
    use super::plan;
    use super::redacted_whole;
    use crate::a2a_task::message::Content;
    use crate::aggregate::Aggregate;
    use crate::conversation::event::ConversationEvent;
    use crate::conversation::index::ConversationIndex;
    use crate::conversation::summary::Method;
    use crate::conversation::turn::Speaker;
    use schema::time::At;

    /// Twelve turns, the second and the third kept, the third and the twelfth sensitive, ten of them summarised.
    fn conversation() -> Conversation {
        let mut index = ConversationIndex::default();
        let context = || "c".to_owned();
        let opened = ConversationEvent::Opened {
            context: context(),
            owner: None,
        };
        index.evolve(1, At(0), &opened);
        for turn in 1..=12_u64 {
            let said = ConversationEvent::Said {
                context: context(),
                speaker: Speaker::User,
                task: None,
                sensitive: matches!(turn, 3 | 12),
                keep: matches!(turn, 2 | 3),
                more: 0,
            };
            index.evolve(turn + 1, At(1), &said);
        }
        let summarised = ConversationEvent::Summarised {
            context: context(),
            turns: 10,
            items: 1,
            model: "m".to_owned(),
            method: Method::Extractive,
            more: 0,
        };
        index.evolve(20, At(2), &summarised);
        index.conversations.remove("c").expect("it is there")
    }

    fn recipient(text: &str) -> Recipient {
        Recipient::read(text).expect("a declaration")
    }

    #[test]
    fn a_summary_stands_for_what_it_covers_and_the_rest_goes_out_as_it_was_said_p026_p033() {
        let planned = plan(&conversation(), &recipient(r#"{"types":["ConversationHistory"]}"#), 12);
        assert_eq!((planned.summary, planned.turns, planned.sensitive), (true, vec![10], 2));
        let asked = r#"{"types":["ConversationHistory"],"last_turns":11,"summary":false,"sensitive":true}"#;
        let planned = plan(&conversation(), &recipient(asked), 12);
        assert_eq!(
            (planned.summary, planned.turns.len(), planned.sensitive),
            (false, 11, 0)
        );
        let before = plan(&conversation(), &recipient(r#"{"types":["ConversationHistory"]}"#), 11);
        assert_eq!(
            (before.turns, before.sensitive),
            (vec![10], 1),
            "the query is not its own history"
        );
        assert_eq!(before.kept, [1], "kept, and not sensitive");
        let all = r#"{"types":["ConversationHistory"],"sensitive":true}"#;
        let all = plan(&conversation(), &recipient(all), 12);
        assert_eq!((all.kept, all.turns, all.sensitive), (vec![1, 2], vec![10, 11], 0));
        let few = plan(
            &conversation(),
            &recipient(r#"{"types":["ConversationHistory"],"summary":false}"#),
            12,
        );
        assert_eq!(few.kept, Vec::<usize>::new(), "they stand in the summary");
        let none = plan(&conversation(), &recipient(r#"{"types":["UserContext"]}"#), 12);
        assert_eq!(none, Plan::default());
    }

    #[test]
    fn the_part_says_what_was_summarised_and_left_out_p018_p034() {
        let (conversation, recipient) = (conversation(), recipient(r#"{"types":["ConversationHistory"]}"#));
        let planned = plan(&conversation, &recipient, 12);
        let items = [Item {
            turn: 4,
            role: Speaker::Assistant,
            content: "Option 4 it is.".to_owned(),
        }];
        let said = [Item {
            turn: 11,
            role: Speaker::User,
            content: "Mail it to a@example.org\nnow".to_owned(),
        }];
        let made = part(&conversation, &recipient, &planned, &items, &said).expect("a part");
        let Content::Data(data) = &made.content else {
            panic!("no data")
        };
        assert_eq!(
            data,
            r#"[{"role":"assistant","content":"Option 4 it is."},{"role":"user","content":"Mail it to [email]\nnow"}]"#
        );
        assert_eq!(made.metadata["type"], "ConversationHistory");
        assert_eq!(made.metadata["schemaVersion"], "1.0.0");
        assert_eq!(made.metadata["summarised"]["turns"], 10);
        assert_eq!(made.metadata["summarised"]["items"], 1);
        assert_eq!(made.metadata["verbatimTurns"], Value::from(vec![11]));
        assert_eq!(
            made.metadata["sensitiveTurnsLeftOut"], 2,
            "one of them under the summary"
        );
        assert_eq!(part(&conversation, &recipient, &Plan::default(), &[], &[]), None);
    }

    #[test]
    fn a_long_text_is_redacted_to_its_end() {
        let text = format!("{}\nwrite to a@example.org", "word ".repeat(2_000));
        let made = redacted_whole(&text);
        assert!(made.ends_with("\nwrite to [email]") && made.len() > 9_000);
    }
}
