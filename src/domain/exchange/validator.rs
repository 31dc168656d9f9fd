//! A validator compiled from an effective template: checks while it parses.

use crate::domain::exchange::verdict::Verdict;
use crate::domain::template::effective::EffectiveTemplate;
use crate::domain::template::name::PatchId;

/// Bounds on what is taken from `other` (Z-063). Never a reason to refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherLimits {
    /// Strings taken from one payload.
    pub strings_max: usize,
    /// Bytes taken from one string, cut at a character's edge.
    pub bytes_max: usize,
}

/// Compiled once per effective template; shared between threads.
#[derive(Debug)]
pub struct Validator {}

impl Validator {
    /// Compiles the check. Base keys refuse; keys from a patch refuse only when they are stable and the client has
    /// received the patch (DESIGN §4).
    pub fn compile(template: &EffectiveTemplate, limits: OtherLimits) -> Validator {
        let _ = (template, limits);
        todo!()
    }

    /// Checks one payload given as JSON text.
    ///
    /// `received` says whether this client has received a patch. `normalise` asks for [`Verdict::normalised`].
    ///
    /// # Errors
    /// The parser's message when the text is not JSON (a payload that is no object is a violation, not an error).
    pub fn check(
        &self,
        payload: &str,
        received: &dyn Fn(&PatchId) -> bool,
        normalise: bool,
    ) -> Result<Verdict, String> {
        let _ = (payload, received, normalise);
        todo!()
    }
}
