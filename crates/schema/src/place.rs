//! Where a value stands in what holds it, as a chain from its end to its beginning.
//!
//! Invariant: a place costs nothing until its pointer is asked for, and no pointer is longer than [`POINTER_BYTES_MAX`].

use crate::defect::pointer_to;

/// Bytes of a pointer: a place that needs more is told by what it lies in, so that no list of faults repeats a long name of a client's
/// many times.
pub const POINTER_BYTES_MAX: usize = 1_024;

/// A place within a value.
#[derive(Clone, Copy, Debug)]
pub struct Place<'p> {
    above: Option<&'p Place<'p>>,
    step: Step<'p>,
}

/// The way from what holds a value to the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'p> {
    Root,
    Member(&'p str),
    Element(usize),
}

impl<'p> Place<'p> {
    /// The value as a whole.
    pub const ROOT: Place<'static> = Place {
        above: None,
        step: Step::Root,
    };

    /// The place one step further down.
    pub fn at(&'p self, step: Step<'p>) -> Place<'p> {
        Place {
            above: Some(self),
            step,
        }
    }

    /// The steps from the root, without it.
    pub fn steps(&self) -> Vec<Step<'p>> {
        let mut steps = self.above.map_or_else(Vec::new, Place::steps);
        if self.step != Step::Root {
            steps.push(self.step);
        }
        steps
    }

    /// The JSON pointer to this place, and whether it was short enough to lead there.
    pub fn pointer(&self) -> (String, bool) {
        let mut pointer = String::new();
        for step in self.steps() {
            let further = match step {
                Step::Root => continue,
                Step::Member(name) => pointer_to(&pointer, name),
                Step::Element(index) => pointer_to(&pointer, &index.to_string()),
            };
            if further.len() > POINTER_BYTES_MAX {
                return (pointer, false);
            }
            pointer = further;
        }
        (pointer, true)
    }
}
