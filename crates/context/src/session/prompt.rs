//! What an agent's system prompt is to say of the shared context, in three blocks (Shared Context §6, S-058 … S-073): which keys
//! there are, what to write, how to read.
//!
//! Written for who takes part in a session, and as what: with its own conventions or the document's starting set, its limits, and the
//! extensions that are on. Invariants: no key is named that is none of the session's conventions; nobody is told to write into a
//! session that takes nothing more.

use std::fmt::Write;

use crate::session::config::Config;
use crate::session::config::Group;
use crate::session::name::SessionId;
use crate::session::participant::Participant;
use crate::session::size::SizeLimits;

/// The three blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    pub namespace: String,
    pub write_discipline: String,
    pub read_pattern: String,
}

/// The document's starting set of conventions (S-060): title, then key and purpose.
const STARTING_SET: &[(&str, &[(&str, &str)])] = &[
    (
        "State",
        &[
            ("current_phase", "the phase or stage that the work is in"),
            ("phase_status", "what is finished and what comes next"),
            ("blocking_issues", "whatever keeps the work from going on"),
        ],
    ),
    (
        "Problem",
        &[
            ("problem_summary", "the problem or the goal in a few sentences"),
            ("scope", "what belongs to the work and what does not"),
            ("constraints", "requirements and limits that are known"),
        ],
    ),
    (
        "Findings",
        &[
            ("findings_summary", "the main findings so far, distilled"),
            ("open_questions", "what the user or the next agent has to answer"),
            ("decisions_made", "what the user decided, with a short reason"),
        ],
    ),
    (
        "Output",
        &[
            ("deliverables_status", "what has been made and what is still to come"),
            ("quality_checks", "which checks passed or failed, with a short reason"),
        ],
    ),
];

/// Keys of the starting set that say what is settled.
const SETTLING: [&str; 2] = ["phase_status", "decisions_made"];

/// The blocks of a session for one that takes part in it; `groups` are its own conventions.
pub fn prompt(
    (session, who): (&SessionId, &Participant),
    groups: Option<&[Group]>,
    (config, is_archived): (&Config, bool),
    limits: &SizeLimits,
) -> Prompt {
    Prompt {
        namespace: part(session, who, is_archived) + &namespace(groups, config, is_archived),
        write_discipline: if is_archived {
            ARCHIVED.to_owned()
        } else {
            write_discipline(config, limits)
        },
        read_pattern: read_pattern(groups, config),
    }
}

/// What stands for the second block where nothing is taken any more.
const ARCHIVED: &str = "Writing to the shared context.\n  - The session is archived: it can be read, and nothing can be written, deleted or \
                        put back (SESSION_ARCHIVED).\n";

impl Prompt {
    /// All three as one text.
    pub fn text(&self) -> String {
        [self.namespace.as_str(), &self.write_discipline, &self.read_pattern].join("\n")
    }
}

/// Where the agent is and as what, so that it need not be told by other means.
fn part(session: &SessionId, who: &Participant, is_archived: bool) -> String {
    let (session, who) = (session.as_str(), who.as_str());
    let end = if is_archived {
        "the session is archived, and you can read it"
    } else {
        "what you write bears your role as written_by"
    };
    format!(
        "You take part in the session {session} as {who}. Call the tool shared_context with \"session_id\": \"{session}\"; {end}.\n"
    )
}

