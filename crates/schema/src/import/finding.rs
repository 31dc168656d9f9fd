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

    /// Whether something is lost.
    pub fn loses(self) -> bool {
        self != Effect::Changed
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

/// Findings in the order in which they were met, each once.
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<ImportFinding>,
    /// What occurs in many places and is the same in all: the first place, and how many more there are.
    repeated: Vec<(ImportFinding, usize)>,
    /// The member of the payload that is looked at, by its name in the source.
    member: Option<String>,
    beyond: usize,
}

impl Findings {
    /// Looks at a member of the payload from here on, or at the whole.
    pub fn enter(&mut self, member: Option<&str>) {
        self.member = member.map(str::to_owned);
    }

    /// Notes one thing at a place of the source.
    pub fn note(&mut self, effect: Effect, pointer: &str, what: &str, why: impl Into<String>) {
        let finding = self.finding(effect, pointer, what, why.into());
        match self.list.len() {
            _ if self.list.contains(&finding) => {}
            FINDINGS_MAX.. => self.beyond += 1,
            _ => self.list.push(finding),
        }
    }

    /// Notes what is the same wherever it occurs: told once, with the number of places.
    pub fn repeat(&mut self, effect: Effect, pointer: &str, what: &str, why: impl Into<String>) {
        let finding = self.finding(effect, pointer, what, why.into());
        let has_room = self.repeated.len() < FINDINGS_MAX;
        let mut repeated = self.repeated.iter_mut();
        match repeated.find(|(known, _)| (&known.what, known.effect) == (&finding.what, effect)) {
            Some((first, more)) => *more += usize::from(first.pointer != pointer),
            None if has_room => self.repeated.push((finding, 0)),
            None => self.beyond += 1,
        }
    }

    /// Notes a member that decides over no payload and has no place in a template.
    pub fn annotation(&mut self, pointer: &str, what: &str) {
        let why = format!("`{what}` decides over no payload, and there is no place for it here");
        self.repeat(Effect::LeftOut, pointer, what, why);
    }

    fn finding(&self, effect: Effect, pointer: &str, what: &str, why: String) -> ImportFinding {
        ImportFinding {
            pointer: pointer.to_owned(),
            key_name: self.member.clone(),
            what: what.to_owned(),
            effect,
            why,
        }
    }

    /// All of them, with keys named as `key_of` has it.
    pub fn conclude(mut self, key_of: impl Fn(&str) -> Option<String>) -> Vec<ImportFinding> {
        self.enter(None);
        let all = self.beyond;
        let why = format!("{all} more things were lost or changed than are listed here");
        let beyond = (all > 0).then(|| self.finding(Effect::Unenforced, "", "findings", why));
        let repeated = self.repeated.into_iter().map(|(mut finding, more)| {
            finding.why += &match more {
                0 => String::new(),
                1 => " (the same in one more place)".to_owned(),
                more => format!(" (the same in {more} more places)"),
            };
            finding
        });
        let mut list: Vec<ImportFinding> = self.list.into_iter().chain(repeated).chain(beyond).collect();
        for finding in &mut list {
            finding.key_name = finding.key_name.take().and_then(|member| key_of(&member));
        }
        list
    }
}
