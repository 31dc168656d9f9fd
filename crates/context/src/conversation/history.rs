//! What of a conversation goes to one agent: which turns, the summary before them, and what was left out (P-030 … P-035).
//!
//! Plans by what the index knows, so that nothing has to be read that does not go out; the words come after. Invariant: a turn
//! that a summary covers goes out as it was said only where the coordinator asked for the last turns by their number, or marked it
//! `keep`.

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
    /// Turns that a summary covers and that stand beside it word for word.
    pub kept: Vec<usize>,
    /// Turns marked sensitive that would have gone out, or that the summary would have covered: it never holds them.
    pub sensitive: usize,
}

/// Which turns go to an agent. `before` is how many of the first turns there are for it: the query itself may be the last one.
pub fn plan(conversation: &Conversation, recipient: &Recipient, before: usize) -> Plan {
    let mut plan = Plan::default();
    if !recipient.gets(HISTORY) {
        return plan;
    }
    let covered = conversation.covered();
    let before = before.min(conversation.turns.len());
    let first = match recipient.last_turns {
        Some(last) => before.saturating_sub(last),
        None => conversation.covered().min(before),
    };
    plan.summary = recipient.summary && conversation.summary.is_some();
    for (place, turn) in conversation.turns.iter().enumerate().take(before) {
        let (in_full, in_summary) = (place >= first, plan.summary && place < first.min(covered));
        if turn.sensitive && !recipient.sensitive {
            plan.sensitive += usize::from(in_full || in_summary);
        } else if in_full {
            plan.turns.push(place);
        } else if recipient.summary && turn.keep {
            plan.kept.push(place);
        } else if in_summary && turn.sensitive {
            plan.sensitive += 1;
        }
    }
    plan
}

/// The part that holds the history, with a record of what was made of it (P-034); `None` where nothing goes out. `summary` is what
/// was made of the turns that it covers.
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
    let numbers = |places: &[usize]| json!(places.iter().map(|place| place + 1).collect::<Vec<_>>());
    let marks = [
        ("keptTurns", !plan.kept.is_empty(), numbers(&plan.kept)),
        ("verbatimTurns", true, numbers(&plan.turns)),
        ("redacted", !recipient.sensitive, json!(true)),
        ("sensitiveTurnsLeftOut", plan.sensitive > 0, json!(plan.sensitive)),
    ];
    let marks = marks.into_iter().filter(|(_, is_said, _)| *is_said);
    part.metadata
        .extend(marks.map(|(name, _, value)| (name.to_owned(), value)));
    Some(part)
}

/// A summary with the kept turns among its items, in the order of the conversation.
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

/// Words as an agent gets them: without what is personal, line by line, unless it was declared to get that too.
pub fn shown(content: &str, recipient: &Recipient) -> String {
    if recipient.sensitive {
        return content.to_owned();
    }
    let lines: Vec<String> = content.lines().map(redacted_line).collect();
    lines.join("\n")
}

