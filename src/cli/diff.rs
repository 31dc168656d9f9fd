//! `otherwise diff`: what changed between two templates, and whom would it break?

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::Value;
use serde_json::json;

use crate::cli::ExitStatus;
use crate::cli::document::publishable;
use crate::cli::output::Output;
use crate::cli::output::Report;
use crate::cli::output::Trouble;
use crate::cli::remote::items;
use crate::cli::remote::line;
use crate::cli::remote::text;
use schema::budget::Budget;
use schema::compatibility::Hindrance;
use schema::compatibility::Mode;
use schema::compatibility::NAMES;
use schema::compatibility::hindrances;
use schema::difference::change::Change;
use schema::difference::change::Class;
use schema::difference::difference;
use schema::template::SchemaTemplate;

/// What is compared.
#[derive(Clone, Debug, Args)]
pub struct DiffArguments {
    /// The older template (JSON); - for standard input, as for the newer one.
    old: PathBuf,
    /// The newer one.
    new: PathBuf,
    /// What must not break; without it what OLD promises, else full_transitive, and nothing for a new major version.
    #[arg(long, value_name = "MODE", value_parser = PossibleValuesParser::new(NAMES))]
    mode: Option<String>,
    /// One JSON document on standard output.
    #[arg(long)]
    json: bool,
}

/// Both versions and what came between them.
struct Compared {
    old: SchemaTemplate,
    new: SchemaTemplate,
    mode: Mode,
    hindrances: Vec<Hindrance>,
    changes: Vec<Change>,
}

/// Prints every change with a payload that shows what it breaks; 1 when the mode forbids one, or when NEW could not be
/// published beside OLD at all.
pub fn run(arguments: &DiffArguments) -> ExitStatus {
    Output::new("diff", arguments.json).report(perform(arguments))
}

fn perform(arguments: &DiffArguments) -> Result<Report, Trouble> {
    let asked = arguments.mode.as_deref().and_then(Mode::parse);
    // One after the other: the first that cannot be read is what is said.
    let compared = compare(publishable(&arguments.old)?, publishable(&arguments.new)?, asked);
    Ok(Report {
        ending: ExitStatus::of(compared.breaks() == 0 && !compared.is_refused()),
        lines: told(&compared),
        document: as_json(&compared),
        ..Report::default()
    })
}

fn compare(old: SchemaTemplate, new: SchemaTemplate, asked: Option<Mode>) -> Compared {
    let same_line = old.version().major == new.version().major;
    let promised = if same_line {
        old.compatibility().unwrap_or_default()
    } else {
        Mode::None
    };
    Compared {
        changes: difference(&old, &new, &Budget::default()),
        hindrances: hindrances(&old, &new),
        mode: asked.unwrap_or(promised),
        old,
        new,
    }
}

impl Compared {
    fn breaks(&self) -> usize {
        self.changes.iter().filter(|change| self.mode.forbids(change)).count()
    }

    /// How many changes there are of each class, the gravest first, in the words that stand before each of them.
    fn classes(&self) -> String {
        const GRAVEST_FIRST: [Class; 4] = [Class::Breaking, Class::MayBreak, Class::Additive, Class::Wording];
        let counted = GRAVEST_FIRST.into_iter().filter_map(|class| {
            let count = self.changes.iter().filter(|change| change.class == class).count();
            (count > 0).then(|| format!("{count} {}", class.name()))
        });
        counted.collect::<Vec<_>>().join(", ")
    }

    /// Whether the newer one cannot be published, whatever changed.
    fn is_refused(&self) -> bool {
        self.hindrances.contains(&Hindrance::SameId)
    }

    /// What becomes of the promise.
    fn verdict(&self) -> String {
        let (mode, classes) = (self.mode, self.classes());
        match (self.changes.len(), self.breaks()) {
            (0, _) if self.old.version() == self.new.version() => "nothing changed".to_owned(),
            (0, _) => "nothing changed but the version".to_owned(),
            (_, 0) if mode == Mode::None => format!("nothing is promised ({classes})"),
            (_, 0) => format!("{} is kept ({classes})", mode.name()),
            (1, _) => format!("{} is broken by the one change", mode.name()),
            (changes, breaks) => format!("{} is broken by {breaks} of {changes} changes ({classes})", mode.name()),
        }
    }

    /// A hindrance in words.
    fn told(&self, hindrance: Hindrance) -> String {
        let (old, new) = (&self.old, &self.new);
        match hindrance {
            Hindrance::SameId => format!(
                "{} would have other content: an id is published once, and this is answered 409; give it an id of its own",
                new.schema_id
            ),
            Hindrance::VersionBack => format!(
                "the version goes back from {} to {}: {} stays in force",
                old.version(),
                new.version(),
                old.schema_id
            ),
            Hindrance::SameVersion => format!(
                "both are version {}: which of them is in force is no matter of versions; give the newer one its own",
                new.version()
            ),
        }
    }
}

fn as_json(compared: &Compared) -> Value {
    let side =
        |template: &SchemaTemplate| json!({"schema_id": template.schema_id, "version": template.version().to_string()});
    json!({
        "old": side(&compared.old),
        "new": side(&compared.new),
        "mode": compared.mode,
        "compatible": compared.breaks() == 0,
        "hindrances": compared.hindrances.iter().map(|hindrance| {
            json!({"kind": hindrance, "message": compared.told(*hindrance)})
        }).collect::<Vec<_>>(),
        "changes": compared.changes,
    })
}

/// Characters of a text, and elements of an array, that a line shows.
const TEXT_CHARS_MAX: usize = 120;
const ELEMENTS_MAX: usize = 20;