fn namespace(groups: Option<&[Group]>, config: &Config, is_archived: bool) -> String {
    let mut text = String::from(if is_archived {
        "Keys of the shared context.\n"
    } else {
        "Keys of the shared context. Prefer these, so that other agents find what you wrote; add a key of your own only where none \
         of them fits.\n"
    });
    let line = |key: &str, purpose: &str, content: Option<&str>| {
        let content = content
            .map(|content| format!(" Content: {content}"))
            .unwrap_or_default();
        format!("  {key}: {purpose}.{content}\n").replace("..", ".")
    };
    match groups {
        Some(groups) => {
            for group in groups {
                let _ = writeln!(text, "{}:", group.title);
                for convention in &group.keys {
                    text.push_str(&line(
                        &convention.key,
                        &convention.purpose,
                        convention.content.as_deref(),
                    ));
                }
            }
        }
        None => {
            for (title, keys) in STARTING_SET {
                let _ = writeln!(text, "{title}:");
                for (key, purpose) in *keys {
                    text.push_str(&line(key, purpose, None));
                }
            }
        }
    }
    if is_archived {
        return text;
    }
    text.push_str("A key has 1 to 64 characters out of a-z, 0-9 and _");
    if config.prefixes {
        let named = groups.and_then(|groups| groups.iter().flat_map(|group| &group.keys).next());
        let example = named.map_or("findings_summary", |convention| convention.key.as_str());
        let example = example.rsplit(':').next().unwrap_or(example);
        let _ = write!(
            text,
            "; a prefix with a colon, such as inv:{example}, keeps one agent's keys apart"
        );
    }
    text.push_str(".\n");
    text
}

fn write_discipline(config: &Config, limits: &SizeLimits) -> String {
    let mut text = format!(
        "Writing to the shared context (tool shared_context, action write).\n\
         Store:\n\
         \x20 - conclusions and the current state of the work\n\
         \x20 - what the user decided, with a short reason\n\
         \x20 - findings in distilled form: what follows from the data, not the data\n\
         \x20 - ids of what is being worked with; fetch the content again where it is needed\n\
         \x20 - open questions and what blocks the work\n\
         \x20 - how far each piece of work has come\n\
         Do not store:\n\
         \x20 - raw data, whole documents or transcripts\n\
         \x20 - what belongs into the formal record or the database\n\
         \x20 - personal or secret data: names, identifiers of people, credentials\n\
         \x20 - texts of other sources in full; store their ids\n\
         \x20 - intermediate reasoning and scratch work\n\
         Discipline:\n\
         \x20 - A value above about {} tokens probably holds raw data: distil it. From {} tokens on you are warned, above {} the \
         write is refused; all values together may have {}.\n\
         \x20 - Update the key that is there rather than adding another one for the same thing.\n\
         \x20 - What people review goes into the formal record as well; this is no place to keep it.\n\
         \x20 - Delete keys that no longer matter, such as questions that were answered.\n",
        limits.value_hinted, limits.value_warned, limits.value_max, limits.total_max
    );
    if config.if_version {
        text.push_str(
            "  - Where another agent may have written in between, send the version that you read as if_version, and its \
             incarnation as if_incarnation: the write is refused if the key has moved on.\n",
        );
    }
    if config.expiry {
        text.push_str(
            "  - A key that matters for a while only may be written with ttl_s, the seconds after which it is gone.\n",
        );
    }
    if config.access_control {
        text.push_str("  - readable_by and writable_by say which participants a key is for, such as [\"orchestrator\", \"subagent:review\"].\n");
    }
    text
}

/// Where to see what is settled, as far as the session's conventions have such keys.
fn settling(groups: Option<&[Group]>) -> String {
    let is_own =
        |key: &&str| groups.is_none_or(|groups| groups.iter().flat_map(|group| &group.keys).any(|own| own.key == *key));
    let keys: Vec<&str> = SETTLING.into_iter().filter(is_own).collect();
    if keys.is_empty() {
        return String::new();
    }
    format!(" (see {})", keys.join(" and "))
}

