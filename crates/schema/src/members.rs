//! An object of a published document, read member by member.
//!
//! Knows no member's name. Invariant: what is missing or of another form is a defect in its place, and reading goes on.

use serde_json::Map;
use serde_json::Value;

use crate::defect::pointer_to;
use crate::report::Report;
use crate::unknown;

/// An object of a document whose members are read one by one.
pub(crate) struct Members<'d, 'r> {
    pub members: &'d Map<String, Value>,
    /// The members that have a field of their own.
    pub own: &'static [&'static str],
    pub pointer: &'d str,
    pub report: &'r mut Report,
}

impl<'d> Members<'d, '_> {
    /// A member that has to be there.
    pub fn get(&mut self, name: &'static str, requirement: &str) -> Option<&'d Value> {
        let value = self.members.get(name);
        if value.is_none() {
            let message = unknown::missing(self.members, self.own, name);
            self.report.defect(self.pointer, requirement, message);
        }
        value
    }

    /// A text.
    pub fn text(&mut self, name: &str, value: &'d Value, requirement: &str) -> Option<&'d str> {
        let text = value.as_str();
        self.hold(name, requirement, text, || format!("`{name}` is a string"))
    }

    /// What was read of a member, with the defect where nothing could be.
    pub fn hold<T>(
        &mut self,
        name: &str,
        requirement: &str,
        read: Option<T>,
        message: impl FnOnce() -> String,
    ) -> Option<T> {
        if read.is_none() {
            self.report
                .defect(&pointer_to(self.pointer, name), requirement, message());
        }
        read
    }
}
