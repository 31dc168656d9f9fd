//! What an import lost or said otherwise, so that nobody believes that the template asks what its source asked.

use std::collections::BTreeMap;

use serde::Serialize;
use strum::IntoStaticStr;
use strum::VariantArray;
use utoipa::ToSchema;

/// Findings of one import; the last one counts those beyond, by their effect.
pub const FINDINGS_MAX: usize = 500;
/// Findings of each effect that are listed, however many the others have.
const SHARE: usize = 50;

/// What follows for a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, IntoStaticStr, ToSchema, VariantArray)]
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

/// Findings by their effect, in the order in which they were met, each once; what decides nothing and is the same elsewhere once for all places.
#[derive(Debug, Default)]
pub struct Findings {
    /// Each with how many more places there are.
    list: Vec<(ImportFinding, usize)>,
    /// The key that is looked at.
    key_name: Option<String>,
    /// How many of each effect are not in the list.
    beyond: BTreeMap<Effect, usize>,
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
        let is_full = self.listed(effect) == FINDINGS_MAX;
        match self.list.iter_mut().find(|(known, _)| same(known)) {
            Some((known, more)) => *more += usize::from(known.pointer != pointer),
            None if is_full => *self.beyond.entry(effect).or_default() += 1,
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

    /// Returns whether one of them decides over a payload.
    pub fn decide(&self) -> bool {
        self.list.iter().any(|(finding, _)| finding.effect.decides())
    }

    fn listed(&self, effect: Effect) -> usize {
        self.list.iter().filter(|(finding, _)| finding.effect == effect).count()
    }

    /// All of them, what decides over payloads first.
    pub fn conclude(mut self) -> Vec<ImportFinding> {
        self.list.sort_by_key(|(finding, _)| finding.effect);
        let counts = Effect::VARIANTS.iter().map(|effect| {
            let listed = self.listed(*effect);
            (
                *effect,
                listed,
                listed + self.beyond.get(effect).copied().unwrap_or_default(),
            )
        });
        let counts: Vec<(Effect, usize, usize)> = counts.collect();
        if counts.iter().map(|(.., all)| all).sum::<usize>() > FINDINGS_MAX {
            let mut room = FINDINGS_MAX - 1;
            let mut first_cut = None;
            let mut each = Vec::new();
            for (place, (effect, listed, all)) in counts.iter().enumerate() {
                let later: usize = counts[place + 1..]
                    .iter()
                    .map(|(_, listed, _)| *listed.min(&SHARE))
                    .sum();
                let kept = *listed.min(&(room - later));
                room -= kept;
                let mut place = 0;
                self.list.retain(|(finding, _)| {
                    place += usize::from(finding.effect == *effect);
                    finding.effect != *effect || place <= kept
                });
                first_cut = first_cut.or((kept < *all).then_some(*effect));
                each.push(format!("{kept} of {all} {}", effect.name()));
            }
            let why = format!("there are more findings than are listed: {}", each.join(", "));
            self.enter(None);
            self.note(first_cut.unwrap_or(Effect::Changed), "", "findings", why);
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