fn read_pattern(groups: Option<&[Group]>, config: &Config) -> String {
    let settling = settling(groups);
    let mut text = format!(
        "Reading from the shared context.\n\
         \x20 1. Call list_keys first: it says what there is, and how large.\n\
         \x20 2. Read only the keys that your task needs.\n\
         \x20 3. Look at value_size_tokens before you read a large value: it may not be worth it for your task.\n\
         \x20 4. What a subagent wrote and the user approved{settling} is settled.\n\
         \x20 5. What a subagent wrote and nobody approved is a draft: weigh it, do not take it for a fact.\n\
         \x20 6. What you do not find here you get by your other tools. The shared context holds distilled state and is not the \
         source of truth. A key that is not there (KEY_NOT_FOUND) is nothing unusual.\n",
    );
    if config.batch_read {
        text.push_str("  - read_batch reads several keys in one call.\n");
    }
    if config.history_versions > 0 {
        text.push_str("  - read_history shows what a key said before.\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::Config;
    use super::Group;
    use super::Participant;
    use super::SessionId;
    use super::SizeLimits;

    const LIMITS: SizeLimits = SizeLimits {
        value_max: 1_000,
        value_warned: 800,
        value_hinted: 500,
        total_max: 10_000,
    };

    fn prompt(groups: Option<&[Group]>, config: &Config) -> super::Prompt {
        prompt_of(groups, (config, false))
    }

    fn prompt_of(groups: Option<&[Group]>, config: (&Config, bool)) -> super::Prompt {
        let session = SessionId::parse("incident-42").expect("an id");
        let who = Participant::parse("subagent:analysis").expect("a role");
        super::prompt((&session, &who), groups, config, &LIMITS)
    }

    fn capa() -> Vec<Group> {
        let groups = r#"[{"title": "CAPA", "keys": [{"key": "root_cause", "purpose": "the cause.", "content": "one sentence"}]}]"#;
        serde_json::from_str(groups).expect("groups")
    }

    #[test]
    fn nobody_is_told_to_write_into_an_archived_session_s055_s058() {
        let said = prompt_of(None, (&Config::default(), true));
        let whole = said.text();
        assert!(
            whole.contains("SESSION_ARCHIVED") && whole.contains("current_phase") && whole.contains("list_keys first")
        );
        for word in ["action write", "Prefer these", "Store:", "you write bears"] {
            assert!(!whole.contains(word), "{word}");
        }
    }

    #[test]
    fn a_session_with_conventions_of_its_own_is_told_of_no_other_keys_s059() {
        let prefixed = Config {
            prefixes: true,
            ..Config::default()
        };
        let whole = prompt(Some(&capa()), &prefixed).text();
        assert!(whole.contains("inv:root_cause"), "{whole}");
        for (_, keys) in super::STARTING_SET {
            for (key, _) in *keys {
                assert!(*key == "scope" || !whole.contains(key), "{key}");
            }
        }
        assert!(
            prompt(None, &prefixed)
                .text()
                .contains("(see phase_status and decisions_made)")
        );
    }

    #[test]
    fn three_blocks_with_the_starting_set_and_the_limits_s058_s060_s061() {
        let said = prompt(None, &Config::default());
        for key in [
            "current_phase",
            "phase_status",
            "blocking_issues",
            "problem_summary",
            "scope",
            "constraints",
            "findings_summary",
            "open_questions",
            "decisions_made",
            "deliverables_status",
            "quality_checks",
        ] {
            assert!(said.namespace.contains(&format!("  {key}: ")), "{key}");
        }
        assert!(said.write_discipline.contains("above about 500 tokens"));
        assert!(said.write_discipline.contains("From 800 tokens on") && said.write_discipline.contains("above 1000"));
        assert!(said.read_pattern.contains("list_keys first") && said.read_pattern.contains("value_size_tokens"));
        let whole = said.text();
        assert!(
            whole.contains(&said.namespace)
                && whole.contains(&said.write_discipline)
                && whole.contains(&said.read_pattern)
        );
    }

    #[test]
    fn a_session_speaks_of_its_own_keys_and_of_what_is_on_s013_s059() {
        let groups = capa();
        let off = Config {
            if_version: false,
            batch_read: false,
            ..Config::default()
        };
        let only_where_on = [
            "if_version",
            "ttl_s",
            "readable_by",
            "read_batch",
            "read_history",
            "inv:",
        ];
        let said = prompt(Some(&groups), &off);
        assert!(
            said.namespace
                .contains("CAPA:\n  root_cause: the cause. Content: one sentence\n"),
            "{}",
            said.namespace
        );
        assert!(!said.namespace.contains("current_phase"));
        let whole = said.text();
        for word in only_where_on {
            assert!(!whole.contains(word), "{word}");
        }
        let on = Config {
            prefixes: true,
            access_control: true,
            history_versions: 3,
            expiry: true,
            ..Config::default()
        };
        let whole = prompt(None, &on).text();
        for word in only_where_on {
            assert!(whole.contains(word), "{word}");
        }
    }
}
