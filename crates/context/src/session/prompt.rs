//! What an agent's system prompt is to say of the shared context, in three blocks (Shared Context §6, S-058 … S-073): which keys
//! there are, what to write, how to read.
//!
//! Written for who takes part in a session, and as what: with its own conventions or the document's starting set, its limits, and the
//! extensions that are on. Invariants: no key is named that is none of the session's conventions; nobody is told to write into a
//! session that takes nothing more.

use std::fmt::Write;

use crate::session::config::Config;
use crate::session::config::Convention;
use crate::session::config::Group;
use crate::session::limits::SizeLimits;
use crate::session::names::Participant;
use crate::session::names::SessionId;

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
    groups: Option<Vec<Group>>,
    (config, is_archived): (&Config, bool),
    limits: &SizeLimits,
) -> Prompt {
    let groups = groups.unwrap_or_else(starting_set);
    Prompt {
        namespace: part(session, who, is_archived) + &namespace(&groups, config, is_archived),
        write_discipline: if is_archived {
            ARCHIVED.to_owned()
        } else {
            write_discipline(config, limits)
        },
        read_pattern: read_pattern(&groups, config),
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

fn starting_set() -> Vec<Group> {
    let convention = |(key, purpose): &(&str, &str)| Convention {
        key: (*key).to_owned(),
        purpose: (*purpose).to_owned(),
        content: None,
    };
    let group = |(title, keys): &(&str, &[(&str, &str)])| Group {
        title: (*title).to_owned(),
        keys: keys.iter().map(convention).collect(),
    };
    STARTING_SET.iter().map(group).collect()
}

/// Where the agent is and as what, so that it need not be told by other means.
fn part(session: &SessionId, who: &Participant, is_archived: bool) -> String {
    let end = if is_archived {
        "the session is archived, and you can read it"
    } else {
        "what you write bears your role as written_by"
    };
    format!(
        "You take part in the session {session} as {who}. Call the tool shared_context with \"session_id\": \"{session}\"; {end}.\n"
    )
}

fn namespace(groups: &[Group], config: &Config, is_archived: bool) -> String {
    let mut text = String::from("Keys of the shared context.");
    if !is_archived {
        text.push_str(
            " Prefer these, so that other agents find what you wrote; add a key of your own only where none of them fits.",
        );
    }
    text.push('\n');
    for group in groups {
        let _ = writeln!(text, "{}:", group.title);
        for Convention { key, purpose, content } in &group.keys {
            let content = content
                .as_ref()
                .map(|content| format!(" Content: {content}"))
                .unwrap_or_default();
            text.push_str(&format!("  {key}: {purpose}.{content}\n").replace("..", "."));
        }
    }
    if is_archived {
        return text;
    }
    text.push_str("A key has 1 to 64 characters out of a-z, 0-9 and _");
    if config.prefixes {
        let named = groups.iter().flat_map(|group| &group.keys).next();
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
    text
}

fn read_pattern(groups: &[Group], config: &Config) -> String {
    let has = |key: &&str| groups.iter().flat_map(|group| &group.keys).any(|own| own.key == *key);
    let settling: Vec<&str> = SETTLING.into_iter().filter(has).collect();
    let settling = match settling.as_slice() {
        [] => String::new(),
        keys => format!(" (see {})", keys.join(" and ")),
    };
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
    use super::Prompt;
    use super::STARTING_SET;
    use super::SessionId;
    use crate::session::limits::tests::LIMITS;

    fn prompt(groups: Option<Vec<Group>>, config: (&Config, bool)) -> Prompt {
        let session = SessionId::parse("incident-42").expect("an id");
        let who = Participant::parse("subagent:analysis").expect("a role");
        super::prompt((&session, &who), groups, config, &LIMITS.size)
    }

    #[test]
    fn three_blocks_with_the_starting_set_and_the_limits_s058_s060_s061() {
        let said = prompt(None, (&Config::default(), false));
        for (key, _) in STARTING_SET.iter().flat_map(|(_, keys)| *keys) {
            assert!(said.namespace.contains(&format!("  {key}: ")), "{key}");
        }
        for words in ["above about 500 tokens", "From 800 tokens on", "above 1000"] {
            assert!(said.write_discipline.contains(words), "{words}");
        }
        for words in [
            "list_keys first",
            "value_size_tokens",
            "(see phase_status and decisions_made)",
        ] {
            assert!(said.read_pattern.contains(words), "{words}");
        }
        let whole = said.text();
        for block in [said.namespace, said.write_discipline, said.read_pattern] {
            assert!(whole.contains(&block));
        }
    }

    #[test]
    fn nobody_is_told_to_write_into_an_archived_session_s055_s058() {
        let whole = prompt(None, (&Config::default(), true)).text();
        for (words, are_said) in [
            ("SESSION_ARCHIVED", true),
            ("current_phase", true),
            ("list_keys first", true),
            ("action write", false),
            ("Prefer these", false),
            ("Store:", false),
            ("you write bears", false),
        ] {
            assert_eq!(whole.contains(words), are_said, "{words}");
        }
    }

    #[test]
    fn a_session_speaks_of_its_own_keys_and_of_what_is_on_s013_s059() {
        let groups = r#"[{"title": "CAPA", "keys": [{"key": "root_cause", "purpose": "the cause.", "content": "one sentence"}]}]"#;
        let groups: Vec<Group> = serde_json::from_str(groups).expect("groups");
        let off = Config {
            if_version: false,
            batch_read: false,
            ..Config::default()
        };
        let on = Config {
            prefixes: true,
            history_versions: 3,
            ..Config::default()
        };
        let said = prompt(Some(groups.clone()), (&off, false));
        let line = "CAPA:\n  root_cause: the cause. Content: one sentence\n";
        assert!(said.namespace.contains(line), "{}", said.namespace);
        let without = said.text();
        let with = prompt(Some(groups), (&on, false)).text();
        for word in ["if_version", "read_batch", "read_history", "inv:root_cause"] {
            assert!(!without.contains(word) && with.contains(word), "{word}");
        }
        for (key, _) in STARTING_SET.iter().flat_map(|(_, keys)| *keys) {
            assert!(*key == "scope" || !with.contains(key), "{key}");
        }
    }
}
