//! What an import lost or said otherwise, so that nobody believes that the template asks what its source asked.

use serde::Serialize;
use strum::IntoStaticStr;
use utoipa::ToSchema;

/// Findings of one import; what lies beyond is said in one sentence.
pub const FINDINGS_MAX: usize = 500;

/// What follows for a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, IntoStaticStr, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ImportEffect)]
#[strum(serialize_all = "snake_case")]
pub enum Effect {
    /// The template accepts what the source refuses.
    Unenforced,
    /// The template refuses what the source accepts.
    Narrowed,
    /// Something that decides over no payload is not in the template.
    LeftOut,
    /// The same is said in another way; nothing is lost.
    Changed,
}

impl Effect {
    /// The effect as it is written.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether a payload is judged otherwise for it.
    pub fn decides(self) -> bool {
        matches!(self, Effect::Unenforced | Effect::Narrowed)
    }
}

/// Something that an imported template does not say as its source does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ImportFinding {
    /// JSON pointer into the imported document.
    pub pointer: String,
    /// The key that it is about; none where it is the template.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    pub key_name: Option<String>,
    /// The keyword or member that it is about.
    pub what: String,
    pub effect: Effect,
    /// Why, in one sentence.
    pub why: String,
}

/// Findings in the order in which they were met, each once; what decides nothing and is the same elsewhere once for all places.
#[derive(Debug, Default)]
pub struct Findings {
    /// Each with how many more places there are.
    list: Vec<(ImportFinding, usize)>,
    /// The key that is looked at.
    key_name: Option<String>,
    beyond: usize,
}

impl Findings {
    /// Looks at a key from here on, or at the whole.
    pub fn enter(&mut self, key_name: Option<&str>) {
        self.key_name = key_name.map(str::to_owned);
    }

    /// Notes one thing at a place of the source.
    pub fn note(&mut self, effect: Effect, pointer: &str, what: &str, why: impl Into<String>) {
        let finding = ImportFinding {
            pointer: pointer.to_owned(),
            key_name: self.key_name.clone(),
            what: what.to_owned(),
            effect,
            why: why.into(),
        };
        let same = |known: &ImportFinding| {
            known == &finding || (!effect.decides() && (known.effect, &known.why) == (effect, &finding.why))
        };
        let is_full = self.list.len() == FINDINGS_MAX;
        match self.list.iter_mut().find(|(known, _)| same(known)) {
            Some((known, more)) => *more += usize::from(known.pointer != pointer),
            None if is_full => self.beyond += 1,
            None => self.list.push((finding, 0)),
        }
    }

    /// Notes a member that decides over no payload and has no place in a template.
    pub fn annotation(&mut self, pointer: &str, what: &str) {
        let why = format!("`{what}` decides over no payload, and there is no place for it here");
        self.note(Effect::LeftOut, pointer, what, why);
    }

    /// What was noted of a key that is not made is about the whole.
    pub fn unkey(&mut self, name: &str) {
        for (finding, _) in &mut self.list {
            finding.key_name.take_if(|own| own == name);
        }
    }

    /// All of them.
    pub fn conclude(mut self) -> Vec<ImportFinding> {
        if self.beyond > 0 {
            let why = format!("{} more things were lost or changed than are listed here", self.beyond);
            self.list.truncate(FINDINGS_MAX - 1);
            self.enter(None);
            self.note(Effect::Unenforced, "", "findings", why);
        }
        let each = self.list.into_iter().map(|(mut finding, more)| {
            finding.why += &match more {
                0 => String::new(),
                1 => " (the same in one more place)".to_owned(),
                more => format!(" (the same in {more} more places)"),
            };
            finding
        });
        each.collect()
    }
}
