//! Which of a scenario's schemas a client negotiates (Z-182): the one in force, or the one that it names.
//!
//! Invariant: what a client names is served or refused, never passed over.

use crate::app::error::ServiceError;
use crate::app::view::BaseView;
use crate::app::view::ScenarioView;
use schema::name::SchemaId;

/// Characters of a client's own word that a refusal repeats.
const WORD_CHARS_MAX: usize = 128;
/// Schemas that a refusal lists.
const LISTED_MAX: usize = 16;

/// The schema that a client names, by its id, its version, or both; nothing where it takes the one in force.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pin {
    pub schema_id: Option<String>,
    /// MAJOR.MINOR.PATCH.
    pub version: Option<String>,
}

impl Pin {
    /// Whether the one in force is taken.
    pub fn is_open(&self) -> bool {
        self.schema_id.is_none() && self.version.is_none()
    }

    fn means(&self, schema_id: &SchemaId, base: &BaseView) -> bool {
        let version = base.template.version().to_string();
        self.schema_id
            .as_deref()
            .is_none_or(|named| named == schema_id.as_str())
            && self.version.as_deref().is_none_or(|named| named == version)
    }

    /// The client's words, cut.
    fn words(&self) -> String {
        let version = self.version.as_ref().map(|version| format!("of version {version}"));
        let words: Vec<String> = self.schema_id.iter().cloned().chain(version).collect();
        let words: String = words.join(" ").chars().take(WORD_CHARS_MAX).collect();
        words.escape_debug().to_string()
    }
}

impl ScenarioView {
    /// The schema of a scenario that is meant; among several of one version the one that was published last.
    ///
    /// # Errors
    /// [`ServiceError::UnknownSchema`] with what there is, [`ServiceError::SchemaRetired`], and
    /// [`ServiceError::UnknownScenario`] where none is in force.
    pub fn meant(&self, scenario: &str, pin: &Pin) -> Result<&SchemaId, ServiceError> {
        let in_force = self.in_force.as_ref();
        if pin.is_open() {
            return in_force.ok_or_else(|| ServiceError::UnknownScenario(scenario.to_owned()));
        }
        let meant = || self.bases.iter().filter(|(schema_id, base)| pin.means(schema_id, base));
        let open = meant().filter(|(_, base)| !base.retired);
        if let Some((schema_id, _)) = open.max_by_key(|(_, base)| (base.template.version(), base.published)) {
            return Ok(schema_id);
        }
        match meant().next() {
            Some((schema_id, _)) => Err(ServiceError::SchemaRetired(schema_id.to_string())),
            None => {
                let there: Vec<String> = self
                    .bases
                    .iter()
                    .filter(|(_, base)| !base.retired)
                    .map(|(schema_id, base)| format!("{schema_id} ({})", base.template.version()))
                    .take(LISTED_MAX)
                    .collect();
                let told = match there.is_empty() {
                    true => "none is open".to_owned(),
                    false => format!("there are {}", there.join(", ")),
                };
                let words = pin.words();
                Err(ServiceError::UnknownSchema(format!("{words} in this scenario; {told}")))
            }
        }
    }
}