fn redacted_line(line: &str) -> String {
    let mut rest = line;
    let mut pieces = Vec::new();
    while rest.len() > REDACTED_BYTES_MAX {
        let head = &rest[..rest.floor_char_boundary(REDACTED_BYTES_MAX)];
        // Cut between words, so that no number or address is halved.
        let space = head.rfind(char::is_whitespace).filter(|space| *space > 0);
        let (piece, after) = rest.split_at(space.unwrap_or(head.len()));
        pieces.push(redacted(piece));
        rest = after.trim_start();
    }
    pieces.push(redacted(rest));
    pieces.join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Conversation;
    use super::Item;
    use super::Plan;
    use super::Recipient;
    use super::part;
    use super::plan;
    use super::shown;
    use super::with_kept;
    use crate::a2a_task::message::Content;
    use crate::conversation::index::Records;
    use crate::conversation::index::SpokenTurn;
    use crate::conversation::index::Summary;
    use crate::conversation::summary::Method;
    use crate::conversation::turn::Speaker;
    use schema::time::At;

    /// Twelve turns, the second and the third kept, the third and the twelfth sensitive, ten of them summarised.
    fn conversation() -> Conversation {
        let records = Records { from: 1, through: 1 };
        let turn = |turn: u64| SpokenTurn {
            records,
            at: At(1),
            speaker: Speaker::User,
            task: None,
            sensitive: matches!(turn, 3 | 12),
            keep: matches!(turn, 2 | 3),
        };
        Conversation {
            id: "c".to_owned(),
            owner: None,
            began: 1,
            began_at: At(0),
            at: At(1),
            turns: (1..=12).map(turn).collect(),
            parts: Default::default(),
            summary: Some(Summary {
                records,
                at: At(2),
                turns: 10,
                items: 1,
                model: "m".to_owned(),
                method: Method::Extractive,
            }),
            recipients: Default::default(),
        }
    }

    fn recipient(text: &str) -> Recipient {
        Recipient::read(text).expect("a declaration")
    }

    #[test]
    fn a_summary_stands_for_what_it_covers_and_the_rest_goes_out_as_it_was_said_p026_p032_p033() {
        let history = r#""types":["ConversationHistory"]"#;
        for (asked, before, expected) in [
            (format!("{{{history}}}"), 12, (true, vec![10], vec![1], 2)),
            // The query is not its own history.
            (format!("{{{history}}}"), 11, (true, vec![10], vec![1], 1)),
            (
                format!(r#"{{{history},"last_turns":11,"summary":false,"sensitive":true}}"#),
                12,
                (false, (1..12).collect(), vec![], 0),
            ),
            // A kept turn goes out as it was said, to an agent that gets what is sensitive.
            (
                format!(r#"{{{history},"sensitive":true}}"#),
                12,
                (true, vec![10, 11], vec![1, 2], 0),
            ),
            (
                format!(r#"{{{history},"summary":false}}"#),
                12,
                (false, vec![10], vec![], 1),
            ),
            (
                r#"{"types":["UserContext"]}"#.to_owned(),
                12,
                (false, vec![], vec![], 0),
            ),
        ] {
            let Plan {
                summary,
                turns,
                kept,
                sensitive,
            } = plan(&conversation(), &recipient(&asked), before);
            assert_eq!((summary, turns, kept, sensitive), expected, "{asked} {before}");
        }
    }

    #[test]
    fn the_part_says_what_was_summarised_and_left_out_p018_p034() {
        let (conversation, recipient) = (conversation(), recipient(r#"{"types":["ConversationHistory"]}"#));
        let planned = plan(&conversation, &recipient, 12);
        let item = |turn, role, content: &str| Item {
            turn,
            role,
            content: content.to_owned(),
        };
        let items = [item(4, Speaker::Assistant, "Option 4 it is.")];
        let said = [item(11, Speaker::User, "Mail it to a@example.org\nnow")];
        let kept = [item(2, Speaker::User, "Never over 900 euros")];
        let items = with_kept(items.to_vec(), &kept, &recipient);
        let made = part(&conversation, &recipient, &planned, &items, &said).expect("a part");
        let data = r#"[{"role":"user","content":"Never over 900 euros"},{"role":"assistant","content":"Option 4 it is."},{"role":"user","content":"Mail it to [email]\nnow"}]"#;
        assert_eq!(made.content, Content::Data(data.to_owned()));
        assert_eq!(
            json!(made.metadata),
            json!({"type": "ConversationHistory", "schemaVersion": "1.0.0", "summarised": {"turns": 10, "first_turn": 1, "last_turn": 10,
                "items": 2, "method": "extractive", "model": "m", "made_at": At(2).rfc3339()}, "keptTurns": [2],
                "verbatimTurns": [11], "redacted": true, "sensitiveTurnsLeftOut": 2}),
            "one of the sensitive ones under the summary"
        );
        assert_eq!(part(&conversation, &recipient, &Plan::default(), &[], &[]), None);
    }

    #[test]
    fn a_long_text_is_redacted_to_its_end() {
        let text = format!("{}\nwrite to a@example.org", "word ".repeat(2_000));
        let made = shown(&text, &Recipient::default());
        assert!(made.ends_with("\nwrite to [email]") && made.len() > 9_000);
    }
}