/// A line with the verdict; for each change its class and what it is, and the payloads that show it.
fn told(compared: &Compared) -> Vec<String> {
    let (document, verdict) = (as_json(compared), compared.verdict());
    let head = "{/old/schema_id} {/old/version} -> {/new/schema_id} {/new/version}";
    let mut told = vec![format!("{}: {verdict}", line(head, &document))];
    for hindrance in &compared.hindrances {
        let label = if *hindrance == Hindrance::SameId {
            "refused"
        } else {
            "note"
        };
        told.push(format!("  {label:<9}  {}", compared.told(*hindrance)));
    }
    let (old, new) = (text(&document["old"]["schema_id"]), text(&document["new"]["schema_id"]));
    for change in items(&document, "changes") {
        told.push(line("  {class:9}  {message}", &change));
        for example in items(&change, "examples") {
            let (sender, reader) = if example["direction"] == "backward" {
                (&old, &new)
            } else {
                (&new, &old)
            };
            let effect = text(&example["effect"]).replace('_', " ");
            let direction = text(&example["direction"]);
            let payload = text(&abridged(&example["payload"]));
            told.push(format!(
                "             {direction}: right by {sender}, {effect} by {reader}: {payload}"
            ));
        }
    }
    told
}

/// A value as a line shows it: what is long in it is cut, and counted.
pub fn abridged(value: &Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > TEXT_CHARS_MAX => {
            let shown: String = text.chars().take(TEXT_CHARS_MAX / 2).collect();
            json!(format!("{shown}… ({} characters)", text.chars().count()))
        }
        Value::Array(elements) => {
            let mut shown: Vec<Value> = elements.iter().take(ELEMENTS_MAX).map(abridged).collect();
            if elements.len() > ELEMENTS_MAX {
                shown.push(json!(format!("… ({} elements)", elements.len())));
            }
            Value::Array(shown)
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), abridged(value)));
            Value::Object(members.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Compared;
    use super::abridged;
    use super::compare;
    use super::told;
    use schema::compatibility::Mode;
    use schema::template::SchemaTemplate;

    fn compared(versions: [&str; 2], values: [&[&str]; 2], mode: Option<Mode>) -> Compared {
        let [old, new] = [0, 1].map(|side| {
            let document = json!({"schema_id": format!("a{side}"), "scenario": "a", "version": versions[side], "keys": [
                {"key_name": "seat", "key_type": "string", "required": false, "semantic_description": "Seat.",
                 "constraints": {"enum": values[side]}}]});
            SchemaTemplate::parse(&document).expect("a template").0
        });
        compare(old, new, mode)
    }

    #[test]
    fn what_is_long_in_a_payload_is_cut_and_counted_on_a_line() {
        let shown = abridged(&json!({"a": "x".repeat(5_001), "b": vec![1; 101], "c": "short"}));
        assert_eq!(shown["a"], json!(format!("{}… (5001 characters)", "x".repeat(60))));
        assert_eq!(shown["b"][20], "… (101 elements)");
        assert_eq!(shown["c"], "short");
    }

    #[test]
    fn a_break_is_shown_with_its_payload_z105() {
        let broken = compared(["1.0.0", "1.1.0"], [&["x", "y"], &["x"]], None);
        assert_eq!(broken.breaks(), 1);
        assert_eq!(
            told(&broken),
            [
                "a0 1.0.0 -> a1 1.1.0: full_transitive is broken by the one change",
                "  breaking   `seat`: `enum` loses \"y\"",
                "             backward: right by a0, refused by a1: {\"seat\":\"y\"}",
            ]
        );
        assert_eq!(
            compared(["1.0.0", "1.1.0"], [&["x"], &["x", "y"]], Some(Mode::Backward)).breaks(),
            0
        );
        let same = compared(["1.0.0", "1.1.0"], [&["x"], &["x"]], None);
        assert_eq!(told(&same), ["a0 1.0.0 -> a1 1.1.0: nothing changed but the version"]);
    }

    #[test]
    fn what_cannot_follow_and_what_breaks_are_named_z030_z105() {
        let back = compared(["1.1.0", "1.0.0"], [&["x"], &["x", "y"]], Some(Mode::Backward));
        assert_eq!(
            told(&back)[1],
            "  note       the version goes back from 1.1.0 to 1.0.0: a0 stays in force"
        );
        assert!(!back.is_refused());
        let document = |text: &str, strict: bool| {
            let document = json!({"schema_id": "a", "scenario": "a", "version": "1.0.0", "strict": strict, "keys": [
                {"key_name": "seat", "key_type": "string", "required": false, "semantic_description": text}]});
            SchemaTemplate::parse(&document).expect("a template").0
        };
        let reworded = compare(document("Seat.", false), document("The seat.", false), None);
        assert!(reworded.is_refused() && reworded.breaks() == 0);
        assert!(
            told(&reworded)[1].starts_with("  refused    a would have other content"),
            "{:?}",
            told(&reworded)
        );
        let closed = compare(document("Seat.", false), document("Seat.", true), None);
        assert!(told(&closed)[0].ends_with("full_transitive is broken by the one change"));
        let narrower = compared(["1.0.0", "1.1.0"], [&["x", "y"], &["x"]], Some(Mode::Forward));
        assert!(told(&narrower)[0].ends_with("forward is kept (1 breaking)"));
    }

    #[test]
    fn a_new_major_promises_nothing_unless_it_is_asked_to_z105() {
        let values: [&[&str]; 2] = [&["x"], &["y"]];
        let free = compared(["1.0.0", "2.0.0"], values, None);
        assert_eq!(free.breaks(), 0);
        assert!(told(&free)[0].ends_with("nothing is promised (1 breaking)"));
        assert_eq!(compared(["1.0.0", "2.0.0"], values, Some(Mode::Full)).breaks(), 1);
    }
}
