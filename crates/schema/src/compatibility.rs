//! Which changes a version of a template may make (docs/design.md §3): seven modes, within a major line; and whether a template can
//! follow another by its id and its version at all (Z-030, Z-105).
//!
//! Compares by [`crate::difference`]; knows no registry. The mode that rules is the one that the newest
//! version of the line published (`compatibility`), else the service's: a promise is kept by who made it, and loosened by
//! a version that still keeps it. In every mode an optional key may be added. What may break by its meaning is reported and not
//! refused; what is neither proved nor shown to keep the promise is left to the owner. Invariant: a new major is compared with nothing.

use serde::Deserialize;
use serde::Serialize;
use strum::EnumString;
use strum::IntoStaticStr;
use strum::VariantNames;
use utoipa::ToSchema;

use crate::budget::Budget;
use crate::difference::change::Change;
use crate::difference::change::Direction;
use crate::difference::change::Kind;
use crate::difference::change::Reading;
use crate::difference::difference;
use crate::template::SchemaTemplate;

/// The template member that holds a line's mode.
pub const MEMBER: &str = "compatibility";

/// What a version promises to those who know the others of its major line.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
    VariantNames,
    ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = CompatibilityMode)]
#[strum(serialize_all = "snake_case")]
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

/// The names of all modes, for settings and messages.
pub const NAMES: &[&str] = Mode::VARIANTS;

/// A version beside another.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
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

/// What a version is to the others of its scenario.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Assessment {
    pub mode: Mode,
    /// The schema whose `compatibility` rules; null where it is the service's setting.
    pub set_by: Option<String>,
    pub compatible: bool,
    pub compared: Vec<Comparison>,
}

impl Mode {
    /// As a template and the settings spell it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Reads a mode.
    pub fn parse(text: &str) -> Option<Mode> {
        text.parse().ok()
    }

    /// Whether every earlier version counts, not the one before alone.
    pub fn is_transitive(self) -> bool {
        match self {
            Mode::BackwardTransitive | Mode::ForwardTransitive | Mode::FullTransitive => true,
            Mode::None | Mode::Backward | Mode::Forward | Mode::Full => false,
        }
    }

    /// Directions that the promise is about.
    fn directions(self) -> &'static [Direction] {
        match self {
            Mode::None => &[],
            Mode::Backward | Mode::BackwardTransitive => &[Direction::Backward],
            Mode::Forward | Mode::ForwardTransitive => &[Direction::Forward],
            Mode::Full | Mode::FullTransitive => &[Direction::Backward, Direction::Forward],
        }
    }

    /// Returns whether a change is against the promise. A strict older version refuses an optional key that was added, which every version may.
    pub fn forbids(self, change: &Change) -> bool {
        self.directions().iter().any(|direction| {
            let is_addition = change.kind == Kind::KeyAdded && change.backward == Reading::Compatible;
            change.reading(*direction) == Reading::Breaking && !is_addition
        })
    }

    /// Returns whether it is neither proved nor shown that a change keeps the promise.
    pub fn leaves_open(self, change: &Change) -> bool {
        let may_break = |direction: &Direction| change.reading(*direction) == Reading::MayBreak;
        change.reason.is_some() && self.directions().iter().any(may_break)
    }
}

/// What a template is to the published ones of its scenario that are not retired, in order of publication.
/// One budget is for all comparisons together.
pub fn assess(
    template: &SchemaTemplate,
    published: &[&SchemaTemplate],
    default: Mode,
    budget: &Budget<'_>,
) -> Assessment {
    let version = template.version();
    let mut others = published.to_vec();
    others.retain(|other| other.schema_id != template.schema_id);
    // Stable: among equal versions the one published last is in force.
    others.sort_by_key(|other| other.version());
    let mut line = others.clone();
    line.retain(|other| other.version().major == version.major);
    let promised = line
        .iter()
        .rev()
        .find_map(|other| Some((other.compatibility()?, Some(other.schema_id.to_string()))));
    let (mode, set_by) = promised.unwrap_or((default, None));
    let before = line.iter().rposition(|other| other.version() <= version);
    if !mode.is_transitive() {
        let neighbour = before.unwrap_or(0);
        line = line.into_iter().skip(neighbour).take(1).collect();
    }
    let compared: Vec<Comparison> = match mode {
        Mode::None => Vec::new(),
        mode => line
            .iter()
            .map(|other| compare(template, other, Some(mode), budget))
            .collect(),
    };
    let in_force = others.last().filter(|_| compared.is_empty());
    let informed = in_force.map(|in_force| compare(template, in_force, None, budget));
    let compared: Vec<Comparison> = compared.into_iter().chain(informed).collect();
    Assessment {
        mode,
        set_by,
        compatible: compared.iter().all(|comparison| comparison.compatible),
        compared,
    }
}

fn compare(template: &SchemaTemplate, other: &SchemaTemplate, mode: Option<Mode>, budget: &Budget<'_>) -> Comparison {
    let changes = if other.version() <= template.version() {
        difference(other, template, budget)
    } else {
        difference(template, other, budget)
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
        self.only(|change| self.mode.forbids(change))
    }

    /// Lists the changes that are neither proved nor shown to keep the promise.
    pub fn unproved(&self) -> Assessment {
        self.only(|change| self.mode.leaves_open(change))
    }

    /// The comparisons that count and have such changes, with these alone.
    fn only(&self, is_meant: impl Fn(&Change) -> bool) -> Assessment {
        let mut found = self.clone();
        found.compared.retain(|comparison| comparison.enforced);
        for comparison in &mut found.compared {
            comparison.changes.retain(&is_meant);
        }
        found.compared.retain(|comparison| !comparison.changes.is_empty());
        found
    }
}

impl SchemaTemplate {
    /// The mode that this version sets for those after it.
    pub fn compatibility(&self) -> Option<Mode> {
        Mode::parse(self.unknown.get(MEMBER)?.as_str()?)
    }
}

/// What stands in the way of a newer template by its id and its version, the graver first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Hindrance {
    /// The older one's id with other content: publishing it is refused.
    SameId,
    /// A lower version of the scenario: the older one stays in force.
    VersionBack,
    /// The same version under two ids: which of them is in force is no matter of versions.
    SameVersion,
}

/// What hinders `new` from following `old`, whatever changed; versions are asked of one scenario alone, and the same content follows
/// itself.
pub fn hindrances(old: &SchemaTemplate, new: &SchemaTemplate) -> Vec<Hindrance> {
    if old.same_content(new) {
        return Vec::new();
    }
    let same_id = old.schema_id == new.schema_id;
    let (before, after) = (old.version(), new.version());
    let one_line = old.scenario_key() == new.scenario_key();
    let found = [
        (same_id, Hindrance::SameId),
        (one_line && after < before, Hindrance::VersionBack),
        (one_line && after == before && !same_id, Hindrance::SameVersion),
    ];
    let holding = found.into_iter().filter(|(holds, _)| *holds);
    holding.map(|(_, hindrance)| hindrance).collect()
}

#[cfg(test)]
mod tests;
