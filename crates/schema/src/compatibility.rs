//! Which changes a version of a template may make (docs/design.md §3): seven modes, within a major line.
//!
//! Compares by [`crate::difference`]; knows no registry. The mode that rules is the one that the newest
//! version of the line published (`compatibility`), else the service's: a promise is kept by who made it, and loosened by
//! a version that still keeps it. In every mode an optional key may be added, and what only may break is told, not
//! refused. Invariant: a new major is compared with nothing.

use serde::Deserialize;
use serde::Serialize;

use crate::difference::change::Change;
use crate::difference::change::Direction;
use crate::difference::change::Reading;
use crate::difference::difference;
use crate::template::SchemaTemplate;

/// The template member that holds a line's mode.
pub const MEMBER: &str = "compatibility";

/// What a version promises to those who know the versions before and after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Nothing.
    None,
    /// Payloads of the version before are accepted.
    Backward,
    /// Payloads of every earlier version of the line are accepted.
    BackwardTransitive,
    /// The version before accepts its payloads.
    Forward,
    /// Every earlier version of the line accepts its payloads.
    ForwardTransitive,
    /// Both, with the version before.
    Full,
    /// Both, with every earlier version of the line.
    #[default]
    FullTransitive,
}

/// Every mode.
pub const MODES: [Mode; 7] = [
    Mode::None,
    Mode::Backward,
    Mode::BackwardTransitive,
    Mode::Forward,
    Mode::ForwardTransitive,
    Mode::Full,
    Mode::FullTransitive,
];

/// The names of all modes, for settings and messages.
pub const NAMES: [&str; MODES.len()] = [
    "none",
    "backward",
    "backward_transitive",
    "forward",
    "forward_transitive",
    "full",
    "full_transitive",
];

/// One comparison with a version of the same line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    pub schema_id: String,
    pub version: String,
    /// Whether the mode asks for it; the version in force is compared for information too.
    pub enforced: bool,
    /// Whether nothing that the mode asks for is broken.
    pub compatible: bool,
    /// From the lower version to the higher one.
    pub changes: Vec<Change>,
}

/// What a version is to the others. `{"mode", "set_by", "compatible", "compared": [comparison]}`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assessment {
    pub mode: Mode,
    /// The schema whose `compatibility` rules; `null` where it is the service's own setting.
    pub set_by: Option<String>,
    pub compatible: bool,
    pub compared: Vec<Comparison>,
}

impl Mode {
    /// As a template and the settings spell it.
    pub const fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// Reads a mode.
    pub fn parse(text: &str) -> Option<Mode> {
        MODES.into_iter().find(|mode| mode.name() == text)
    }

    /// Whether every earlier version counts, not the one before alone.
    pub fn is_transitive(self) -> bool {
        match self {
            Mode::BackwardTransitive | Mode::ForwardTransitive | Mode::FullTransitive => true,
            Mode::None | Mode::Backward | Mode::Forward | Mode::Full => false,
        }
    }

    /// Whether payloads that go in this direction must be accepted.
    pub fn asks(self, direction: Direction) -> bool {
        match (self, direction) {
            (Mode::None, _) => false,
            (Mode::Backward | Mode::BackwardTransitive, direction) => direction == Direction::Backward,
            (Mode::Forward | Mode::ForwardTransitive, direction) => direction == Direction::Forward,
            (Mode::Full | Mode::FullTransitive, Direction::Backward | Direction::Forward) => true,
        }
    }

    /// Whether a change is against the promise.
    pub fn forbids(self, change: &Change) -> bool {
        [Direction::Backward, Direction::Forward]
            .into_iter()
            .any(|direction| self.asks(direction) && change.reading(direction) == Reading::Breaking)
    }
}

/// What a template is to the published ones of its scenario that are not retired, in order of publication.
pub fn assess(template: &SchemaTemplate, published: &[&SchemaTemplate], default: Mode) -> Assessment {
    let version = template.version();
    let mut others: Vec<&SchemaTemplate> = published
        .iter()
        .copied()
        .filter(|other| other.schema_id != template.schema_id)
        .collect();
    // Stable: among equal versions the one published last is in force.
    others.sort_by_key(|other| other.version());
    let line: Vec<&SchemaTemplate> = others
        .iter()
        .copied()
        .filter(|other| other.version().major == version.major)
        .collect();
    let promised = line
        .iter()
        .rev()
        .find_map(|other| Some((other, other.compatibility()?)));
    let (mode, set_by) = match promised {
        Some((other, mode)) => (mode, Some(other.schema_id.to_string())),
        None => (default, None),
    };
    let before = line.iter().rposition(|other| other.version() <= version);
    let neighbour = before.unwrap_or(0);
    let mut compared: Vec<Comparison> = Vec::new();
    for (place, other) in line.iter().enumerate() {
        let asked = mode != Mode::None && (mode.is_transitive() || place == neighbour);
        if asked {
            compared.push(compare(template, other, Some(mode)));
        }
    }
    if compared.is_empty()
        && let Some(in_force) = others.last()
    {
        compared.push(compare(template, in_force, None));
    }
    Assessment {
        mode,
        set_by,
        compatible: compared.iter().all(|comparison| comparison.compatible),
        compared,
    }
}

fn compare(template: &SchemaTemplate, other: &SchemaTemplate, mode: Option<Mode>) -> Comparison {
    let changes = if other.version() <= template.version() {
        difference(other, template)
    } else {
        difference(template, other)
    };
    Comparison {
        schema_id: other.schema_id.to_string(),
        version: other.version().to_string(),
        enforced: mode.is_some(),
        compatible: mode.is_none_or(|mode| !changes.iter().any(|change| mode.forbids(change))),
        changes,
    }
}

impl Assessment {
    /// What forbids publishing: the comparisons that fail, with the changes that make them fail.
    pub fn objections(&self) -> Assessment {
        let mut objections = self.clone();
        objections.compared.retain(|comparison| !comparison.compatible);
        for comparison in &mut objections.compared {
            comparison.changes.retain(|change| self.mode.forbids(change));
        }
        objections
    }
}

impl SchemaTemplate {
    /// The mode that this version sets for those after it.
    pub fn compatibility(&self) -> Option<Mode> {
        self.unknown
            .get(MEMBER)
            .and_then(serde_json::Value::as_str)
            .and_then(Mode::parse)
    }
}

#[cfg(test)]
mod tests;
