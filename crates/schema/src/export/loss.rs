//! What a form does not hold as the template does, so that nobody believes it is enforced.

use percent_encoding::AsciiSet;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;
use serde::Serialize;
use strum::IntoStaticStr;

use crate::defect::pointer_to;
use crate::keyword::Keyword;

/// What a header cannot hold, or what would be taken for the end of a step.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-');

/// What follows for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Effect {
    /// The form allows values that the template refuses; a submission is still checked.
    Unenforced,
    /// The template accepts values that cannot be said in this form.
    Narrowed,
}

impl Effect {
    /// The effect as it is written.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One thing that is lost: a keyword of JSON Schema, at a key or somewhere below it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Loss {
    pub key_name: String,
    /// Where it stands in the key's constraints, as a JSON pointer: `/items/minimum`.
    pub pointer: String,
    pub keyword: &'static str,
    pub effect: Effect,
}

impl Loss {
    /// The key and where the keyword stands below it, as `extras.items.minimum`; what a header cannot hold is percent-encoded.
    pub fn path(&self) -> String {
        let mut path = self.key_name.clone();
        for step in self.pointer.split('/').skip(1) {
            path.push('.');
            let step = step.replace("~1", "/").replace("~0", "~");
            path.extend(utf8_percent_encode(&step, ENCODED));
        }
        path
    }
}

/// Losses in the order in which they were met, each once.
#[derive(Debug, Default)]
pub struct Losses {
    key_name: String,
    /// Where in its constraints.
    at: String,
    pub list: Vec<Loss>,
}

impl Losses {
    /// The key that is looked at from here on.
    pub fn enter(&mut self, key_name: &str) {
        key_name.clone_into(&mut self.key_name);
        self.at.clear();
    }

    /// Looks at what lies below a keyword, or below a member of one; gives the place for [`Losses::ascend`].
    pub fn descend(&mut self, keyword: Keyword, member: Option<&str>) -> String {
        let mut below = pointer_to(&self.at, keyword.name());
        if let Some(member) = member {
            below = pointer_to(&below, member);
        }
        std::mem::replace(&mut self.at, below)
    }

    /// Back to where was looked before.
    pub fn ascend(&mut self, before: String) {
        self.at = before;
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
        let pointer = pointer_to(&self.at, keyword);
        let loss = Loss {
            key_name: self.key_name.clone(),
            pointer,
            keyword,
            effect,
        };
        if !self.list.contains(&loss) {
            self.list.push(loss);
        }
    }
}
