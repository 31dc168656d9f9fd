//! What is refused beside payloads that do not fit, and how it is said (Z-181).

use crate::probe::Probe;
use crate::rules;
use crate::transcript::Transcript;
use crate::verdict::Verdict;
use crate::verdict::holds;

rules! {
    "Z-181" (UnknownSchema) refused;
    "Z-181-json" (BrokenJson) refused;
    "Z-181-payload" (PayloadList) refused;
    "Z-181-retired" (Retire Retired) refused;
}

/// Passes where the server says that it is the caller's mistake.
pub fn refused(transcript: &Transcript, probe: Probe) -> Verdict {
    let answered = transcript.answer(probe)?;
    holds(answered.is_refusal(), format!("answered {}", answered.summary()))
}
