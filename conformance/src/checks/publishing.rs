//! What a server takes as a template and what it does not (Z-030 … Z-062); only where a scratch one may be published.

use crate::checks::errors::refused;
use crate::checks::submissions::taken;
use crate::probe::Probe;
use crate::rules;
use crate::scratch;
use crate::scratch::STRANGER;
use crate::template::Template;
use crate::transcript::Transcript;
use crate::verdict::Verdict;
use crate::verdict::holds;
use crate::verdict::not_applicable;

rules! {
    "Z-037-publish" (Publish) taken;
    "Z-030-again" (Publish PublishAgain) |t, probe| {
        if !t.answer(Probe::Publish)?.is_success() {
            return not_applicable("it was not taken the first time");
        }
        taken(t, probe)
    };
    "Z-030-immutable" (Publish PublishChanged) refused;
    "Z-050" (Publish Negotiate) |t, _| {
        t.answer(Probe::Publish)?;
        let template = t.template()?;
        let on_key = template.key("article").is_some_and(|key| key.get(STRANGER).is_some());
        holds(template.members.contains_key(STRANGER) && on_key, "they were dropped")
    };
    "Z-105" (Publish Stored) what_was_published_comes_back;
    "Z-031-publish" (Defective:NoScenario) refused;
    "Z-032-publish" (Defective:NoKeys) refused;
    "Z-033-publish" (Defective:NoName) refused;
    "Z-034-publish" (Defective:BadName) refused;
    "Z-035-publish" (Defective:TwinNames) refused;
    "Z-036-publish" (Defective:NoType) refused;
    "Z-036-unknown" (Defective:BadType) refused;
    "Z-054-publish" (Defective:NoDescription) refused;
    "Z-042-publish" (Defective:NoRequired) refused;
    "Z-058-publish" (Defective:RequiredOther) refused;
    "Z-059-publish" (Defective:NumericOther) refused;
    "Z-047-publish" (Defective:MisfitDefault) refused;
}

fn what_was_published_comes_back(transcript: &Transcript, probe: Probe) -> Verdict {
    transcript.answer(Probe::Publish)?;
    let answered = transcript.answer(probe)?;
    if answered.is_absent() {
        return not_applicable(format!("schemas cannot be read: answered {}", answered.summary()));
    }
    let Some(name) = transcript.scratch.as_deref() else {
        return not_applicable("nothing was published");
    };
    let members = [
        "key_name",
        "key_type",
        "required",
        "default_value",
        "semantic_description",
    ];
    let published = scratch::template(name);
    let published = Template::find(&published).map(|template| template.contract(&members));
    let stored = answered.template().map(|template| template.contract(&members));
    holds(
        stored.is_some() && stored == published,
        format!("answered {}, and not with what was published", answered.summary()),
    )
}
