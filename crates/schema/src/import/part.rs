//! Schemas of a source with their places, and what is gathered of those that hold together.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::Value;
use serde_json::json;

use crate::defect::pointer_to;

/// Units of work that one copied place costs, beside its pointer.
const UNITS: usize = 64;

/// A schema of the source, and where it stands.
#[derive(Clone)]
pub struct Part<'a> {
    pub schema: &'a Value,
    pub at: String,
    /// Root of its references: the document, or the nearest schema around it with an `$id`, and the length of its place.
    pub root: (&'a Value, usize),
    /// Targets of the references on the way here.
    pub trail: Vec<&'a Value>,
}

impl<'a> Part<'a> {
    pub fn within(&self, schema: &'a Value, at: String) -> Part<'a> {
        let id = schema.get("$id").or(schema.get("id")).and_then(Value::as_str);
        let root = match id.is_some_and(|id| !id.starts_with('#')) {
            true => (schema, at.len()),
            false => self.root,
        };
        let trail = self.trail.clone();
        Part {
            schema,
            at,
            root,
            trail,
        }
    }

    /// The part at a pointer below the root of its references.
    pub fn below_root(&self, pointer: &str) -> Option<Part<'a>> {
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return None;
        }
        let (schema, length) = self.root;
        let root = Part {
            schema,
            at: self.at[..length].to_owned(),
            ..self.clone()
        };
        pointer.split('/').skip(1).try_fold(root, |part, step| {
            let step = step.replace("~1", "/").replace("~0", "~");
            let schema = match part.schema {
                Value::Array(each) => each.get(step.parse::<usize>().ok()?),
                schema => schema.get(&step),
            };
            Some(part.within(schema?, pointer_to(&part.at, &step)))
        })
    }

    /// Units of work that a copy of it costs.
    pub fn units(&self) -> usize {
        UNITS + self.at.len() + size_of_val(self.trail.as_slice())
    }

    /// Returns one of its members.
    pub fn member(&self, name: &str) -> Option<Part<'a>> {
        Some(self.within(self.schema.get(name)?, pointer_to(&self.at, name)))
    }

    /// Returns whether it asks anything.
    pub fn asks(&self) -> bool {
        *self.schema != true && *self.schema != json!({})
    }

    pub fn list(&self, name: &str) -> impl Iterator<Item = &'a Value> {
        let listed = self.schema.get(name).and_then(Value::as_array);
        listed.into_iter().flatten()
    }

    pub fn elements(&self, name: &str) -> Vec<Part<'a>> {
        let each = self.list(name).enumerate();
        each.map(|(n, schema)| self.within(schema, format!("{}/{name}/{n}", self.at)))
            .collect()
    }
}

/// Schemas that all hold, without references.
#[derive(Default)]
pub struct Together<'a> {
    pub asking: Vec<Part<'a>>,
    /// Those that say what is meant: beside a reference the keywords of older dialects ask nothing.
    pub saying: Vec<Part<'a>>,
    pub groups: Vec<Alternatives<'a>>,
    /// Which of those that ask have null as the alternative to all that they ask.
    pub nullable: Vec<Range<usize>>,
    /// Schemas that hold anyway, so that they are read once.
    pub known: BTreeSet<*const Value>,
}

/// Schemas of which one holds, without null.
pub struct Alternatives<'a> {
    pub keyword: &'static str,
    pub at: String,
    pub each: Vec<Part<'a>>,
    /// True if null is right as well.
    pub nullable: bool,
}

impl Together<'_> {
    /// Lets null be right for what was gathered since there were so many that ask and so many alternatives.
    pub fn admit_null(&mut self, (asking, groups): (usize, usize)) {
        self.nullable.push(asking..self.asking.len());
        for group in self.groups.iter_mut().skip(groups) {
            group.nullable = true;
        }
    }
}
