//! What a form does not hold as the template does, so that nobody believes it is enforced.

use serde::Serialize;

/// What follows for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The form allows values that the template refuses; a submission is still checked.
    Unenforced,
    /// The template accepts values that cannot be said in this form.
    Narrowed,
}

impl Effect {
    /// The effect as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Effect::Unenforced => "unenforced",
            Effect::Narrowed => "narrowed",
        }
    }
}

/// One thing that is lost: a keyword of JSON Schema, at a key or somewhere below it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Loss {
    pub key_name: String,
    pub keyword: &'static str,
    pub effect: Effect,
}

/// Losses in the order in which they were met, each once.
#[derive(Debug, Default)]
pub struct Losses {
    key_name: String,
    pub list: Vec<Loss>,
}

impl Losses {
    /// The key that is looked at from here on.
    pub fn enter(&mut self, key_name: &str) {
        key_name.clone_into(&mut self.key_name);
    }

    /// Notes that the form allows more.
    pub fn unenforced(&mut self, keyword: &'static str) {
        self.note(keyword, Effect::Unenforced);
    }

    /// Notes that the form allows less.
    pub fn narrowed(&mut self, keyword: &'static str) {
        self.note(keyword, Effect::Narrowed);
    }

    fn note(&mut self, keyword: &'static str, effect: Effect) {
        // A key has few distinct losses, and they lie at the end.
        let known = self.list.iter().rev().take_while(|loss| loss.key_name == self.key_name);
        if !known
            .into_iter()
            .any(|loss| loss.keyword == keyword && loss.effect == effect)
        {
            self.list.push(Loss {
                key_name: self.key_name.clone(),
                keyword,
                effect,
            });
        }
    }
}
